#pragma once

#include "trace/formats/common/format.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace timeless::trace::formats {

/// Tells its caller how far an import is, in bytes: a file that is read several times counts as often.
class Reading {
public:
  explicit Reading(ImportProgress told) : told_(std::move(told)) {}

  /// Expects these files, each `times` over.
  void expect(const std::vector<std::filesystem::path>& files, std::uint64_t times);
  /// Tells that so many further bytes were read.
  void add(std::uint64_t bytes) {
    done_ += bytes;
    if (done_ >= next_) tell();
  }

private:
  void tell();

  ImportProgress told_;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t next_ = 0; ///< when to tell
};

} // namespace timeless::trace::formats
