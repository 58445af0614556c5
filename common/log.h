#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace ipfit {

/// A log of one line per event: time, level, text. Cheap to copy; safe to use from several threads.
class Log {
 public:
  static Log to_stderr();
  static Log to_file(const std::string& path);  ///< appends; falls back to stderr where the file cannot be opened
  static Log nowhere();

  void info(std::string_view text) const;
  void warn(std::string_view text) const;
  void error(std::string_view text) const;

 private:
  struct Sink;
  explicit Log(std::shared_ptr<Sink> sink);
  std::shared_ptr<Sink> sink_;
};

}  // namespace ipfit
