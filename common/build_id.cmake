# Writes OUT: the definition of build_id() from a hash of SOURCES and FLAGS.
set(all "${FLAGS}")
foreach(source IN LISTS SOURCES)
  file(SHA256 ${source} hash)
  string(APPEND all "${hash}")
endforeach()
string(SHA256 id "${all}")
string(SUBSTRING ${id} 0 12 id)
file(WRITE ${OUT} "#include \"common/build_id.h\"

namespace ipfit {

std::string_view build_id() { return \"${id}\"; }
std::string_view version() { return \"${VERSION}\"; }

}  // namespace ipfit
")
