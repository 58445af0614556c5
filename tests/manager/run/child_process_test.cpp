#include "manager/run/child_process.h"

#include <poll.h>

#include <catch2/catch.hpp>
#include <csignal>

namespace ipfit {
namespace {

ChildExit wait_for(ChildProcess& child) {
  std::optional<ChildExit> ended;
  while (!(ended = child.poll())) {
    pollfd fd{child.descriptor(), POLLIN, 0};
    REQUIRE(::poll(&fd, 1, 20000) == 1);
  }
  return *ended;
}

TEST_CASE("a child's exit code and what it wrote to standard error come back") {
  auto child = ChildProcess::start({"/bin/sh", "-c", "echo broken >&2; exit 3"}, true);
  REQUIRE(child.ok());
  const ChildExit ended = wait_for(*child);
  CHECK(ended.code == 3);
  CHECK(ended.message == "broken\n");
}

TEST_CASE("a child that a signal ended has 128 and the signal as its code") {
  auto child = ChildProcess::start({"/bin/sh", "-c", "kill -9 $$"}, true);
  REQUIRE(child.ok());
  CHECK(wait_for(*child).code == 128 + SIGKILL);
}

TEST_CASE("only the end of a long message is kept, and a full pipe does not stop the child") {
  auto child = ChildProcess::start({"/bin/sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x >&2; echo end >&2"}, true);
  REQUIRE(child.ok());
  std::optional<ChildExit> ended;
  while (!(ended = child->poll())) {
    pollfd fd{child->descriptor(), POLLIN, 0};
    ::poll(&fd, 1, 1);
  }
  CHECK(ended->message.size() <= 65536);
  CHECK(ended->message.ends_with("xend\n"));
}

TEST_CASE("a program that is not there is an error") {
  const auto child = ChildProcess::start({"/nowhere/program"}, true);
  REQUIRE_FALSE(child.ok());
  CHECK(child.error().text().find("No such file") != std::string::npos);
}

TEST_CASE("a child that is given up is killed") {
  int pid = 0;
  {
    auto child = ChildProcess::start({"/bin/sleep", "1000"}, true);
    REQUIRE(child.ok());
    pid = child->pid();
    CHECK(::kill(pid, 0) == 0);
  }
  CHECK(::kill(pid, 0) != 0);
}

}  // namespace
}  // namespace ipfit
