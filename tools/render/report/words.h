#pragma once

#include "tools/render/replay/advice.h"
#include "tools/render/replay/sweep/upgrades.h"
#include "tools/reporting/report.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a report says in sentences, the same on the page, in the terminal and in Markdown.
namespace timeless::tools {

/// Returns a text with a capital, as a sentence begins.
std::string capitalised(std::string text);

/// Returns in one sentence whether the best of the other machines and faster processors are worth having, with what
/// they save and its interval; before it, where runs disagree, on what, or why nothing is advised.
std::string verdict_sentence(const Report& report);
/// Returns one of its clauses, with its own confidence: "e100g in place of e10g is not worth it (confidence: low): it
/// saves 2.5 % (1.3 to 4.8 %)".
std::string claim_words(const ReportedAnswer& claim, const Report& report);
/// Returns how long the run takes on the base machine, what bounds it there, and what to buy.
std::string time_sentence(const Report& report);
/// Returns what is asked: "lulesh on 8 ranks and 8 nodes, on e10g (10 Gb/s, 5 us), or on e100g (100 Gb/s, 2 us): what
/// saves 5 % of the time or more is worth having".
std::string question_words(const Report& report);

/// The verdict's answers as rows.
struct AnswerTable {
  struct Row {
    bool offered = false; ///< another machine, not what one of the base machine's parts would save if it were better
    std::string what;
    std::string answer;
    std::string saves;
    std::string confidence;             ///< "low: 1, 2", by numbers of reasons
    const ReportedAnswer* of = nullptr; ///< null for a machine on which the program does not end
    bool shown = true;                  ///< false: one of many, that stands in the data alone
  };
  std::vector<Row> rows;            ///< of each answer, and behind what is offered what the program does not end on
  std::vector<UpgradeRow> upgrades; ///< with prices, the fastest first
  std::vector<std::string> reasons; ///< why confidence is no higher in the rows that are shown, numbered from 1
};
AnswerTable answer_table(const Report& report);
/// Returns in a sentence which of the priced upgrades are worth a look; empty where there are none, or no answers.
std::string upgrades_sentence(const Report& report);
/// Returns "9 more rows stand in the data: --csv has them"; empty of none.
std::string hidden_words(std::size_t rows);
/// What stands above the rows that are offered, and above those that are not.
inline constexpr std::string_view offered_heading = "offered";
inline constexpr std::string_view better_parts_words = "if parts of it were better";

/// What a run answers, where the report was given several: a row for each other machine and for faster processors.
struct RunRow {
  std::size_t run = 0; ///< in Report::traces
  std::string what;    ///< empty where the run has no answers, and `answer` says why
  std::string answer;
  std::string saves;
  std::string confidence;
  const ReportedAnswer* of = nullptr; ///< null where `what` is empty, and of a machine on which the run does not end
  bool shown = true;                  ///< false: one of many, that stands in the data alone
};
/// Returns what stands in place of an answer for a machine on which a program does not end: "no: deadlocks with its
/// eager limit of 1000 B, ends from 128 KiB on".
std::string deadlock_answer(const MachineDeadlock& deadlock);
/// Returns the verdict's sentences on it, without the last period: "On small the program deadlocks: messages above its
/// eager limit of 1000 B wait for receives that come later. With a limit of 128 KiB or more it ends ...".
std::string deadlock_claim(const Report& report, const MachineDeadlock& deadlock);
/// Returns the rows of all runs; none where there is one.
std::vector<RunRow> run_rows(const Report& report);
/// Returns true of what is asked of every run: another machine, faster processors.
bool is_asked_of_every_run(const analysis::Change& change);
/// Returns why a run has no answers; empty where it has.
std::string no_answers_words(const ReportedTrace& trace, const Report& report);
/// Returns in a sentence on what several runs disagree, "The runs disagree on e100g in place of e10g: no on 4 ranks,
/// yes on 16 ranks.", or that they agree; empty where there is one.
std::string runs_sentence(const Report& report);

/// Returns how many rows of a table are not shown, and where they stand; empty where all are.
template <typename Rows>
std::string hidden_words(const Rows& rows) {
  std::size_t hidden = 0;
  for (const auto& row : rows)
    hidden += row.shown ? 0 : 1;
  return hidden_words(hidden);
}

/// Returns "e10g (10 Gb/s, 5 us)".
std::string machine_words(const ReportedMachine& machine);

/// Returns the class of a machine, and why.
std::string class_words(const Report& report, std::size_t machine);
std::string class_reason(const Report& report, std::size_t machine);
/// Returns what helps there; empty, or "-", where a deadlock leaves that open.
std::string helps_words(const Report& report, std::size_t machine);
std::string helps_sentence(const Report& report, std::size_t machine);

/// Returns "lulesh on 8 ranks".
std::string trace_words(const ReportedTrace& trace);
/// Returns the same of one of the runs, with the trace's name where another run has the same words.
std::string run_words(const Report& report, std::size_t run);
/// Returns its class on the base machine, what bounds it there and what would help, in one line.
std::string trace_verdict(const ReportedTrace& trace, const Report& report);

/// Returns a finding below a picture or above a table, such as what takes most of the time.
std::string time_finding(const Report& report);
std::string sweep_finding(const Report& report);
std::string ranks_finding(const Report& report);
std::string messages_finding(const Report& report);

/// Returns in a sentence how the run was recorded, and what the report's machine rests on.
std::string head_words(const Report& report);

/// A label, and what is to be said of it.
using Facts = std::vector<std::pair<std::string, std::string>>;
/// Returns each run that the report was given, with its time and verdict; none where it is one.
Facts trace_facts(const Report& report);
/// Returns what was run, and how it was recorded.
Facts head_facts(const Report& report);
/// Returns what the numbers rest on: rates, placement, model, notes, what is left out.
Facts ground_facts(const Report& report);

/// Returns "1.9 s to 7.4 s"; empty without an interval.
std::string interval_words(const std::optional<analysis::Interval>& interval);
/// Returns a number from which a percentage is made; "-" for what is none.
std::string share_words(double share);
/// Returns "/8" or "x2".
std::string factor_words(double factor);
/// Writes seconds as people read them; "-" for what is no finite number.
std::string seconds_words(double seconds);

} // namespace timeless::tools
