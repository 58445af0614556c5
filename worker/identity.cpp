#include "worker/identity.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "common/build_id.h"
#include "worker/self_test.h"

namespace ipfit {

std::string random_worker_id() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "cannot get random numbers");
  }
  std::string id;
  for (const unsigned char byte : bytes) {
    id += "0123456789abcdef"[byte >> 4];
    id += "0123456789abcdef"[byte & 15];
  }
  return id;
}

Hello introduce(const std::string& worker_id, std::uint32_t slot, std::uint32_t incarnation, std::uint32_t credit) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  Hello hello;
  hello.build = build_id();
  hello.worker = worker_id;
  hello.slot = slot;
  hello.incarnation = incarnation;
  hello.host = host;
  hello.pid = static_cast<std::uint64_t>(getpid());
  hello.memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  hello.credit = credit;
  hello.self_test = self_test();
  return hello;
}

}  // namespace ipfit
