#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

/// Checks of what options are given. A number that is none (nan), or infinite, is refused by each.
namespace timeless::tools {

CLI::Validator positive_number();
CLI::Validator number_from_zero();
/// Turns a rate above 0, "8e9", "800M", "11.4G", into a number per second; k, M and G are powers of 1000.
CLI::Validator rate_per_second();
/// Demands a whole number between these, both included, which the help names.
CLI::Validator count_between(std::uint64_t least, std::uint64_t most);
/// Demands a whole number from 0 on that fits into 64 bits.
CLI::Validator any_count();
/// Demands a whole number from there on that fits into 32 bits.
CLI::Validator count_from(std::uint32_t least);
/// Demands a factor for costs of a machine: a number from 1e-9 to 1e9, which no machine is outside of.
CLI::Validator machine_factor();
inline constexpr double largest_machine_factor = 1e9;
/// Demands a number between these, both included.
CLI::Validator number_between(double least, double most);
/// Demands a share that tells things apart: from 1e-6 to 1, or per cent: "0.25", "25%".
CLI::Validator threshold_share();
/// Demands a share that something may be off by, from 1e-12 to 0.1, or per cent likewise.
CLI::Validator allowed_share();
/// Demands a share of what is to be played likewise.
CLI::Validator sampled_share();
/// Demands a part of the time that something may save likewise.
CLI::Validator saving_share();
/// Turns per cent with their sign, "0.1%", into a share from 0 to 1.
CLI::Validator signed_percents();
/// Returns a number of per cent from 0 on, with or without the sign: "5", "5%".
CLI::Validator percents();
/// Reads a size, "65536", "64KiB", "2MB", in bytes, at most 2^60; kB (or k), MB and GB are powers of 1000 or, with
/// `binary`, of 1024. Nothing for what is none.
std::optional<std::uint64_t> bytes_in(std::string_view text, bool binary = false);
/// Turns such a size into bytes.
CLI::Validator size_in_bytes(bool binary);
/// Turns a time into seconds: "90", "90s", "2min", "1h".
CLI::Validator time_with_unit();
/// Demands a time to measure for, in seconds: from a millisecond to 1e9, which nobody waits for.
CLI::Validator budget_seconds();
/// Demands that an option that is given has something to say.
CLI::Validator some_text();

} // namespace timeless::tools
