#include "archive_parts.h"
#include "stopwatch.h"

#include "base/bytes.h"
#include "trace/codec/compression.h"
#include "trace/codec/structure/folding.h"
#include "trace/codec/structure/unfolding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace timeless::bench {

namespace {

using Symbols = std::vector<std::uint32_t>;

constexpr std::size_t segment_symbols = 16'384;
constexpr std::size_t run_symbols = 1'000'000;
constexpr std::size_t window_symbols = 4096;

struct Workload {
  std::string name;
  std::uint32_t distinct = 0;
  Symbols symbols;
};

void append_loop(Symbols& symbols, std::uint32_t first, std::uint32_t length, std::size_t times) {
  for (; times > 0; --times)
    for (std::uint32_t symbol = first; symbol < first + length; ++symbol)
      symbols.push_back(symbol);
}

/// Steps until the run is long enough.
template <typename Step>
Workload steps(const std::string& name, std::uint32_t distinct, Step step) {
  std::mt19937_64 random(1);
  Workload work{name, distinct, {}};
  for (std::size_t i = 1; work.symbols.size() < run_symbols; ++i)
    step(work.symbols, i, random);
  return work;
}

std::vector<Workload> workloads() {
  std::vector<Workload> all;
  all.push_back(steps("wavefront", 32, [](Symbols& symbols, std::size_t i, auto&) {
    append_loop(symbols, 0, 6, 62);
    append_loop(symbols, 6, 6, 62);
    append_loop(symbols, 12, 12, 1);
    if (i % 20 == 0) append_loop(symbols, 24, 8, 1);
  }));
  all.push_back(steps("halo", 26, [](Symbols& symbols, std::size_t, auto&) { append_loop(symbols, 0, 26, 1); }));
  all.push_back(steps("halo, long steps", 5000, [](Symbols& symbols, std::size_t, auto&) { //
    append_loop(symbols, 0, 5000, 1);
  }));
  all.push_back(steps("two kinds of step", 60, [](Symbols& symbols, std::size_t, auto& random) {
    append_loop(symbols, 0, 25, 1);
    if (random() % 15 == 0) append_loop(symbols, 25, 35, 1);
  }));
  all.push_back(steps("loops of any length", 8, [](Symbols& symbols, std::size_t, auto& random) {
    append_loop(symbols, 0, 3, 1 + random() % 60);
    append_loop(symbols, 3, 5, 1);
  }));
  for (const std::uint32_t distinct : {4U, 100U, 2000U})
    all.push_back(
        steps(fmt::format("random of {}", distinct), distinct, [=](Symbols& symbols, std::size_t, auto& random) {
          symbols.push_back(static_cast<std::uint32_t>(random() % distinct));
        }));
  return all;
}

/// A segment of the run, its symbols numbered by first use, as a recorder has them.
struct Segment {
  Symbols symbols;
  Symbols whole_numbers; ///< by number in the segment
  trace::FoldedSequence folded;
};

std::vector<Segment> segments_of(const Workload& work) {
  constexpr std::uint32_t unused = 0xffffffffU;
  std::vector<Segment> segments;
  for (std::size_t begin = 0; begin < work.symbols.size(); begin += segment_symbols) {
    Segment& segment = segments.emplace_back();
    Symbols numbers(work.distinct, unused);
    for (std::size_t at = begin; at < std::min(begin + segment_symbols, work.symbols.size()); ++at) {
      std::uint32_t& number = numbers[work.symbols[at]];
      if (number == unused) {
        number = static_cast<std::uint32_t>(segment.whole_numbers.size());
        segment.whole_numbers.push_back(work.symbols[at]);
      }
      segment.symbols.push_back(number);
    }
  }
  return segments;
}

std::string encoded(const trace::FoldedSequence& sequence, int level) {
  std::string bytes;
  sequence.encode(bytes);
  std::string stored;
  trace::compress(bytes, level, stored);
  return stored;
}

void unfold(const trace::FoldedSequence& sequence, const Symbols& expected) {
  Symbols window(window_symbols);
  trace::Unfolder unfolder(sequence);
  std::size_t at = 0;
  for (std::size_t got = 0; (got = unfolder.next(window)) != 0; at += got)
    if (window.front() != expected[at] || window[got - 1] != expected[at + got - 1]) std::abort();
  if (at != expected.size()) std::abort();
}

void report(const Workload& work, int repeat) {
  const auto each = static_cast<double>(work.symbols.size());
  std::vector<Segment> segments = segments_of(work);
  trace::SequenceFolder folder;
  const double folding = median_seconds(repeat, [&] {
    for (Segment& segment : segments) {
      for (const std::uint32_t symbol : segment.symbols)
        folder.append(symbol);
      folder.finish(segment.folded);
    }
  });
  trace::FoldedSequence whole;
  const double appending = median_seconds(repeat, [&] {
    for (const Segment& segment : segments)
      folder.append(segment.folded, segment.whole_numbers);
    folder.finish(whole);
  });
  const double unfolding = median_seconds(repeat, [&] { unfold(whole, work.symbols); });
  std::string fixed;
  for (const std::uint32_t symbol : work.symbols)
    put_fixed(fixed, static_cast<std::uint16_t>(symbol));
  std::string stored;
  const double compressing = median_seconds((repeat + 4) / 5, [&] { trace::compress(fixed, 3, stored); });
  trace::compress(fixed, 19, stored);
  std::size_t segment_bytes = 0;
  for (const Segment& segment : segments)
    segment_bytes += encoded(segment.folded, 3).size();
  fmt::print("{:<20}{:>9}{:>11}{:>9}{:>9}{:>9.1f}{:>9.1f}{:>9.2f}{:>9.1f}\n", work.name, whole.items(), segment_bytes,
             encoded(whole, 19).size(), stored.size(), 1e9 * folding / each, 1e9 * appending / each,
             1e9 * unfolding / each, 1e9 * compressing / each);
}

} // namespace

void measure_structure(int repeat) {
  fmt::print("{} symbols folded in segments of {}, these appended to one another; items, bytes after zstd, and "
             "nanoseconds of CPU time a symbol, medians of {}; zstd is of u16 symbols\n",
             run_symbols, segment_symbols, repeat);
  fmt::print("{:<20}{:>9}{:>11}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}\n", "sequence", "items", "segments B", "whole B",
             "zstd-19", "fold", "append", "unfold", "zstd-3");
  for (const Workload& work : workloads())
    report(work, repeat);
}

} // namespace timeless::bench
