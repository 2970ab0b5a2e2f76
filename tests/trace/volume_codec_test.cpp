#include "base/bytes.h"
#include "base/error.h"
#include "trace/codec/format.h"
#include "trace/codec/volumes/bits.h"
#include "trace/codec/volumes/volume_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace timeless::trace {
namespace {

using Stream = std::vector<std::uint64_t>;
using Streams = std::vector<Stream>;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

std::string encoded(const Streams& streams) {
  const std::vector<std::span<const std::uint64_t>> views(streams.begin(), streams.end());
  std::string bytes;
  VolumeEncoder().encode(views, bytes);
  return bytes;
}

/// Everything, stream after stream.
Streams decoded(std::string_view payload) {
  VolumeDecoder decoder;
  decoder.open(payload);
  Streams streams(decoder.streams());
  for (std::size_t stream = 0; stream < streams.size(); ++stream) {
    streams[stream].resize(decoder.size(stream));
    decoder.next(stream, streams[stream]);
  }
  return streams;
}

/// Returns some values of every stream in turn, as a reader of actions asks for them.
Streams decoded_in_turns(std::string_view payload, std::size_t turn) {
  VolumeDecoder decoder;
  decoder.open(payload);
  Streams streams(decoder.streams());
  for (bool more = true; more;) {
    more = false;
    for (std::size_t stream = 0; stream < streams.size(); ++stream) {
      Stream& values = streams[stream];
      const std::size_t had = values.size();
      values.resize(std::min(had + turn + stream % 3, decoder.size(stream)));
      decoder.next(stream, std::span(values).subspan(had));
      more = more || values.size() > had;
    }
  }
  return streams;
}

std::size_t values_of(const Streams& streams) {
  std::size_t values = 0;
  for (const Stream& stream : streams)
    values += stream.size();
  return values;
}

/// Streams of every model, and what lies between the models.
Stream any_stream(std::mt19937_64& random) {
  const std::size_t size = random() % 8 == 0 ? random() % 4 : random() % 300;
  const std::uint64_t about = random() >> random() % 64;
  const std::uint64_t noise = (random() >> random() % 64) | 1;
  const std::uint64_t period = 1 + random() % 40;
  const unsigned kind = static_cast<unsigned>(random() % 12);
  Stream stream;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t previous = stream.empty() ? about : stream.back();
    switch (kind) {
    case 0:
      stream.push_back(about);
      break;
    case 1:
      stream.push_back(about + i * noise);
      break;
    case 2:
      stream.push_back(about + random() % noise);
      break;
    case 3:
      stream.push_back(previous + random() % noise - noise / 2);
      break;
    case 4:
      stream.push_back(i < period ? random() >> noise % 64 : stream[i - period]);
      break;
    case 5:
      stream.push_back(random() % 20 == 0 ? random() : about);
      break;
    case 6:
      stream.push_back(about * (random() % 3));
      break;
    case 7:
      stream.push_back(random() >> random() % 64);
      break;
    case 8:
      stream.push_back((about << 4 * (i % period % 4)) + random() % 16);
      break;
    case 9:
      stream.push_back((about << 8 * (random() % 3)) + random() % noise % 1000);
      break;
    case 10:
      stream.push_back(about % 1000 + noise * (random() % 100) + (i + 3 > size ? random() % 100 : 0));
      break;
    default:
      stream.push_back(i % period == 0 && i % 7 == 0 ? about : i % 5);
      break;
    }
  }
  return stream;
}

Streams any_streams(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Streams streams(random() % 12);
  for (Stream& stream : streams)
    stream = any_stream(random);
  return streams;
}

/// Kernels of 10^4 to 10^9 instructions with normal noise: the streams, and the bits of entropy of all values.
struct Noisy {
  Streams streams;
  double entropy_bits = 0;
};

Noisy noisy(std::size_t kernels, std::size_t values_each, double relative) {
  std::mt19937_64 random(7);
  Noisy all;
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    const double mean = std::pow(10, 4 + 5 * static_cast<double>(kernel) / static_cast<double>(kernels - 1));
    const double deviation = mean * relative;
    std::normal_distribution<double> volume(mean, deviation);
    Stream& stream = all.streams.emplace_back();
    for (std::size_t i = 0; i < values_each; ++i)
      stream.push_back(static_cast<std::uint64_t>(std::llround(volume(random))));
    all.entropy_bits +=
        static_cast<double>(values_each) * std::log2(deviation * std::sqrt(2 * std::numbers::pi * std::numbers::e));
  }
  return all;
}

