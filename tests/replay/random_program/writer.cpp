#include "tests/replay/random_program/writer.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace timeless::replay::test::programs {

ProgramWriter::ProgramWriter(std::uint64_t seed, const ProgramLimits& limits)
    : random_(seed), limits_(limits), size_(between(2, limits.most_ranks)),
      program_(size_, static_cast<std::size_t>(between(1, static_cast<int>(limits.most_actions_per_block)))),
      ranks_(static_cast<std::size_t>(size_)) {
  for (std::uint64_t kernel = 1; kernel < kernels; ++kernel)
    program_.add_kernel({});
  add_communicators();
  const int events = between(1, static_cast<int>(limits.most_events));
  for (int event = 0; event < events; ++event)
    happen();
  finish();
}

Bytes ProgramWriter::any_size() {
  constexpr std::array<Bytes, 8> sizes{0, 1, 8, 64, 65, 4096, 4097, 100000};
  return sizes[static_cast<std::size_t>(between(0, 7))];
}

Rank ProgramWriter::any_member(CommunicatorId id) {
  const std::vector<Rank>& all = members(id);
  return all[static_cast<std::size_t>(between(0, static_cast<int>(all.size()) - 1))];
}

Rank ProgramWriter::rank_in(CommunicatorId id, Rank world) {
  return static_cast<Rank>(std::ranges::find(members(id), world) - members(id).begin());
}

std::vector<Rank> ProgramWriter::everyone(CommunicatorId id) {
  std::vector<Rank> all = members(id);
  const auto& others = program_.description().communicators[id].remote_members;
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

void ProgramWriter::add_communicators() {
  const int count = between(0, 3);
  for (int index = 0; index < count; ++index) {
    std::vector<Rank> all(static_cast<std::size_t>(size_));
    std::iota(all.begin(), all.end(), 0);
    std::ranges::shuffle(all, random_);
    all.resize(static_cast<std::size_t>(between(1, size_)));
    program_.add_communicator(all);
  }
  // What creations bring into being; nobody speaks on it.
  created_ = program_.add_communicator(members(0));
  if (chance(50)) return;
  std::vector<Rank> all(static_cast<std::size_t>(size_));
  std::iota(all.begin(), all.end(), 0);
  std::ranges::shuffle(all, random_);
  const auto first = all.begin() + between(1, size_ - 1);
  const auto last = first + between(1, static_cast<int>(all.end() - first));
  between_groups_ = program_.add_communicator({all.begin(), first}, {first, last});
}

CommunicatorId ProgramWriter::communicator_of(Rank rank) {
  for (;;) {
    const CommunicatorId id = any_communicator();
    if (std::ranges::count(members(id), rank) > 0) return id;
  }
}

/// Now and then another of the rank's threads takes over, and threads wait for what others have done before: so all
/// goes on in the order written down, and in many others.
void ProgramWriter::turn_to_thread(Rank rank) {
  if (limits_.most_threads < 2 || !chance(40)) return;
  const auto mark = [&](ActionKind kind, int most) { program_.add(rank, {.kind = kind, .peer = between(0, most)}); };
  if (chance(15)) mark(ActionKind::thread_signal, 2);
  if (chance(70)) mark(ActionKind::thread, limits_.most_threads - 1);
  if (chance(15)) mark(ActionKind::thread_await, 2);
}

void ProgramWriter::add(Rank rank, const Action& action) {
  turn_to_thread(rank);
  program_.add(rank, action);
}

void ProgramWriter::compute(Rank rank, std::uint64_t volume, trace::KernelId kernel) {
  turn_to_thread(rank);
  program_.compute(rank, volume, kernel);
}

void ProgramWriter::happen() {
  const int what = between(1, 100);
  if (what <= 20) return compute();
  if (what <= 40) return send();
  if (what <= 58) return receive();
  if (what <= 61) return post_wildcard();
  if (what <= 64) return resolve_one();
  if (what <= 67) return exchange();
  if (what <= 70) return shift();
  if (what <= 82) return complete();
  if (what <= 84) return cancel();
  if (what <= 86) return free_request();
  if (what <= 93) return collective();
  call_one();
}

/// Whatever was begun is brought to its end, and everyone finalizes.
void ProgramWriter::finish() {
  for (CommunicatorId id = 0; id < created_; ++id)
    catch_up(id);
  if (between_groups_) catch_up(*between_groups_);
  for (Rank rank = 0; rank < size_; ++rank)
    for (const auto& [id, request] : state(rank).requests)
      if (request.of == Pending::Of::wildcard) resolve(rank, id);
  for (auto& [path, so_far] : paths_) {
    const auto& [from, to, id, tag] = path;
    while (so_far.sent < so_far.posted)
      send(from, id, to, tag);
  }
  for (auto& [path, so_far] : paths_)
    for (; so_far.posted < so_far.sent; ++so_far.posted)
      add(std::get<1>(path), receive_action(path));
  for (Rank rank = 0; rank < size_; ++rank) {
    std::vector<RequestId> all;
    for (const auto& [id, request] : state(rank).requests)
      all.push_back(id);
    complete(rank, all);
  }
  program_.finalize();
}

} // namespace timeless::replay::test::programs

namespace timeless::replay::test {

trace::MemorySource random_program(std::uint64_t seed, const ProgramLimits& limits) {
  return programs::ProgramWriter(seed, limits).take();
}

} // namespace timeless::replay::test
