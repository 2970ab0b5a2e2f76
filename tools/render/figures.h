#pragma once

#include "analysis/statistics/quantiles.h"
#include "analysis/trace/summary.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

/// Figures that many results have.
namespace timeless::tools {

/// Returns a share in per cent: "12.3" of 0.1234.
std::string percent_text(double share);
/// Returns the same, or "-" where there is none.
std::string percent_text(const std::optional<double>& share);
/// Returns the percentage that `part` is of `whole`, 0 of nothing.
std::string percent_text(double part, double whole);
/// Returns bytes as people read them.
std::string bytes_text(std::uint64_t bytes);
/// Returns a count as people read it.
std::string count_text(std::uint64_t count);
/// Returns "s" unless there is one of them.
const char* plural(std::uint64_t count);

/// Returns an interval of seconds: "1.2 s to 1.4 s", with as many digits as tell its ends apart; `without` where there is
/// none.
std::string seconds_interval_text(const std::optional<analysis::Interval>& interval, const char* without = "");

/// Returns a value that is positive with so many significant digits, the least that is not below it: for upper ends.
std::string rounded_up_text(double value, int digits);
/// Returns the largest that is not above it: for lower ends.
std::string rounded_down_text(double value, int digits);

/// Returns how much longer the time `second` is than `first`, with its sign: "+1.2 ms".
std::string difference_text(double first, double second);
/// Returns the same in percent of `first`: "+12.3"; empty unless `first` is positive.
std::string change_text(double first, double second);

/// Returns the value, or null where there is none.
nlohmann::ordered_json known(const std::optional<double>& value);
nlohmann::ordered_json to_json(const analysis::Spread& spread);

} // namespace timeless::tools
