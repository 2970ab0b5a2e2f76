#pragma once

#include "trace/model/run.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace timeless::trace::formats::dumpi {

/// DUMPI numbers communicators, windows and files by rank, and may use a number again. Here a rank's are told apart by
/// the order in which it made them: 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF, 2 the first that it made.
using Ordinal = std::uint32_t;
inline constexpr Ordinal no_ordinal = 0xffffffffU;
inline constexpr Ordinal world_ordinal = 0;
inline constexpr Ordinal self_ordinal = 1;
inline constexpr Ordinal first_made = 2;

/// A group as it was made: its ranks are not known before its communicator's members are.
struct Group {
  enum class Kind : std::uint8_t { empty, communicator, remote, include, exclude, unite, intersect, subtract, unknown };
  Kind kind = Kind::unknown;
  Ordinal communicator = no_ordinal;
  std::shared_ptr<const Group> first = {};
  std::shared_ptr<const Group> second = {};
  std::vector<std::int32_t> ranks = {}; ///< of `first`
  std::size_t weight = 1;               ///< groups it is made of, to bound what evaluating it takes
};

/// Members of a communicator of the rank, and those of the other side; null where it is not known.
using MembersOf = std::function<const Communicator*(Ordinal)>;

/// Returns a group's members as world ranks; nothing where that is not known.
std::optional<std::vector<Rank>> evaluate(const Group& group, const MembersOf& members_of);

/// Returns the ranks at these places; nothing where there is no such place.
std::optional<std::vector<Rank>> chosen(const std::vector<Rank>& from, const std::vector<std::int32_t>& places);
bool contains(const std::vector<Rank>& ranks, Rank rank);

} // namespace timeless::trace::formats::dumpi
