#include "proto/zmq_transport.h"

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "common/checksum.h"
#include "proto/convert.h"
#include "proto/frame.h"

namespace ipfit {
namespace {

// Frames shorter than this arrive at any alignment and may share one buffer with their neighbours, which they would
// keep alive; longer ones have their own, 8-aligned. It is libzmq's input batch size.
constexpr std::size_t kOwnBufferBytes = 8192;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(zmq_errno(), std::generic_category(), what);
}

// ---- frames -----------------------------------------------------------------------------------------------------

/// One ZeroMQ message part.
class Frame {
 public:
  Frame() { zmq_msg_init(&message_); }
  explicit Frame(std::span<const std::byte> copied) {
    if (zmq_msg_init_size(&message_, copied.size()) != 0) {
      throw std::bad_alloc();
    }
    std::copy(copied.begin(), copied.end(), static_cast<std::byte*>(zmq_msg_data(&message_)));
  }
  /// Sends the bytes where they are; the owner is released on the I/O thread once they are written.
  Frame(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner) {
    auto held = std::make_unique<std::shared_ptr<const void>>(owner);
    const auto release = [](void*, void* hint) { delete static_cast<std::shared_ptr<const void>*>(hint); };
    // Never written through: the library only reads what it sends.
    if (zmq_msg_init_data(&message_, const_cast<std::byte*>(bytes.data()), bytes.size(), release, held.get()) != 0) {
      throw std::bad_alloc();
    }
    held.release();
  }
  ~Frame() { zmq_msg_close(&message_); }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// 0 or the error number.
  int send(void* socket, bool more) {
    const int flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0);
    while (zmq_msg_send(&message_, socket, flags) < 0) {
      if (zmq_errno() != EINTR) {
        return zmq_errno();
      }
    }
    return 0;
  }
  int receive(void* socket) {
    while (zmq_msg_recv(&message_, socket, ZMQ_DONTWAIT) < 0) {
      if (zmq_errno() != EINTR) {
        return zmq_errno();
      }
    }
    return 0;
  }
  bool more() const { return zmq_msg_more(&message_) != 0; }
  std::span<const std::byte> bytes() const {
    auto* message = const_cast<zmq_msg_t*>(&message_);
    return {static_cast<const std::byte*>(zmq_msg_data(message)), zmq_msg_size(message)};
  }

 private:
  zmq_msg_t message_;
};

Frame payload_frame(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner) {
  return owner == nullptr || bytes.size() < kOwnBufferBytes ? Frame(bytes) : Frame(bytes, owner);
}

/// Joins the frames of a payload; a single big one is passed on without a copy.
Payload join(std::vector<std::unique_ptr<Frame>> frames, std::size_t total) {
  if (frames.size() == 1 && total >= kOwnBufferBytes) {
    const auto bytes = frames.front()->bytes();
    return Payload(bytes, std::shared_ptr<const Frame>(std::move(frames.front())));
  }
  std::vector<std::byte> joined;
  joined.reserve(total);
  for (const auto& frame : frames) {
    joined.insert(joined.end(), frame->bytes().begin(), frame->bytes().end());
  }
  return Payload(std::move(joined));
}

// ---- the descriptor ---------------------------------------------------------------------------------------------

/// Makes a level-triggered descriptor out of ZMQ_FD, which is edge-triggered: its edge is also consumed by a send, so a
/// loop that waits for it alone can sleep on a message that is already here. An eventfd beside it stays set as long as
/// the socket has something to receive.
class Wakeup {
 public:
  explicit Wakeup(int edge_triggered) : epoll_(epoll_create1(EPOLL_CLOEXEC)), mark_(eventfd(0, EFD_CLOEXEC)) {
    if (epoll_ < 0 || mark_ < 0 || !add(edge_triggered) || !add(mark_)) {
      const int problem = errno;
      close_both();
      throw std::system_error(problem, std::generic_category(), "cannot wait for a socket");
    }
  }
  ~Wakeup() { close_both(); }
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  void set(bool readable) {
    if (readable == readable_) {
      return;
    }
    eventfd_t count = 0;
    const int failed = readable ? eventfd_write(mark_, 1) : eventfd_read(mark_, &count);
    if (failed != 0) {
      throw std::system_error(errno, std::generic_category(), "cannot mark a socket as readable");
    }
    readable_ = readable;
  }
  int descriptor() const { return epoll_; }

 private:
  bool add(int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
  }
  void close_both() {
    ::close(epoll_);
    ::close(mark_);
  }

  int epoll_;
  int mark_;
  bool readable_ = false;
};

