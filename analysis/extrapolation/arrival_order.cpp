#include "analysis/extrapolation/arrival_order.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionBlock;

bool takes_any(const Action& action) {
  const auto kind = action.kind;
  return (kind == trace::ActionKind::receive || kind == trace::ActionKind::probe || kind == trace::ActionKind::poll) &&
         action.peer >= 0 && (action.flags & trace::flag_wildcard) != 0;
}

/// Returns true for a receive from anybody that waits for nothing: those of a row may change places.
bool from_anybody(const Action& action) {
  return takes_any(action) && action.kind == trace::ActionKind::receive && action.request != trace::no_request;
}

bool interchangeable(const Action& one, const Action& other) {
  return one.flags == other.flags && one.communicator == other.communicator && one.tag == other.tag;
}

/// Gives receives that stand together in a block the messages of the lowest ranks first.
class ArrivalSort {
public:
  explicit ArrivalSort(ActionBlock& block) : block_(block) {}

  void run() {
    for (std::size_t i = 0; i < block_.size(); ++i) {
      const Action& action = at(i);
      if (has_volume(action.kind)) continue;
      const bool joins = from_anybody(action) && (together_.empty() || interchangeable(at(together_.front()), action));
      if (!joins) sort();
      if (from_anybody(action)) together_.push_back(i);
    }
    sort();
  }

private:
  const Action& at(std::size_t position) const { return block_.dictionary()[block_.sequence()[position]]; }

  void sort() {
    std::vector<std::pair<trace::Rank, trace::Bytes>> messages;
    for (const std::size_t position : together_)
      messages.emplace_back(at(position).peer, at(position).bytes);
    if (!std::ranges::is_sorted(messages)) {
      std::ranges::sort(messages);
      for (std::size_t i = 0; i < together_.size(); ++i) {
        Action action = at(together_[i]);
        std::tie(action.peer, action.bytes) = messages[i];
        block_.replace(together_[i], action);
      }
    }
    together_.clear();
  }

  ActionBlock& block_;
  std::vector<std::size_t> together_; ///< positions
};

class OrderedStream : public trace::RankStream {
public:
  explicit OrderedStream(std::unique_ptr<trace::RankStream> stream) : stream_(std::move(stream)) {}

  bool next(ActionBlock& block) override {
    if (!stream_->next(block)) return false;
    if (std::ranges::any_of(block.dictionary(), from_anybody)) ArrivalSort(block).run();
    return true;
  }

private:
  std::unique_ptr<trace::RankStream> stream_;
};

} // namespace

std::optional<PlaceInRuns> receive_by_chance(const trace::Source& source) {
  for (trace::Rank rank = 0; rank < source.run().size; ++rank) {
    const auto stream = source.open(rank);
    ActionBlock block;
    std::optional<PlaceInRuns> first;
    trace::Rank sender = trace::no_rank;
    bool apart = false; // the last of them waited, or something else has come since
    for (std::uint64_t number = 0; stream->next(block);)
      for (const std::uint32_t entry : block.sequence()) {
        const Action& action = block.dictionary()[entry];
        if (takes_any(action)) {
          if (first && apart && action.peer != sender) return first;
          if (!first) first = PlaceInRuns{.rank = rank, .action = number, .call = "MPI_" + mpi_name(action)};
          sender = action.peer;
          apart = !from_anybody(action);
        } else if (!has_volume(action.kind)) {
          apart = true;
        }
        ++number;
      }
  }
  return std::nullopt;
}

std::unique_ptr<trace::RankStream> OrderedArrivals::open(trace::Rank rank) const {
  return std::make_unique<OrderedStream>(source_->open(rank));
}

} // namespace timeless::analysis
