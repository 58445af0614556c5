#include <fmt/format.h>

#include "common/build_id.h"
#include "common/file_system.h"
#include "common/log.h"
#include "manager/cli/commands.h"
#include "manager/cli/output.h"
#include "manager/cli/signals.h"
#include "manager/run/client_desk.h"
#include "manager/run/manager.h"
#include "proto/zmq_transport.h"

namespace ipfit {
namespace {

/// Whether only this machine can reach the endpoint.
bool stays_on_this_machine(const std::string& endpoint) {
  return endpoint.starts_with("ipc://") || endpoint.starts_with("tcp://127.") ||
         endpoint.starts_with("tcp://localhost:") || endpoint.starts_with("tcp://[::1]:");
}

}  // namespace

int manager_command(const ManagerCommandOptions& options) {
  if (const Status good = check_endpoint(options.listen, true); !good) {
    return report(good.errors());
  }
  if (!stays_on_this_machine(options.listen) && !options.insecure) {
    return report({{ErrorKind::kUsage, options.listen,
                    "other machines can reach this endpoint, and connections are neither encrypted nor authenticated",
                    "use a loopback or ipc endpoint, or add --insecure on a network that you trust"}});
  }
  StopSignals signals;
  if (const Status made = make_directories(options.state, 0700); !made) {
    return report(made.errors());
  }
  const auto lock = lock_file(options.state + "/lock");
  if (!lock) {
    return report(lock.errors());
  }
  const Log log = Log::to_stderr();
  auto listening = listen(ZmqContext(), {options.listen});
  if (!listening) {
    return report(listening.errors());
  }
  log.info(fmt::format("ipfit manager {}, build {}, listens on {}", version(), build_id(), listening->endpoints[0]));
  Manager manager(*listening->transport, log);
  ClientDesk desk(manager, options.state, log);
  manager.serve_clients([&](const Peer& peer, Message message, Payload payload) {
    desk.handle(peer, std::move(message), std::move(payload));
  });
  if (const Status taken = desk.take_up(); !taken) {
    return report(taken.errors());
  }
  manager.run(
      [&] {
        desk.background().finish();
        desk.note_ended();
        return signals.count() == 0;
      },
      {signals.descriptor(), desk.background().descriptor()});
  // Workers are not sent away: they wait for the next manager and keep what is not yet acknowledged.
  log.info("stopping; fits go on when a manager is started on the same state directory");
  return 0;
}

}  // namespace ipfit
