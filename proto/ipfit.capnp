@0xd1f5a1f0c0de1f17;
struct Empty {}
