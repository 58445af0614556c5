#include "worker/check_connection.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "proto/transport.h"
#include "proto/zmq_transport.h"

namespace ipfit {
namespace {

constexpr double kConnectSeconds = 5.0;
constexpr double kAnswerSeconds = 5.0;

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kIpc = "ipc://";

using Say = std::function<void(std::string_view)>;

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  std::string text;
};

/// Zero, or the errno of why nobody answers at the address.
int try_connect(const Address& address) {
  const int descriptor = socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) {
    return errno;
  }
  int problem = 0;
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0) {
    problem = errno;
  }
  if (problem == EINPROGRESS) {
    pollfd waited{descriptor, POLLOUT, 0};
    socklen_t size = sizeof problem;
    if (poll(&waited, 1, static_cast<int>(kConnectSeconds * 1000)) == 0) {
      problem = ETIMEDOUT;
    } else {
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size);
    }
  }
  close(descriptor);
  return problem;
}

std::string remedy_of(int problem) {
  switch (problem) {
    case ECONNREFUSED:
      return "the machine is there, but no program listens at this port: is the manager running, and is this its port?";
    case ETIMEDOUT:
      return "a firewall may drop the connection; ask for the port to be opened, or choose another";
    case EHOSTUNREACH:
    case ENETUNREACH:
      return "there is no way to this machine from here: is it switched on, on the same network, or behind a VPN?";
    case ENOENT:
      return "the manager makes this file when it starts: is it running on this machine?";
    case EACCES:
      return "the file belongs to somebody else";
    default:
      return "";
  }
}

Result<std::vector<Address>> resolve_tcp(const std::string& endpoint) {
  const std::string rest = endpoint.substr(kTcp.size());
  const std::size_t colon = rest.rfind(':');
  std::string host = rest.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int problem = getaddrinfo(host.c_str(), rest.substr(colon + 1).c_str(), &hints, &found)) {
    return Error{ErrorKind::kNetwork, endpoint, "the name " + host + " is not known: " + gai_strerror(problem),
                 "check its spelling, or give the address in numbers"};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    Address address;
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.length = entry->ai_addrlen;
    char text[NI_MAXHOST] = "?";
    getnameinfo(entry->ai_addr, entry->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    address.text = text;
    addresses.push_back(address);
  }
  return addresses;
}

Address ipc_address(const std::string& endpoint) {
  Address address;
  address.text = endpoint.substr(kIpc.size());
  auto& local = reinterpret_cast<sockaddr_un&>(address.storage);
  local.sun_family = AF_UNIX;
  address.text.copy(local.sun_path, sizeof local.sun_path - 1);
  const bool abstract = address.text.starts_with('@');  // a name without a file
  if (abstract) {
    local.sun_path[0] = '\0';
  }
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.text.size() + (abstract ? 0 : 1));
  return address;
}

Result<std::vector<Address>> resolve(const std::string& endpoint, const Say& say) {
  if (endpoint.starts_with(kIpc)) {
    return std::vector<Address>{ipc_address(endpoint)};
  }
  Result<std::vector<Address>> addresses = resolve_tcp(endpoint);
  if (addresses) {
    std::string line = "name: known as";
    for (const Address& address : *addresses) {
      line += " " + address.text;
    }
    say(line);
  }
  return addresses;
}

/// One address that answers is enough.
Status check_port(const std::string& endpoint, const std::vector<Address>& addresses, const Say& say) {
  std::vector<Error> errors;
  for (const Address& address : addresses) {
    const int problem = try_connect(address);
    if (problem == 0) {
      say("port: " + address.text + " answers");
      return Done{};
    }
    errors.push_back({ErrorKind::kNetwork, endpoint,
                      "cannot connect to " + address.text + ": " + std::strerror(problem), remedy_of(problem)});
  }
  return errors;
}

/// What the manager answers to Hello; empty if it does not within the time.
std::optional<Message> converse(Transport& transport, const Hello& hello) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kAnswerSeconds);
  bool sent = false;
  while (std::chrono::steady_clock::now() < end) {
    while (auto incoming = transport.receive()) {
      const auto* answer = std::get_if<Incoming>(&*incoming);
      if (answer != nullptr &&
          (std::holds_alternative<Welcome>(answer->message) || std::holds_alternative<Reject>(answer->message))) {
        return answer->message;
      }
    }
    sent = sent || transport.send({}, hello) == SendOutcome::kSent;
    pollfd waited{transport.descriptor(), POLLIN, 0};
    poll(&waited, 1, 100);
  }
  return std::nullopt;
}

Status check_manager(const std::string& endpoint, Hello hello, const Say& say) {
  const ZmqContext context;
  Result<std::unique_ptr<Transport>> transport = connect(context, endpoint);
  if (!transport) {
    return transport.errors();
  }
  hello.credit = 0;
  const std::optional<Message> answer = converse(**transport, hello);
  if (!answer) {
    return Error{ErrorKind::kNetwork, endpoint,
                 "something listens there, but it gave no answer that an ipfit manager would give",
                 "is this the port of the manager, and is the manager of this version?"};
  }
  if (const auto* reject = std::get_if<Reject>(&*answer)) {
    return Error{ErrorKind::kRefused, endpoint, "refused by the manager: " + reject->reason, reject->remedy};
  }
  (*transport)->send({}, Bye{});
  say("manager: admits this worker; protocol " + std::to_string(hello.protocol) + ", build " + hello.build +
      " and the self-test agree");
  return Done{};
}

}  // namespace

Status check_connection(const std::string& endpoint, const Hello& hello, const Say& say) {
  if (Status status = check_endpoint(endpoint, false); !status) {
    return status;
  }
  const Result<std::vector<Address>> addresses = resolve(endpoint, say);
  if (!addresses) {
    return addresses.errors();
  }
  if (Status status = check_port(endpoint, *addresses, say); !status) {
    return status;
  }
  return check_manager(endpoint, hello, say);
}

}  // namespace ipfit
