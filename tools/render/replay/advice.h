#pragma once

#include "analysis/advice.h"
#include "tools/machines/machine_basis.h"
#include "tools/replaying/rate_range.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

/// What helps a program, in words and as JSON: the same in classify, sweep and report.
namespace timeless::tools {

/// Returns "twice the bandwidth", "e100g in place of e10g".
std::string change_words(const analysis::Change& change);
/// Returns "2.5 % (1.3 to 4.8 %)", "3.0 % longer".
std::string saving_words(const analysis::Saving& saving);
/// Returns "ruled out: less than 5 %", "undecided: pays from about 5.60 G/s on".
std::string worth_words(const analysis::Change& change, double threshold, const ComputeBasis& compute);

/// Returns "latency"; "processors or latency" where that depends on the rate.
std::string helps_words(const analysis::Advice& advice);
/// Returns what helps, and the numbers that say so: "Latency is what to buy: half the latency saves 2.1 % ...".
std::string advice_sentence(const analysis::Advice& advice, const ComputeBasis& compute);

/// Returns {"from": "assumed", "fastest": 0.5, "slowest": 2}: factors of computation's time; null where there is one
/// rate.
nlohmann::ordered_json to_json(const RateRange& range);
nlohmann::ordered_json to_json(const analysis::Change& change);
/// Returns the advice; null where a deadlock leaves none.
nlohmann::ordered_json to_json(const std::optional<analysis::Advice>& advice, const ComputeBasis& compute);

/// What stands in place of a class, and of its reason, where no message crosses the network.
inline constexpr const char* no_network_words = "no message crosses the network";
inline constexpr const char* no_network_reason = "no message crosses the network, since all ranks are on one node";

} // namespace timeless::tools
