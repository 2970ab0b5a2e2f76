#pragma once

#include "trace/check/check.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace timeless::trace::test {

/// A program under test, with short names for what ranks do.
class Program : public MemorySource {
public:
  using MemorySource::MemorySource;

  void send(Rank from, Rank to, Bytes bytes = 8, Tag tag = 0, CommunicatorId communicator = world_communicator) {
    add(from, {.kind = ActionKind::send, .communicator = communicator, .peer = to, .tag = tag, .bytes = bytes});
  }
  void receive(Rank at, Rank from, Bytes bytes = 8, Tag tag = 0, CommunicatorId communicator = world_communicator) {
    add(at, {.kind = ActionKind::receive, .communicator = communicator, .peer = from, .tag = tag, .bytes = bytes});
  }
  void isend(Rank from, Rank to, RequestId request, Bytes bytes = 8, Tag tag = 0) {
    add(from, {.kind = ActionKind::send, .peer = to, .tag = tag, .bytes = bytes, .request = request});
  }
  void irecv(Rank at, Rank from, RequestId request, Bytes bytes = 8, Tag tag = 0) {
    add(at, {.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = bytes, .request = request});
  }
  void resolve(Rank at, RequestId request, Rank from, Bytes bytes, Tag tag = 0) {
    add(at, {.kind = ActionKind::resolved, .peer = from, .tag = tag, .bytes = bytes, .request = request});
  }
  void wait(Rank at, std::vector<RequestId> requests) { add(at, {.kind = ActionKind::wait_all, .requests = requests}); }
  void all(const Action& action, CommunicatorId communicator = world_communicator) {
    for (const Rank rank : run().communicators[communicator].members) {
      Action mine = action;
      mine.communicator = communicator;
      add(rank, mine);
    }
  }
};

void expect_clean(const Program& program);

/// Returns the one thing found, which must be of this severity.
Finding only_finding(const Program& program, Severity severity = Severity::inconsistent);

/// Returns a consistent program: random messages between random pairs, nonblocking and not, wildcards, collectives,
/// transfers to a window and epochs on it.
Program random_program(unsigned seed, Rank size, int events);

} // namespace timeless::trace::test
