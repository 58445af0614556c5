// Does what a sanitizer must report, as a child that its parent ignores or kills:
//     faulty address|undefined|thread|nothing
// It then waits to be killed, as a daemon would.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace {

int use_after_free() {
  volatile int* number = new int(1);
  delete number;
  return *number;
}

std::int32_t overflow() {
  volatile std::int32_t most = INT32_MAX;
  return most + 1;
}

int race() {
  int number = 0;
  std::thread other([&] { ++number; });
  ++number;
  other.join();
  return number;
}

}  // namespace

int main(int, char** argv) {
  const std::string_view fault = argv[1];
  int result = 0;
  if (fault == "address") {
    result = use_after_free();
  } else if (fault == "undefined") {
    result = overflow();
  } else if (fault == "thread") {
    result = race();
  }
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, "done\n", 5);
  pause();
  return result;
}
