#include "ping/raw.h"

#include "base/error.h"
#include "base/parsing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace timeless::ping {

namespace {

constexpr std::string_view columns =
    "experiment,first,second,rank,bytes,messages,gap_seconds,repetition,start_seconds,seconds";
constexpr std::size_t column_count = 10;

/// Reads a file line by line; knows where it is.
class Reader {
public:
  Reader(std::string_view text, const std::string& where, Raw& raw) : text_(text), where_(where), raw_(raw) {}

  void read(const std::function<void()>& cut) {
    while (!text_.empty()) {
      ++number_;
      const std::size_t end = text_.find('\n');
      if (end == std::string_view::npos && raw_.launches.empty()) break;
      if (end == std::string_view::npos) return cut();
      std::string_view line = text_.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1); // as other systems end lines
      take(line);
      text_.remove_prefix(end + 1);
    }
    if (raw_.launches.empty()) fail("this is no raw file of timeless-mpi ping");
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Failure::invalid_input, what, number_ == 0 ? where_ : fmt::format("{}:{}", where_, number_));
  }

  void take(std::string_view line) {
    constexpr std::string_view any_version = "# format: timeless.ping/";
    if (line == format_line || (!raw_.launches.empty() && line.ends_with(format_line))) {
      // What a file that was cut has of its last line stands before the next file.
      if (line != format_line)
        raw_.cut.emplace_back("a launch before another one was cut: what it had measured counts");
      raw_.launches.emplace_back();
    } else if (line.starts_with(any_version)) {
      fail(fmt::format("measurements of another version of Timeless: '{}'", line));
    } else if (raw_.launches.empty()) {
      fail("this is no raw file of timeless-mpi ping");
    } else if (line.starts_with("# ")) {
      describe(line.substr(2));
    } else if (line != columns) {
      measurement(line);
    }
  }

  void describe(std::string_view text) {
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) fail("a line of the head without a value");
    const std::string_view name = text.substr(0, colon);
    const std::string value(text.substr(colon + 2));
    MeasurementContext& here = raw_.launches.back();
    if (name == "date")
      here.date = value;
    else if (name == "library")
      here.library = value;
    else if (name == "waiting")
      here.waiting = value;
    else if (name == "noise")
      here.noise = noise(value);
    else if (name == "elapsed")
      here.elapsed = seconds(value);
    else if (name == "cut")
      raw_.cut.push_back(value);
    else if (name == "no common start")
      raw_.without_common_start += number<std::uint32_t>(std::string_view(value).substr(0, value.find(' ')));
    else if (name == "largest message")
      here.most_bytes = bytes(value);
    else if (name == "seed")
      here.seed = number<std::uint64_t>(value);
    else if (name == "rank") {
      const std::size_t space = value.find(" on ");
      if (space == std::string::npos) fail("a rank without its host");
      here.nodes.push_back(number<int>(std::string_view(value).substr(0, space)));
      here.hosts.push_back(value.substr(space + 4));
    }
    // Names that a later version may add say nothing here.
  }

  /// "0.0123 0.0800 on vm": how a loop varied, and by how much one in 20 took longer.
  std::string noise(const std::string& text) const {
    const std::size_t space = text.find(' ');
    const std::size_t on = text.find(" on ");
    if (on == std::string::npos || space >= on)
      fail(fmt::format("'{}' does not say how quiet a host was: two numbers and 'on HOST'", text));
    (void)seconds(std::string_view(text).substr(0, space));
    (void)seconds(std::string_view(text).substr(space + 1, on - space - 1));
    return text;
  }

  template <typename Number>
  Number number(std::string_view text) const {
    const auto value = whole_number<Number>(text);
    if (!value) fail(fmt::format("'{}' is no number", text));
    return *value;
  }

  double seconds(std::string_view text) const {
    const double value = number<double>(text);
    if (!std::isfinite(value) || value < 0) fail(fmt::format("'{}' is no time", text));
    return value;
  }

  /// Such that sums of them, and bytes by them, are numbers.
  double duration(std::string_view text) const {
    constexpr double shortest = 1e-30; // but for nothing at all
    constexpr double longest = 1e6;
    const double value = seconds(text);
    if (value > longest) fail(fmt::format("'{}' seconds are longer than any measurement", text));
    if (value > 0 && value < shortest) fail(fmt::format("'{}' seconds are shorter than any measurement", text));
    return value;
  }

  std::uint64_t bytes(std::string_view text) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 53U; // counted one by one in a double
    const auto value = number<std::uint64_t>(text);
    if (value > most) fail(fmt::format("'{}' bytes are more than any message has", text));
    return value;
  }

  std::uint32_t messages(std::string_view text) const {
    const auto value = number<std::uint32_t>(text);
    if (value == 0) fail("a measurement of no messages");
    return value;
  }

  int rank(std::string_view text) const {
    const int value = number<int>(text);
    if (value < 0 || static_cast<std::size_t>(value) >= raw_.launches.back().nodes.size())
      fail(fmt::format("there is no rank {}", value));
    return value;
  }

  void measurement(std::string_view line) {
    std::array<std::string_view, column_count> values;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin <= line.size() && count < column_count;) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      values[count++] = line.substr(begin, end - begin);
      begin = end + 1;
      if (count == column_count && end != line.size()) fail("a line with too many values");
    }
    if (count != column_count) fail("a line with too few values");
    Measurement one;
    one.order = {.experiment = experiment_of(values[0]),
                 .first = rank(values[1]),
                 .second = rank(values[2]),
                 .bytes = bytes(values[4]),
                 .messages = messages(values[5]),
                 .gap = duration(values[6])};
    if (one.order.experiment < Experiment::barrier && !alone(one.order.experiment) &&
        one.order.first == one.order.second)
      fail(fmt::format("rank {} measured with itself", one.order.first));
    one.rank = rank(values[3]);
    one.repetition = number<std::uint32_t>(values[7]);
    one.start = seconds(values[8]);
    one.seconds = duration(values[9]);
    raw_.lines.push_back({raw_.launches.size() - 1, one});
  }

  static bool alone(Experiment experiment) {
    return experiment == Experiment::copy || experiment == Experiment::reduction;
  }

  Experiment experiment_of(std::string_view text) const {
    try {
      return experiment(std::string(text));
    } catch (const Error& error) {
      fail(fmt::format("{}: {}", error.description(), text));
    }
  }

  std::string_view text_;
  const std::string& where_;
  Raw& raw_;
  std::size_t number_ = 0;
};

} // namespace

