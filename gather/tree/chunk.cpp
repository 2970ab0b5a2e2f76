#include "gather/tree/chunk.h"

#include "base/error.h"

#include <algorithm>
#include <cstring>

namespace timeless::gather {

namespace {

/// What a message begins with. The checksum is over all that follows it.
struct Head {
  std::uint64_t checksum = 0;
  std::uint64_t bytes = 0; ///< of the message
};

/// What stands before a piece's bytes.
struct PieceHead {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  Space space = Space::blocks;
};

template <typename Value>
Value load(const char* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename Value>
void store(char* to, const Value& value) {
  std::memcpy(to, &value, sizeof value);
}

/// True when these bytes are pieces, one after the other.
bool pieces_fit(std::string_view bytes) {
  while (bytes.size() >= sizeof(PieceHead)) {
    const std::size_t piece = sizeof(PieceHead) + load<PieceHead>(bytes.data()).bytes;
    if (piece > bytes.size()) return false;
    bytes.remove_prefix(piece);
  }
  return bytes.empty();
}

std::string_view summed(std::string_view message) {
  return message.substr(sizeof(Head::checksum));
}

} // namespace

Chunk::Chunk(std::size_t capacity)
    : capacity_(std::max(capacity, sizeof(Head) + sizeof(PieceHead) + 1)),
      bytes_(std::make_unique_for_overwrite<char[]>(capacity_)) {
  clear();
}

void Chunk::clear() {
  used_ = sizeof(Head);
  last_piece_ = 0;
  store(buffer(), Head{});
}

bool Chunk::empty() const {
  return used_ == sizeof(Head);
}

std::size_t Chunk::add(Space space, std::uint64_t offset, std::string_view bytes) {
  PieceHead piece{.offset = offset, .bytes = 0, .space = space};
  std::size_t place = used_;
  if (last_piece_ != 0) {
    const auto last = load<PieceHead>(buffer() + last_piece_);
    if (last.space == space && last.offset + last.bytes == offset) {
      piece = last;
      place = last_piece_;
    }
  }
  const std::size_t begin = place == used_ ? used_ + sizeof piece : used_;
  if (begin >= capacity_ || bytes.empty()) return 0;
  const std::size_t count = std::min(bytes.size(), capacity_ - begin);
  std::memcpy(buffer() + begin, bytes.data(), count);
  piece.bytes += static_cast<std::uint32_t>(count);
  store(buffer() + place, piece);
  last_piece_ = place;
  used_ = begin + count;
  return count;
}

void Chunk::seal(const Checksum& checksum) {
  Head head{.checksum = 0, .bytes = used_};
  store(buffer(), head);
  head.checksum = checksum(summed(message()));
  store(buffer(), head);
}

void Chunk::open(std::size_t received, const Checksum& checksum) {
  used_ = received;
  last_piece_ = 0;
  const bool whole = received >= sizeof(Head) && received <= capacity_;
  if (!whole || load<Head>(buffer()).bytes != received ||
      load<Head>(buffer()).checksum != checksum(summed(message())) || !pieces_fit(message().substr(sizeof(Head))))
    throw Error(Failure::runtime, "what another process sent arrived damaged", "",
                "gather again; the sources are untouched");
}

void Chunk::for_each_piece(const std::function<void(Space, std::uint64_t, std::string_view)>& visit) const {
  for (std::string_view rest = message().substr(sizeof(Head)); !rest.empty();) {
    const auto piece = load<PieceHead>(rest.data());
    visit(piece.space, piece.offset, rest.substr(sizeof piece, piece.bytes));
    rest.remove_prefix(sizeof piece + piece.bytes);
  }
}

} // namespace timeless::gather
