#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace ipfit::test {

/// A new folder for sockets, with a path short enough for them; gone at the end.
class SocketFolder {
 public:
  SocketFolder() {
    std::string name = "/tmp/ipfit-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("cannot make a folder in /tmp");
    }
    path_ = name;
  }
  ~SocketFolder() { std::filesystem::remove_all(path_); }
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string endpoint(const std::string& name = "manager") const { return "ipc://" + (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ipfit::test