// ---- sockets ----------------------------------------------------------------------------------------------------

/// A socket with the settings that both sides share. docs/decisions/0002 has the measurements behind them.
class Socket {
 public:
  Socket(const ZmqContext& context, int type) : context_(context), handle_(zmq_socket(context.get(), type)) {
    if (handle_ == nullptr) {
      fail("cannot make a socket");
    }
    // In bytes: libzmq holds a frame in memory even for a peer that it has not admitted yet.
    const std::int64_t max_frame = kMaxFrameBytes;
    zmq_setsockopt(handle_, ZMQ_MAXMSGSIZE, &max_frame, sizeof(max_frame));
    // A dead link is noticed on both sides. The threads that answer these are not the ones that work, so an application
    // heartbeat is needed as well.
    set(ZMQ_HEARTBEAT_IVL, 2000);
    set(ZMQ_HEARTBEAT_TIMEOUT, 8000);
    set(ZMQ_HEARTBEAT_TTL, 10000);
    set(ZMQ_TCP_KEEPALIVE, 1);
    set(ZMQ_TCP_MAXRT, 20000);
    set(ZMQ_LINGER, static_cast<int>(kLingerSeconds * 1000));
  }
  ~Socket() { zmq_close(handle_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void set(int option, int value) {
    if (zmq_setsockopt(handle_, option, &value, sizeof(value)) != 0) {
      fail("cannot set a socket option");
    }
  }
  int get(int option) const {
    int value = 0;
    std::size_t size = sizeof(value);
    if (zmq_getsockopt(handle_, option, &value, &size) != 0) {
      fail("cannot read a socket option");
    }
    return value;
  }
  bool readable() const { return (get(ZMQ_EVENTS) & ZMQ_POLLIN) != 0; }
  void* handle() const { return handle_; }

 private:
  ZmqContext context_;  // outlives the socket: a context waits for its sockets when it ends
  void* handle_;
};

class ZmqTransport final : public Transport {
 public:
  /// `routes`: the socket is a ROUTER, whose messages begin with the name of the peer.
  ZmqTransport(std::unique_ptr<Socket> socket, bool routes)
      : socket_(std::move(socket)), wakeup_(socket_->get(ZMQ_FD)), routes_(routes) {
    wakeup_.set(socket_->readable());
  }

  SendOutcome send(const Peer& peer, const Message& message, Payload payload) override {
    if (!payload_range(message).contains(payload.size())) {
      throw std::length_error("a message was to be sent with " + std::to_string(payload.size()) +
                              " bytes of payload, which its kind does not allow");
    }
    const SendOutcome outcome = send_frames(peer, message, payload);
    // Sending may have consumed the wake-up of a message that arrived.
    wakeup_.set(socket_->readable());
    return outcome;
  }

  std::optional<std::variant<Incoming, BadFrame>> receive() override {
    auto received = receive_frames();
    wakeup_.set(received.has_value() && socket_->readable());
    return received;
  }

  int descriptor() const override { return wakeup_.descriptor(); }

 private:
  SendOutcome send_frames(const Peer& peer, const Message& message, const Payload& payload) {
    const auto pieces = payload_frames(payload.bytes());
    const auto header = encode(message);
    if (routes_) {
      Frame name(std::as_bytes(std::span(peer)));
      if (const int problem = name.send(socket_->handle(), true)) {
        return refused(problem);
      }
    }
    Frame first(header);
    int problem = first.send(socket_->handle(), !pieces.empty());
    if (problem != 0 && !routes_) {
      return refused(problem);
    }
    // Only the first part of a message can find its peer slow; later ones fail only when the connection ends between
    // them. The library then drops the message whole, but only once it has been given all parts.
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      Frame piece = payload_frame(pieces[i], payload.owner());
      const int failed = piece.send(socket_->handle(), i + 1 < pieces.size());
      problem = problem != 0 ? problem : failed;
    }
    return problem == 0 ? SendOutcome::kSent : refused(problem);
  }

  static SendOutcome refused(int problem) {
    switch (problem) {
      case EAGAIN:
        return SendOutcome::kWouldBlock;
      case EHOSTUNREACH:
        return SendOutcome::kGone;
      default:
        throw std::system_error(problem, std::generic_category(), "cannot send");
    }
  }

  std::optional<std::variant<Incoming, BadFrame>> receive_frames() {
    Frame header;
    Peer peer;
    if (const int problem = header.receive(socket_->handle())) {
      if (problem == EAGAIN) {
        return std::nullopt;
      }
      throw std::system_error(problem, std::generic_category(), "cannot receive");
    }
    if (routes_) {
      peer.assign(reinterpret_cast<const char*>(header.bytes().data()), header.bytes().size());
      receive_rest(header);
    }
    PayloadCheck check;
    Payload payload = receive_payload(header.more(), check);
    Result<Message> message = open_message(header.bytes(), payload.size());
    const bool other_version = !message && message.error().kind == ErrorKind::kRefused;
    if (!check.ok() && !other_version) {
      return BadFrame{std::move(peer),
                      {ErrorKind::kNetwork, "", "a payload is not in frames of 1 MiB, 64 MiB at most", ""}};
    }
    if (!message) {
      return BadFrame{std::move(peer), message.error()};
    }
    return Incoming{std::move(peer), *std::move(message), std::move(payload)};
  }

  /// All parts of a message arrive together.
  void receive_rest(Frame& frame) {
    if (const int problem = frame.receive(socket_->handle())) {
      throw std::system_error(problem, std::generic_category(), "cannot receive the rest of a message");
    }
  }

  /// Takes the remaining parts; keeps them as long as they are in order.
  Payload receive_payload(bool more, PayloadCheck& check) {
    std::vector<std::unique_ptr<Frame>> frames;
    while (more) {
      auto frame = std::make_unique<Frame>();
      receive_rest(*frame);
      more = frame->more();
      if (check.add(frame->bytes().size())) {
        frames.push_back(std::move(frame));
      } else {
        frames.clear();
      }
    }
    return join(std::move(frames), check.bytes());
  }

  std::unique_ptr<Socket> socket_;
  Wakeup wakeup_;
  bool routes_;
};

// ---- endpoints --------------------------------------------------------------------------------------------------

constexpr std::string_view kTcp = "tcp://";
constexpr std::string_view kIpc = "ipc://";

Error bad_endpoint(const std::string& endpoint, std::string what) {
  return {ErrorKind::kUsage, endpoint, std::move(what), "give tcp://HOST:PORT or ipc:///PATH"};
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto end = text.data() + text.size();
  const auto [stopped, problem] = std::from_chars(text.data(), end, port);
  return problem == std::errc() && stopped == end && port >= 1 && port <= 65535;
}

sockaddr_un ipc_address(std::string_view path, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const bool abstract = path.starts_with('@');
  if (abstract) {
    address.sun_path[0] = '\0';
  }
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + (abstract ? 0 : 1));
  return address;
}

