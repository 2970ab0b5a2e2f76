#include "analysis/wavefront/wavefront_pattern.h"

#include "analysis/trace/traffic.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::Rank;

bool are_neighbours(const Wavefront& wavefront, Rank one, Rank other) {
  const auto columns = static_cast<Rank>(wavefront.columns);
  return std::abs(one % columns - other % columns) + std::abs(one / columns - other / columns) == 1;
}

/// How many messages have a size.
using Sizes = std::map<trace::Bytes, std::uint64_t>;

trace::Bytes most_frequent(const Sizes& sizes) {
  const auto most = std::ranges::max_element(sizes, {}, &Sizes::value_type::second);
  return most == sizes.end() ? 0 : most->first;
}

/// Follows one rank's messages.
class RankPattern {
public:
  RankPattern(const trace::Run& run, const Wavefront& wavefront, Rank rank, WavefrontPattern& pattern, Sizes& south,
              Sizes& east)
      : run_(run), wavefront_(wavefront), rank_(rank), pattern_(pattern), south_(south), east_(east) {}

  void add(const Action& action) {
    if (trace::family(action.kind) != trace::ActionFamily::point_to_point || action.peer < 0) return;
    const bool sends = trace::sends_message(action.kind);
    const bool receives = !sends && trace::traits(action.kind).received != trace::Sizes::none;
    if (!sends && !receives) return;
    const Rank peer = world_rank(run_, rank_, action);
    char& direction = directions_[peer];
    const char now = trace::exchanges_messages(action.kind) ? 'x' : sends ? 's' : 'r';
    if (direction != now || now == 'x') ++runs_;
    direction = now;
    ++transfers_;
    if (!sends) return;
    ++pattern_.messages;
    if (!are_neighbours(wavefront_, rank_, peer)) return;
    ++pattern_.neighbours;
    const auto columns = static_cast<Rank>(wavefront_.columns);
    ++(peer % columns == rank_ % columns ? south_ : east_)[action.bytes];
  }

  std::uint64_t runs() const { return runs_; }
  std::uint64_t transfers() const { return transfers_; }

private:
  const trace::Run& run_;
  const Wavefront& wavefront_;
  Rank rank_;
  WavefrontPattern& pattern_;
  Sizes& south_; ///< of messages between rows
  Sizes& east_;  ///< of messages between columns
  std::map<Rank, char> directions_;
  std::uint64_t runs_ = 0;
  std::uint64_t transfers_ = 0;
};

void add_expected(WavefrontPattern& pattern, const Wavefront& wavefront) {
  std::uint64_t messages = 0; // of a slice
  for (std::uint32_t row = 0; row < wavefront.rows; ++row)
    for (std::uint32_t column = 0; column < wavefront.columns; ++column) {
      if (row + 1 < wavefront.rows) ++messages, pattern.expected_south.push_back(wavefront.bytes_south(column));
      if (column + 1 < wavefront.columns) ++messages, pattern.expected_east.push_back(wavefront.bytes_east(row));
    }
  pattern.expected_in_a_row = wavefront.points[2];
  pattern.expected_messages =
      2.0 * static_cast<double>(messages) * wavefront.points[2] * static_cast<double>(wavefront.iterations);
}

} // namespace

WavefrontPattern wavefront_pattern(const trace::Source& recording, const Wavefront& wavefront) {
  WavefrontPattern pattern;
  std::uint64_t runs = 0;
  std::uint64_t transfers = 0;
  Sizes south;
  Sizes east;
  trace::ActionBlock block;
  for (const trace::RankRecord& record : recording.run().ranks) {
    RankPattern of_rank(recording.run(), wavefront, record.rank, pattern, south, east);
    for (const auto stream = recording.open(record.rank); stream->next(block);)
      trace::for_each_action(block, [&](const Action& action, std::uint64_t) { of_rank.add(action); });
    runs += of_rank.runs();
    transfers += of_rank.transfers();
  }
  if (runs > 0) pattern.in_a_row = static_cast<double>(transfers) / static_cast<double>(runs);
  pattern.bytes_south = most_frequent(south);
  pattern.bytes_east = most_frequent(east);
  add_expected(pattern, wavefront);
  return pattern;
}

std::string why_no_wavefront(const WavefrontPattern& pattern, const Wavefront& wavefront) {
  constexpr double nearly_all = 0.9;
  constexpr double least_in_a_row = 2; // exchanges have 1
  if (wavefront.columns * wavefront.rows < 2) return {};
  if (pattern.messages == 0)
    return "no messages from rank to rank were found; a wavefront sends each slice's boundary to its neighbours";
  const double share = static_cast<double>(pattern.neighbours) / static_cast<double>(pattern.messages);
  if (share < nearly_all)
    return fmt::format("{:.0f} % of the messages found are between neighbours in {} columns and {} rows of processors; "
                       "all of a wavefront's are",
                       100 * share, wavefront.columns, wavefront.rows);
  if (pattern.in_a_row < std::min<double>(least_in_a_row, pattern.expected_in_a_row))
    return fmt::format("{:.1f} messages in a row were found to pass between two ranks before one passes in the other "
                       "direction; a wavefront of {} slices sends as many, slice by slice",
                       pattern.in_a_row, wavefront.points[2]);
  return {};
}

std::vector<std::string> differences_from(const WavefrontPattern& pattern, const Wavefront& wavefront) {
  constexpr double factor = 1.5;
  const auto differ = [&](double found, double expected) {
    return found > factor * expected || expected > factor * found;
  };
  std::vector<std::string> sentences;
  if (pattern.messages == 0) return sentences;
  const auto compare = [&](const char* where, trace::Bytes found, const std::vector<trace::Bytes>& expected) {
    if (found == 0 || expected.empty()) return;
    const auto [least, most] = std::ranges::minmax(expected);
    const trace::Bytes nearest = std::clamp(found, least, most);
    if (differ(static_cast<double>(found), static_cast<double>(nearest)))
      sentences.push_back(fmt::format("most messages to the {} have {} bytes, and {} were expected: --grid or --bytes "
                                      "are another program's",
                                      where, found, nearest));
  };
  compare("north and south", pattern.bytes_south, pattern.expected_south);
  compare("west and east", pattern.bytes_east, pattern.expected_east);
  if (differ(static_cast<double>(pattern.messages), pattern.expected_messages))
    sentences.push_back(fmt::format("{} messages were found, and {:.0f} expected of {} slices and {} iterations: "
                                    "--grid or --iterations are another program's",
                                    pattern.messages, pattern.expected_messages, wavefront.points[2],
                                    wavefront.iterations));
  return sentences;
}

} // namespace timeless::analysis
