// The program ipfit-worker as a whole: real processes, a real socket, a manager that does what the test says.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "common/build_id.h"
#include "tests/worker/scripted_manager.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

/// Waits until a process, which need not be a child, has ended.
bool ends(pid_t process) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) {
    return errno == ESRCH;
  }
  pollfd waited{descriptor, POLLIN, 0};
  const bool ended = poll(&waited, 1, 60000) == 1;
  close(descriptor);
  return ended;
}

/// A child process whose output goes to a file. Killed at the end of the test if it still runs.
class Process {
 public:
  Process(std::vector<std::string> words, std::filesystem::path output) : output_(std::move(output)) {
    std::vector<char*> arguments;
    for (std::string& word : words) {
      arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    const int file = open(output_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      dup2(file, STDOUT_FILENO);
      dup2(file, STDERR_FILENO);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(file);
  }
  ~Process() {
    if (pid_ > 0) {
      send(SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const { kill(pid_, signal); }
  /// Its exit code; fails the test if it dies by a signal or does not end.
  int exit_code() {
    REQUIRE(ends(pid_));
    int status = 0;
    REQUIRE(waitpid(pid_, &status, 0) == pid_);
    pid_ = -1;
    INFO(output());
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
  }
  std::string output() const {
    std::ifstream file(output_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path output_;
  pid_t pid_ = -1;
};

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

struct Site {
  TemporaryDirectory directory;
  std::string endpoint = "ipc://" + (directory.path() / "manager").string();
  ScriptedManager manager{endpoint};

  Process worker(const std::vector<std::string>& options) {
    std::vector<std::string> words{IPFIT_WORKER_PROGRAM, endpoint};
    words.insert(words.end(), options.begin(), options.end());
    return {words, directory.path() / "output"};
  }
};

/// A task that takes minutes: many structures, each of many pairs.
Sent long_task(std::uint32_t task, const Model& model) {
  Structure crystal;
  crystal.cell = 10.0 * Mat3::Identity();
  crystal.pbc = {true, true, true};
  for (int i = 0; i < 125; ++i) {
    crystal.species.push_back(14);
    crystal.positions.push_back(2.0 * Vec3(i % 5, (i / 5) % 5, i / 25));
  }
  Sent sent = task_message(task, std::vector<Structure>(2000, crystal), model);
  for (TaskStructure& structure : std::get<TaskMessage>(sent.message).structures) {
    structure.mask = {true, false, false};
  }
  return sent;
}

Model expensive_model() {
  return Model{PairSpec{{14}, 8.0, 1000}, {}, {}};
}

}  // namespace

TEST_CASE("the structure at which an evaluator dies is told by its successor, once") {
  Site site;
  Process worker = site.worker({"--slots", "1"});
  const Hello first = site.manager.expect<Hello>();
  CHECK(first.build == build_id());
  CHECK(first.incarnation == 0);
  CHECK_FALSE(first.crash);
  site.manager.say(Welcome{"m"});
  site.manager.say(model_message(expensive_model()));
  const Sent task = long_task(3, expensive_model());
  site.manager.say(task);
  Heartbeat heartbeat = site.manager.expect<Heartbeat>();
  while (heartbeat.structure <= 300) {
    heartbeat = site.manager.expect<Heartbeat>();
  }
  kill(static_cast<pid_t>(first.pid), SIGKILL);

  const Hello second = site.manager.expect<Hello>();
  CHECK(second.worker == first.worker);
  CHECK(second.slot == first.slot);
  CHECK(second.incarnation == 1);
  CHECK(second.pid != first.pid);
  CHECK(second.holding.empty());
  REQUIRE(second.crash);
  CHECK(second.crash->task == TaskId{1, Phase::kAssembly, 3});
  CHECK(second.crash->structure >= heartbeat.structure);
  CHECK(second.crash->structure < 300 + 2000);
  site.manager.say(Welcome{"m"});
  site.manager.expect<Heartbeat>();  // it has read the Welcome, or will have by the next one
  site.manager.expect<Heartbeat>();
  kill(static_cast<pid_t>(second.pid), SIGKILL);

  const Hello third = site.manager.expect<Hello>();
  CHECK(third.incarnation == 2);
  CHECK_FALSE(third.crash);
  site.manager.say(Welcome{"m"});
  worker.send(SIGTERM);
  site.manager.expect<Bye>();
  CHECK(worker.exit_code() == 0);
  CHECK(worker.output().find("slot 0 killed by SIGKILL (Killed) while it evaluated structure") != std::string::npos);
}

TEST_CASE("asked to stop, a worker finishes or hands back and ends with exit code 0") {
  const int signal = GENERATE(SIGTERM, SIGINT, SIGUSR1);
  Site site;
  Process worker = site.worker({"--slots", "1"});
  site.manager.expect<Hello>();
  site.manager.say(Welcome{"m"});
  site.manager.say(model_message(silicon_model()));
  site.manager.say(task_message(1, {chain(2)}));
  const Commit commit = site.manager.expect<Commit>();
  worker.send(signal);
  site.manager.say(Ack{commit.task});
  site.manager.expect<Bye>();
  CHECK(worker.exit_code() == 0);
}

TEST_CASE("a second signal ends a worker that is still evaluating") {
  Site site;
  Process worker = site.worker({"--slots", "1"});
  const Hello hello = site.manager.expect<Hello>();
  site.manager.say(Welcome{"m"});
  site.manager.say(model_message(silicon_model()));
  site.manager.say(task_message(1, {chain(2)}));
  site.manager.expect<Commit>();  // not acknowledged: the worker would wait for it
  worker.send(SIGTERM);
  while (worker.output().find("asked to stop") == std::string::npos) {
    site.manager.expect<Heartbeat>();
  }
  worker.send(SIGTERM);
  CHECK(worker.exit_code() == 0);
  CHECK(ends(static_cast<pid_t>(hello.pid)));
}

TEST_CASE("a worker that is refused ends, saying why, with the exit code for it") {
  Site site;
  Process worker = site.worker({"--slots", "1"});
  site.manager.expect<Hello>();
  site.manager.say(Reject{"build 1 here, build 2 there", "install the same"});
  CHECK(worker.exit_code() == static_cast<int>(ErrorKind::kRefused));
  CHECK(occurrences(worker.output(), "build 1 here, build 2 there; install the same") == 1);
}

TEST_CASE("all slots of a worker join, and their connecting is told once") {
  Site site;
  Process worker = site.worker({"--slots", "3"});
  std::set<std::uint32_t> slots;
  std::set<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    const Hello hello = site.manager.expect<Hello>();
    slots.insert(hello.slot);
    ids.insert(hello.worker);
    site.manager.say(Welcome{"m"});
  }
  CHECK(slots == std::set<std::uint32_t>{0, 1, 2});
  CHECK(ids.size() == 1);
  CHECK(ids.begin()->size() == 32);
  site.manager.expect<Heartbeat>();  // a second later: the Welcomes were read
  worker.send(SIGTERM);
  CHECK(worker.exit_code() == 0);
  CHECK(occurrences(worker.output(), "connected to") == 1);
}

TEST_CASE("evaluators die with their supervisor") {
  Site site;
  Process worker = site.worker({"--slots", "1"});
  const Hello hello = site.manager.expect<Hello>();
  worker.send(SIGKILL);
  CHECK(ends(static_cast<pid_t>(hello.pid)));
}

TEST_CASE("a worker started by another program ends with it if told so") {
  Site site;
  const std::string script =
      std::string(IPFIT_WORKER_PROGRAM) + " " + site.endpoint + " --slots 1 --die-with-parent & exec sleep 1000";
  Process parent({"/bin/sh", "-c", script}, site.directory.path() / "output");
  const Hello hello = site.manager.expect<Hello>();
  parent.send(SIGKILL);
  CHECK(ends(static_cast<pid_t>(hello.pid)));
}

TEST_CASE("a way to the manager that works is confirmed") {
  Site site;
  Process check = site.worker({"--check"});
  const Hello hello = site.manager.expect<Hello>();
  CHECK(hello.credit == 0);
  site.manager.say(Welcome{"m"});
  site.manager.expect<Bye>();
  CHECK(check.exit_code() == 0);
  CHECK(check.output().find("manager: admits this worker") != std::string::npos);
}

TEST_CASE("a way to the manager that does not work is explained") {
  const TemporaryDirectory directory;
  const auto output_of = [&](const std::string& endpoint, ErrorKind kind) {
    Process check({IPFIT_WORKER_PROGRAM, "--check", endpoint}, directory.path() / std::to_string(endpoint.size()));
    CHECK(check.exit_code() == static_cast<int>(kind));
    return check.output();
  };
  CHECK(output_of("tcp://127.0.0.1:1", ErrorKind::kNetwork).find("is the manager running") != std::string::npos);
  CHECK(output_of("tcp://no-such-name.invalid:1", ErrorKind::kNetwork).find("is not known") != std::string::npos);
  CHECK(output_of("ipc://" + (directory.path() / "none").string(), ErrorKind::kNetwork).find("cannot connect") !=
        std::string::npos);
  CHECK(output_of("tcp://lab", ErrorKind::kUsage).find("tcp://lab") != std::string::npos);
}

TEST_CASE("a manager that refuses is told by the check, with its reason") {
  Site site;
  Process check = site.worker({"--check"});
  site.manager.expect<Hello>();
  site.manager.say(Reject{"build 1 here, build 2 there", "install the same"});
  CHECK(check.exit_code() == static_cast<int>(ErrorKind::kRefused));
  CHECK(check.output().find("build 1 here, build 2 there; install the same") != std::string::npos);
}