/// Whether somebody listens there. The library would silently take the path away from them.
bool ipc_in_use(std::string_view path) {
  socklen_t length = 0;
  const sockaddr_un address = ipc_address(path, length);
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool answered = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), length) == 0;
  ::close(probe);
  return answered;
}

std::string bind_remedy(int problem) {
  switch (problem) {
    case EADDRINUSE:
      return "another program listens there; stop it or choose another port";
    case EADDRNOTAVAIL:
    case ENODEV:
      return "this machine has no such address; use * or one of its own";
    case EACCES:
      return "ports below 1024 and directories of others need permission; choose another";
    case ENOENT:
      return "make its directory first";
    default:
      return "";
  }
}

/// Makes the limit on open files as high as it goes. The library ends the process, or spins at 100 % of a core, where
/// it has none left: error (kNetwork) where there are too few even for one peer beside the files of a fit.
Status raise_file_limit() {
  constexpr rlim_t kLeastFiles = 64;  // measured: 28 for a fit with one evaluator
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
    return Done{};
  }
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < kLeastFiles) {
    return Error{ErrorKind::kNetwork, "",
                 "a process may have " + std::to_string(files.rlim_max) + " files open here, ipfit needs " +
                     std::to_string(kLeastFiles),
                 "raise the limit: ulimit -n 1024"};
  }
  return Done{};
}

/// What a process that serves many peers needs.
void tune_memory() {
  // Chunks of 1 MiB come and go in bursts. Left to itself malloc may map or trim memory for each of them, and the page
  // faults cost up to four times the copy out of the kernel (0.7 instead of 0.16 CPU s/GB,
  // tests/bench/transport_bench).
  constexpr int kMebibyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMebibyte);
  mallopt(M_TRIM_THRESHOLD, 256 * kMebibyte);
}

