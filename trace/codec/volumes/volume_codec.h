#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The volumes of one segment of one rank, as one stream of values per kernel, coded without loss near their entropy
/// (docs/archive-format.md, "Volumes payload").
namespace timeless {
class ByteReader;
}

namespace timeless::trace {

/// Writes payloads, and keeps its working memory from one to the next: about 20 bytes per value of the longest stream.
class VolumeEncoder {
public:
  VolumeEncoder();
  VolumeEncoder(VolumeEncoder&&) noexcept;
  VolumeEncoder& operator=(VolumeEncoder&&) noexcept;
  ~VolumeEncoder();

  /// Appends the payload of these streams to `bytes`; equal streams give equal bytes. The streams together hold at most
  /// max_block_actions values (trace/codec/format.h), and there are at most as many streams.
  void encode(std::span<const std::span<const std::uint64_t>> streams, std::string& bytes);

private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// Reads one payload. It keeps a copy of the bytes and 32 bytes a stream, and decodes as it is asked.
class VolumeDecoder {
public:
  /// Takes a payload in place of the one before. Throws Error(invalid_input) where it is malformed; what the values
  /// themselves say is looked at when they are read.
  void open(std::string_view payload);

  std::size_t streams() const { return cursors_.size(); }
  /// Returns the number of values in a stream.
  std::size_t size(std::size_t stream) const { return cursors_[stream].size; }

  /// Returns after how many values a stream's begin again, as far as its model says: 1 for equal ones; 0 where it says
  /// nothing of that.
  std::uint32_t period(std::size_t stream) const;

  /// Reads the next values of a stream. Throws Error(invalid_input) when it has fewer, or their bits are malformed.
  void next(std::size_t stream, std::span<std::uint64_t> values);

  struct WrittenModel;

private:
  /// Where a stream stands in the payload, and where its reader stands in it.
  struct Cursor {
    std::uint32_t model = 0;    ///< offset of the model in the payload
    std::uint32_t symbols = 0;  ///< offset of the stream's symbols among all
    std::uint32_t size = 0;     ///< values
    std::uint32_t position = 0; ///< values read
    std::uint32_t bit = 0;      ///< in the stream's codes
    std::uint64_t previous = 0; ///< value, of a stream coded by its changes
  };

  std::uint32_t take_streams(ByteReader& reader, std::size_t payload_bytes);
  void take_symbols(ByteReader& reader, std::uint32_t symbols);
  void read_some(const WrittenModel& written, Cursor& cursor, std::span<std::uint64_t> values) const;
  void read_values(const WrittenModel& written, std::size_t place, Cursor& cursor,
                   std::span<std::uint64_t> values) const;

  std::string payload_;
  std::string symbols_;
  std::vector<Cursor> cursors_;
};

} // namespace timeless::trace
