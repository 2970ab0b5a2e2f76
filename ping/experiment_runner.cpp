#include "ping/experiment_runner.h"

#include "base/error.h"
#include "ping/clock_watch.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace timeless::ping {

namespace {

constexpr int ready_tag = 0;
constexpr int call_tag = 1;

/// A clock that goes back would have ranks wait until it is there again.
double monotonic_seconds() {
  static double latest = 0;
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const double now = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  if (now < latest) fail_for_clock("went back", latest - now);
  return latest = now;
}

void monotonic_work(double seconds) {
  const double until = monotonic_seconds() + seconds;
  while (monotonic_seconds() < until) {
  }
}

void monotonic_idle(double seconds) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
  while (nanosleep(&time, &time) != 0) {
  }
}

bool of_all(Experiment experiment) {
  return experiment >= Experiment::pairs;
}

/// Members' parts stand one after the other.
bool of_parts(Experiment experiment) {
  return experiment >= Experiment::gather && experiment != Experiment::scan;
}

/// Asked of the kernel, so that what replaces the C library's clock does not replace it, too.
double raw_seconds() {
  timespec time{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void check_clock() {
  static ClockWatch watch;
  const double before = raw_seconds();
  const double clock = monotonic_seconds();
  if (const double by = watch.jumped(before, clock, raw_seconds()); by != 0) fail_for_clock("jumped", by);
}

} // namespace

void fail_for_clock(const std::string& what, double seconds) {
  throw Error(Failure::runtime, "the clock " + what + " by " + std::to_string(seconds) + " s", {},
              "measure again, on hosts whose clocks nobody sets");
}

Timing real_timing() {
  return {.now = monotonic_seconds, .work = monotonic_work, .idle = monotonic_idle, .check = check_clock};
}

ExperimentRunner::ExperimentRunner(MPI_Comm world, std::uint64_t most_bytes, const Timing& timing) : timing_(timing) {
  MPI_Comm_dup(world, &measured_);
  MPI_Comm_dup(world, &control_);
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &size_);
  if (most_bytes > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    throw Error(Failure::usage, "a message of more bytes than MPI counts in one call");
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int lowest = rank_;
  MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  nodes_.resize(static_cast<std::size_t>(size_));
  MPI_Allgather(&lowest, 1, MPI_INT, nodes_.data(), 1, MPI_INT, control_);
  std::vector<int> known(nodes_);
  std::ranges::sort(known);
  known.erase(std::ranges::unique(known).begin(), known.end());
  for (int& one : nodes_)
    one = static_cast<int>(std::ranges::lower_bound(known, one) - known.begin());
  // Touched here, so that no experiment pays for fresh pages.
  out_.assign(std::max<std::size_t>(most_bytes, sizeof(double)), 0);
  in_.assign(out_.size(), 0);
  MPI_Barrier(control_);
  if (timing_.check != nullptr) timing_.check();
  zero_ = timing_.now();
  zeros_.resize(nodes_.size());
  MPI_Allgather(&zero_, 1, MPI_DOUBLE, zeros_.data(), 1, MPI_DOUBLE, control_);
}

ExperimentRunner::~ExperimentRunner() {
  MPI_Comm_free(&measured_);
  MPI_Comm_free(&control_);
}

double ExperimentRunner::now() const {
  return timing_.now() - zero_;
}

void ExperimentRunner::end() {
  current_.rank = rank_;
  current_.start = began_;
  // A start that other clocks have named may lie ahead of this one by what clocks differ.
  current_.seconds = std::max(now() - began_, 0.0);
  mine_.push_back(current_);
}

void ExperimentRunner::work(double seconds) const {
  if (seconds > 0) timing_.work(seconds);
}

/// Once the first rank calls: what it measured before has ended, so that nothing else travels meanwhile.
void ExperimentRunner::ready(int other) const {
  release(other, false);
  MPI_Send(nullptr, 0, MPI_BYTE, other, ready_tag, control_);
}

void ExperimentRunner::await_ready(int other) const {
  release(other, true);
  MPI_Recv(nullptr, 0, MPI_BYTE, other, ready_tag, control_, MPI_STATUS_IGNORE);
}

/// The second rank does not go on before the first one is here.
void ExperimentRunner::release(int other, bool first) const {
  if (first)
    MPI_Send(nullptr, 0, MPI_BYTE, other, call_tag, control_);
  else
    MPI_Recv(nullptr, 0, MPI_BYTE, other, call_tag, control_, MPI_STATUS_IGNORE);
}

void ExperimentRunner::perform(const Order& order, std::uint32_t repetition) {
  current_ = {.order = order, .repetition = repetition};
  const bool first = rank_ == order.first;
  if (!of_all(order.experiment) && !first && rank_ != order.second) return;
  switch (order.experiment) {
  case Experiment::round_trip:
    return round_trip(order, first);
  case Experiment::send:
  case Experiment::isend:
    return send(order, first);
  case Experiment::receive:
    return receive(order, first);
  case Experiment::train:
    return train(order, first);
  case Experiment::delayed_send:
  case Experiment::delayed_isend:
    return delayed(order, first);
  case Experiment::overlap:
    return overlap(order, first);
  case Experiment::copy:
    return first ? copy(order) : void();
  case Experiment::reduction:
    return first ? reduction(order) : void();
  case Experiment::pairs:
    return pairs(order);
  case Experiment::incast:
    return incast(order);
  case Experiment::exchanges:
    return exchanges(order);
  default:
    return collective(order);
  }
}

std::vector<Measurement> ExperimentRunner::carry_out(const Order& order) {
  static_assert(std::is_trivially_copyable_v<Measurement>);
  const std::size_t parts = of_parts(order.experiment) ? static_cast<std::size_t>(size_) : 1;
  if (order.bytes * parts > out_.size() && order.bytes > 0) {
    out_.resize(order.bytes * parts);
    in_.resize(out_.size());
  }
  mine_.clear();
  without_common_start_ = 0;
  if (order.experiment >= Experiment::barrier) synchronise();
  for (std::uint32_t repetition = 0; repetition < order.repetitions; ++repetition)
    perform(order, repetition);
  if (timing_.check != nullptr) timing_.check();
  const bool alone = order.experiment == Experiment::copy || order.experiment == Experiment::reduction;
  if (!of_all(order.experiment) && !alone && (rank_ == order.first || rank_ == order.second))
    release(rank_ == order.first ? order.second : order.first, rank_ == order.first);
  const int bytes = static_cast<int>(mine_.size() * sizeof(Measurement));
  std::vector<int> counts(static_cast<std::size_t>(size_));
  MPI_Gather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, control_);
  std::vector<int> places(counts.size());
  int total = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    places[rank] = total;
    total += counts[rank];
  }
  std::vector<Measurement> all(rank_ == 0 ? static_cast<std::size_t>(total) / sizeof(Measurement) : 0);
  MPI_Gatherv(mine_.data(), bytes, MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE, 0, control_);
  return all;
}

} // namespace timeless::ping
