#pragma once

#include "base/files/new_file.h"
#include "trace/formats/common/reading.h"
#include "trace/formats/goal/schedule.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

namespace timeless::trace::formats::goal {

/// Returns true for a file that begins as LogGOPSim's binary schedules do.
bool begins_binary(std::string_view bytes);

/// Reads schedules in LogGOPSim's binary form. Throws Error(invalid_input) naming rank and operation.
Schedules read_binary(const std::filesystem::path& path, Reading& reading);

/// Writes LogGOPSim's binary form, rank by rank. Throws what NewFile does.
class BinaryWriter {
public:
  BinaryWriter(const std::filesystem::path& path, std::uint32_t ranks, Existing existing);

  /// Writes the schedule of the next rank. Throws Error(missing_capability) where it has more operations than the form
  /// counts.
  void write(const Schedule& schedule);
  /// Gives the file its name, after the last rank; the bytes written.
  std::uint64_t finish();

private:
  NewFile file_;
  std::string table_; ///< of the ranks' places
  std::uint32_t ranks_;
  std::uint64_t position_;
  std::uint8_t largest_cpu_ = 0;
  std::uint8_t largest_nic_ = 0;
};

} // namespace timeless::trace::formats::goal
