#include "tools/render/report/report.h"

#include "tools/cli/console.h"
#include "tools/render/report/words.h"

#include <fmt/format.h>

#include <string>

namespace timeless::tools {

namespace {

/// A text as Markdown shows it letter by letter: names come from strangers.
std::string plain(const std::string& text) {
  std::string safe;
  for (const char c : escaped(text)) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else {
      if (std::string_view("\\`*_[]()#|!~@").find(c) != std::string_view::npos) safe += '\\';
      safe += c;
    }
  }
  return safe;
}

/// As code; a backtick in it would end it.
std::string code(const std::string& text) {
  std::string inside = escaped(text);
  for (char& c : inside)
    if (c == '`') c = '\'';
  return "`" + inside + "`";
}

} // namespace

std::string to_markdown(const Report& report) {
  const ReportVerdict& verdict = report.verdict;
  const AnswerTable answers = answer_table(report);
  std::string text = fmt::format("### {}\n\n{}\n\n", plain(question_words(report)), plain(verdict_sentence(report)));
  text += "| what | answer | saves | confidence |\n|---|---|---|---|\n";
  for (const AnswerTable::Row& row : answers.rows)
    text += fmt::format("| {} | {} | {} | {} |\n", plain(row.what), plain(row.answer), plain(row.saves),
                        plain(row.confidence));
  if (!answers.reasons.empty()) text += "\nConfidence:\n\n";
  for (std::size_t i = 0; i < answers.reasons.size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, plain(answers.reasons[i]));
  text += "\n" + plain(time_sentence(report)) + "\n";
  text += "\n| machine | time | compute+copy % | wait % | latency % | bandwidth % | bound by "
          "| what helps |\n|---|---:|---:|---:|---:|---:|---|---|\n";
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    const replay::LaneResult& lane = report.lane(i);
    const ReportedMachine& machine = report.machines[i];
    if (lane.deadlock) {
      text += fmt::format("| {} | deadlock | | | | | | |\n", plain(machine.name));
      continue;
    }
    const replay::Shares share = replay::shares(lane);
    text += fmt::format("| {} | {}{} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {} | {} |\n", plain(machine.description),
                        seconds_words(lane.makespan),
                        machine.interval ? " (" + interval_words(machine.interval) + ")" : "", share.computation,
                        share.wait, share.latency, share.bandwidth, class_words(report, i), helps_words(report, i));
  }
  if (report.traces.size() > 1) text += "\n| trace | verdict |\n|---|---|\n";
  for (const auto& [trace, said] : trace_facts(report))
    text += fmt::format("| {} | {} |\n", plain(trace), plain(said));
  text += "\n<details><summary>What this rests on</summary>\n\n";
  for (const auto& [label, fact] : ground_facts(report))
    text += fmt::format("- {}: {}\n", plain(label), plain(fact));
  text += fmt::format("- made by {}\n\n</details>\n\nNext: {} ({})\n", code(report.asked.command),
                      code(verdict.next_command), plain(verdict.next_reason));
  return text;
}

} // namespace timeless::tools
