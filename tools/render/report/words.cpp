#include "tools/render/report/words.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/confidence.h"
#include "tools/render/report/shown.h"
#include "tools/reporting/upgrades.h"

#include "base/rank_ranges.h"
#include "base/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

namespace timeless::tools {

namespace {

using analysis::Change;
using analysis::ChangeKind;
using replay::LaneResult;
using replay::RankTimes;

/// What most of the critical path is.
std::string bound_words(const LaneResult& lane) {
  const replay::Sensitivity& path = lane.sensitivity;
  const double rest = lane.makespan - path.compute - path.latency - path.bandwidth;
  const std::array pieces{std::pair{path.compute, "computation"}, std::pair{path.latency, "latency"},
                          std::pair{path.bandwidth, "transfer of bytes"},
                          std::pair{rest, "copies and overheads of messages"}};
  const auto most = std::ranges::max_element(pieces, {}, [](const auto& piece) { return piece.first; });
  const double share = lane.makespan > 0 ? most->first / lane.makespan : 0;
  constexpr double much = 0.25;
  const bool waits = most == pieces.begin() && replay::shares(lane).wait >= 100 * much;
  return fmt::format("{:.0f} % of its critical path is {}{}", 100 * share, most->second,
                     waits ? ", which other ranks wait for" : "");
}

} // namespace

std::string capitalised(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

namespace {

/// What processors save that are a step faster, behind what those save that are twice as fast: where that is another
/// answer, with it.
std::string step_words(const Change& twice, const Report& report) {
  const ReportedAnswer* const answer = report.verdict.find(ChangeKind::processor_step);
  if (answer == nullptr) return {};
  const Change& step = answer->change;
  const char* const differs = step.worth == twice.worth                  ? ""
                              : step.worth == analysis::Worth::ruled_out ? ", which is not worth it"
                              : step.worth == analysis::Worth::pays      ? ", which is worth it"
                                                                         : ", which may be worth it";
  return fmt::format("; {:.0f} % faster, {}{}", 100 * (analysis::processor_step_speed - 1), saving_words(step),
                     differs);
}

} // namespace

namespace {

/// Says of a machine that it saves more than the others.
std::string best_words(const Change& change, const Report& report) {
  const auto is_machine = [](const ReportedAnswer& one) { return one.change.kind == ChangeKind::machine; };
  const auto others = std::ranges::count_if(report.verdict.answers, is_machine);
  if (change.kind != ChangeKind::machine || others < 2) return {};
  return fmt::format(", the best of {} offers,", others);
}

/// "72 ms to 136 ms at 16.00 G to 4.00 G instructions/s": the times over the rates that are to be expected; one rate
/// where they do not differ as they are written.
std::string times_words(const Report& report) {
  const ReportedMachine& base = report.machines[report.base];
  const ComputeBasis& compute = report.prediction.bases[report.base].compute;
  const std::string times = interval_words(base.interval);
  if (!compute.one_rate() || report.rates.speeds.single()) return times + ", depending on the processors' speed";
  const std::string fastest = speed_words(compute, report.rates.speeds.fastest);
  const std::string slowest = speed_words(compute, report.rates.speeds.slowest);
  if (fastest == slowest) return fmt::format("{} at about {}", times, slowest);
  return fmt::format("{} at {} to {}", times, human_count(compute.least * report.rates.speeds.fastest), slowest);
}

} // namespace

std::string claim_words(const ReportedAnswer& claim, const Report& report) {
  const Change& change = claim.change;
  const bool processors = change.kind == ChangeKind::processors;
  const std::string what = processors ? "faster processors" : change_words(change) + best_words(change, report);
  const char* const pay = processors ? "pay" : "pays";
  const std::string takes =
      fmt::format("{} {}{}", processors ? "twice as fast, they" : "it",
                  processors ? "save " : (is_longer(change) ? "takes " : "saves "), saving_words(change));
  const std::string step = processors ? step_words(change, report) : "";
  const std::string sure = fmt::format(" (confidence: {})", name(claim.trust.confidence));
  if (change.contradicted)
    return fmt::format("whether {} {} depends on contention{}: in the model {}, in SMPI it {}", what, pay, sure, takes,
                       *change.simulated < 0 ? fmt::format("takes {} % longer", share_words(-*change.simulated))
                                             : fmt::format("saves {} %", share_words(*change.simulated)));
  if (change.worth == analysis::Worth::pays) return fmt::format("{} {}{}: {}{}", what, pay, sure, takes, step);
  if (change.worth == analysis::Worth::ruled_out)
    return fmt::format("{} {} not worth it{}: {}{}", what, processors ? "are" : "is", sure, takes, step);
  std::string text = fmt::format("whether {} {} depends on the rate of the processors{}: {}", what, pay, sure, takes);
  if (change.switchover)
    text += fmt::format(", {:g} % or more {} {}", 100 * report.verdict.threshold,
                        change.switchover->pays_above ? "above" : "below",
                        turn_words(report.prediction.bases[report.base].compute, change.switchover->between.slowest,
                                   change.switchover->between.fastest));
  return text + step;
}

namespace {

/// "deadlocks with its eager limit of 1000 B, ends from 128 KiB on"
std::string deadlock_words(const MachineDeadlock& deadlock, const std::string& whose) {
  const std::string text = fmt::format("deadlocks with {} eager limit of {}", whose, whole_bytes(deadlock.eager_limit));
  return deadlock.ends_from ? text + ", " + ending_limit_words(*deadlock.ends_from) : text;
}

} // namespace

std::string deadlock_answer(const MachineDeadlock& deadlock) {
  return "no: " + deadlock_words(deadlock, "its");
}

std::string deadlock_claim(const Report& report, const MachineDeadlock& deadlock) {
  return deadlock_claim(report.machines[deadlock.machine].name, deadlock);
}

namespace {

/// The sentences on machines on which the program does not end, behind others.
std::string deadlock_sentences(const Report& report) {
  constexpr std::size_t most = 2;
  const std::vector<MachineDeadlock>& all = report.verdict.deadlocks;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    text += " " + deadlock_claim(report, all[i]) + ".";
  if (all.size() > most)
    text += fmt::format(" So it does on {} other{}.", all.size() - most, plural(all.size() - most));
  return text;
}

/// Returns what the advice names, as other machines are compared with it; null where it names nothing. Of processors,
/// which nobody offers twice as fast, what a step saves counts.
const Change* comparable(const analysis::Advice& advice) {
  const ChangeKind what = advice.what();
  return advice.find(what == ChangeKind::processors ? ChangeKind::processor_step : what);
}

/// Returns the machine that pays and saves more than that; or null.
const Change* better_offer(const Report& report, const analysis::Advice& advice) {
  const Change* const named = comparable(advice);
  const ReportedAnswer* const best = report.verdict.best_machine();
  if (best == nullptr || best->change.worth != analysis::Worth::pays) return nullptr;
  return named == nullptr || best->change.saving.expected > named->saving.expected ? &best->change : nullptr;
}

/// "e100g in place of e10g saves more than processors 15 % faster would".
std::string better_offer_words(const Change& offer, const analysis::Advice& advice) {
  const Change* const named = comparable(advice);
  return offer.name + (named != nullptr ? " saves more than " + change_words(*named) + " would" : " is what helps");
}

} // namespace

std::string seconds_words(double seconds) {
  return std::isfinite(seconds) ? human_seconds(seconds) : "-";
}

std::string share_words(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f}", 100 * share) : "-";
}

std::string factor_words(double factor) {
  return factor < 1 ? fmt::format("/{:g}", 1 / factor) : fmt::format("x{:g}", factor);
}

std::string interval_words(const std::optional<analysis::Interval>& interval) {
  return interval ? seconds_words(interval->low) + " to " + seconds_words(interval->high) : "";
}

std::string class_words(const Report& report, std::size_t machine) {
  const auto& found = report.machines[machine].classification;
  if (!report.prediction.bases[machine].network_used()) return no_network_words;
  return found ? name(*found) : "-";
}

std::string class_reason(const Report& report, std::size_t machine) {
  if (!report.prediction.bases[machine].network_used()) return no_network_reason(report.prediction.bases[machine]);
  return reason(*report.machines[machine].classification);
}

std::string helps_words(const Report& report, std::size_t machine) {
  const auto& advice = report.machines[machine].advice;
  return advice ? helps_words(*advice) : "-";
}

std::string helps_sentence(const Report& report, std::size_t machine) {
  const auto& advice = report.machines[machine].advice;
  if (!advice) return "";
  std::string text = advice_sentence(*advice, report.prediction.bases[machine].compute) + ".";
  const Change* const offer = machine == report.base ? better_offer(report, *advice) : nullptr;
  if (offer == nullptr) return text;
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return fmt::format("{}. Of this machine's parts, made twice as good, {}", better_offer_words(*offer, *advice), text);
}

namespace {

/// What launches of the same run took there; empty where none counts.
std::string launched_words(const Report& report) {
  const ValidatedPrediction* const launched = report.launched();
  if (launched == nullptr || !(launched->makespan.measured > 0)) return {};
  const analysis::ValidatedTime& time = launched->makespan;
  return fmt::format("; launches took {}{}", seconds_words(time.measured),
                     time.measured_interval ? " (" + interval_words(time.measured_interval) + ")" : "");
}

/// Where launches took far longer than is predicted, or less, that is said before any answer.
std::string contradiction_words(const Report& report) {
  const ValidatedPrediction* const launched = report.launched();
  if (launched == nullptr || !launched->makespan.distinguishable()) return {};
  const analysis::ValidatedTime& time = launched->makespan;
  const double over = 1 + time.error();
  if (!(over > 0) || (over < analysis::far_off && over * analysis::far_off > 1)) return {};
  return fmt::format("launches took {}, where {} is predicted, so that no answer is sure: ",
                     seconds_words(time.measured), seconds_words(time.predicted));
}

} // namespace

std::string verdict_sentence(const Report& report) {
  const std::string runs = runs_sentence(report);
  if (!report.verdict.refusal.empty())
    return capitalised(report.verdict.refusal) + "." + deadlock_sentences(report) + (runs.empty() ? "" : " " + runs);
  std::string text = report.run().complete() ? "" : "the recording is incomplete; of the part that it holds: ";
  text += contradiction_words(report);
  const std::vector<const ReportedAnswer*> claims = report.verdict.claims();
  const bool offered = report.machines.size() > 1;
  if (offered && !report.prediction.bases[report.base].network_used() && report.verdict.best_machine() == nullptr)
    text += "no message crosses the network, so that no other one pays; ";
  for (const ReportedAnswer* claim : claims)
    text += (claim == claims.front() ? "" : "; ") + claim_words(*claim, report);
  const std::string name = claims.empty() ? "" : claims.front()->change.name; // a machine's stays as it is
  const bool begins_with_name = !name.empty() && text.starts_with(name);
  if (report.traces.size() > 1) text = "For " + trace_words(report.traces[report.about]) + ": " + text;
  return (runs.empty() ? "" : runs + " ") + (begins_with_name || !runs.empty() ? text : capitalised(text)) + "." +
         deadlock_sentences(report);
}

namespace {

/// What SMPI says of the same run there; empty where it was not asked.
std::string contention_words(const Report& report) {
  const analysis::Contention* const base = report.contention(report.base);
  if (base == nullptr) return {};
  const auto with = [](const analysis::TimeWithAndWithout& time) {
    return fmt::format("{} ({} %)", seconds_words(time.smpi), change_text(time.model, time.smpi));
  };
  std::string text = "; with contention, in SMPI, " + with(base->makespan);
  if (!report.simulated_other) return text;
  if (const analysis::Contention* const other = report.contention(*report.simulated_other)) {
    const double saved = report.simulated_saving().value_or(0);
    text += fmt::format(", and on {} {}, {} % {}", report.machines[*report.simulated_other].name, with(other->makespan),
                        share_words(std::abs(saved)), saved < 0 ? "longer" : "less");
  }
  return text;
}

} // namespace

std::string time_sentence(const Report& report) {
  const LaneResult& lane = report.base_lane();
  const ReportedMachine& base = report.machines[report.base];
  std::string text = fmt::format(
      "On {} {} takes {}{}; {}", base.name, report.run().complete() ? "the run" : "the recorded part of the run",
      seconds_words(lane.makespan), base.interval ? " (" + times_words(report) + ")" : "", bound_words(lane));
  text += launched_words(report) + contention_words(report);
  if (base.advice) {
    const Change* const offer = better_offer(report, *base.advice);
    text += "; " + (offer != nullptr ? better_offer_words(*offer, *base.advice)
                                     : verdict_words(*base.advice, report.prediction.bases[report.base].compute));
  }
  const MachineBasis& basis = report.prediction.bases[report.base];
  if (!basis.network_used()) text += "; " + no_network_reason(basis);
  return text + ".";
}

std::string question_words(const Report& report) {
  const std::vector<std::string>& node_of_rank = report.prediction.bases[report.base].nodes;
  const std::set<std::string> nodes(node_of_rank.begin(), node_of_rank.end());
  constexpr std::size_t most_named = 5;
  const std::size_t others = report.machines.size() - 1;
  std::string offered = others > most_named ? fmt::format(", or on one of {} other machines", others) : "";
  for (std::size_t i = 0; i < report.machines.size() && others <= most_named; ++i)
    if (i != report.base) offered += (offered.empty() ? ", or on " : " or ") + machine_words(report.machines[i]);
  return fmt::format("{} and {} node{}, on {}{}: what saves {:g} % of the time or more is worth having",
                     trace_words(report.traces[report.about]), nodes.size(), plural(nodes.size()),
                     machine_words(report.machines[report.base]), offered, 100 * report.verdict.threshold);
}

AnswerTable answer_table(const Report& report) {
  AnswerTable table;
  const ComputeBasis& compute = report.prediction.bases[report.base].compute;
  const std::vector<std::string> shown = shown_offers(report);
  NumberedReasons reasons;
  const auto is_shown = [&](const std::string& offer) { return std::ranges::find(shown, offer) != shown.end(); };
  const auto add = [&](bool offered) {
    for (const ReportedAnswer& one : report.verdict.answers)
      if (offered == (one.change.kind == ChangeKind::machine)) {
        const bool seen = !offered || is_shown(one.change.name);
        table.rows.push_back({.offered = offered,
                              .what = change_words(one.change),
                              .answer = answer_words(one.change, compute),
                              .saves = saving_words(one.change),
                              .confidence = seen ? reasons.words(one.trust) : name(one.trust.confidence),
                              .of = &one,
                              .shown = seen});
      }
  };
  if (report.upgrades) table.upgrades = upgrade_rows(*report.upgrades, reasons);
  add(true);
  for (const MachineDeadlock& one : report.verdict.deadlocks)
    table.rows.push_back({.offered = true,
                          .what = in_place_of_base(report, one.machine),
                          .answer = deadlock_answer(one),
                          .saves = "-",
                          .confidence = "-",
                          .shown = is_shown(in_place_of_base(report, one.machine))});
  add(false);
  table.reasons = reasons.all();
  return table;
}

namespace {

/// "faster switches, new processors and 3 others"
std::string upgrade_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  if (names.size() <= 1) return fmt::format("{}", fmt::join(names, ""));
  const std::size_t shown = names.size() <= most ? names.size() - 1 : most - 1;
  const std::string last = names.size() <= most ? names.back() : fmt::format("{} others", names.size() - shown);
  return fmt::format("{} and {}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     last);
}

} // namespace

std::string upgrades_sentence(const Report& report) {
  if (!report.upgrades) return {};
  std::vector<std::string> worth_a_look;
  std::vector<std::string> at_some;
  bool any = false;
  for (const ChangedMachine& one : report.upgrades->upgrades) {
    const std::optional<analysis::Worth> answer = one.answer();
    any = any || answer;
    if (answer == analysis::Worth::pays) worth_a_look.push_back(one.name);
    if (answer == analysis::Worth::undecided) at_some.push_back(one.name);
  }
  if (!any) return {};
  const std::size_t count = report.upgrades->upgrades.size();
  std::string text = fmt::format("Of {} upgrade{} of {}, ", count, plural(count), report.machines[report.base].name);
  const bool none = worth_a_look.empty();
  text += none ? "none is worth a look"
               : upgrade_names(worth_a_look) + (worth_a_look.size() == 1 ? " is" : " are") + " worth a look";
  if (report.rates.from.empty()) return text + ".";
  text += " at every rate of the processors that is to be expected";
  if (!at_some.empty())
    text += fmt::format("{} {} at some", none ? ", but" : ";",
                        upgrade_names(at_some) + (at_some.size() == 1 ? " is" : " are"));
  return text + ".";
}

std::string hidden_words(std::size_t rows) {
  if (rows == 0) return {};
  return fmt::format("{} more row{} {} in the data: --csv has {}", rows, plural(rows), rows == 1 ? "stands" : "stand",
                     rows == 1 ? "it" : "them");
}

bool is_asked_of_every_run(const Change& change) {
  return change.kind == ChangeKind::machine || analysis::is_of_processors(change.kind);
}

std::vector<RunRow> run_rows(const Report& report) {
  std::vector<RunRow> rows;
  if (report.traces.size() < 2) return rows;
  for (std::size_t run = 0; run < report.traces.size(); ++run) {
    const ReportedTrace& trace = report.traces[run];
    if (const std::string why = no_answers_words(trace, report); !why.empty())
      rows.push_back({.run = run, .what = "", .answer = why, .saves = "", .confidence = ""});
    for (const ReportedAnswer& one : trace.weighed.answers)
      if (is_asked_of_every_run(one.change))
        rows.push_back({.run = run,
                        .what = change_words(one.change),
                        .answer = answer_words(one.change, trace.compute),
                        .saves = saving_words(one.change),
                        .confidence = name(one.trust.confidence),
                        .of = &one});
    for (const MachineDeadlock& one : trace.weighed.deadlocks)
      rows.push_back({.run = run,
                      .what = in_place_of_base(report, one.machine),
                      .answer = deadlock_answer(one),
                      .saves = "-",
                      .confidence = "-"});
  }
  choose_shown(rows, report);
  return rows;
}

std::string machine_words(const ReportedMachine& machine) {
  return machine.in_short.empty() ? machine.name : fmt::format("{} ({})", machine.name, machine.in_short);
}

std::string no_answers_words(const ReportedTrace& trace, const Report& report) {
  if (trace.deadlock)
    return "none: " + deadlock_words(*trace.deadlock, fmt::format("{}'s", report.machines[report.base].name));
  if (trace.weighed.refusal.empty()) return "";
  return trace.lanes.at(report.base).makespan > 0 ? "none: too little was recorded" : "none: it takes 0 s";
}

std::string trace_words(const ReportedTrace& trace) {
  return fmt::format("{} on {} rank{}", trace.program, trace.ranks, plural(static_cast<std::uint64_t>(trace.ranks)));
}

std::string run_words(const Report& report, std::size_t run) {
  const std::string words = trace_words(report.traces[run]);
  const auto alike = std::ranges::count(report.traces, words, [](const auto& other) { return trace_words(other); });
  return alike == 1 ? words : fmt::format("{} ({})", words, report.traces[run].trace);
}

std::string trace_verdict(const ReportedTrace& trace, const Report& report) {
  const LaneResult& lane = trace.lanes.at(report.base);
  if (trace.deadlock) return "the program does not end. " + deadlock_claim(report, *trace.deadlock);
  const bool crosses = trace.advice && trace.advice->network_used;
  std::string text = trace.classification && crosses ? name(*trace.classification) + "; " : "";
  text += bound_words(lane);
  if (trace.advice) text += ". " + advice_sentence(*trace.advice, trace.compute);
  if (!trace.weighed.refusal.empty()) text += ". " + capitalised(trace.weighed.refusal);
  return text;
}

Facts trace_facts(const Report& report) {
  Facts facts;
  if (report.traces.size() < 2) return facts;
  for (std::size_t i = 0; i < report.traces.size(); ++i) {
    const ReportedTrace& trace = report.traces[i];
    const LaneResult& lane = trace.lanes.at(report.base);
    facts.emplace_back(trace.trace, fmt::format("{}{}: {} on {}; {}", trace_words(trace),
                                                i == report.about ? " (the verdict is of this run)" : "",
                                                lane.deadlock ? "no time" : seconds_words(lane.makespan),
                                                report.machines[report.base].name, trace_verdict(trace, report)));
  }
  return facts;
}

std::string time_finding(const Report& report) {
  const replay::Shares share = replay::shares(report.base_lane());
  return fmt::format(
      "On {} a rank spends, on average, {:.1f} % of its time computing and copying, {:.1f} % waiting for other ranks, "
      "{:.1f} % in latency and {:.1f} % in the transfer of bytes.",
      report.machines[report.base].name, share.computation, share.wait, share.latency, share.bandwidth);
}

std::string sweep_finding(const Report& report) {
  const auto text = [&](ChangeKind kind, const char* what) {
    const ReportedAnswer* answer = report.verdict.find(kind);
    return answer == nullptr ? std::string() : fmt::format("{} {}", what, saving_words(answer->change));
  };
  if (report.verdict.find(ChangeKind::network) == nullptr) return std::string("No message crosses the network.");
  return fmt::format("{}; {}; {}.", text(ChangeKind::bandwidth, "Twice the bandwidth saves"),
                     text(ChangeKind::latency, "half the latency"), text(ChangeKind::network, "both together"));
}

std::string ranks_finding(const Report& report) {
  const std::vector<RankTimes>& ranks = report.base_lane().ranks;
  if (ranks.empty()) return {};
  const auto most = [&](double RankTimes::*counter) {
    return static_cast<std::size_t>(std::ranges::max_element(ranks, {}, counter) - ranks.begin());
  };
  const std::size_t computes = most(&RankTimes::compute);
  const std::size_t waits = most(&RankTimes::wait);
  return fmt::format("Rank {} computes longest ({}), rank {} waits longest ({}).", computes,
                     seconds_words(ranks[computes].compute), waits, seconds_words(ranks[waits].wait));
}

std::string messages_finding(const Report& report) {
  const analysis::Summary& summary = report.summary;
  if (summary.messages == 0) return "No rank sends another a point-to-point message.";
  return fmt::format("{} point-to-point messages carry {}, {} each on average.", count_text(summary.messages),
                     bytes_text(summary.message_bytes),
                     human_bytes(static_cast<double>(summary.message_bytes) / static_cast<double>(summary.messages)));
}

std::string head_words(const Report& report) {
  const trace::Run& run = report.run();
  const trace::Counter& counter = run.counter;
  const ReportedMachine& machine = report.machines[report.base];
  const std::string date = run.provenance.date.substr(0, run.provenance.date.find('T'));
  std::string words = "Predicted by Timeless from a recording";
  if (!date.empty()) words += " of " + date;
  words += counter.unit == trace::VolumeUnit::none
               ? " without computation"
               : fmt::format(" by {} ({} {})", counter.name, name(counter.exactness), name(counter.unit));
  words += fmt::format(", on {}, whose figures are {}", machine.name, machine.trust);
  if (!run.provenance.extrapolated.empty()) words += "; EXTRAPOLATED, not recorded";
  if (!run.complete()) words += "; INCOMPLETE: a part of the run";
  return words + ".";
}

Facts head_facts(const Report& report) {
  const trace::Run& run = report.run();
  const trace::Counter& counter = run.counter;
  Facts facts;
  facts.emplace_back("program", run.provenance.program.empty() ? "not known" : run.provenance.program);
  facts.emplace_back("ranks", fmt::format("{} on {} host{} when recorded, {} actions", run.size, run.hosts.size(),
                                          plural(run.hosts.size()), count_text(total_actions(run))));
  facts.emplace_back("recorded",
                     fmt::format("{}{}{}", run.provenance.date.empty() ? "at a time not known" : run.provenance.date,
                                 run.provenance.tool_version.empty() ? "" : " by ", run.provenance.tool_version));
  if (const std::string& made = run.provenance.extrapolated; !made.empty())
    facts.emplace_back("EXTRAPOLATED", made.substr(0, made.find('\n')));
  facts.emplace_back("counter",
                     counter.unit == trace::VolumeUnit::none
                         ? "none: no computation was recorded"
                         : fmt::format("{}: {}, {}", counter.name, name(counter.unit), name(counter.exactness)));
  if (run.volume_error > 0) facts.emplace_back("volumes", rounding(run));
  if (const std::string lack = incompleteness(run); !lack.empty()) facts.emplace_back("INCOMPLETE", lack);
  facts.emplace_back("command", report.asked.command);
  return facts;
}

Facts ground_facts(const Report& report) {
  const Prediction& prediction = report.prediction;
  const ComputeBasis& compute = prediction.bases[report.base].compute;
  Facts facts;
  facts.emplace_back("compute", (compute.assumed ? "ASSUMED: " : "") + compute.sentence);
  if (!report.rates.from.empty()) facts.emplace_back("in brackets", range_words(report.rates));
  facts.emplace_back("placement", prediction.mapping_sentence);
  for (const ReportedMachine& machine : report.machines)
    facts.emplace_back(
        "machine", fmt::format("{}; these figures are {}", machine.description, analysis::trust_words(machine.trust)));
  const std::string& overheads = prediction.bases[report.base].overheads;
  facts.emplace_back("overheads", overheads == "none" ? "none: the latency holds the processors' part of a message"
                                                      : overheads + ": the processors' part of a message");
  facts.emplace_back("model", report.smpi ? "each message as if it were alone on the network; SMPI beside it, with "
                                            "contention"
                                          : "each message as if it were alone on the network: no contention");
  for (const std::string& note : report.notes)
    facts.emplace_back("note", note);
  for (const std::string& note : prediction.notes)
    facts.emplace_back("note", note);
  for (const replay::NotModelled& one : prediction.result.not_modelled)
    facts.emplace_back("left out", fmt::format("{}: {} call{} of {} rank{}", one.what, one.calls, plural(one.calls),
                                               one.ranks, plural(one.ranks)));
  if (prediction.result.not_modelled.empty())
    facts.emplace_back("left out", "nothing: every recorded call is modelled");
  return facts;
}

} // namespace timeless::tools
