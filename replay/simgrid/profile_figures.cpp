#include "replay/simgrid/profile_figures.h"

#include "base/escaping.h"
#include "replay/simgrid/quantities.h"
#include "replay/simgrid/simgrid_profiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace timeless::replay {

namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20U;
constexpr double shortest_loop = 1e-6; // seconds
constexpr double latest_date = 1e18;   // seconds

struct Values {
  const char* kind;
  double least;
  double most;
  const char* range;
};

/// A speed of 0 lets SimGrid stop, as a bandwidth of 0 does; what fails has a state.
constexpr std::array values_of_kinds{Values{"speed", 1e-9, 1e9, "1e-9 to 1e9, as a share of the host's speed"},
                                     Values{"bandwidth", 1, 1e30, "1 to 1e30 (bytes/s)"},
                                     Values{"latency", 0, 1e3, "0 to 1000 (s)"},
                                     Values{"state", 0, 1e9, "0 (off) or 1 (on)"}};

const Values& values_of(std::string_view kind) {
  static constexpr Values any{"", 0, 1e30, "0 to 1e30"};
  for (const Values& one : values_of_kinds)
    if (kind == one.kind) return one;
  return any;
}

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\v\f\r";
  Words words;
  for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(blanks, end);
  }
  return words;
}

/// One of SimGrid's distributions, or a number: what it draws on average, and between what, nearly always.
struct Draw {
  double mean = 0;
  double least = 0;
  double most = 0;
};

enum class Law { number, fixed, normal, exponential, uniform };

Law law_of(std::string_view word) {
  if (word == "DET") return Law::fixed;
  for (const std::string_view name : {"NORM", "NORMAL", "GAUSS", "GAUSSIAN"})
    if (word == name) return Law::normal;
  for (const std::string_view name : {"EXP", "EXPONENTIAL"})
    if (word == name) return Law::exponential;
  for (const std::string_view name : {"UNIF", "UNIFORM"})
    if (word == name) return Law::uniform;
  return Law::number;
}

/// Takes the words of a date or value from the front; nothing where they are none.
std::optional<Draw> take_draw(Words& words) {
  const Law law = words.empty() ? Law::number : law_of(words.front());
  const std::size_t names = law == Law::number ? 0 : 1;
  const std::size_t numbers = law == Law::normal || law == Law::uniform ? 2 : 1;
  if (words.size() < names + numbers) return {};
  std::array<double, 2> given{};
  for (std::size_t number = 0; number < numbers; ++number) {
    const auto value = whole_number<double>(words[names + number]);
    if (!value || !std::isfinite(*value)) return {};
    given[number] = *value;
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(names + numbers));
  const auto [first, second] = given;
  // Beyond eight deviations lies less than one draw in 1e15.
  if (law == Law::normal)
    return Draw{first, first - 8 * second, second < 0 ? std::numeric_limits<double>::quiet_NaN() : first + 8 * second};
  if (law == Law::exponential) return Draw{1 / first, 1 / first, 1 / first};
  if (law == Law::uniform)
    return Draw{(first + second) / 2, first, second < first ? std::numeric_limits<double>::quiet_NaN() : second};
  return Draw{first, first, first};
}

bool within(const Draw& draw, double least, double most) {
  return draw.least >= least && draw.most <= most; // nan is not
}

struct ProfileFault {
  std::string what;
  std::string advice;
};

/// Reads a profile line by line, as SimGrid does.
class ProfileReader {
public:
  ProfileReader(const Values& values, double periodicity) : values_(values), periodicity_(periodicity) {
    if (periodicity > 0) loops_ = true;
  }

  std::optional<ProfileFault> read(std::string_view line) {
    Words words = words_of(line);
    if (words.empty() || words.front().starts_with('#') || words.front().starts_with('%')) return {};
    if (words.front() == "PERIODICITY" || words.front() == "LOOPAFTER") return read_loop(words);
    if (words.front() == "STOCHASTIC") {
      stochastic_ = true;
      loops_ = loops_ || words.size() > 1;
      if (words.size() > 2 || (words.size() == 2 && words[1] != "LOOP"))
        return ProfileFault{in_quotes(line) + " is no line of a profile", "write STOCHASTIC or STOCHASTIC LOOP"};
      return {};
    }
    return read_event(words, line);
  }

  std::optional<ProfileFault> end() const {
    if (!loops_ || !events_) return {};
    if (periodicity_ > 0 && stochastic_)
      return ProfileFault{"it draws its dates, and has a periodicity", "write LOOPAFTER instead"};
    if (periodicity_ > 0 && pause_ > 0)
      return ProfileFault{"it has a periodicity, and LOOPAFTER", "write one of the two"};
    if (periodicity_ > 0 && periodicity_ < date_)
      return ProfileFault{"its period ends before its last date", "write a longer period"};
    if (!((periodicity_ > 0 ? periodicity_ : date_ + pause_) >= shortest_loop))
      return ProfileFault{"it begins anew after less than a microsecond: no simulation comes to its end",
                          "write a longer LOOPAFTER or PERIODICITY"};
    return {};
  }

private:
  std::optional<ProfileFault> read_loop(const Words& words) {
    const double seconds = words.size() == 2 ? whole_number<double>(words[1]).value_or(-1) : -1;
    const bool period = words.front() == "PERIODICITY";
    if (!(seconds <= latest_date) || !(period ? seconds > 0 : seconds >= 0))
      return ProfileFault{in_quotes(words.front()) + " without a number of seconds",
                          period ? "write PERIODICITY and seconds above 0" : "write LOOPAFTER and seconds, or 0"};
    (period ? periodicity_ : pause_) = seconds;
    loops_ = true;
    return {};
  }

