#pragma once

#include "base/files/input_file.h"
#include "trace/formats/dumpi/layout.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace timeless::trace::formats::dumpi {

/// The version of DUMPI that wrote a file.
struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  auto operator<=>(const Version&) const = default;
};

/// A recorded MPI_Status.
struct Status {
  std::int32_t bytes = 0;
  std::int32_t source = 0;
  bool cancelled = false;
  std::int32_t tag = -1; ///< -1 also where the version has none
};

/// One call of a rank.
struct Record {
  std::uint16_t call = 0;
  bool timed = false;
  bool wall = false;       ///< by the clock on the wall, not the processor's
  std::uint64_t entry = 0; ///< ns, of the rank's own clock
  std::uint64_t exit = 0;
  std::array<std::int64_t, field_count> values{};
  std::array<std::vector<std::int32_t>, field_count> lists;
  std::vector<std::vector<std::int32_t>> table; ///< of the one field that is a table32
  std::vector<Status> statuses;                 ///< empty also where the program wanted none

  bool is(Call which) const { return call == static_cast<std::uint16_t>(which); }
  std::int32_t word(Field field) const { return static_cast<std::int32_t>(values[static_cast<std::size_t>(field)]); }
  std::int64_t wide(Field field) const { return values[static_cast<std::size_t>(field)]; }
  std::uint16_t half(Field field) const { return static_cast<std::uint16_t>(values[static_cast<std::size_t>(field)]); }
  const std::vector<std::int32_t>& list(Field field) const { return lists[static_cast<std::size_t>(field)]; }
};

/// A rank's file, but for its records.
///
/// A file without its index, of a program that was killed, has records and nothing else; whole is false then.
class RankFile {
public:
  /// Throws Error(invalid_input) for what is no DUMPI file, or is damaged.
  explicit RankFile(const std::filesystem::path& path);

  const InputFile& file() const { return file_; }
  bool whole() const { return whole_; }
  Version version() const { return version_; }
  const std::string& host() const { return host_; }
  std::uint64_t started() const { return started_; } ///< seconds since 1970
  /// Returns bytes by datatype number; empty where the version did not write them.
  const std::vector<std::int32_t>& type_sizes() const { return type_sizes_; }
  /// Calls the program made that have no record, by call number.
  const std::vector<std::int32_t>& ignored() const { return ignored_; }
  std::uint64_t body() const { return body_; }         ///< where the records begin
  std::uint64_t body_end() const { return body_end_; } ///< behind the last byte that may belong to one

private:
  bool find_index();
  void read_header(std::uint64_t offset);
  void read_footer(std::uint64_t offset);
  void read_type_sizes(std::uint64_t offset);

  InputFile file_;
  bool whole_ = false;
  Version version_{13, 0, 0};
  std::string host_;
  std::uint64_t started_ = 0;
  std::vector<std::int32_t> type_sizes_;
  std::vector<std::int32_t> ignored_;
  std::uint64_t body_ = 8;
  std::uint64_t body_end_ = 0;
};

/// Reads integers of a file front to back, most significant byte first. Memory: a buffer.
class FileReader {
public:
  FileReader(const InputFile& file, std::uint64_t begin, std::uint64_t end) : file_(&file), offset_(begin), end_(end) {}

  std::uint64_t unsigned_integer(unsigned bytes);
  std::uint8_t byte() { return static_cast<std::uint8_t>(unsigned_integer(1)); }
  std::uint16_t half() { return static_cast<std::uint16_t>(unsigned_integer(2)); }
  std::int32_t word() { return static_cast<std::int32_t>(unsigned_integer(4)); }
  std::string text(std::size_t bytes);
  void skip(std::uint64_t bytes);
  /// Returns a word that counts things of so many bytes each, which must all be there.
  std::size_t count(std::size_t bytes_each);

  std::uint64_t offset() const { return offset_ + position_; }
  std::uint64_t left() const { return end_ - offset(); }
  [[noreturn]] void refuse(const std::string& what) const;
  /// Returns true once something was asked for that lies behind the end.
  bool exhausted() const { return exhausted_; }

private:
  void need(std::uint64_t bytes);
  [[noreturn]] void run_out(const std::string& what);

  const InputFile* file_;
  std::string buffer_;
  std::size_t position_ = 0;
  std::uint64_t offset_; ///< of the buffer's first byte
  std::uint64_t end_;
  bool exhausted_ = false;
};

/// Reads the records of a rank's file, in order.
///
/// The file must outlive the reader. Memory: a buffer, and the lists of one record. Not thread-safe; readers of one
/// file are independent of each other.
class RecordReader {
public:
  explicit RecordReader(const RankFile& file);

  /// Returns false at the end of the stream, and before a record that a file without its end has in part. Throws
  /// Error(invalid_input) naming file and offset.
  bool next(Record& record);
  /// Returns true when the stream ended as its writer ends it.
  bool ended() const { return ended_; }
  /// Returns the bytes of records that were read.
  std::uint64_t bytes_read() const { return bytes_.offset() - file_.body(); }
  /// Returns what times by the clock on the wall are counted from, ns.
  std::uint64_t wall_origin() const { return wall_origin_; }

private:
  bool read(Record& record);
  void read_times(std::uint8_t mask, Record& record);
  std::uint64_t seconds();
  void read_field(const LaidOut& field, std::uint8_t mask, Record& record);
  void read_list(const LaidOut& field, unsigned bytes, Record& record);
  void read_statuses(Record& record);
  void read_table(Record& record);
  void skip_texts();
  void skip_arguments(const Record& record);

  const RankFile& file_;
  FileReader bytes_;
  bool ended_ = false;
  bool first_time_ = true;
  std::uint64_t wall_origin_ = 0;
  std::uint64_t last_seconds_ = 0;
};

} // namespace timeless::trace::formats::dumpi
