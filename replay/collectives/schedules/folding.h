#pragma once

#include "replay/collectives/schedules/step.h"

/// What MPICH does where an algorithm wants a power of two of members and there are more: among the first 2 r, r = p -
/// 2^floor(lg p), one of every two hands all it has to its neighbour and stands aside until the others are done.
namespace timeless::replay::schedules {

/// The members that take part, and the numbers they have among each other.
class Folding {
public:
  /// Folds so many members to a power of 2. `odd_stay`: of every two, the odd one takes part; else the even one.
  Folding(std::uint32_t members, bool odd_stay)
      : power_(std::bit_floor(members)), surplus_(members - power_), odd_stay_(odd_stay) {}

  std::uint32_t power() const { return power_; }
  /// Returns true for the first 2 r.
  bool paired(std::uint32_t member) const { return member < 2 * surplus_; }
  bool stands_aside(std::uint32_t member) const { return paired(member) && ((member & 1U) != 0) != odd_stay_; }
  /// Returns the other one of the two.
  static std::uint32_t partner(std::uint32_t member) { return member ^ 1U; }
  /// Returns the one of a pair that stands aside.
  std::uint32_t aside_of_pair(std::uint32_t member) const { return (member & ~1U) + (odd_stay_ ? 0U : 1U); }
  /// Returns the member's number among those that take part.
  std::uint32_t number(std::uint32_t member) const { return paired(member) ? member / 2 : member - surplus_; }
  std::uint32_t member(std::uint32_t number) const {
    return number < surplus_ ? 2 * number + (odd_stay_ ? 1U : 0U) : number + surplus_;
  }
  /// Returns where the blocks begin that belong to this number and those after it, when every member has one.
  std::uint32_t first_block(std::uint32_t number) const { return number < surplus_ ? 2 * number : number + surplus_; }

private:
  std::uint32_t power_;
  std::uint32_t surplus_;
  bool odd_stay_;
};

/// Returns the first step of one of a pair: the one that stands aside hands over all its blocks, the other combines
/// them with its own.
inline Step fold_in(const Folding& folding, std::uint32_t me, Blocks all) {
  const std::uint32_t partner = Folding::partner(me);
  if (folding.stands_aside(me)) return {.to = partner, .out = all, .in = {}};
  return {.out = {}, .from = partner, .in = all, .reduces = true};
}

/// Gives step `index` of member `me` of a folded algorithm; false when there are no more. After fold_in(), those that
/// take part do `steps` steps, which `among(number, index)` gives; then those that stood aside get `result`, theirs.
template <typename Among>
bool folded(const Folding& folding, std::uint32_t me, std::uint32_t index, Blocks all, Blocks result,
            std::uint32_t steps, const Among& among, Step& step) {
  if (folding.paired(me)) {
    if (index == 0) {
      step = fold_in(folding, me, all);
      return true;
    }
    --index;
    const bool aside = folding.stands_aside(me);
    if (index == (aside ? 0 : steps)) {
      const std::uint32_t partner = Folding::partner(me);
      step = aside ? Step{.out = {}, .from = partner, .in = result} : Step{.to = partner, .out = result, .in = {}};
      return true;
    }
    if (aside) return false;
  }
  if (index >= steps) return false;
  step = among(folding.number(me), index);
  return true;
}

} // namespace timeless::replay::schedules