Result<std::string> bind(Socket& socket, const std::string& endpoint) {
  const Status checked = check_endpoint(endpoint, true);
  if (!checked) {
    return checked.error();
  }
  const bool taken = endpoint.starts_with(kIpc) && ipc_in_use(std::string_view(endpoint).substr(kIpc.size()));
  if (taken || zmq_bind(socket.handle(), endpoint.c_str()) != 0) {
    const int problem = taken ? EADDRINUSE : zmq_errno();
    return Error{ErrorKind::kNetwork, endpoint, std::string("cannot listen: ") + zmq_strerror(problem),
                 bind_remedy(problem)};
  }
  char bound[512];
  std::size_t size = sizeof(bound);
  if (zmq_getsockopt(socket.handle(), ZMQ_LAST_ENDPOINT, bound, &size) != 0) {
    fail("cannot read where a socket is bound");
  }
  return std::string(bound);
}

}  // namespace

ZmqContext::ZmqContext() : handle_(zmq_ctx_new(), [](void* context) { zmq_ctx_term(context); }) {
  if (handle_ == nullptr) {
    fail("cannot start messaging");
  }
}

Status check_endpoint(const std::string& endpoint, bool listening) {
  if (endpoint.starts_with(kIpc)) {
    const std::size_t length = endpoint.size() - kIpc.size();
    if (length == 0 || length >= sizeof(sockaddr_un::sun_path)) {
      return bad_endpoint(endpoint, "the path of a socket has " + std::to_string(length) + " bytes, must have 1 to " +
                                        std::to_string(sizeof(sockaddr_un::sun_path) - 1));
    }
    if (endpoint.ends_with("/*")) {
      return bad_endpoint(endpoint, "the path of a socket is missing");
    }
    return Done{};
  }
  if (!endpoint.starts_with(kTcp)) {
    return bad_endpoint(endpoint, "neither tcp:// nor ipc://");
  }
  const std::string_view address = std::string_view(endpoint).substr(kTcp.size());
  const std::size_t colon = address.rfind(':');
  const std::string_view host = address.substr(0, colon);
  const std::string_view port = colon == address.npos ? "" : address.substr(colon + 1);
  if (host.empty() || (host == "*" && !listening)) {
    return bad_endpoint(endpoint, "there is no host to connect to");
  }
  if (!is_port(port) && !(listening && port == "*")) {
    return bad_endpoint(endpoint, "port \"" + std::string(port) + "\" is not a number from 1 to 65535");
  }
  return Done{};
}

Result<Listening> listen(const ZmqContext& context, const std::vector<std::string>& endpoints) {
  if (const Status enough = raise_file_limit(); !enough) {
    return enough.errors();
  }
  tune_memory();
  auto socket = std::make_unique<Socket>(context, ZMQ_ROUTER);
  // Messages, not bytes; what is really in flight is bounded by credits.
  socket->set(ZMQ_SNDHWM, 64);
  socket->set(ZMQ_RCVHWM, 16);
  socket->set(ZMQ_ROUTER_MANDATORY, 1);  // otherwise a message to a slow or unknown peer is dropped without a word
  socket->set(ZMQ_HANDSHAKE_IVL, 3000);
  socket->set(ZMQ_BACKLOG, 4096);
  Listening listening;
  std::vector<Error> errors;
  for (const std::string& endpoint : endpoints) {
    Result<std::string> bound = bind(*socket, endpoint);
    if (bound) {
      listening.endpoints.push_back(*std::move(bound));
    } else {
      errors.push_back(bound.error());
    }
  }
  if (!errors.empty()) {
    return errors;
  }
  listening.transport = std::make_unique<ZmqTransport>(std::move(socket), true);
  return listening;
}

Result<std::unique_ptr<Transport>> connect(const ZmqContext& context, const std::string& endpoint) {
  const Status checked = check_endpoint(endpoint, false);
  if (!checked) {
    return checked.error();
  }
  if (const Status enough = raise_file_limit(); !enough) {
    return enough.errors();
  }
  auto socket = std::make_unique<Socket>(context, ZMQ_DEALER);
  socket->set(ZMQ_SNDHWM, 16);
  socket->set(ZMQ_RCVHWM, 64);
  socket->set(ZMQ_IMMEDIATE, 1);  // nothing waits for a connection that is not up: a reconnect begins with Hello
  socket->set(ZMQ_HANDSHAKE_IVL, 10000);
  socket->set(ZMQ_RECONNECT_IVL, 500);
  socket->set(ZMQ_RECONNECT_IVL_MAX, 15000);
  if (zmq_connect(socket->handle(), endpoint.c_str()) != 0) {
    return bad_endpoint(endpoint, std::string("cannot connect: ") + zmq_strerror(zmq_errno()));
  }
  return std::unique_ptr<Transport>(std::make_unique<ZmqTransport>(std::move(socket), false));
}

}  // namespace ipfit
