#pragma once

#include "trace/formats/dumpi/rank_file.h"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace::formats::test {

/// Numbers that sst-dumpi gives to MPI_BYTE, MPI_COMM_WORLD and MPI_COMM_SELF.
inline constexpr int type_byte = 5;
inline constexpr int world = 2;
inline constexpr int self = 3;

/// A rank's DUMPI file, record by record, as sst-dumpi writes them.
class DumpiWriter {
public:
  explicit DumpiWriter(dumpi::Version version = {13, 0, 0}) : version_(version) {}

  /// A call, with its fields as calls.def lists them: integers for scalars, lists for lists, and none for texts and
  /// statuses. Times rise by 1000 ns: 600 between calls, 400 within.
  struct Value {
    Value(std::int64_t one) : scalar(one) {}
    Value(int one) : scalar(one) {}
    Value(std::initializer_list<std::int32_t> all) : list(all), is_list(true) {}
    std::int64_t scalar = 0;
    std::vector<std::int32_t> list = {};
    bool is_list = false;
  };
  DumpiWriter& call(dumpi::Call call, std::initializer_list<Value> fields, std::vector<dumpi::Status> statuses = {});
  /// Adds MPI_Init, without arguments.
  DumpiWriter& init();
  DumpiWriter& finalize() { return call(dumpi::Call::Finalize, {}); }

  /// Sets what the next calls have as their times.
  DumpiWriter& at(std::uint64_t nanoseconds) {
    now_ = nanoseconds;
    return *this;
  }
  DumpiWriter& mask(std::uint8_t mask) {
    mask_ = mask;
    return *this;
  }
  DumpiWriter& host(std::string name) {
    host_ = std::move(name);
    return *this;
  }
  DumpiWriter& type_sizes(std::vector<std::int32_t> sizes) {
    sizes_ = std::move(sizes);
    return *this;
  }
  DumpiWriter& ignore(dumpi::Call call, std::int32_t times) {
    ignored_[static_cast<std::size_t>(call)] = times;
    return *this;
  }

  /// Returns the whole file. The index has as many entries as the version wrote: 8 of them, or fewer.
  std::string bytes(unsigned index_entries = 8) const;

private:
  void put(std::uint64_t value, unsigned bytes) { put(body_, value, bytes); }
  static void put(std::string& where, std::uint64_t value, unsigned bytes);

  dumpi::Version version_;
  std::string body_;
  std::string host_ = "node";
  std::uint64_t now_ = 1'000'000'000;
  std::uint8_t mask_ = 0x4b; ///< statuses, wall times, thread
  std::vector<std::int32_t> sizes_;
  std::map<std::size_t, std::int32_t> ignored_;
};

/// Writes a whole trace: PREFIX.meta and the ranks' files; returns PREFIX.
std::filesystem::path write_dumpi(const std::filesystem::path& directory, const std::vector<DumpiWriter>& ranks);

} // namespace timeless::trace::formats::test
