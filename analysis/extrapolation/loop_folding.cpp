#include "analysis/extrapolation/loop_folding.h"

#include <algorithm>
#include <unordered_map>

namespace timeless::analysis {

namespace {

/// The longest body that is looked for, in nodes.
constexpr std::size_t longest_body = 4096;
/// How many earlier places of a node are tried as the end of the body before.
constexpr std::size_t most_places = 64;

/// Folds as symbols come: the nodes so far stand on a stack, as numbers that are equal for equal nodes.
class Folder {
public:
  void add(Symbol symbol) {
    push(number({symbol, 0, {}}));
    while (fold()) {
    }
  }

  std::vector<LoopProgram::Node> nodes() const { return unfolded(stack_); }

private:
  using Number = std::uint32_t;
  struct FoldedNode {
    Symbol symbol = 0;
    std::uint64_t trips = 0; ///< 0: a symbol
    std::vector<Number> body = {};
    auto operator<=>(const FoldedNode&) const = default;
  };

  Number number(const FoldedNode& node) {
    const auto [found, fresh] = numbers_.try_emplace(node, static_cast<Number>(known_.size()));
    if (fresh) known_.push_back(node);
    return found->second;
  }

  void push(Number node) {
    places_[node].push_back(stack_.size());
    stack_.push_back(node);
  }
  void pop() {
    places_[stack_.back()].pop_back();
    stack_.pop_back();
  }

  /// Folds the end of the stack once, if it repeats what stands before it.
  bool fold() {
    const std::vector<std::size_t>& places = places_[stack_.back()];
    const std::size_t end = stack_.size();
    // The body of a loop before the end ends as the end does.
    for (std::size_t length = 1; length < std::min(end, longest_loop_body_ + 1); ++length) {
      const FoldedNode& before = known_[stack_[end - length - 1]];
      if (before.trips == 0 || before.body.size() != length || before.body.back() != stack_.back()) continue;
      if (!std::equal(before.body.begin(), before.body.end(), stack_.end() - static_cast<std::ptrdiff_t>(length)))
        continue;
      const Number more = number({0, before.trips + 1, before.body});
      for (std::size_t i = 0; i <= length; ++i)
        pop();
      push(more);
      return true;
    }
    for (std::size_t i = places.size() - 1, tried = 0; i-- > 0 && tried < most_places; ++tried) {
      const std::size_t length = end - 1 - places[i];
      if (length > longest_body || 2 * length > end) break;
      const auto last = stack_.end() - static_cast<std::ptrdiff_t>(length);
      if (!std::equal(last, stack_.end(), last - static_cast<std::ptrdiff_t>(length))) continue;
      const Number loop = number({0, 2, {last, stack_.end()}});
      longest_loop_body_ = std::max(longest_loop_body_, length);
      for (std::size_t k = 0; k < 2 * length; ++k)
        pop();
      push(loop);
      return true;
    }
    return false;
  }

  std::vector<LoopProgram::Node> unfolded(const std::vector<Number>& numbers) const {
    std::vector<LoopProgram::Node> nodes;
    for (const Number one : numbers)
      nodes.push_back({known_[one].symbol, unfolded(known_[one].body)});
    return nodes;
  }

  std::map<FoldedNode, Number> numbers_;
  std::vector<FoldedNode> known_;
  std::vector<Number> stack_;
  std::unordered_map<Number, std::vector<std::size_t>> places_; ///< on the stack, by node
  std::size_t longest_loop_body_ = 0;
};

/// Finds the trips of a sequence: as many as fit, and fewer where what follows does not.
class TripSearch {
public:
  using Nodes = std::vector<LoopProgram::Node>;

  explicit TripSearch(std::span<const Symbol> sequence)
      : sequence_(sequence), steps_left_(100 * sequence.size() + 1000000) {}

  std::optional<LoopTrips> search(const Nodes& nodes) {
    const auto end = match(nodes, 0, 0, true);
    if (!end) return std::nullopt;
    return trips_;
  }

private:
  /// Returns where the nodes from the i-th on end, that begin at a place. `to_end`: only at the end of the sequence.
  std::optional<std::size_t> match(const Nodes& nodes, std::size_t i, std::size_t at, bool to_end) {
    for (; i < nodes.size(); ++i) {
      if (steps_left_ == 0) return std::nullopt;
      --steps_left_;
      const LoopProgram::Node& node = nodes[i];
      if (node.loop()) return match_loop(nodes, i, at, to_end);
      if (at == sequence_.size() || sequence_[at] != node.symbol) return std::nullopt;
      ++at;
    }
    if (to_end && at != sequence_.size()) return std::nullopt;
    return at;
  }

  std::optional<std::size_t> match_loop(const Nodes& nodes, std::size_t i, std::size_t at, bool to_end) {
    const std::size_t count = trips_.size();
    trips_.push_back(0);
    struct Trip {
      std::size_t at;
      std::size_t trips;
    };
    std::vector<Trip> passed{{at, trips_.size()}};
    while (const auto next = match(nodes[i].body, 0, passed.back().at, false)) {
      if (*next == passed.back().at) break; // a body of loops alone, that are not passed: it could go on so forever
      passed.push_back({*next, trips_.size()});
    }
    for (; !passed.empty(); passed.pop_back()) {
      trips_.resize(passed.back().trips);
      trips_[count] = passed.size() - 1;
      if (const auto end = match(nodes, i + 1, passed.back().at, to_end)) return end;
      if (steps_left_ == 0) break;
    }
    trips_.resize(count);
    return std::nullopt;
  }

  std::span<const Symbol> sequence_;
  std::uint64_t steps_left_;
  LoopTrips trips_;
};

} // namespace

LoopProgram::LoopProgram(std::span<const Symbol> sequence) {
  Folder folder;
  for (const Symbol symbol : sequence)
    folder.add(symbol);
  nodes_ = folder.nodes();
}

std::optional<LoopTrips> LoopProgram::trips(std::span<const Symbol> sequence) const {
  return TripSearch(sequence).search(nodes_);
}

} // namespace timeless::analysis
