#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace timeless::gather {

/// What a piece of a gathered archive belongs to; its offset counts from there.
enum class Space : std::uint32_t {
  blocks = 0,     ///< the ranks' blocks (RankPlace::offset)
  structures = 1, ///< structures that ranks share
};

/// A message of a stream: pieces of the archive, each with the place where it goes, and a checksum over all.
///
/// Memory: its capacity, taken once.
class Chunk {
public:
  using Checksum = std::function<std::uint64_t(std::string_view)>;

  explicit Chunk(std::size_t capacity);

  /// Takes everything out.
  void clear();
  /// Adds as many of these bytes as there is room for and returns how many; continues the last piece where it can.
  std::size_t add(Space space, std::uint64_t offset, std::string_view bytes);
  bool empty() const;
  /// Makes it a message; nothing is added any more.
  void seal(const Checksum& checksum);
  std::string_view message() const { return {bytes_.get(), used_}; }

  /// Returns where a message of at most capacity() bytes may be received.
  char* buffer() { return bytes_.get(); }
  std::size_t capacity() const { return capacity_; }
  /// Verifies a message of so many bytes that has been received. Throws Error(runtime).
  void open(std::size_t received, const Checksum& checksum);

  void for_each_piece(const std::function<void(Space, std::uint64_t offset, std::string_view)>& visit) const;

private:
  std::size_t capacity_;
  std::unique_ptr<char[]> bytes_;
  std::size_t used_ = 0;
  std::size_t last_piece_ = 0; ///< where it begins; 0 when there is none
};

} // namespace timeless::gather
