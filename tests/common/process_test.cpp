#include "common/process.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

using namespace ipfit;

TEST_CASE("what is lacking is not called a bug, and everything else is") {
  CHECK(last_words(std::bad_alloc()).kind == ErrorKind::kFailed);
  CHECK(last_words(std::bad_array_new_length()).remedy.find("memory") != std::string::npos);
  const std::system_error files(EMFILE, std::generic_category(), "cannot make a socket");
  CHECK(last_words(files).text() ==
        "cannot make a socket: Too many open files; raise the limit on open files: ulimit -n 1024");
  CHECK(last_words(std::system_error(EBADF, std::generic_category())).kind == ErrorKind::kInternal);
  CHECK(last_words(std::logic_error("odd")).text() == "odd; please report this as a bug");
}
