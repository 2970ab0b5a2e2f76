#include "tools/calibrating/machine_raw.h"

#include "analysis/statistics/drift.h"
#include "analysis/statistics/quantiles.h"
#include "base/error.h"
#include "base/escaping.h"
#include "base/parsing.h"
#include "replay/network/file_kind.h"
#include "trace/model/memory_events.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::KernelCase;

constexpr std::string_view raw_format = "timeless.machine-raw/1";
constexpr std::size_t most_cases = 10'000;
constexpr std::size_t most_measurements = 10'000'000;

/// A measured time, to see whether times drift.
struct Taken {
  const std::vector<double>* others; ///< of the same case
  std::size_t index;
};

/// Reads raw measurements line by line: what cases count and what they took, and in which order, for their drift.
class RawReader {
public:
  explicit RawReader(const std::string& file) : file_(file) {}

  void read(std::string_view line) {
    ++line_;
    if (line.empty()) return;
    if (line.starts_with("# ")) return read_head(line.substr(2));
    const std::vector<std::string_view> fields = split(line, ',');
    if (fields.front() == "count") return read_count(fields);
    if (fields.front() == "time") return read_time(fields);
    refuse(fmt::format("a line that begins with {}", in_quotes(std::string(fields.front().substr(0, 40)))));
  }

