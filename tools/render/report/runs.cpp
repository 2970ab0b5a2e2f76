// On what several runs agree, and on what they do not.
#include "tools/render/figures.h"
#include "tools/render/report/words.h"
#include "tools/reporting/upgrades.h"

#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::Worth;

using Runs = std::vector<const ReportedTrace*>;

std::string enumerated(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

/// How a sentence names runs: "on 4 and 16 ranks", or by their programs or traces where that does not tell them from
/// the others; many by their number.
std::string run_names(const Runs& runs, const std::vector<ReportedTrace>& all) {
  constexpr std::size_t most_named = 4;
  if (runs.size() > most_named) return fmt::format("for {} of the {} runs", runs.size(), all.size());
  const bool one_program =
      std::ranges::all_of(all, [&](const ReportedTrace& one) { return one.program == all.front().program; });
  const auto alike = [&](const ReportedTrace* run) {
    return std::ranges::count_if(
        all, [&](const ReportedTrace& other) { return other.ranks == run->ranks && other.program == run->program; });
  };
  const bool by_ranks = one_program && std::ranges::all_of(all, [&](const auto& one) { return alike(&one) == 1; });
  std::vector<std::string> names;
  for (const ReportedTrace* run : runs)
    names.push_back(by_ranks ? std::to_string(run->ranks) : alike(run) == 1 ? trace_words(*run) : run->trace);
  if (by_ranks) return fmt::format("on {} rank{}", enumerated(names), names.back() == "1" ? "" : "s");
  return "for " + enumerated(names);
}

const char* short_answer(const analysis::Change& change) {
  if (change.worth == Worth::pays) return "yes";
  if (change.worth == Worth::ruled_out) return "no";
  return change.contradicted ? "it depends on contention" : "it depends on the processors' rate";
}

/// A question that runs were asked, and what they answered.
struct AskedQuestion {
  std::string what;
  std::vector<std::pair<std::string, Runs>> answers; ///< by answer
};

std::vector<AskedQuestion> asked_of_all(const Report& report) {
  std::vector<AskedQuestion> questions;
  const auto add = [&](const ReportedTrace& trace, const std::string& what, const std::string& answer) {
    auto known = std::ranges::find(questions, what, &AskedQuestion::what);
    if (known == questions.end()) known = questions.insert(known, {.what = what, .answers = {}});
    auto same = std::ranges::find(known->answers, answer, [](const auto& one) { return one.first; });
    if (same == known->answers.end()) same = known->answers.insert(same, {answer, {}});
    same->second.push_back(&trace);
  };
  for (const ReportedTrace& trace : report.traces) {
    for (const auto& [change, trust] : trace.weighed.answers)
      if (is_asked_of_every_run(change)) add(trace, change_words(change), short_answer(change));
    for (const MachineDeadlock& one : trace.weighed.deadlocks)
      add(trace, in_place_of_base(report, one.machine),
          fmt::format("the program deadlocks with {}'s eager limit of {}", report.machines[one.machine].name,
                      whole_bytes(one.eager_limit)));
  }
  return questions;
}

/// Those that runs answer differently: first what the verdict claims, and faster processors.
std::vector<AskedQuestion> disputed_questions(const Report& report) {
  std::vector<AskedQuestion> questions = asked_of_all(report);
  std::erase_if(questions, [](const AskedQuestion& one) { return one.answers.size() < 2; });
  std::vector<std::string> first;
  for (const ReportedAnswer& one : report.verdict.answers)
    if (&one == report.verdict.best_machine() || analysis::is_of_processors(one.change.kind))
      first.push_back(change_words(one.change));
  std::ranges::stable_partition(
      questions, [&](const AskedQuestion& one) { return std::ranges::find(first, one.what) != first.end(); });
  return questions;
}

/// Of which run contention is known, where it is.
std::string simulated_words(const Report& report) {
  if (!report.smpi) return {};
  return fmt::format(" With contention, in SMPI, only the run {} was simulated.",
                     run_names({&report.traces[report.about]}, report.traces));
}

} // namespace

std::string runs_sentence(const Report& report) {
  if (report.traces.size() < 2) return {};
  std::string text;
  constexpr std::size_t most_told = 3;
  const std::vector<AskedQuestion> disputed = disputed_questions(report);
  for (std::size_t i = 0; i < std::min(most_told, disputed.size()); ++i) {
    text += fmt::format("{}{}: ", text.empty() ? "The runs disagree on " : "; on ", disputed[i].what);
    for (const auto& [answer, runs] : disputed[i].answers)
      text += fmt::format("{}{} {}", text.ends_with(": ") ? "" : ", ", run_names(runs, report.traces), answer);
  }
  if (disputed.size() > most_told)
    text += fmt::format("; and on {} more of the {} changes", disputed.size() - most_told, asked_of_all(report).size());
  Runs without;
  for (const ReportedTrace& trace : report.traces)
    if (trace.weighed.answers.empty()) without.push_back(&trace);
  if (!text.empty())
    text += ".";
  else if (report.traces.size() - without.size() > 1)
    text = fmt::format("All runs have the same answers on {}faster processors.",
                       report.machines.size() > 1 ? "other machines and " : "");
  if (!without.empty())
    text += fmt::format("{}There is no answer {}.", text.empty() ? "" : " ", run_names(without, report.traces));
  return text + simulated_words(report);
}

} // namespace timeless::tools