std::string head(const MeasurementContext& circumstances) {
  std::string text = fmt::format("{}\n# date: {}\n# library: {}\n# seed: {}\n", format_line, circumstances.date,
                                 circumstances.library, circumstances.seed);
  if (circumstances.most_bytes > 0) text += fmt::format("# largest message: {}\n", circumstances.most_bytes);
  if (!circumstances.waiting.empty()) text += fmt::format("# waiting: {}\n", circumstances.waiting);
  if (!circumstances.noise.empty()) text += fmt::format("# noise: {}\n", circumstances.noise);
  for (std::size_t rank = 0; rank < circumstances.hosts.size(); ++rank)
    text += fmt::format("# rank: {} on {}\n", circumstances.nodes[rank], circumstances.hosts[rank]);
  return text + std::string(columns) + "\n";
}

std::string line(const Measurement& one) {
  const Order& order = one.order;
  return fmt::format("{},{},{},{},{},{},{},{},{},{}\n", name(order.experiment), order.first, order.second, one.rank,
                     order.bytes, order.messages, order.gap, one.repetition, one.start, one.seconds);
}

std::string without_common_start(Experiment experiment, std::size_t repetitions) {
  return fmt::format("# no common start: {} of {}\n", repetitions, name(experiment));
}

std::string elapsed_line(double seconds) {
  return fmt::format("# elapsed: {:.3f}\n", seconds);
}

std::string cut_line(const std::string& sentence) {
  return fmt::format("# cut: {}\n", sentence);
}

bool is_raw_line(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r'))
    line.remove_suffix(1);
  if (line == columns || line == format_line) return true;
  if (line.starts_with("# ")) return line.find(": ") != std::string_view::npos;
  if (static_cast<std::size_t>(std::ranges::count(line, ',')) + 1 != column_count) return false;
  const std::string_view word = line.substr(0, line.find(','));
  for (std::size_t number = 0; number < experiments; ++number)
    if (word == name(static_cast<Experiment>(number))) return true;
  return false;
}

Raw read_raw(std::string_view text, const std::string& where, const std::function<void()>& cut) {
  Raw raw;
  Reader(text, where, raw).read(cut);
  return raw;
}

} // namespace timeless::ping
