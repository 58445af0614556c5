#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace ipfit {

/// One line on standard error that says how far the work is: renewed in place on a terminal, else a line when the text
/// has changed and some seconds have passed. Silent where asked.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string_view line);
  /// Ends the line that is renewed in place, so that other text can follow.
  void finish();

 private:
  bool quiet_;
  bool terminal_;
  bool open_ = false;
  std::string last_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace ipfit
