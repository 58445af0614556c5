#include "proto/zmq_transport.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "common/checksum.h"
#include "proto/convert.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wait.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

const std::string kAnyPort = "tcp://127.0.0.1:*";

std::string ipc(const TemporaryDirectory& folder, const std::string& name = "manager") {
  return "ipc://" + folder.file(name);
}

std::string text_of(const std::vector<Error>& errors) {
  std::string text;
  for (const Error& error : errors) {
    text += error.text() + "\n";
  }
  return text;
}

Listening listen_on(const ZmqContext& context, const std::string& endpoint) {
  auto listening = ipfit::listen(context, {endpoint});
  INFO((listening ? "" : text_of(listening.errors())));
  REQUIRE(listening.ok());
  return *std::move(listening);
}

std::unique_ptr<Transport> connect_to(const ZmqContext& context, const std::string& endpoint) {
  auto peer = ipfit::connect(context, endpoint);
  REQUIRE(peer.ok());
  return *std::move(peer);
}

/// A peer that keeps no rules: sends whatever frames it likes.
class RawPeer {
 public:
  RawPeer(const ZmqContext& context, const std::string& endpoint) : socket_(zmq_socket(context.get(), ZMQ_DEALER)) {
    const int linger = 0;
    zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof(linger));
    REQUIRE(zmq_connect(socket_, endpoint.c_str()) == 0);
  }
  ~RawPeer() { zmq_close(socket_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  void send(const std::vector<std::vector<std::byte>>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      REQUIRE(zmq_send(socket_, frames[i].data(), frames[i].size(), i + 1 < frames.size() ? ZMQ_SNDMORE : 0) >= 0);
    }
  }

 private:
  void* socket_;
};

std::vector<std::byte> filled(std::size_t bytes) {
  return std::vector<std::byte>(bytes, std::byte{1});
}

Error next_bad(Transport& transport) {
  const auto got = next(transport);
  REQUIRE(std::holds_alternative<BadFrame>(got));
  return std::get<BadFrame>(got).error;
}

/// Whether the listener still serves other peers.
bool serves(const ZmqContext& context, Listening& listening) {
  const auto peer = connect_to(context, listening.endpoints.at(0));
  return send_patiently(*peer, "", List{}) == SendOutcome::kSent &&
         next_message(*listening.transport).message == Message(List{});
}

}  // namespace

TEST_CASE("a frame above 2 MiB never gets in, and its sender is cut off") {
  const ZmqContext context;
  const TemporaryDirectory folder;
  const std::string path = ipc(folder);
  Listening listening = listen_on(context, GENERATE_REF(values({path, kAnyPort})));
  RawPeer hostile(context, listening.endpoints[0]);
  hostile.send({encode(Alive{})});
  const Incoming first = next_message(*listening.transport);
  hostile.send({filled(kMaxFrameBytes + 1)});
  // Cut off: the name under which it was known is gone.
  CHECK(wait_until(*listening.transport,
                   [&] { return listening.transport->send(first.peer, Alive{}) == SendOutcome::kGone; }));
  CHECK(serves(context, listening));
}

TEST_CASE("frames that are no message are reported with their peer, and others are served") {
  const ZmqContext context;
  const TemporaryDirectory folder;
  Listening listening = listen_on(context, ipc(folder));
  RawPeer hostile(context, listening.endpoints[0]);
  Transport& manager = *listening.transport;

  hostile.send({filled(0)});
  CHECK(next_bad(manager).kind == ErrorKind::kNetwork);
  hostile.send({filled(100)});
  CHECK(next_bad(manager).kind == ErrorKind::kNetwork);
  hostile.send({encode(Alive{}), filled(8)});
  CHECK(next_bad(manager).text() == "a message came with 8 bytes of payload, expected 0 to 0");
  hostile.send({encode(BlockChunk{{}, 0, 16, 0}), filled(8)});
  CHECK(next_bad(manager).text() == "a message came with 8 bytes of payload, expected 16 to 16");
  hostile.send({encode(ModelMessage{"h"})});
  CHECK(next_bad(manager).kind == ErrorKind::kNetwork);
  const std::string layout = "a payload is not in frames of 1 MiB, 64 MiB at most";
  hostile.send({encode(ModelMessage{"h"}), filled(0)});
  CHECK(next_bad(manager).text() == layout);
  hostile.send({encode(ModelMessage{"h"}), filled(10), filled(10)});
  CHECK(next_bad(manager).text() == layout);
  hostile.send({encode(ModelMessage{"h"}), filled(kChunkBytes + 1)});
  CHECK(next_bad(manager).text() == layout);
  std::vector<std::vector<std::byte>> too_many(66, filled(kChunkBytes));
  too_many[0] = encode(ModelMessage{"h"});
  hostile.send(too_many);
  CHECK(next_bad(manager).text() == layout);
  // the largest that is allowed
  too_many.pop_back();
  hostile.send(too_many);
  CHECK(next_message(manager).payload.size() == kMaxPayloadBytes);
  CHECK(serves(context, listening));
}

