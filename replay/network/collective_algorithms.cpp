#include "replay/network/collective_algorithms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace timeless::replay {

namespace {

using trace::ActionKind;

struct PossibleAlgorithm {
  ActionKind collective;
  CollectiveAlgorithm algorithm;
};

constexpr std::array possible_algorithms{
    PossibleAlgorithm{ActionKind::barrier, CollectiveAlgorithm::dissemination},
    PossibleAlgorithm{ActionKind::broadcast, CollectiveAlgorithm::binomial_tree},
    PossibleAlgorithm{ActionKind::broadcast, CollectiveAlgorithm::scatter_and_doubling},
    PossibleAlgorithm{ActionKind::broadcast, CollectiveAlgorithm::scatter_and_ring},
    PossibleAlgorithm{ActionKind::reduce, CollectiveAlgorithm::binomial_tree},
    PossibleAlgorithm{ActionKind::reduce, CollectiveAlgorithm::rabenseifner},
    PossibleAlgorithm{ActionKind::allreduce, CollectiveAlgorithm::recursive_doubling},
    PossibleAlgorithm{ActionKind::allreduce, CollectiveAlgorithm::rabenseifner},
    PossibleAlgorithm{ActionKind::allreduce, CollectiveAlgorithm::reduce_and_broadcast},
    PossibleAlgorithm{ActionKind::gather, CollectiveAlgorithm::binomial_tree},
    PossibleAlgorithm{ActionKind::gather, CollectiveAlgorithm::linear},
    PossibleAlgorithm{ActionKind::scatter, CollectiveAlgorithm::binomial_tree},
    PossibleAlgorithm{ActionKind::scatter, CollectiveAlgorithm::linear},
    PossibleAlgorithm{ActionKind::allgather, CollectiveAlgorithm::recursive_doubling},
    PossibleAlgorithm{ActionKind::allgather, CollectiveAlgorithm::bruck},
    PossibleAlgorithm{ActionKind::allgather, CollectiveAlgorithm::ring},
    PossibleAlgorithm{ActionKind::alltoall, CollectiveAlgorithm::bruck},
    PossibleAlgorithm{ActionKind::alltoall, CollectiveAlgorithm::pairwise},
    PossibleAlgorithm{ActionKind::reduce_scatter_block, CollectiveAlgorithm::recursive_halving},
    PossibleAlgorithm{ActionKind::reduce_scatter_block, CollectiveAlgorithm::recursive_doubling},
    PossibleAlgorithm{ActionKind::reduce_scatter_block, CollectiveAlgorithm::pairwise},
    PossibleAlgorithm{ActionKind::scan, CollectiveAlgorithm::recursive_doubling},
};

bool among_powers_of_two(ActionKind collective, CollectiveAlgorithm algorithm) {
  return (collective == ActionKind::broadcast && algorithm == CollectiveAlgorithm::scatter_and_doubling) ||
         (collective == ActionKind::allgather && algorithm == CollectiveAlgorithm::recursive_doubling);
}

double ratio_of_members(std::uint32_t one, std::uint32_t other) {
  return std::abs(std::log(static_cast<double>(std::max(one, 1U)) / std::max(other, 1U)));
}

} // namespace

const char* name(CollectiveAlgorithm algorithm) {
  switch (algorithm) {
  case CollectiveAlgorithm::binomial_tree:
    return "binomial tree";
  case CollectiveAlgorithm::linear:
    return "linear";
  case CollectiveAlgorithm::scatter_and_doubling:
    return "scatter and recursive doubling";
  case CollectiveAlgorithm::scatter_and_ring:
    return "scatter and ring";
  case CollectiveAlgorithm::reduce_and_broadcast:
    return "binomial reduce and broadcast";
  case CollectiveAlgorithm::recursive_doubling:
    return "recursive doubling";
  case CollectiveAlgorithm::recursive_halving:
    return "recursive halving";
  case CollectiveAlgorithm::rabenseifner:
    return "Rabenseifner";
  case CollectiveAlgorithm::bruck:
    return "Bruck";
  case CollectiveAlgorithm::ring:
    return "ring";
  case CollectiveAlgorithm::pairwise:
    return "pairwise";
  case CollectiveAlgorithm::dissemination:
    return "dissemination";
  case CollectiveAlgorithm::of_the_library:
    break;
  }
  return "of the library";
}

std::optional<CollectiveAlgorithm> algorithm_of(ActionKind collective, const std::string& name) {
  for (const PossibleAlgorithm& possible : possible_algorithms)
    if (possible.collective == collective && name == replay::name(possible.algorithm)) return possible.algorithm;
  return std::nullopt;
}

CollectiveAlgorithm measured_algorithm(std::span<const MeasuredAlgorithm> measured, ActionKind collective,
                                       std::uint32_t members, double bytes) {
  const MeasuredAlgorithm* nearest = nullptr;
  for (const MeasuredAlgorithm& one : measured) {
    if (one.collective != collective) continue;
    const bool nearer = nearest == nullptr ||
                        ratio_of_members(one.members, members) < ratio_of_members(nearest->members, members) ||
                        (ratio_of_members(one.members, members) == ratio_of_members(nearest->members, members) &&
                         one.members < nearest->members);
    if (nearer) nearest = &one;
  }
  for (const MeasuredAlgorithm& one : measured) {
    if (one.collective != collective || one.members != nearest->members) continue;
    const bool large = one.above == 0 || bytes > static_cast<double>(one.above);
    const bool small = one.up_to == MeasuredAlgorithm::no_largest || bytes <= static_cast<double>(one.up_to);
    if (!large || !small) continue;
    const bool possible = std::has_single_bit(members) || !among_powers_of_two(collective, one.algorithm);
    return possible ? one.algorithm : CollectiveAlgorithm::of_the_library;
  }
  return CollectiveAlgorithm::of_the_library;
}

bool counted_by_part(ActionKind collective) {
  return collective == ActionKind::gather || collective == ActionKind::scatter || collective == ActionKind::allgather ||
         collective == ActionKind::alltoall || collective == ActionKind::reduce_scatter_block;
}

} // namespace timeless::replay
