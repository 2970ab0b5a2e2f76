#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace timeless::gather {

/// Bytes that come in any order and are read again: in memory while they are few, in a file without a name beyond.
class Spool {
public:
  /// Makes an empty spool, whose file, if one is needed, goes into this directory.
  explicit Spool(std::filesystem::path directory, std::uint64_t most_in_memory = std::uint64_t{32} << 20U);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Throws Error(runtime) when the disk is full.
  void put(std::uint64_t offset, std::string_view bytes);
  /// Returns bytes that were put. Throws Error(runtime) when they cannot be read.
  std::string get(std::uint64_t offset, std::size_t count) const;
  /// Returns how many were put in all.
  std::uint64_t arrived() const { return arrived_; }

private:
  void open();
  void write(std::uint64_t offset, std::string_view bytes) const;
  [[noreturn]] void fail(const char* what, int code) const;

  std::filesystem::path directory_;
  std::uint64_t most_in_memory_;
  std::string memory_;
  int file_ = -1;
  std::uint64_t arrived_ = 0;
};

} // namespace timeless::gather
