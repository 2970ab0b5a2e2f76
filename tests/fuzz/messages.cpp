// What processes that gather send each other: lists of files, and chunks of the archive. The first byte says which.
#include "gather/tree/chunk.h"
#include "gather/tree/division.h"
#include "tests/fuzz/fuzz.h"

#include <cstring>

namespace {

using namespace timeless;
using namespace timeless::fuzz;

void read_list(std::string_view bytes) {
  try {
    const auto files = gather::decode_seen_files(bytes);
    demand(gather::encode(gather::decode_seen_files(gather::encode(files))) == gather::encode(files),
           "a list is the same");
  } catch (const Error&) {
  }
}

/// As if its checksum were right; what is accepted lies within the message.
void read_chunk(std::string_view bytes) {
  gather::Chunk chunk(bytes.size() + 1);
  std::memcpy(chunk.buffer(), bytes.data(), bytes.size());
  const auto any = [&](std::string_view) {
    std::uint64_t checksum = 0;
    if (bytes.size() >= sizeof checksum) std::memcpy(&checksum, bytes.data(), sizeof checksum);
    return checksum;
  };
  try {
    chunk.open(bytes.size(), any);
  } catch (const Error&) {
    return;
  }
  std::size_t total = 0;
  chunk.for_each_piece([&](gather::Space, std::uint64_t, std::string_view piece) {
    demand(piece.data() >= chunk.message().data() &&
               piece.data() + piece.size() <= chunk.message().data() + chunk.message().size(),
           "a piece lies in its message");
    total += piece.size();
  });
  demand(total <= bytes.size(), "pieces do not overlap");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest = text(data, size).substr(1);
  if (data[0] % 2 == 0)
    read_list(rest);
  else
    read_chunk(rest);
  return 0;
}
