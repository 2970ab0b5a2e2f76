#pragma once

#include "trace/formats/goal/schedule.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

namespace timeless::trace::formats::goal {

/// True for a file that begins as LogGOPSim's binary schedules do.
bool begins_binary(std::string_view bytes);

/// Reads schedules in LogGOPSim's binary form. Throws Error(invalid_input) naming rank and operation.
Schedules read_binary(const std::filesystem::path& path);

/// Writes LogGOPSim's binary form, rank by rank. Throws Error(runtime) where the disk is full.
class BinaryWriter {
public:
  BinaryWriter(const std::filesystem::path& path, std::uint32_t ranks);

  /// The schedule of the next rank. Throws Error(missing_capability) where it has more operations than the form counts.
  void write(const Schedule& schedule);
  /// Closes the file, after the last rank; the bytes written.
  std::uint64_t finish();

private:
  void put(const std::string& bytes);
  [[noreturn]] void fail() const;

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string table_; ///< of the ranks' places
  std::uint32_t ranks_;
  std::uint64_t position_;
  std::uint8_t largest_cpu_ = 0;
  std::uint8_t largest_nic_ = 0;
};

} // namespace timeless::trace::formats::goal
