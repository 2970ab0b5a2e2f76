#pragma once

#include "gather/parts/inventory.h"
#include "trace/archive/shared_structures.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Structures that ranks share: equal ones are stored once, numbered in the order in which the ranks, by rising rank,
/// first use them.
namespace timeless::gather {

/// Returns the structures of an inventoried rank's whole run, as they go into the gathered archive. `numbers` says what
/// its own kernels and regions are there. The same whenever it is called. Throws Error(invalid_input) when the file is
/// damaged, or no longer what was inventoried. Memory: see StructureBuilder.
std::vector<std::string> structures_of(const trace::ArchiveReader& archive, const Inventory& inventory,
                                       const RankBlocks& rank, const trace::RankNumbers& numbers);

/// What tells a structure from others: a hash of its bytes (XXH3, 128 bits) and how many these are.
struct StructureName {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t bytes = 0;
  auto operator<=>(const StructureName&) const = default;
};
StructureName name_of(std::string_view structure);
std::vector<StructureName> names_of(std::span<const std::string> structures);

/// A structure of one rank that is to be delivered: its place among the rank's, and where its bytes go.
struct WantedStructure {
  std::size_t place = 0;
  std::uint64_t offset = 0;
  bool operator==(const WantedStructure&) const = default;
};

/// Numbers structures. Memory: the names, and the layout.
class StructureNumbering {
public:
  /// Adds the next rank's structures, in order. Returns those that no rank before had: this rank delivers them.
  std::vector<WantedStructure> add(std::span<const StructureName> structures);

  const trace::Layout& layout() const { return layout_; }
  /// Returns the names by number.
  const std::vector<StructureName>& names() const { return names_; }
  /// Returns the bytes of all, one behind the other by number.
  std::uint64_t bytes() const { return bytes_; }

private:
  std::map<StructureName, std::uint32_t> numbers_;
  std::vector<StructureName> names_;
  trace::Layout layout_;
  std::uint64_t bytes_ = 0;
};

} // namespace timeless::gather
