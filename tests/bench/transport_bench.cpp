// What it costs the manager to receive blocks: one process sends 2 GB in chunks of 1 MiB, over ipc or to the endpoint
// given; another receives them and lets them go in bursts, as the queue before the disk does. Prints the receiver's CPU
// seconds per GB and the rate.

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "common/checksum.h"
#include "proto/zmq_transport.h"

namespace {

using namespace ipfit;

constexpr std::size_t kChunks = 2048;
constexpr std::size_t kKept = 64;

void wait_for(const Transport& transport, int milliseconds) {
  pollfd entry{transport.descriptor(), POLLIN, 0};
  ::poll(&entry, 1, milliseconds);
}

int send_chunks(const std::string& endpoint) {
  const ZmqContext context;
  auto transport = *connect(context, endpoint);
  const Payload payload(std::vector<std::byte>(kChunkBytes, std::byte{7}));
  for (std::size_t i = 0; i < kChunks; ++i) {
    const BlockChunk chunk{{}, i * kChunkBytes, kChunkBytes, 0};
    while (transport->send("", chunk, payload) != SendOutcome::kSent) {
      wait_for(*transport, 20);
      transport->receive();
    }
  }
  return 0;  // lingers until the last chunk is written
}

double cpu_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

void receive_chunks(Transport& transport) {
  std::vector<Payload> kept;
  for (std::size_t i = 0; i < kChunks;) {
    auto received = transport.receive();
    if (!received) {
      wait_for(transport, 1000);
      continue;
    }
    kept.push_back(std::move(std::get<Incoming>(*received).payload));
    if (kept.size() == kKept) {
      kept.clear();
    }
    ++i;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string endpoint = argc > 1 ? argv[1] : "ipc:///tmp/ipfit-transport-bench-" + std::to_string(::getpid());
  const pid_t sender = ::fork();
  if (sender == 0) {
    return send_chunks(endpoint);
  }
  const ZmqContext context;
  auto listening = *listen(context, {endpoint});
  const auto start = std::chrono::steady_clock::now();
  receive_chunks(*listening.transport);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  ::waitpid(sender, nullptr, 0);
  constexpr double kGigabytes = 1e-9 * static_cast<double>(kChunks * kChunkBytes);
  std::printf("receiver: %.3f CPU s/GB (user %.3f, system %.3f), %.2f GB/s, %ld page faults, %ld MB resident\n",
              (cpu_seconds(used.ru_utime) + cpu_seconds(used.ru_stime)) / kGigabytes,
              cpu_seconds(used.ru_utime) / kGigabytes, cpu_seconds(used.ru_stime) / kGigabytes,
              kGigabytes / elapsed.count(), used.ru_minflt, used.ru_maxrss / 1024);
}
