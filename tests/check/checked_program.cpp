#include "checked_program.h"

#include <random>

namespace timeless::trace::test {

void expect_clean(const Program& program) {
  const CheckReport report = check(program);
  EXPECT_EQ(report.inconsistent, 0U);
  EXPECT_EQ(report.incomplete, 0U);
  for (const Finding& finding : report.findings)
    ADD_FAILURE() << name(finding.severity) << " rank " << finding.rank << " action " << finding.action << ": "
                  << finding.words;
}

Finding only_finding(const Program& program, Severity severity) {
  const CheckReport report = check(program);
  EXPECT_EQ(report.findings.size(), 1U);
  if (report.findings.empty()) return {};
  for (const Finding& finding : report.findings)
    EXPECT_EQ(finding.severity, severity) << "rank " << finding.rank << ": " << finding.words;
  return report.findings.front();
}

Program random_program(unsigned seed, Rank size, int events) {
  std::mt19937 random(seed);
  const auto pick = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
  Program program(size, 64);
  std::vector<std::vector<RequestId>> open(static_cast<std::size_t>(size));
  std::vector<RequestId> next(static_cast<std::size_t>(size));
  const auto fresh = [&](Rank rank) {
    open[static_cast<std::size_t>(rank)].push_back(next[static_cast<std::size_t>(rank)]);
    return next[static_cast<std::size_t>(rank)]++;
  };
  const auto wait_for_all = [&](Rank rank) {
    auto& requests = open[static_cast<std::size_t>(rank)];
    if (!requests.empty()) program.wait(rank, requests);
    requests.clear();
  };
  const CommunicatorId window = program.add_communicator(program.run().communicators[world_communicator].members);
  program.all({.kind = ActionKind::win_create, .new_communicator = window});
  for (int event = 0; event < events; ++event) {
    const Rank from = pick(size);
    const Rank to = pick(size);
    const auto bytes = static_cast<Bytes>(pick(1000));
    const Tag tag = pick(3);
    switch (pick(12)) {
    case 8:
      program.all({.kind = ActionKind::win_fence}, window);
      break;
    case 9:
      program.add(from, {.kind = ActionKind::win_lock, .communicator = window, .peer = to});
      program.add(from, {.kind = ActionKind::put, .communicator = window, .peer = to, .bytes = bytes});
      program.add(from, {.kind = ActionKind::win_unlock, .communicator = window, .peer = to});
      break;
    case 10: {
      const std::vector<Rank> origin = {from};
      const std::vector<Rank> target = {to};
      program.add(to, {.kind = ActionKind::win_post, .communicator = window, .ranks = origin});
      program.add(from, {.kind = ActionKind::win_start, .communicator = window, .ranks = target});
      program.add(from, {.kind = ActionKind::win_complete, .communicator = window});
      program.add(to, {.kind = ActionKind::win_wait, .communicator = window});
      break;
    }
    case 11:
      program.add(from, {.kind = ActionKind::get,
                         .communicator = window,
                         .peer = to,
                         .receive_bytes = bytes,
                         .request = fresh(from)});
      break;
    case 0:
      for (Rank rank = 0; rank < size; ++rank)
        program.add(rank, {.kind = ActionKind::allreduce, .bytes = bytes});
      break;
    case 1:
      program.isend(from, to, fresh(from), bytes, tag);
      program.irecv(to, from, fresh(to), bytes + 4, tag);
      break;
    case 2: {
      const RequestId request = fresh(to);
      program.irecv(to, any_rank, request, 2000, any_tag);
      program.send(from, to, bytes, tag);
      program.resolve(to, request, from, bytes, tag);
      break;
    }
    case 3:
      wait_for_all(from);
      break;
    default:
      program.send(from, to, bytes, tag);
      program.receive(to, from, bytes, tag);
    }
  }
  for (Rank rank = 0; rank < size; ++rank)
    wait_for_all(rank);
  program.all({.kind = ActionKind::win_free}, window);
  program.finalize();
  return program;
}

} // namespace timeless::trace::test
