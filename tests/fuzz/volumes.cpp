// A volumes payload: every value can be read, in pieces as well as at once, and written and read again.
#include "tests/fuzz/fuzz.h"
#include "trace/codec/volumes/volume_codec.h"

#include <algorithm>
#include <span>
#include <vector>

namespace timeless::fuzz {
namespace {

using Streams = std::vector<std::vector<std::uint64_t>>;

/// All values, so many at a time.
Streams read_streams(std::string_view payload, std::size_t piece) {
  trace::VolumeDecoder decoder;
  decoder.open(payload);
  Streams streams(decoder.streams());
  for (std::size_t stream = 0; stream < streams.size(); ++stream) {
    streams[stream].resize(decoder.size(stream));
    for (std::span<std::uint64_t> rest = streams[stream]; !rest.empty();) {
      const std::size_t now = std::min(piece, rest.size());
      decoder.next(stream, rest.first(now));
      rest = rest.subspan(now);
    }
  }
  return streams;
}

} // namespace
} // namespace timeless::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  Streams streams;
  if (!reads([&] { streams = read_streams(text(data, size), ~std::size_t{0}); })) return 0;
  Streams pieces;
  demand(reads([&] { pieces = read_streams(text(data, size), 7); }) && pieces == streams, "pieces are the whole");
  const std::vector<std::span<const std::uint64_t>> spans(streams.begin(), streams.end());
  std::string bytes;
  static trace::VolumeEncoder encoder;
  encoder.encode(spans, bytes);
  Streams again;
  demand(reads([&] { again = read_streams(bytes, ~std::size_t{0}); }) && again == streams,
         "volumes written and read are the same");
  return 0;
}
