#pragma once

#include "base/error.h"
#include "base/escaping.h"
#include "base/units.h"
#include "tools/cli/table.h"

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::tools {

// What is printed on stderr takes the place of a progress bar there.

/// Prints `timeless: <what> (<where>): <what to do>` on stderr. Of what may be many, an error has indented lines below.
void print_error(const Error& error);
/// Prints the line `timeless: warning: ...` on stderr.
void print_warning(std::string_view text);
/// Prints the line `timeless: ...` on stderr.
void print_notice(std::string_view text);

/// Prints a verb's JSON answer: {"schema": "timeless.<verb>/<version>", ...answer} on stdout, indented.
void print_json(std::string_view verb, int version, const nlohmann::ordered_json& answer);

/// Returns a line and its end, with what is in it escaped: whatever names it has, it stays one line.
template <typename... Parts>
std::string text_line(fmt::format_string<Parts...> format, Parts&&... parts) {
  return escaped(fmt::format(format, std::forward<Parts>(parts)...)) + "\n";
}

/// Returns the columns that text is written in: 120, or output_columns() where these are fewer.
std::size_t text_columns();

/// Returns a label and a text beside it, escaped, on lines of at most text_columns(), broken at blanks: words that are
/// longer stay whole, and "5 %" too; tables of SimGrid's also at semicolons. Where a terminal has no room beside the
/// label, the text stands below it.
std::string text_paragraph(std::string_view label, std::string_view text);

/// Returns a text beside its label, which has so many columns, as text_paragraph() does.
template <typename... Parts>
std::string text_fact(std::size_t label_columns, std::string_view label, fmt::format_string<Parts...> format,
                      Parts&&... parts) {
  return text_paragraph(fmt::format("{:<{}}", label, label_columns),
                        fmt::format(format, std::forward<Parts>(parts)...));
}

/// Prints such a line on stdout.
template <typename... Parts>
void print_line(fmt::format_string<Parts...> format, Parts&&... parts) {
  fmt::print("{}", text_line(format, std::forward<Parts>(parts)...));
}

/// Returns how far something is, in less than `width` columns: "replaying [###.......]  30 %  2 s, 5 s left, 3.1 M
/// actions/s". What has no room is left out; `per_second`, of such a unit, may be 0.
std::string progress_line(const std::string& label, double share, double seconds, std::size_t width,
                          double per_second = 0, std::string_view unit = "actions");

/// Takes a bar that stands on the terminal away; may be called from a signal handler.
void clear_progress() noexcept;

/// A bar on stderr for what lasts longer than a second, on a terminal that can write over a line; nothing elsewhere.
///
/// One bar at a time stands there; it goes with its Progress. Not thread-safe: a replay divided among threads tells it
/// under a lock.
class Progress {
public:
  /// Begins a bar. The rate is told in `unit`s: actions of the trace wherever a trace is gone through, for
  /// however many machines at once.
  Progress(std::string_view label, std::uint64_t total, std::string_view unit = "actions");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Shows how much is done; cheap enough to be called often. Less than before: another replay has begun, as in a
  /// search, where nobody knows how many follow: its share and time are told, and which it is.
  void update(std::uint64_t done) { update(done, static_cast<double>(done)); }
  /// Does the same where `done` is time, or a share; `worked` is what was worked off until now, for its rate, and 0
  /// where there is none.
  void update(std::uint64_t done, double worked);

private:
  std::string label_;
  std::string unit_;
  std::uint64_t total_;
  bool terminal_;
  double started_;
  double next_;
  std::uint64_t last_ = 0;
  std::uint32_t replay_ = 1;
};

} // namespace timeless::tools
