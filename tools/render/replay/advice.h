#pragma once

#include "analysis/advice.h"
#include "analysis/classification.h"
#include "tools/machines/machine_basis.h"
#include "tools/replaying/rate_range.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

/// What helps a program, in words and as JSON: the same in classify, sweep and report.
namespace timeless::tools {

/// Returns "half the latency", "e100g in place of e10g".
std::string change_words(const analysis::Change& change);
/// Returns true of a change with which the run takes longer, by as much as is written.
bool is_longer(const analysis::Change& change);
/// Returns "2.5 % (1.3 to 4.8 %)", "3.0 % longer".
std::string saving_words(const analysis::Change& change);
/// Returns "47.3 (44.8 to 48.6)", in per cent, for a table.
std::string saving_cell(const analysis::Change& change);
/// Returns whether the saving is to be had: "yes", "no", "depends: yes above about 5.6 G instructions/s", "depends on
/// contention" where SMPI gives another answer; where only the most that is to be had is known, "perhaps" in place of
/// yes, and "depends: no below about 5.6 G instructions/s".
std::string answer_words(const analysis::Change& change, const ComputeBasis& compute);

/// Returns "latency"; "processors or latency" where that depends on the rate.
std::string helps_words(const analysis::Advice& advice);
/// Returns the class; beside "mixed", which leaves all open, what helps: "mixed (helps: processors)".
std::string class_and_help(const analysis::Classification& classification,
                           const std::optional<analysis::Advice>& advice);
/// Returns "latency is what to buy"; where that depends on the rate, what is up to which rate, and above it.
std::string verdict_words(const analysis::Advice& advice, const ComputeBasis& compute);
/// Returns the same with the number that says so: "Latency is what to buy: half the latency saves 31.0 %".
std::string advice_sentence(const analysis::Advice& advice, const ComputeBasis& compute);

/// What helps on a machine.
struct AdvisedMachine {
  std::string name;
  const analysis::Advice* advice = nullptr;
  const ComputeBasis* compute = nullptr;
  std::string confidence = {}; ///< in that, "low: 1, 2"; empty where nobody asks
};
/// Returns the sentence of each machine, and a table of what each change saves there and of the confidence in the
/// sentence, as wide as a terminal.
std::string advice_text(const std::vector<AdvisedMachine>& machines);

/// Returns {"from": "assumed", "fastest": 0.5, "slowest": 2}: factors of computation's time; null where there is one
/// rate.
nlohmann::ordered_json to_json(const RateRange& range);
nlohmann::ordered_json to_json(const analysis::Change& change);
nlohmann::ordered_json to_json(const analysis::Change::Switchover& switchover);
/// Returns the advice; null where a deadlock leaves none.
nlohmann::ordered_json to_json(const std::optional<analysis::Advice>& advice, const ComputeBasis& compute);

/// What stands in place of a class where no message crosses the network.
inline constexpr const char* no_network_words = "no message crosses the network";
/// Returns the same with why: there is one rank, or all are on one node, and how to place them apart.
std::string no_network_reason(const MachineBasis& basis);

} // namespace timeless::tools
