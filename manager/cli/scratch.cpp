#include "manager/cli/scratch.h"

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace ipfit {

ScratchDirectory::ScratchDirectory() : path_((std::filesystem::temp_directory_path() / "ipfit-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot make the directory " + path_);
  }
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ipfit
