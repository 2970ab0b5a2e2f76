#include "archive_parts.h"
#include "generated_programs.h"
#include "stopwatch.h"

#include "base/bytes.h"
#include "trace/codec/compression.h"
#include "trace/codec/format.h"
#include "trace/codec/segment/segment_decoder.h"
#include "trace/codec/segment/segment_encoder.h"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace timeless::bench {

namespace {

constexpr std::size_t window_actions = 4096;
constexpr int zstd_level = 3;

/// A segment of a rank as the recorder has it, and as it is stored.
struct Coded {
  trace::ActionBlock block;
  std::string structure;
  std::string volumes;
  std::string plain; ///< the reference: indices and differences of volumes
  std::string compressed;
};

/// Returns the next segments of one rank after its start.
std::vector<Coded> segments(const trace::MemorySource& program) {
  std::vector<Coded> all;
  trace::ActionBlock block;
  const auto stream = program.open(program.run().size / 2);
  for (all.emplace_back(); stream->next(block);)
    for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
      if (all.back().block.size() == 16'384) all.emplace_back();
      if (has_volume(action.kind))
        all.back().block.append_volume(action.kind, action.kernel, volume);
      else
        all.back().block.append(action);
    });
  return all;
}

void make_plain(Coded& coded) {
  coded.plain.clear();
  for (const std::uint32_t entry : coded.block.sequence())
    put_fixed(coded.plain, static_cast<std::uint16_t>(entry));
  std::uint64_t before = 0;
  for (const std::uint64_t volume : coded.block.volumes()) {
    put_varint(coded.plain, zigzag(static_cast<std::int64_t>(volume - before)));
    before = volume;
  }
}

void encode(trace::SegmentEncoder& encoder, Coded& coded) {
  coded.structure.clear();
  coded.volumes.clear();
  encoder.encode(coded.block, coded.structure, coded.volumes);
}

std::uint64_t decode(const Coded& coded) {
  const auto structure =
      std::make_shared<const trace::Structure>(trace::decode_structure(coded.structure, trace::max_block_actions));
  trace::Dictionary dictionary;
  for (const trace::Action& action : structure->dictionary.entries())
    dictionary.add(action);
  trace::ActionBlock block;
  block.use_dictionary(std::move(dictionary));
  trace::SegmentDecoder decoder;
  decoder.open(structure, 0, static_cast<std::uint32_t>(coded.block.size()), coded.volumes);
  std::uint64_t sum = 0;
  while (decoder.next(block, window_actions))
    sum += block.volumes().size() + block.sequence().back();
  return sum;
}

void measure(const char* name, const trace::MemorySource& program, int repeat) {
  std::vector<Coded> all = segments(program);
  double actions = 0;
  for (const Coded& coded : all)
    actions += static_cast<double>(coded.block.size());
  trace::SegmentEncoder encoder;
  std::uint64_t sum = 0;
  const auto each = [&](auto work) {
    return 1e9 / actions * median_seconds(repeat, [&] {
             for (Coded& coded : all)
               work(coded);
           });
  };
  const double encoding = each([&](Coded& coded) { encode(encoder, coded); });
  const double decoding = each([&](const Coded& coded) { sum += decode(coded); });
  const double compressing = each([](Coded& coded) {
    make_plain(coded);
    trace::compress(coded.plain, zstd_level, coded.compressed);
  });
  const double decompressing = each([&](const Coded& coded) {
    sum += trace::decompress(coded.compressed, static_cast<std::uint32_t>(coded.plain.size())).size();
  });
  double bytes = 0;
  double reference = 0;
  for (const Coded& coded : all) {
    bytes += static_cast<double>(coded.structure.size() + coded.volumes.size());
    reference += static_cast<double>(coded.compressed.size());
  }
  fmt::print("  {:<12}{:>10.1f}{:>10.1f}{:>10.3f}{:>14.1f}{:>10.1f}{:>10.3f}{:>10.1f}{:>8.1f}\n", name, encoding,
             decoding, bytes / actions, compressing, decompressing, reference / actions, compressing / encoding,
             reference / bytes);
  if (sum == 0) fmt::print("  nothing was decoded\n");
}

} // namespace

void measure_segments(int repeat) {
  fmt::print("  {:<12}{:>10}{:>10}{:>10}{:>14}{:>10}{:>10}{:>10}{:>8}\n", "ns, bytes", "encode", "decode", "bytes",
             "zstd encode", "decode", "bytes", "time by", "size by");
  measure("wavefront", wavefront({.ranks = 16, .actions = 2'000'000}), repeat);
  measure("halo", halo({.ranks = 16, .actions = 2'000'000}), repeat);
}

} // namespace timeless::bench
