#include "archive_parts.h"
#include "stopwatch.h"

#include "base/bytes.h"
#include "trace/codec/compression.h"
#include "trace/codec/volumes/volume_codec.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace timeless::bench {

namespace {

using Stream = std::vector<std::uint64_t>;

constexpr std::size_t segment_volumes = 8000; // of 16,384 actions

struct Workload {
  std::string name;
  std::vector<Stream> streams;
  double entropy_bits = std::nan(""); ///< of all volumes, as they were drawn
};

double normal_entropy(double deviation) {
  return std::log2(deviation * std::sqrt(2 * std::numbers::pi * std::numbers::e));
}

/// Makes kernels of 10^4 to 10^9 instructions with normal noise.
Workload noisy(double relative, std::size_t kernels) {
  std::mt19937_64 random(1);
  Workload work{.name = fmt::format("{} % noise", 100 * relative), .streams = {}, .entropy_bits = 0};
  const std::size_t each = segment_volumes / kernels;
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    const double mean = std::pow(10, 4 + 5 * static_cast<double>(kernel) / static_cast<double>(kernels - 1));
    std::normal_distribution<double> volume(mean, mean * relative);
    Stream& stream = work.streams.emplace_back();
    for (std::size_t i = 0; i < each; ++i)
      stream.push_back(static_cast<std::uint64_t>(std::llround(volume(random))));
    work.entropy_bits += static_cast<double>(each) * normal_entropy(mean * relative);
  }
  return work;
}

template <typename Volume>
Workload workload(const std::string& name, double bits_each, Volume volume) {
  constexpr std::size_t kernels = 20;
  std::mt19937_64 random(2);
  Workload work{.name = name, .streams = {}, .entropy_bits = bits_each * segment_volumes};
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    Stream& stream = work.streams.emplace_back();
    for (std::size_t i = 0; i < segment_volumes / kernels; ++i)
      stream.push_back(static_cast<std::uint64_t>(volume(kernel, i, random)));
  }
  return work;
}

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  for (const double relative : {0.01, 0.001})
    for (const std::size_t kernels : {5U, 50U, 200U})
      all.push_back(noisy(relative, kernels));
  all.push_back(workload("constant", 0, [](std::size_t kernel, std::size_t, auto&) { return 1234567 + 89 * kernel; }));
  all.push_back(workload("repeats after 40", 0, [](std::size_t kernel, std::size_t i, auto&) {
    std::mt19937_64 step(100 * kernel + i % 40);
    return 1000000 + step() % 1000;
  }));
  all.push_back(workload("loops in loops", 0, [](std::size_t kernel, std::size_t i, auto&) {
    return 500000 + kernel + (i % 31 == 7 || i > 350 ? 5 : i % 17 == 3 ? 100 * (i / 17) : 0);
  }));
  all.push_back(workload("one of three", 1.5, [](std::size_t, std::size_t, auto& random) {
    return std::array{100000, 77777, 100000, 314159}[random() % 4];
  }));
  all.push_back(workload("exponential", std::log2(1e4 * std::numbers::e), [](std::size_t, std::size_t, auto& random) {
    return 1000 + std::exponential_distribution<double>(1e-4)(random);
  }));
  all.push_back(workload("four grids, 1 % noise", normal_entropy(std::pow(8, 5.5) * 0.01),
                         [](std::size_t, std::size_t i, auto& random) {
                           return std::pow(8, 4 + i % 4) * std::normal_distribution<double>(1, 0.01)(random);
                         }));
  all.push_back(workload("any 64 bits", 64, [](std::size_t, std::size_t, auto& random) { return random(); }));
  return all;
}

std::vector<std::span<const std::uint64_t>> views(const Workload& work) {
  return {work.streams.begin(), work.streams.end()};
}

std::string fixed(const Workload& work) {
  std::string bytes;
  for (const Stream& stream : work.streams)
    for (const std::uint64_t value : stream)
      put_fixed(bytes, value);
  return bytes;
}

/// Stores the reference: the difference from the one before of the same kernel, compressed.
void differences(const Workload& work, std::string& plain, std::string& stored) {
  plain.clear();
  for (const Stream& stream : work.streams) {
    std::uint64_t previous = 0;
    for (const std::uint64_t value : stream) {
      put_varint(plain, zigzag(static_cast<std::int64_t>(value - previous)));
      previous = value;
    }
  }
  trace::compress(plain, 3, stored);
}

/// Reads all of a payload in turns, as a reader of actions does.
void read(const std::string& payload, const Workload& work) {
  constexpr std::size_t turns = 4;
  trace::VolumeDecoder decoder;
  decoder.open(payload);
  std::vector<std::uint64_t> values(segment_volumes);
  std::vector<std::size_t> done(work.streams.size());
  for (std::size_t turn = 1; turn <= turns; ++turn)
    for (std::size_t stream = 0; stream < decoder.streams(); ++stream) {
      const Stream& expected = work.streams[stream];
      const std::size_t end = expected.size() * turn / turns;
      const auto some = std::span(values).first(end - done[stream]);
      decoder.next(stream, some);
      if (some.front() != expected[done[stream]] || some.back() != expected[end - 1]) std::abort();
      done[stream] = end;
    }
}

void report(const Workload& work, int repeat) {
  std::size_t volumes = 0;
  for (const Stream& stream : work.streams)
    volumes += stream.size();
  const auto each = static_cast<double>(volumes);
  trace::VolumeEncoder encoder;
  const auto streams = views(work);
  std::string payload;
  const double encoding = median_seconds(repeat, [&] {
    payload.clear();
    encoder.encode(streams, payload);
  });
  const double decoding = median_seconds(repeat, [&] { read(payload, work); });
  std::string plain;
  std::string stored;
  const double before = median_seconds(repeat, [&] { differences(work, plain, stored); });
  std::string best;
  trace::compress(fixed(work), 19, best);
  fmt::print("{:<22}{:>8}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}{:>12.1f}{:>12.1f}{:>12.1f}\n", work.name,
             work.streams.size(), work.entropy_bits / 8 / each, static_cast<double>(payload.size()) / each,
             static_cast<double>(best.size()) / each, static_cast<double>(stored.size()) / each, 1e9 * encoding / each,
             1e9 * decoding / each, 1e9 * before / each);
}

} // namespace

void measure_volumes(int repeat) {
  fmt::print("{} volumes of a segment; bytes a volume, and nanoseconds of CPU time a volume, medians of {}\n",
             segment_volumes, repeat);
  fmt::print("{:<22}{:>8}{:>10}{:>10}{:>10}{:>10}{:>12}{:>12}{:>12}\n", "volumes", "kernels", "entropy", "ours",
             "zstd -19", "diff zstd", "encode ns", "decode ns", "diff zstd");
  for (const Workload& work : workloads())
    report(work, repeat);
}

} // namespace timeless::bench
