#pragma once

#include "trace/formats/dumpi/rank_file.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace timeless::trace::formats::dumpi {

/// The sizes of a rank's datatypes: what made them tells; where it does not, those that the file lists (since version
/// 0.6.6), else those of the predefined ones.
class TypeSizes {
public:
  /// Reads the sizes of a rank's types. `file` must live as long.
  explicit TypeSizes(const RankFile& file) : file_(file) {}

  /// Learns from a call that makes a datatype; does nothing for others.
  void learn(const Record& record);
  /// Returns bytes of an element; nothing where nobody knows.
  std::optional<std::uint64_t> of(std::uint16_t type) const;

private:
  const RankFile& file_;
  std::unordered_map<std::uint16_t, std::uint64_t> learnt_;
};

} // namespace timeless::trace::formats::dumpi
