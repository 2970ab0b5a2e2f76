#include "ping/experiment_runner.h"

#include <algorithm>
#include <cstring>
#include <limits>

// What one rank does alone, and what many do at once.
namespace timeless::ping {

void ExperimentRunner::copy(const Order& order) {
  begin();
  std::memcpy(in_.data(), out_.data(), order.bytes);
  end();
}

void ExperimentRunner::reduction(const Order& order) {
  const int numbers = static_cast<int>(order.bytes / sizeof(double));
  begin();
  MPI_Reduce_local(out_.data(), in_.data(), numbers, MPI_DOUBLE, MPI_SUM);
  end();
}

namespace {

/// The ranks of a node, rising.
std::vector<int> ranks_of(const std::vector<int>& nodes, int node) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (nodes[rank] == node) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

} // namespace

/// The i-th rank of the first order's node with the i-th of the second's, all from the same barrier on.
void ExperimentRunner::pairs(const Order& order) {
  const auto near = ranks_of(nodes_, nodes_[static_cast<std::size_t>(order.first)]);
  const auto far = ranks_of(nodes_, nodes_[static_cast<std::size_t>(order.second)]);
  MPI_Barrier(control_);
  for (std::size_t pair = 0; pair < std::min(near.size(), far.size()); ++pair) {
    Order one = order;
    one.first = near[pair];
    one.second = far[pair];
    if (rank_ == one.first || rank_ == one.second) round_trip(one, rank_ == one.first);
  }
}

void ExperimentRunner::incast(const Order& order) {
  const auto senders = ranks_of(nodes_, nodes_[static_cast<std::size_t>(order.second)]);
  const int bytes = static_cast<int>(order.bytes);
  MPI_Barrier(control_);
  if (rank_ == order.first) {
    begin();
    for (const int sender : senders)
      MPI_Recv(in_.data(), bytes, MPI_BYTE, sender, 0, measured_, MPI_STATUS_IGNORE);
    end();
  } else if (std::ranges::find(senders, rank_) != senders.end()) {
    MPI_Send(out_.data(), bytes, MPI_BYTE, order.first, 0, measured_);
  }
}

/// Of two nodes, the i-th rank of one with the i-th of the other; of one node, the two ranks of the order.
void ExperimentRunner::exchanges(const Order& order) {
  const int first_node = nodes_[static_cast<std::size_t>(order.first)];
  const int second_node = nodes_[static_cast<std::size_t>(order.second)];
  std::vector<int> near{order.first};
  std::vector<int> far{order.second};
  if (first_node != second_node) {
    near = ranks_of(nodes_, first_node);
    far = ranks_of(nodes_, second_node);
  }
  const int bytes = static_cast<int>(order.bytes);
  MPI_Barrier(control_);
  for (std::size_t pair = 0; pair < std::min(near.size(), far.size()); ++pair) {
    if (rank_ != near[pair] && rank_ != far[pair]) continue;
    const int other = rank_ == near[pair] ? far[pair] : near[pair];
    begin();
    MPI_Sendrecv(out_.data(), bytes, MPI_BYTE, other, 0, in_.data(), bytes, MPI_BYTE, other, 0, measured_,
                 MPI_STATUS_IGNORE);
    end();
  }
}

void ExperimentRunner::run_collective(const Order& order) {
  const int bytes = static_cast<int>(order.bytes);
  const int numbers = static_cast<int>(order.bytes / sizeof(double));
  switch (order.experiment) {
  case Experiment::broadcast:
    MPI_Bcast(out_.data(), bytes, MPI_BYTE, order.first, measured_);
    break;
  case Experiment::reduce:
    MPI_Reduce(out_.data(), in_.data(), numbers, MPI_DOUBLE, MPI_SUM, order.first, measured_);
    break;
  case Experiment::allreduce:
    MPI_Allreduce(out_.data(), in_.data(), numbers, MPI_DOUBLE, MPI_SUM, measured_);
    break;
  case Experiment::gather:
    MPI_Gather(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, order.first, measured_);
    break;
  case Experiment::allgather:
    MPI_Allgather(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, measured_);
    break;
  case Experiment::alltoall:
    MPI_Alltoall(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, measured_);
    break;
  case Experiment::scatter:
    MPI_Scatter(out_.data(), bytes, MPI_BYTE, in_.data(), bytes, MPI_BYTE, order.first, measured_);
    break;
  case Experiment::reduce_scatter_block:
    MPI_Reduce_scatter_block(out_.data(), in_.data(), numbers, MPI_DOUBLE, MPI_SUM, measured_);
    break;
  case Experiment::scan:
    MPI_Scan(out_.data(), in_.data(), numbers, MPI_DOUBLE, MPI_SUM, measured_);
    break;
  default:
    MPI_Barrier(measured_);
  }
}

/// On the node of rank 0 all read one clock. Elsewhere rank 0 is asked for its time, and has read it half-way through
/// the shortest of several round trips.
void ExperimentRunner::synchronise() {
  constexpr int tag = 2;
  constexpr int attempts = 10;
  const auto elsewhere = [&](std::size_t rank) { return nodes_[rank] != nodes_[0]; };
  offset_ = zeros_[static_cast<std::size_t>(rank_)] - zeros_[0];
  if (rank_ == 0) {
    for (std::size_t rank = 1; rank < nodes_.size(); ++rank)
      for (int attempt = 0; attempt < attempts && elsewhere(rank); ++attempt) {
        MPI_Recv(nullptr, 0, MPI_BYTE, static_cast<int>(rank), tag, control_, MPI_STATUS_IGNORE);
        const double time = now();
        MPI_Send(&time, 1, MPI_DOUBLE, static_cast<int>(rank), tag, control_);
      }
  } else if (elsewhere(static_cast<std::size_t>(rank_))) {
    double shortest = std::numeric_limits<double>::infinity();
    for (int attempt = 0; attempt < attempts; ++attempt) {
      double time = 0;
      const double asked = now();
      MPI_Send(nullptr, 0, MPI_BYTE, 0, tag, control_);
      MPI_Recv(&time, 1, MPI_DOUBLE, 0, tag, control_, MPI_STATUS_IGNORE);
      const double answered = now();
      if (answered - asked >= shortest) continue;
      shortest = answered - asked;
      offset_ = time - (asked + answered) / 2;
    }
  }
}

/// All begin at a time that rank 0 has named: the longest of their times is the collective's. Returns false where a
/// rank came later than that: what was measured then says nothing, since messages may have come before it.
bool ExperimentRunner::try_collective(const Order& order) {
  constexpr double least_lead = 2e-5;
  constexpr double most_lead = 1e-2;
  constexpr double times = 4;      // what telling takes
  constexpr double at_once = 2e-6; // what reading the clock may take
  const double before = now();
  MPI_Barrier(control_);
  double start = now() + lead_;
  MPI_Bcast(&start, 1, MPI_DOUBLE, 0, control_);
  start -= offset_;
  lead_ = std::clamp(times * (now() - before), least_lead, most_lead);
  constexpr double longest_wait = 1; // seconds: a hundred times the longest lead
  if (const double wait = start - now(); wait > longest_wait) fail_for_clock("is behind that of rank 0", wait);
  work(start - now());
  int late = now() > start + at_once ? 1 : 0; // or interrupted while it waited
  began_ = start;
  run_collective(order);
  end();
  MPI_Allreduce(MPI_IN_PLACE, &late, 1, MPI_INT, MPI_MAX, control_);
  if (late != 0) mine_.pop_back();
  return late == 0;
}

/// Where more ranks than processors take turns, some are late as a rule.
void ExperimentRunner::collective(const Order& order) {
  const int attempts = without_common_start_ > 0 ? 1 : 8; // what did not succeed before hardly does now
  for (int attempt = 0; attempt < attempts; ++attempt)
    if (try_collective(order)) return;
  ++without_common_start_;
}

} // namespace timeless::ping
