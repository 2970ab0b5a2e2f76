#include "replay/collectives/switches.h"

#include <algorithm>
#include <bit>

namespace timeless::replay::switches {

namespace {

using Shape = CollectiveShape;

constexpr double broadcast_short = 12288;
constexpr double broadcast_long = 524288;
constexpr std::uint32_t broadcast_few_members = 8;
constexpr double reduce_short = 2048;
constexpr double allgather_short = 81920;
constexpr double allgather_long = 524288;
constexpr double alltoall_short = 256;
constexpr double alltoall_medium = 32768;
constexpr std::uint32_t alltoall_few_members = 8;
constexpr double reduce_scatter_long = 524288;
constexpr double gather_between_groups_short = 2048;

bool power_of_two(const Shape& shape) {
  return std::has_single_bit(shape.members);
}

/// Returns true where the shape names an algorithm, whatever the library would take.
bool chosen(const Shape& shape) {
  return shape.algorithm != CollectiveAlgorithm::of_the_library;
}

/// Returns true for fewer elements than the largest power of two of members: too few for each to reduce a part.
bool few_elements(const Shape& shape) {
  return shape.bytes / std::max(shape.element_bytes, 1U) < static_cast<double>(std::bit_floor(shape.members));
}

} // namespace

bool broadcast_by_tree(const Shape& shape) {
  if (chosen(shape)) return shape.algorithm == CollectiveAlgorithm::binomial_tree;
  return shape.bytes < broadcast_short || shape.members < broadcast_few_members;
}

bool broadcast_by_doubling(const Shape& shape) {
  if (chosen(shape)) return shape.algorithm == CollectiveAlgorithm::scatter_and_doubling && power_of_two(shape);
  return shape.bytes < broadcast_long && power_of_two(shape);
}

bool reduce_whole(const Shape& shape) {
  if (shape.user_operation || few_elements(shape)) return true;
  return chosen(shape) ? shape.algorithm != CollectiveAlgorithm::rabenseifner : shape.bytes <= reduce_short;
}

Allgather allgather(const Shape& shape) {
  if (shape.algorithm == CollectiveAlgorithm::bruck) return Allgather::bruck;
  if (shape.algorithm == CollectiveAlgorithm::ring) return Allgather::ring;
  if (shape.algorithm == CollectiveAlgorithm::recursive_doubling && power_of_two(shape)) return Allgather::doubling;
  if (shape.bytes < allgather_long && power_of_two(shape)) return Allgather::doubling;
  if (shape.bytes < allgather_short && !power_of_two(shape)) return Allgather::bruck;
  return Allgather::ring;
}

bool alltoall_by_bruck(const Shape& shape) {
  if (chosen(shape)) return shape.algorithm == CollectiveAlgorithm::bruck;
  return shape.bytes / shape.members <= alltoall_short && shape.members >= alltoall_few_members;
}

bool alltoall_in_pairs(const Shape& shape) {
  if (chosen(shape)) return shape.algorithm == CollectiveAlgorithm::pairwise;
  return shape.bytes / shape.members > alltoall_medium;
}

ReduceScatter reduce_scatter(const Shape& shape) {
  if (!shape.commutative || shape.algorithm == CollectiveAlgorithm::recursive_doubling) return ReduceScatter::doubling;
  if (shape.algorithm == CollectiveAlgorithm::pairwise) return ReduceScatter::pairwise;
  if (shape.algorithm == CollectiveAlgorithm::recursive_halving) return ReduceScatter::halving;
  return shape.bytes >= reduce_scatter_long ? ReduceScatter::pairwise : ReduceScatter::halving;
}

bool gather_between_groups_locally(const Shape& shape) {
  return shape.bytes <= gather_between_groups_short;
}

} // namespace timeless::replay::switches