double bytes_above_entropy_per_value(const Noisy& noisy) {
  const auto bytes = static_cast<double>(encoded(noisy.streams).size());
  return (bytes - noisy.entropy_bits / 8) / static_cast<double>(values_of(noisy.streams));
}

RC_GTEST_PROP(Volumes, of_any_mixture_of_kernels_read_back_as_they_were, ()) {
  const Streams streams = any_streams(*rc::gen::arbitrary<std::uint64_t>());
  const std::string bytes = encoded(streams);
  RC_ASSERT(decoded(bytes) == streams);
  RC_ASSERT(decoded_in_turns(bytes, *rc::gen::inRange<std::size_t>(1, 50)) == streams);
}

RC_GTEST_PROP(Volumes, of_any_values_at_all_read_back_as_they_were, (const Streams& streams)) {
  RC_ASSERT(decoded(encoded(streams)) == streams);
}

RC_GTEST_PROP(Volumes, are_coded_the_same_whatever_was_coded_before, ()) {
  const Streams before = any_streams(*rc::gen::arbitrary<std::uint64_t>());
  const Streams streams = any_streams(*rc::gen::arbitrary<std::uint64_t>());
  VolumeEncoder encoder;
  std::string bytes;
  for (const Streams* each : {&before, &streams}) {
    bytes.clear();
    encoder.encode(std::vector<std::span<const std::uint64_t>>(each->begin(), each->end()), bytes);
  }
  RC_ASSERT(bytes == encoded(streams));
}

TEST(Volumes, at_the_ends_of_64_bits_read_back_as_they_were) {
  const Streams streams = {{largest},
                           {0, largest},
                           {largest, 0, largest, 0, 1, largest - 1},
                           {std::uint64_t{1} << 63U, 0, largest, 1, (std::uint64_t{1} << 63U) - 1},
                           {},
                           {0},
                           {largest, largest, largest, 0},
                           {1, 2, 3, largest, 5, 6, 7, 8, 9, 10}};
  EXPECT_EQ(decoded(encoded(streams)), streams);
  EXPECT_EQ(decoded_in_turns(encoded(streams), 1), streams);
}

TEST(Volumes, with_one_percent_of_noise_take_their_entropy) {
  EXPECT_LT(bytes_above_entropy_per_value(noisy(5, 1600, 0.01)), 0.03);
  EXPECT_LT(bytes_above_entropy_per_value(noisy(20, 400, 0.01)), 0.05);
}

TEST(Volumes, with_a_tenth_of_a_percent_of_noise_take_their_entropy) {
  EXPECT_LT(bytes_above_entropy_per_value(noisy(5, 1600, 0.001)), 0.03);
  EXPECT_LT(bytes_above_entropy_per_value(noisy(20, 400, 0.001)), 0.05);
}

TEST(Volumes, of_two_hundred_kernels_pay_for_their_models_as_well) {
  EXPECT_LT(bytes_above_entropy_per_value(noisy(200, 40, 0.01)), 0.2);
}

TEST(Volumes, that_never_change_take_a_few_bytes_per_kernel) {
  Streams streams(20);
  for (std::size_t kernel = 0; kernel < streams.size(); ++kernel)
    streams[kernel].assign(400, 12345678 + kernel);
  EXPECT_LE(encoded(streams).size(), 20 * 6 + 3U);
}

TEST(Volumes, that_repeat_with_the_time_step_are_told_once) {
  std::mt19937_64 random(3);
  Streams step(10);
  Streams run(10);
  for (std::size_t kernel = 0; kernel < step.size(); ++kernel) {
    for (std::size_t i = 0; i < 10 + kernel; ++i)
      step[kernel].push_back(1000000 + random() % 1000);
    for (std::size_t i = 0; i < 800; ++i)
      run[kernel].push_back(step[kernel][i % step[kernel].size()]);
  }
  EXPECT_LT(encoded(run).size(), encoded(step).size() + step.size() * 4);
}

TEST(Volumes, that_repeat_in_loops_within_loops_take_little) {
  Stream stream;
  for (std::size_t step = 0; step < 40; ++step) {
    stream.push_back(500000);
    for (std::size_t plane = 0; plane < 100; ++plane)
      stream.push_back(plane % 10 == step % 7 ? 8200 : 8000);
    for (std::size_t sweep = 0; sweep < step; ++sweep)
      stream.push_back(777);
  }
  EXPECT_LT(encoded({stream}).size(), stream.size() / 10);
}

