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

bool from_anybody(const Action& action) {
  return action.kind == trace::ActionKind::receive && action.request != trace::no_request && action.peer >= 0 &&
         (action.flags & trace::flag_wildcard) != 0;
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

std::unique_ptr<trace::RankStream> OrderedArrivals::open(trace::Rank rank) const {
  return std::make_unique<OrderedStream>(source_->open(rank));
}

} // namespace timeless::analysis
