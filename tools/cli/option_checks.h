#pragma once

#include <CLI/CLI.hpp>

/// Checks of what options are given. A number that is none (nan), or infinite, is refused by each.
namespace timeless::tools {

CLI::Validator positive_number();
CLI::Validator number_from_zero();
/// Demands a factor for costs of a machine: a number from 1e-9 to 1e9, which no machine is outside of.
CLI::Validator machine_factor();
inline constexpr double largest_machine_factor = 1e9;
/// Demands a number between these, both included.
CLI::Validator number_between(double least, double most);
/// Demands a share from 0 to 1, or per cent: "0.25", "25%".
CLI::Validator share();
/// Returns a number of per cent from 0 on, with or without the sign: "5", "5%".
CLI::Validator percents();
/// Turns a time into seconds: "90", "90s", "2min", "1h".
CLI::Validator time_with_unit();
/// Demands that an option that is given has something to say.
CLI::Validator some_text();

} // namespace timeless::tools