TEST_CASE("a worker finds its manager again after the manager was started anew") {
  const TemporaryDirectory folder;
  const std::string endpoint = ipc(folder);
  const ZmqContext context;
  const auto worker = connect_to(context, endpoint);
  {
    Listening first = listen_on(ZmqContext(), endpoint);
    REQUIRE(send_patiently(*worker, "", Hello{}) == SendOutcome::kSent);
    next_message(*first.transport);
  }
  CHECK(wait_until(*worker, [&] { return worker->send("", Alive{}) == SendOutcome::kWouldBlock; }));
  Listening second = listen_on(ZmqContext(), endpoint);
  REQUIRE(send_patiently(*worker, "", Hello{}) == SendOutcome::kSent);
  const Peer peer = next_message(*second.transport).peer;
  CHECK(second.transport->send(peer, Welcome{"m"}) == SendOutcome::kSent);
  CHECK(next_message(*worker).message == Message(Welcome{"m"}));
}

TEST_CASE("a worker without a manager is told that sending would block") {
  const ZmqContext context;
  const auto worker = connect_to(context, "ipc:///nonexistent/manager");
  CHECK(worker->send("", Hello{}) == SendOutcome::kWouldBlock);
  CHECK(worker->send("", Hello{}) == SendOutcome::kWouldBlock);
}

TEST_CASE("a manager can listen in several places, and says where") {
  const ZmqContext context;
  const TemporaryDirectory folder;
  auto listening = ipfit::listen(context, {"tcp://127.0.0.1:*", ipc(folder)});
  REQUIRE(listening.ok());
  REQUIRE(listening->endpoints.size() == 2);
  CHECK(listening->endpoints[0].starts_with("tcp://127.0.0.1:"));
  CHECK(listening->endpoints[1] == ipc(folder));
  for (const std::string& endpoint : listening->endpoints) {
    const auto peer = connect_to(context, endpoint);
    REQUIRE(send_patiently(*peer, "", List{}) == SendOutcome::kSent);
    CHECK(next_message(*listening->transport).message == Message(List{}));
  }
}

TEST_CASE("an endpoint that cannot be bound is named with what to do") {
  const ZmqContext context;
  const TemporaryDirectory folder;
  const std::string path = ipc(folder);
  const Listening first = listen_on(context, GENERATE_REF(values({path, kAnyPort})));
  const std::string taken = first.endpoints[0];
  const auto second = ipfit::listen(context, {taken, "tcp://192.0.2.1:7777"});
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().kind == ErrorKind::kNetwork);
  CHECK(text_of(second.errors()) ==
        taken +
            ": cannot listen: Address already in use; another program listens there; stop it or choose another port\n" +
            "tcp://192.0.2.1:7777: cannot listen: Cannot assign requested address; this machine has no such address; " +
            "use * or one of its own\n");
  const auto nowhere = ipfit::listen(context, {ipc(folder, "missing/socket")});
  REQUIRE_FALSE(nowhere.ok());
  CHECK(nowhere.error().remedy == "make its directory first");
}

TEST_CASE("a path whose program has ended can be bound again") {
  const TemporaryDirectory folder;
  const std::string endpoint = ipc(folder, "left over");
  // What a killed program leaves: a socket file that nobody listens on.
  {
    const Listening first = listen_on(ZmqContext(), endpoint);
    std::filesystem::create_hard_link(folder.path() / "left over", folder.path() / "kept");
  }
  std::filesystem::rename(folder.path() / "kept", folder.path() / "left over");
  CHECK(ipfit::listen(ZmqContext(), {endpoint}).ok());
}

