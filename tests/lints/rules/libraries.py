"""Each outside library is met in one place, so that it can be understood, and replaced, there."""

import re

from tree import numbered_lines, paths

# Library, what an include of it looks like, where that may stand.
LIBRARIES = [
    ("Cap'n Proto", r"(capnp|kj)/|.*\.capnp\.h", r"proto/(convert|structure_codec)\.cpp"),
    ("ZeroMQ", r"zmq\.|zmq_", r"proto/zmq_transport\.cpp"),
    ("LAPACKE and CBLAS", r"lapacke|cblas|openblas", r"common/(lsq/lapack|blas)\.cpp"),
    ("toml++", r"toml\+\+|toml\.h", r"common/fit/fit_file\.cpp"),
    ("nlohmann::json", r"nlohmann/", r"common/json\.h"),
    ("xxHash", r"xxh", r"common/checksum\.cpp"),
    ("CLI11", r"CLI/", r"manager/cli/.*|worker/main\.cpp"),
    ("spdlog", r"spdlog/", r"common/log\.(h|cpp)"),
]


def findings(tree):
    for path in paths(tree, ".h", ".cpp"):
        if path.startswith("tests/"):  # tests compare with libraries, and speak to sockets without our code
            continue
        for number, line in numbered_lines(tree[path]):
            included = re.match(r'\s*#\s*include\s*[<"]([^>"]+)', line)
            if not included or included[1] == "proto/zmq_transport.h":
                continue
            for library, spelling, place in LIBRARIES:
                if re.match(spelling, included[1]) and not re.fullmatch(place, path):
                    yield f"{path}:{number}: includes {included[1]}; {library} is met only in {place}"