  std::optional<ProfileFault> read_event(Words words, std::string_view line) {
    const Law law = law_of(words.front());
    const auto date = take_draw(words);
    const auto value = date ? take_draw(words) : std::nullopt;
    if (!value || !words.empty())
      return ProfileFault{in_quotes(line.substr(0, 60)) + " is no date and value",
                          "write seconds, a blank and a value"};
    if (stochastic_ == (law == Law::number) && !(law == Law::fixed))
      return ProfileFault{in_quotes(line.substr(0, 60)) + (stochastic_
                                                               ? " names no distribution of its date"
                                                               : " draws its date, and the profile is not STOCHASTIC"),
                          "write DET before a number, and STOCHASTIC before all dates that are drawn"};
    if (!within(*date, 0, latest_date))
      return ProfileFault{in_quotes(line.substr(0, 60)) + " has a date that is negative or too late, or may be",
                          "write seconds from 0 to 1e18"};
    if (!stochastic_ && date->mean < date_)
      return ProfileFault{in_quotes(line.substr(0, 60)) + " comes before the line in front of it", "sort the dates"};
    if (!within(*value, values_.least, values_.most))
      return ProfileFault{in_quotes(line.substr(0, 60)) + " has a value that no replay can follow, or may draw one",
                          std::string("write values from ") + values_.range};
    date_ = stochastic_ ? date_ + date->mean : date->mean;
    events_ = true;
    return {};
  }

  const Values& values_;
  double periodicity_;
  double pause_ = 0;
  double date_ = 0; ///< the last, or the mean of it
  bool stochastic_ = false;
  bool loops_ = false;
  bool events_ = false;
};

/// Says in which line of the profile it is.
std::optional<ProfileFault> judge(std::string_view text, const Values& values, double periodicity) {
  ProfileReader reader(values, periodicity);
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto fault = reader.read(text.substr(0, end))) {
      fault->what = "line " + std::to_string(line) + ": " + fault->what;
      return fault;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.end();
}

/// Judges the profiles of a platform, each file once for each kind of values, and at most `most_bytes` of files in all.
class ProfileCheck {
public:
  explicit ProfileCheck(const XmlFile& file) : file_(file) {}

  std::vector<ImpossibleFigure> found;

  void of_file(const std::string& name, std::string_view kind, std::size_t line) {
    if (name.empty() || !judged_.emplace(name, kind).second) return;
    // SimGrid looks beside the platform file and where it was started.
    const std::filesystem::path beside = file_.path().parent_path() / name;
    for (const std::filesystem::path& path : std::set<std::filesystem::path>{beside, name}) {
      std::error_code unknown;
      if (!std::filesystem::is_regular_file(path, unknown)) continue;
      std::string text;
      std::ifstream in(path, std::ios::binary);
      text.resize(static_cast<std::size_t>(std::min<std::uintmax_t>(left_, std::filesystem::file_size(path, unknown))));
      in.read(text.data(), static_cast<std::streamsize>(text.size()));
      text.resize(static_cast<std::size_t>(in.gcount()));
      left_ -= text.size();
      if (left_ == 0) return add({"profiles of more than 64 MiB in all", "name smaller ones"}, line);
      if (auto fault = judge(text, values_of(kind), 0)) {
        fault->what = "profile " + in_quotes(std::string_view(name)) + ", " + fault->what;
        return add(std::move(*fault), line);
      }
    }
  }

  void of_trace(const pugi::xml_node& trace, std::string_view kind) {
    const std::size_t line = file_.line_of(trace);
    if (const std::string name = trace.attribute("file").value(); !name.empty()) return of_file(name, kind, line);
    const std::string place = "<trace> " + in_quotes(std::string_view(trace.attribute("id").value()));
    const auto periodicity = whole_number<double>(trace.attribute("periodicity").as_string("-1"));
    if (!periodicity || !(*periodicity <= latest_date))
      return add({place + " has a periodicity that is no number of seconds", "write seconds, or leave it out"}, line);
    if (auto fault = judge(trace.text().get(), values_of(kind), *periodicity)) {
      fault->what = place + ", " + fault->what;
      add(std::move(*fault), line);
    }
  }

private:
  void add(ProfileFault fault, std::size_t line) {
    found.push_back({.line = line, .what = std::move(fault.what), .advice = std::move(fault.advice)});
  }

  const XmlFile& file_;
  std::set<std::pair<std::string, std::string>> judged_; ///< files, and as what
  std::size_t left_ = most_bytes;
};

} // namespace

std::vector<ImpossibleFigure> impossible_profiles(const XmlFile& file) {
  ProfileCheck judge(file);
  std::map<std::string, std::string, std::less<>> kinds; // of <trace>, by their names
  for (const Profile& profile : profiles_in(file.document())) {
    if (profile.in_file)
      judge.of_file(profile.source, profile.kind, file.line_of(profile.node));
    else
      kinds.emplace(profile.source, profile.kind);
  }
  file.visit([&](const pugi::xml_node& node) {
    if (std::string_view(node.name()) != "trace") return;
    const auto kind = kinds.find(std::string_view(node.attribute("id").value()));
    judge.of_trace(node, kind == kinds.end() ? std::string_view() : std::string_view(kind->second));
  });
  return std::move(judge.found);
}

} // namespace timeless::replay