TEST_CASE("a malformed endpoint is refused in words") {
  const auto problem = [](const std::string& endpoint, bool listening) {
    const Status checked = check_endpoint(endpoint, listening);
    return checked ? "" : checked.error().text();
  };
  const std::string remedy = "; give tcp://HOST:PORT or ipc:///PATH";
  CHECK(problem("lab:7777", true) == "lab:7777: neither tcp:// nor ipc://" + remedy);
  CHECK(problem("udp://lab:7777", false) == "udp://lab:7777: neither tcp:// nor ipc://" + remedy);
  CHECK(problem("tcp://lab", false) == "tcp://lab: port \"\" is not a number from 1 to 65535" + remedy);
  CHECK(problem("tcp://lab:port", false) == "tcp://lab:port: port \"port\" is not a number from 1 to 65535" + remedy);
  CHECK(problem("tcp://lab:0", true) == "tcp://lab:0: port \"0\" is not a number from 1 to 65535" + remedy);
  CHECK(problem("tcp://lab:70000", true) == "tcp://lab:70000: port \"70000\" is not a number from 1 to 65535" + remedy);
  CHECK(problem("tcp://:7777", true) == "tcp://:7777: there is no host to connect to" + remedy);
  CHECK(problem("tcp://*:7777", false) == "tcp://*:7777: there is no host to connect to" + remedy);
  CHECK(problem("tcp://lab:*", false) == "tcp://lab:*: port \"*\" is not a number from 1 to 65535" + remedy);
  CHECK(problem("ipc://", true) == "ipc://: the path of a socket has 0 bytes, must have 1 to 107" + remedy);
  CHECK(problem("ipc://*", true) == "ipc://*: the path of a socket is missing" + remedy);
  const std::string long_path = "ipc:///" + std::string(120, 'x');
  CHECK(problem(long_path, true) == long_path + ": the path of a socket has 121 bytes, must have 1 to 107" + remedy);

  CHECK(problem("tcp://*:7777", true) == "");
  CHECK(problem("tcp://*:*", true) == "");
  CHECK(problem("tcp://lab.example.org:7777", false) == "");
  CHECK(problem("tcp://[::1]:7777", false) == "");
  CHECK(problem("ipc:///run/ipfit/manager", false) == "");

  const ZmqContext context;
  CHECK(ipfit::listen(context, {"lab"}).error().kind == ErrorKind::kUsage);
  CHECK(ipfit::connect(context, "lab").error().kind == ErrorKind::kUsage);
  CHECK(ipfit::connect(context, "tcp://a b:1").error().kind == ErrorKind::kUsage);
}

TEST_CASE("a context that ends waits for its last messages, not for dead peers") {
  const TemporaryDirectory folder;
  const std::string endpoint = ipc(folder);
  const ZmqContext server;
  Listening listening = listen_on(server, endpoint);
  {
    const ZmqContext client;
    const auto peer = connect_to(client, endpoint);
    const Payload payload{std::vector<std::byte>(kChunkBytes)};
    REQUIRE(send_patiently(*peer, "", Upload{"id", 0, 0}, payload) == SendOutcome::kSent);
  }
  CHECK(next_message(*listening.transport).payload.size() == kChunkBytes);
}

TEST_CASE("a message of another version is known as such, whatever payload that version allows") {
  const ZmqContext context;
  const TemporaryDirectory folder;
  Listening listening = listen_on(context, ipc(folder));
  RawPeer newer(context, listening.endpoints[0]);
  auto header = encode(ModelMessage{"h"});
  header[20] = std::byte{kProtocolVersion + 1};
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{10}, kChunkBytes + 1}) {
    newer.send({header, filled(bytes), filled(bytes)});
    CHECK(next_bad(*listening.transport).kind == ErrorKind::kRefused);
  }
  newer.send({header});
  CHECK(next_bad(*listening.transport).kind == ErrorKind::kRefused);
}

TEST_CASE("where a process may open too few files, both sides say so and what to do") {
  const TemporaryDirectory folder;
  for (const rlim_t limit : {rlim_t{16}, rlim_t{40}, rlim_t{63}}) {
    const pid_t child = ::fork();  // a limit that was lowered stays low
    if (child == 0) {
      const rlimit few{limit, limit};
      ::setrlimit(RLIMIT_NOFILE, &few);
      const ZmqContext context;
      const auto listening = listen(context, {ipc(folder)});
      const auto connected = connect(context, ipc(folder));
      const auto said = [](const auto& result) {
        return !result && result.error().kind == ErrorKind::kNetwork &&
               result.error().remedy.find("ulimit -n") != std::string::npos;
      };
      ::_exit(said(listening) && said(connected) ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    INFO(limit << " files");
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  }
}
