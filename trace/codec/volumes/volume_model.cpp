#include "trace/codec/volumes/volume_model.h"

#include "trace/codec/volumes/frequency.h"
#include "trace/codec/volumes/rice_width.h"
#include "trace/codec/volumes/sampling.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace timeless::trace {

namespace {

using Values = std::span<const std::uint64_t>;

/// Returns the median of up to 127 of the numbers that `number(i)` gives.
template <typename Number, typename Get>
Number sampled_median(std::size_t count, Get number) {
  std::array<Number, 127> sample{};
  const std::size_t size = std::min(count, std::clamp<std::size_t>(count / 8, 9, sample.size()));
  for (std::size_t i = 0; i < size; ++i)
    sample[i] = number(sample_place(i, size, count));
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(size / 2);
  std::nth_element(sample.begin(), middle, sample.begin() + static_cast<std::ptrdiff_t>(size));
  return *middle;
}

/// What one look at all the values tells.
struct ValueStatistics {
  std::uint64_t least = 0;
  std::uint64_t largest = 0;
  bool is_ramp = true;
  std::uint64_t centre = 0;
  std::uint64_t change = 0;
  Widths around{};
  Widths changes{};
};

ValueStatistics statistics_of(Values values) {
  ValueStatistics seen;
  seen.least = seen.largest = values[0];
  seen.centre = sampled_median<std::uint64_t>(values.size(), [&](std::size_t i) { return values[i]; });
  const std::uint64_t first_change = values[1] - values[0];
  seen.change = static_cast<std::uint64_t>(sampled_median<std::int64_t>(
      values.size() - 1, [&](std::size_t i) { return static_cast<std::int64_t>(values[i + 1] - values[i]); }));
  std::uint64_t previous = values[0] - seen.change;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t value = values[i];
    seen.least = std::min(seen.least, value);
    seen.largest = std::max(seen.largest, value);
    ++seen.around[width_around(seen.centre, value)];
    ++seen.changes[width_around(previous + seen.change, value)];
    seen.is_ramp = seen.is_ramp && (i == 0 || value - previous == first_change);
    previous = value;
  }
  return seen;
}

Widths widths_above(Values values, std::uint64_t least) {
  Widths widths{};
  for (const std::uint64_t value : values)
    ++widths[static_cast<unsigned>(std::bit_width(value - least))];
  return widths;
}

/// Sixteenths of log2, by the straight line between powers of two.
std::uint64_t log2_in_16ths(std::uint64_t number) {
  const unsigned whole = static_cast<unsigned>(std::bit_width(number)) - 1;
  const std::uint64_t rest = number - (std::uint64_t{1} << whole);
  return 16 * whole + (whole >= 4 ? rest >> (whole - 4) : rest << (4 - whole));
}

/// Returns how often a place does not follow those before it (three, or eleven) as it did last time.
std::uint64_t surprises(std::span<const std::uint8_t> places) {
  std::array<std::uint8_t, 1024> after_few{};
  std::array<std::uint8_t, 2048> after_many{};
  std::uint64_t count = 0;
  std::uint32_t few = 0;
  std::uint32_t many = 0;
  for (const std::uint8_t place : places) {
    std::uint8_t& short_guess = after_few[few * 0x9e3779b1U >> 22U];
    std::uint8_t& long_guess = after_many[many * 0x9e3779b1U >> 21U];
    count += short_guess != place && long_guess != place;
    short_guess = long_guess = place;
    few = (few << 8U | place) & 0xffffffU;
    many = (many << 3U) ^ (place * 0x85ebca6bU >> 16U);
  }
  return count;
}

/// Returns about how many bits the places take among the compressed symbols: where they repeat next to nothing but for
/// the surprises, where they have no order the entropy and what zstd adds to it.
std::uint64_t symbol_bits(std::span<const std::uint8_t> symbols, std::span<const std::uint32_t> counts) {
  const std::uint64_t places = symbols.size();
  std::uint64_t entropy = 0; // in 16ths of a bit, of all places
  for (const std::uint32_t count : counts)
    entropy += count * (log2_in_16ths(places) - log2_in_16ths(count));
  const std::uint64_t in_order = surprises(symbols) * (entropy / places / 16 + 8) + places / 16;
  const std::uint64_t in_no_order = entropy / 16 + places * 2 / std::max<std::uint64_t>(4, counts.size());
  return std::min(in_order, in_no_order) + 80;
}