  MachineRaw finish() {
    if (raw_.head["format"] != raw_format)
      throw Error(Failure::invalid_input, "no measurements of a machine", file_,
                  "name a file that timeless calibrate machine has written");
    const auto processors = whole_number<std::uint32_t>(raw_.head["processors"]);
    if (!processors || *processors == 0)
      throw Error(Failure::invalid_input, "does not say how many processors were measured", file_, "measure again");
    raw_.processors = *processors;
    raw_.noise = read_noise(raw_.head["noise"]);
    std::vector<double> ratios;
    for (const auto& [times, index] : order_)
      ratios.push_back((*times)[index] / analysis::median(*times));
    raw_.drifts = analysis::drifts(ratios);
    raw_.measurements = order_.size();
    note_missing();
    for (auto& [name, one] : cases_)
      (one.events.empty() ? raw_.uncounted : raw_.cases).push_back(std::move(one));
    return std::move(raw_);
  }

private:
  /// The micro-kernels that were counted and not timed, and those that were timed and not counted.
  void note_missing() {
    const auto count = [&](auto lacks) {
      return static_cast<std::size_t>(
          std::ranges::count_if(cases_, [&](const auto& one) { return lacks(one.second); }));
    };
    const auto names = [&](auto lacks) {
      std::map<std::string, std::size_t> sizes;
      for (const auto& [name, one] : cases_)
        if (lacks(one)) ++sizes[one.kernel];
      std::string text;
      for (const auto& [kernel, number] : sizes)
        text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", kernel, number);
      return text;
    };
    const auto were = [](std::size_t number) { return number == 1 ? "was" : "were"; };
    const std::size_t counted = count([](const KernelCase& one) { return !one.events.empty(); });
    if (const auto all = whole_number<std::size_t>(raw_.head["cases"]); all && *all > counted)
      raw_.not_reached.push_back(fmt::format("{} of {} micro-kernels {} counted under icount: the others are left out",
                                             counted, *all, were(counted)));
    const auto uncounted = [](const KernelCase& one) { return one.events.empty(); };
    if (const std::size_t number = count(uncounted))
      raw_.not_reached.push_back(fmt::format("the times of {} micro-kernel{} are left out, which {} not counted: {}",
                                             number, number == 1 ? "" : "s", were(number), names(uncounted)));
    const auto untimed = [](const KernelCase& one) { return one.alone.empty() && one.busy.empty(); };
    if (const std::size_t number = count(untimed))
      raw_.not_reached.push_back(fmt::format("{} of {} micro-kernels {} not timed, by name (how many sizes): {}",
                                             number, counted, were(number), names(untimed)));
    const auto not_busy = [&](const KernelCase& one) {
      return raw_.processors > 1 && !one.alone.empty() && one.busy.empty();
    };
    if (const std::size_t number = count(not_busy))
      raw_.not_reached.push_back(fmt::format("{} {} timed alone and not on all processors at once: {}", number,
                                             were(number), names(not_busy)));
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Failure::invalid_input, what, fmt::format("{}: line {}", file_, line_),
                "give a file as timeless calibrate machine has written it");
  }

  void read_head(std::string_view words) {
    const std::size_t colon = words.find(": ");
    if (colon == std::string_view::npos) refuse("a heading without a value");
    raw_.head[std::string(words.substr(0, colon))] = escaped(words.substr(colon + 2));
  }

  template <typename Number>
  Number number(std::string_view text) const {
    const auto value = whole_number<Number>(text);
    if (!value) refuse(fmt::format("{} is no number that can stand there", in_quotes(std::string(text.substr(0, 40)))));
    return *value;
  }

  double positive(std::string_view text) const {
    const auto value = number<double>(text);
    if (!(value > 0) || !std::isfinite(value)) refuse("a time or a number that is not above 0");
    return value;
  }

  KernelCase& case_of(const std::vector<std::string_view>& fields) {
    const auto bytes = number<std::uint64_t>(fields[2]);
    if (cases_.size() >= most_cases) refuse("more micro-kernels than there can be");
    KernelCase& one = cases_[{escaped(fields[1]), bytes}];
    one.kernel = escaped(fields[1]);
    one.bytes = bytes;
    return one;
  }

  void read_count(const std::vector<std::string_view>& fields) {
    constexpr std::size_t first = 4;
    if (fields.size() != first + trace::memory_events().size())
      refuse("counts of other events than this version knows");
    const double sweeps = positive(fields[3]);
    std::vector<double> events;
    for (std::size_t field = first; field < fields.size(); ++field)
      events.push_back(static_cast<double>(number<std::uint64_t>(fields[field])) / sweeps);
    case_of(fields).events = std::move(events);
  }

  void read_time(const std::vector<std::string_view>& fields) {
    if (fields.size() != 8) refuse("a time that is not of eight fields");
    constexpr double longest = 1e6; // seconds
    const double sweeps = positive(fields[3]);
    const auto processors = number<std::uint32_t>(fields[4]);
    const auto end = number<double>(fields[6]);
    const double seconds = positive(fields[7]);
    if (seconds > longest) refuse("a time that is longer than any measurement");
    if (!(end >= latest_)) refuse(fmt::format("the clock went back, from {} to {} seconds", latest_, end));
    latest_ = end;
    KernelCase& one = case_of(fields);
    std::vector<double>& times = processors == 1 ? one.alone : one.busy;
    if (order_.size() >= most_measurements) refuse("more times than there can be");
    times.push_back(seconds / sweeps);
    order_.push_back({&times, times.size() - 1});
  }

  std::string file_;
  std::size_t line_ = 0;
  MachineRaw raw_;
  std::map<std::pair<std::string, std::uint64_t>, KernelCase> cases_;
  std::vector<Taken> order_;
  double latest_ = 0; ///< when a case had been timed, seconds
};

} // namespace

MachineRaw read_machine_raw(std::string_view text, const std::string& file) {
  const auto kind = text.starts_with("# format: timeless.machine-raw/") ? std::nullopt : replay::file_kind(text);
  if (kind && kind->what != "a file of measurements of a machine")
    throw Error(Failure::invalid_input, "this is " + kind->what + ", no measurements of a machine", file, kind->advice);
  RawReader reader(file);
  const std::size_t whole = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  std::size_t begin = 0;
  while (begin < whole) {
    const std::size_t end = text.find('\n', begin);
    reader.read(text.substr(begin, end - begin));
    begin = end + 1;
  }
  MachineRaw raw = reader.finish();
  raw.cut_off = whole < text.size();
  return raw;
}

} // namespace timeless::tools
