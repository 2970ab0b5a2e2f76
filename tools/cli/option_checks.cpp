#include "tools/cli/option_checks.h"

#include "base/parsing.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace timeless::tools {

namespace {

constexpr double least_share = 1e-6;  ///< what is less is rounding
constexpr double largest_rate = 1e18; ///< per second, a thousand times what all of a machine does

/// Demands a number that fits. `kind` is what the help calls it, `wanted` what the message does.
template <typename Fits>
CLI::Validator number_that(Fits fits, std::string kind, std::string wanted) {
  return {[fits, wanted = std::move(wanted)](std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && fits(value);
            return good ? std::string() : fmt::format("'{}' is not {}", text, wanted);
          },
          std::move(kind)};
}

/// Takes the sign off, and the number to `scale` times its value.
bool without_percent_sign(std::string& text, double scale) {
  if (!text.ends_with('%')) return true;
  double value = 0;
  if (!CLI::detail::lexical_cast(text.substr(0, text.size() - 1), value)) return false;
  text = fmt::format("{}", value * scale);
  return true;
}

/// Returns what one of CLI11's conversions of numbers with units makes of a text; nothing where that is none.
std::optional<std::string> converted(const CLI::Validator& convert, std::string text) {
  try {
    if (text.empty() || text.front() == '-' || !convert(text).empty()) return {};
    return text;
  } catch (const CLI::ValidationError&) {
    return {};
  }
}

/// Demands a share of `least` to `most`, or per cent; `refusal` says of what was given that it is none.
template <typename Refusal>
CLI::Validator share_from(double least, double most, Refusal refusal) {
  return {[least, most, refusal](std::string& text) {
            const std::string given = text;
            double value = 0;
            const bool good = without_percent_sign(text, 0.01) && CLI::detail::lexical_cast(text, value) &&
                              value >= least && value <= most;
            return good ? std::string() : refusal(given);
          },
          "SHARE"};
}

} // namespace

CLI::Validator threshold_share() {
  return share_from(least_share, 1, [](const std::string& given) {
    return fmt::format("'{}' is no threshold: write from {:g}% (what is less is rounding) to 100%, such as 2%", given,
                       100 * least_share);
  });
}

CLI::Validator allowed_share() {
  return share_from(1e-12, 0.1, [](const std::string& given) {
    return fmt::format("'{}' is not a share from 1e-12 to 0.1, such as 1e-5 or 0.001%", given);
  });
}

CLI::Validator sampled_share() {
  return share_from(1e-6, 0.5, [](const std::string& given) {
    return fmt::format("'{}' is not a share from 0.000001 to 0.5, such as 0.02 or 2%", given);
  });
}

CLI::Validator saving_share() {
  return share_from(least_share, 1, [](const std::string& given) {
    return fmt::format("'{}' is no part of the time that can be saved: write more than 0%, at least {:g}%, and at most "
                       "100%, such as 5%",
                       given, 100 * least_share);
  });
}

CLI::Validator signed_percents() {
  const auto refusal = [](const std::string& given) {
    return fmt::format("'{}' is not from 0% to 100%: write 0.1%", given);
  };
  return {[refusal, any = share_from(0, 1, refusal)](std::string& text) {
            return text.ends_with('%') ? any(text) : refusal(text);
          },
          "PERCENT"};
}

CLI::Validator percents() {
  return {[](std::string& text) {
            double value = 0;
            const bool good = without_percent_sign(text, 1) && CLI::detail::lexical_cast(text, value) &&
                              std::isfinite(value) && value >= 0;
            return good ? std::string() : fmt::format("'{}' is not a number of per cent from 0 on", text);
          },
          "PERCENT"};
}

CLI::Validator positive_number() {
  // Whose inverse is a number, too.
  return number_that([](double value) { return value >= std::numeric_limits<double>::min(); }, "POSITIVE",
                     "a number above 0");
}

CLI::Validator rate_per_second() {
  return {[](std::string& text) {
            static const std::map<char, double> scales{{'k', 1e3}, {'M', 1e6}, {'G', 1e9}};
            const auto scale = text.empty() ? scales.end() : scales.find(text.back());
            const bool scaled = scale != scales.end();
            double value = 0;
            bool good = CLI::detail::lexical_cast(scaled ? text.substr(0, text.size() - 1) : text, value);
            if (scaled) value *= scale->second;
            good = good && value >= std::numeric_limits<double>::min() && value <= largest_rate;
            if (!good)
              return fmt::format("'{}' is not a rate: write a number above 0, as 8e9, 800M or 11.4G, at most {:g}",
                                 text, largest_rate);
            if (scaled) text = fmt::format("{}", value);
            return std::string();
          },
          "RATE [k, M, G]"};
}

CLI::Validator number_from_zero() {
  return number_that([](double value) { return value >= 0; }, "NONNEGATIVE", "a number from 0 on");
}

CLI::Validator number_between(double least, double most) {
  return number_that([least, most](double value) { return value >= least && value <= most; },
                     fmt::format("[{:g} - {:g}]", least, most), fmt::format("a number from {:g} to {:g}", least, most));
}

CLI::Validator budget_seconds() {
  return number_between(1e-3, 1e9).description("");
}

CLI::Validator count_between(std::uint64_t least, std::uint64_t most) {
  return {[least, most](std::string& text) {
            const auto value = whole_number<std::uint64_t>(text);
            if (value && *value >= least && *value <= most) return std::string();
            return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
          },
          fmt::format("[{} - {}]", least, most)};
}

CLI::Validator any_count() {
  return count_between(0, std::numeric_limits<std::uint64_t>::max()).description("");
}

CLI::Validator count_from(std::uint32_t least) {
  return count_between(least, std::numeric_limits<std::uint32_t>::max()).description("");
}

std::optional<std::uint64_t> bytes_in(std::string_view text, bool binary) {
  constexpr std::uint64_t most = std::uint64_t{1} << 60U;
  const auto bytes = converted(CLI::AsSizeValue(!binary), std::string(text));
  const auto value = whole_number<std::uint64_t>(bytes.value_or(""));
  return value && *value <= most ? value : std::nullopt;
}

CLI::Validator size_in_bytes(bool binary) {
  return {[binary](std::string& text) {
            const auto bytes = bytes_in(text, binary);
            if (!bytes)
              return fmt::format("'{}' is not a size: write a whole number of bytes, or as 64KiB, 2MB, 1GB", text);
            text = fmt::format("{}", *bytes);
            return std::string();
          },
          ""};
}

CLI::Validator time_with_unit() {
  return {[convert = CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"min", 60}, {"h", 3600}})](
              std::string& text) {
            const auto seconds = converted(convert, text);
            if (!seconds) return fmt::format("'{}' is not a time: write 90, 90s, 2min or 1h", text);
            text = *seconds;
            return std::string();
          },
          "TIME [s, min, h]"};
}

CLI::Validator machine_factor() {
  return number_between(1 / largest_machine_factor, largest_machine_factor);
}

CLI::Validator some_text() {
  return {[](std::string& text) { return text.empty() ? std::string("nothing is given") : std::string(); }, ""};
}

} // namespace timeless::tools
