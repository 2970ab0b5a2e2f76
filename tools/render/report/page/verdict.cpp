// The verdict: what is worth having, how sure that is, and what to do next.
#include "tools/cli/trace_input.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/prediction/deadlock.h"
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/words.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::Change;

/// The row of a machine on which the program does not end.
std::vector<TableCell> deadlock_row(const AnswerTable::Row& row) {
  TableCell answer(row.answer, ruled_out_rank, "ruled-out");
  answer.csv = {row.answer, ""};
  TableCell saves(row.saves);
  saves.csv = {"", "", ""};
  TableCell time("-");
  time.csv = {""};
  TableCell confidence(row.confidence);
  confidence.csv = {"", deadlock_reason};
  return {row.what, std::move(answer), std::move(saves), std::move(time), std::move(confidence)};
}

/// The answers that are offered, or those that are not.
void write_answers(Html& html, const Report& report, const AnswerTable& answers, bool offered) {
  if (std::ranges::count(answers.rows, offered, &AnswerTable::Row::offered) == 0) return;
  const std::string heading =
      offered ? std::string("Offered") : fmt::format("If parts of {} were better", report.machines[report.base].name);
  PageTable table(
      html, offered ? "offer-table" : "change-table",
      fmt::format("{}: does it save {:g} % or more?", heading, 100 * report.verdict.threshold),
      {offered ? "machine" : "change", answer_column(), saves_column(), "time with it", confidence_column()},
      TableLayout::stacks);
  for (const AnswerTable::Row& row : answers.rows) {
    if (row.offered != offered) continue;
    if (row.of == nullptr) {
      table.row(deadlock_row(row), {}, row.shown);
      continue;
    }
    const Change& change = row.of->change;
    table.row({row.what,
               answer_cell(change, report.prediction.bases[report.base].compute),
               saves_cell(change),
               {seconds_words(change.seconds), change.seconds},
               confidence_cell(row.of->trust, row.confidence)},
              {}, row.shown);
  }
}

/// What is offered at a price, the fastest first.
void write_upgrades(Html& html, const Report& report, const std::vector<UpgradeRow>& upgrades) {
  if (upgrades.empty()) return;
  const ComputeBasis& compute = report.prediction.bases[report.base].compute;
  PageTable table(html, "upgrade-table",
                  fmt::format("Upgrades of {}. {}", report.machines[report.base].name,
                              capitalised(worth_a_look_words(report.verdict.threshold))),
                  {{"upgrade", {"upgrade", "change"}},
                   answer_column("worth a look"),
                   saves_column(),
                   "time with it",
                   "price",
                   "price per %",
                   confidence_column()},
                  TableLayout::stacks);
  for (const UpgradeRow& row : upgrades) {
    const ChangedMachine& one = *row.of;
    const double price = *one.price;
    TableCell named(fmt::format("{} ({})", one.name, one.words));
    named.csv = {one.name, one.words};
    if (!one.change) {
      TableCell look("-");
      look.csv = {"", ""};
      TableCell saves("-");
      saves.csv = {"", "", ""};
      TableCell confidence("-");
      confidence.csv = {"", ""};
      table.row({std::move(named),
                 std::move(look),
                 std::move(saves),
                 row.time,
                 {row.price, price},
                 "-",
                 std::move(confidence)});
      continue;
    }
    analysis::Change judged = *one.change;
    judged.worth = one.answer().value();
    TableCell look = answer_cell(judged, compute);
    look.text = look.csv.front() = row.look;
    const std::optional<double> per_percent = price_per_percent(*report.upgrades, one);
    table.row({std::move(named),
               std::move(look),
               saves_cell(*one.change),
               {row.time, row.seconds},
               {row.price, price},
               per_percent ? TableCell(row.price_per_percent, *per_percent) : TableCell("-"),
               confidence_cell(one.trust.value_or(analysis::Trust{}), row.confidence)});
  }
}

/// Why confidence is no higher.
void reason_list(Html& html, const std::vector<std::string>& reasons) {
  if (reasons.empty()) return;
  html.leaf("p", "Confidence is no higher since").open("ol", {{"class", "reasons"}});
  for (const std::string& reason : reasons)
    html.leaf("li", reason);
  html.close();
}

/// Where a rate of computation is from, in a word.
const char* basis_word(const ComputeBasis& compute) {
  if (compute.assumed) return "ASSUMED";
  if (compute.from == "calibration") return "calibrated";
  return compute.from == "recorded times" ? "that of the recording" : "given";
}

/// What the answers rest on, in a line.
void trust_line(Html& html, const Report& report) {
  const ComputeBasis& compute = report.prediction.bases[report.base].compute;
  html.open("p").text("Rate of computation: ");
  html.leaf("strong", basis_word(compute));
  const char* const mean = compute.from == "calibration" ? ", the run as a whole" : "";
  html.text((compute.one_rate() ? " (" + speed_words(compute, 1) + mean + ")" : "") + ". Figures of the machines:");
  constexpr std::size_t most_named = 6;
  std::map<std::string, std::size_t> count;
  for (const ReportedMachine& machine : report.machines)
    ++count[machine.trust];
  const char* before = " ";
  const auto add = [&](const std::string& what, const std::string& trust) {
    html.text(std::exchange(before, ", ") + what + " ").leaf("strong", trust);
  };
  if (report.machines.size() > most_named)
    for (const auto& [trust, machines] : count)
      add(std::to_string(machines), trust);
  else
    for (const ReportedMachine& machine : report.machines)
      add(machine.name, machine.trust);
  html.text(".").close();
}

void next_steps(Html& html, const ReportVerdict& verdict) {
  html.open("p", {{"class", "next"}}).text("Next: ").leaf("code", verdict.next_command).close();
  html.leaf("p", {{"class", "note"}}, "Why: " + verdict.next_reason + ".");
  if (!verdict.next_report.empty())
    html.open("p", {{"class", "next"}}).text("Then: ").leaf("code", verdict.next_report).close();
}

} // namespace

void verdict_section(Html& html, const Report& report) {
  const ReportVerdict& verdict = report.verdict;
  open_section(html, "verdict", "Verdict");
  html.leaf("p", {{"class", "subtitle"}}, question_words(report) + ".");
  const std::string lack = incompleteness(report.run());
  if (!lack.empty()) html.leaf("p", {{"class", "warning"}}, "INCOMPLETE TRACE: " + lack);
  html.leaf("p", {{"class", "sentence"}}, verdict_sentence(report));
  if (const std::string upgrades = upgrades_sentence(report); !upgrades.empty()) html.leaf("p", upgrades);
  html.leaf("p", time_sentence(report));
  trust_line(html, report);
  next_steps(html, verdict); // before tables, which may be long
  const AnswerTable answers = answer_table(report);
  write_upgrades(html, report, answers.upgrades);
  write_answers(html, report, answers, true);
  write_answers(html, report, answers, false);
  reason_list(html, answers.reasons);
  saving_figure(html, report);
  html.close();
}

} // namespace timeless::tools