TEST(Volumes, of_a_few_distinct_values_in_no_order_take_the_entropy_of_the_choice) {
  std::mt19937_64 random(11);
  Stream stream;
  for (std::size_t i = 0; i < 8000; ++i)
    stream.push_back(random() % 2 == 0 ? 1000000 : random() % 2 == 0 ? 77777777 : 314159);
  EXPECT_LT(static_cast<double>(encoded({stream}).size()), 1.2 * 8000 * 1.5 / 8);
}

TEST(Volumes, that_drift_are_told_by_their_changes) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 20);
  Stream stream;
  double value = 1e8;
  for (std::size_t i = 0; i < 4000; ++i)
    stream.push_back(static_cast<std::uint64_t>(value += 1000 + noise(random)));
  const double entropy = std::log2(20 * std::sqrt(2 * std::numbers::pi * std::numbers::e)) / 8;
  EXPECT_LT(static_cast<double>(encoded({stream}).size()), 4000 * (entropy + 0.05));
}

TEST(Volumes, with_rare_outliers_cost_what_they_cost_without_and_the_outliers) {
  Noisy all = noisy(2, 4000, 0.01);
  const std::size_t without = encoded(all.streams).size();
  for (std::size_t i = 0; i < 4000; i += 100)
    all.streams[0][i] = std::uint64_t{1} << (40 + i % 20);
  EXPECT_LT(encoded(all.streams).size(), without + 40 * 12);
}

TEST(Volumes, that_have_no_order_take_no_more_than_they_are) {
  std::mt19937_64 random(13);
  Stream stream;
  for (std::size_t i = 0; i < 8000; ++i)
    stream.push_back(random());
  EXPECT_LT(encoded({stream}).size(), 8000 * 8 * 102 / 100U);
}

TEST(Volumes, beyond_the_end_of_a_stream_are_an_error) {
  VolumeDecoder decoder;
  decoder.open(encoded({{1, 2, 7}}));
  Stream three(3);
  decoder.next(0, three);
  Stream one(1);
  EXPECT_THROW(decoder.next(0, one), Error);
}

/// Reads it all, in windows; false if that ended in an Error.
bool reads(std::string_view payload) {
  try {
    decoded_in_turns(payload, 100);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    return false;
  }
}

TEST(Volumes, cut_anywhere_are_refused) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string bytes = encoded(any_streams(seed));
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(reads(bytes.substr(0, size))) << "seed " << seed << ", " << size << " of " << bytes.size();
  }
}

TEST(Volumes, with_bytes_behind_them_are_refused) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_FALSE(reads(encoded(any_streams(seed)) + '\0')) << "seed " << seed;
}

TEST(Volumes, with_any_byte_changed_give_values_or_an_error) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::string bytes = encoded(any_streams(seed));
    for (char& byte : bytes)
      for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ flip);
        refused += reads(bytes) ? 0 : 1;
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ flip);
      }
  }
  EXPECT_GT(refused, 0U);
}

TEST(Volumes, of_any_bytes_at_all_give_values_or_an_error) {
  std::mt19937_64 random(17);
  for (std::size_t round = 0; round < 20000; ++round) {
    std::string bytes(random() % 60, '\0');
    for (char& byte : bytes)
      byte = static_cast<char>(random() >> random() % 64);
    reads(bytes);
  }
}

TEST(Volumes, that_claim_more_than_a_block_can_hold_are_refused) {
  std::string bytes;
  put_varint(bytes, 1);
  put_varint(bytes, zigzag(max_block_actions + 1));
  bytes += std::string("\xc0\x05", 2); // a constant, 5
  EXPECT_FALSE(reads(bytes));
  bytes.clear();
  put_varint(bytes, 1);
  put_varint(bytes, zigzag(max_block_actions));
  bytes += std::string("\xc0\x05", 2);
  EXPECT_EQ(decoded(bytes), Streams{Stream(max_block_actions, 5)});
}

TEST(Bits, read_back_at_any_width_and_place) {
  std::mt19937_64 random(19);
  std::vector<std::pair<std::uint64_t, unsigned>> numbers;
  std::string bytes = "before";
  BitWriter writer(bytes);
  for (std::size_t i = 0; i < 5000; ++i) {
    const auto width = static_cast<unsigned>(random() % 65);
    numbers.emplace_back(random() & low_bits(width), width);
    writer.put(numbers.back().first, width);
  }
  writer.finish();
  std::size_t bit = 6U * 8;
  for (const auto& [number, width] : numbers) {
    EXPECT_EQ(load_bits(bytes, bit, width), number);
    bit += width;
  }
  EXPECT_EQ(bytes.size(), (bit + 7) / 8);
}

} // namespace
} // namespace timeless::trace