Coding ranks_coding(const DistinctValues& distinct) {
  Widths widths{};
  for (std::size_t rank = 0; rank < distinct.counts().size(); ++rank)
    widths[static_cast<unsigned>(std::bit_width(rank))] += distinct.counts()[rank];
  return rice_coding(widths, distinct.places().size());
}

} // namespace

std::size_t period_of(Values values, std::vector<std::uint32_t>& borders) {
  if (values.size() < 4) return values.size();
  borders.resize(values.size());
  borders[0] = 0;
  std::uint32_t border = 0; // of the values up to here: the longest beginning that is also their end
  for (std::size_t i = 1; i < values.size(); ++i) {
    while (border > 0 && values[i] != values[border])
      border = borders[border - 1];
    if (values[i] == values[border]) ++border;
    borders[i] = border;
  }
  constexpr std::size_t enough = 16;
  const std::size_t period = values.size() - border;
  return period <= values.size() / 2 || border >= enough ? period : values.size();
}

unsigned byte_width(Values values) {
  const auto [least, largest] = std::ranges::minmax(values);
  return (static_cast<unsigned>(std::bit_width(largest - least)) + 7) / 8;
}

bool DistinctValues::list(Values values) {
  constexpr std::size_t slots = 1024;
  std::array<std::uint16_t, slots> table{}; // places from 1 on; 0 is a free slot
  const std::size_t most = std::min(max_listed, values.size() / 4);
  count_ = 0;
  places_.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t slot = values[i] * 0x9e3779b97f4a7c15U >> 54U;
    while (table[slot] != 0 && values_[table[slot] - 1U] != values[i])
      slot = (slot + 1) % slots;
    if (table[slot] == 0) {
      if (count_ == most) return false;
      counts_[count_] = 0;
      values_[count_++] = values[i];
      table[slot] = static_cast<std::uint16_t>(count_);
    }
    places_[i] = static_cast<std::uint8_t>(table[slot] - 1U);
    ++counts_[places_[i]];
  }
  sort_by_count(std::span(values_).first(count_), std::span(counts_).first(count_), std::span(places_));
  return true;
}

VolumeModel choose_model(Values values, DistinctValues& distinct) {
  if (values.size() == 1) return {.base = values[0]};
  const ValueStatistics seen = statistics_of(values);
  if (seen.least == seen.largest) return {.base = values[0]};
  if (seen.is_ramp && values.size() > 2)
    return {.other = OtherModel::ramp, .base = values[0], .step = values[1] - values[0]};

  const auto width = static_cast<unsigned>(std::bit_width(seen.largest - seen.least));
  VolumeModel best{.kind = ModelClass::packed, .width = width, .base = seen.least};
  std::uint64_t least_bits = width == 64 ? std::numeric_limits<std::uint64_t>::max() : values.size() * width;
  const auto consider = [&](Coding coding, unsigned header_bits, const VolumeModel& model) {
    if (coding.bits + header_bits >= least_bits) return;
    least_bits = coding.bits + header_bits;
    best = model;
    best.width = coding.width;
  };
  consider(rice_coding(seen.around, values.size()), 8, {.kind = ModelClass::around, .base = seen.centre});
  consider(rice_coding(seen.changes, values.size()), 24,
           {.kind = ModelClass::changes, .base = values[0], .step = seen.change});
  consider(rice_coding(widths_above(values, seen.least), values.size()), 16,
           {.other = OtherModel::above, .base = seen.least});
  if (values.size() >= 8 && distinct.list(values)) {
    const auto list_bits = static_cast<unsigned>(8 * (4 + distinct.values().size() * byte_width(distinct.values())));
    consider({symbol_bits(distinct.places(), distinct.counts()), 0}, list_bits, {.other = OtherModel::listed});
    consider(ranks_coding(distinct), list_bits, {.other = OtherModel::ranked});
  }
  return best;
}

} // namespace timeless::trace
