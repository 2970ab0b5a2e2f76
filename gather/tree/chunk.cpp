#include "gather/tree/chunk.h"

#include "base/bytes.h"
#include "base/error.h"

#include <algorithm>
#include <cstring>

namespace timeless::gather {

namespace {

/// A message begins with the checksum over all that follows it, and its own length in bytes.
constexpr std::size_t checksum_bytes = 8;
constexpr std::size_t head_bytes = checksum_bytes + 8;

/// What stands before a piece's bytes.
struct PieceHead {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  Space space = Space::blocks;
};
constexpr std::size_t piece_head_bytes = 16;

PieceHead load_head(const char* from) {
  return {.offset = load_fixed<std::uint64_t>(from),
          .bytes = load_fixed<std::uint32_t>(from + 8),
          .space = static_cast<Space>(load_fixed<std::uint32_t>(from + 12))};
}

void store_head(char* to, const PieceHead& head) {
  store_fixed(to, head.offset);
  store_fixed(to + 8, head.bytes);
  store_fixed(to + 12, static_cast<std::uint32_t>(head.space));
}

/// Returns true when these bytes are pieces, one after the other.
bool pieces_fit(std::string_view bytes) {
  while (bytes.size() >= piece_head_bytes) {
    const std::size_t piece = piece_head_bytes + load_head(bytes.data()).bytes;
    if (piece > bytes.size()) return false;
    bytes.remove_prefix(piece);
  }
  return bytes.empty();
}

std::string_view summed(std::string_view message) {
  return message.substr(checksum_bytes);
}

} // namespace

Chunk::Chunk(std::size_t capacity)
    : capacity_(std::max(capacity, head_bytes + piece_head_bytes + 1)),
      bytes_(std::make_unique_for_overwrite<char[]>(capacity_)) {
  clear();
}

void Chunk::clear() {
  used_ = head_bytes;
  last_piece_ = 0;
}

bool Chunk::empty() const {
  return used_ == head_bytes;
}

std::size_t Chunk::add(Space space, std::uint64_t offset, std::string_view bytes) {
  PieceHead piece{.offset = offset, .bytes = 0, .space = space};
  std::size_t place = used_;
  if (last_piece_ != 0) {
    const auto last = load_head(buffer() + last_piece_);
    if (last.space == space && last.offset + last.bytes == offset) {
      piece = last;
      place = last_piece_;
    }
  }
  const std::size_t begin = place == used_ ? used_ + piece_head_bytes : used_;
  if (begin >= capacity_ || bytes.empty()) return 0;
  const std::size_t count = std::min(bytes.size(), capacity_ - begin);
  std::memcpy(buffer() + begin, bytes.data(), count);
  piece.bytes += static_cast<std::uint32_t>(count);
  store_head(buffer() + place, piece);
  last_piece_ = place;
  used_ = begin + count;
  return count;
}

void Chunk::seal(const Checksum& checksum) {
  store_fixed(buffer() + checksum_bytes, std::uint64_t{used_});
  store_fixed(buffer(), checksum(summed(message())));
}

void Chunk::open(std::size_t received, const Checksum& checksum) {
  used_ = received;
  last_piece_ = 0;
  const bool whole = received >= head_bytes && received <= capacity_;
  if (!whole || load_fixed<std::uint64_t>(buffer() + checksum_bytes) != received ||
      load_fixed<std::uint64_t>(buffer()) != checksum(summed(message())) || !pieces_fit(message().substr(head_bytes)))
    throw Error(Failure::runtime, "what another process sent arrived damaged", "",
                "gather again; the sources are untouched");
}

void Chunk::for_each_piece(const std::function<void(Space, std::uint64_t, std::string_view)>& visit) const {
  for (std::string_view rest = message().substr(head_bytes); !rest.empty();) {
    const auto piece = load_head(rest.data());
    visit(piece.space, piece.offset, rest.substr(piece_head_bytes, piece.bytes));
    rest.remove_prefix(piece_head_bytes + piece.bytes);
  }
}

} // namespace timeless::gather
