#include "tools/render/report/report.h"

#include "tools/cli/console.h"
#include "tools/render/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

namespace timeless::tools {

namespace {

/// Whether Markdown may take a character within a line for more than itself: emphasis, code, links, tables, mentions of
/// people and issues, addresses. Parentheses are harmless, since brackets before them are not left alone.
bool is_markup(std::string_view text, std::size_t place) {
  const char before = place > 0 ? text[place - 1] : ' ';
  const char after = place + 1 < text.size() ? text[place + 1] : ' ';
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  switch (text[place]) {
  case '_': // within a word it is one
    return !is_word(before) || !is_word(after);
  case '#': // a heading, or an issue
    return place == 0 || is_digit(after);
  case ':': // of an address
    return text.substr(place).starts_with("://");
  case '@':
    return is_word(after);
  case '.': // of an address, or a list
    return text.substr(0, place).ends_with("www") ||
           (place > 0 && after == ' ' && std::ranges::all_of(text.substr(0, place), is_digit));
  case '-':
  case '+': // a list
    return place == 0 && after == ' ';
  default:
    return std::string_view("\\`*[]|~$").find(text[place]) != std::string_view::npos;
  }
}

/// A text as Markdown shows it letter by letter: names come from strangers. What needs no escape has none.
std::string escaped_markdown(const std::string& words) {
  const std::string text = escaped(words);
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&')
      safe += "&amp;";
    else if (text[i] == '<')
      safe += "&lt;";
    else if (text[i] == '>')
      safe += "&gt;";
    else {
      if (is_markup(text, i)) safe += '\\';
      safe += text[i];
    }
  }
  return safe;
}

/// As code, between more backticks in a row than it has itself.
std::string code(const std::string& text) {
  const std::string inside = escaped(text);
  std::string fence = "`";
  while (inside.find(fence) != std::string::npos)
    fence += '`';
  if (fence.size() == 1) return fence + inside + fence;
  return fence + " " + inside + " " + fence;
}

/// What is offered at a price, the fastest first.
std::string upgrades_table(const Report& report, const std::vector<UpgradeRow>& upgrades) {
  if (upgrades.empty()) return {};
  std::string text = "| upgrade | saves | price | price per % | worth a look | confidence |\n"
                     "|---|---|---:|---:|---|---|\n";
  for (const UpgradeRow& row : upgrades)
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", escaped_markdown(row.of->name),
                        escaped_markdown(row.of->change ? saving_words(*row.of->change) : row.time), row.price,
                        row.price_per_percent, escaped_markdown(row.look), escaped_markdown(row.confidence));
  return text + "\n" + escaped_markdown(capitalised(worth_a_look_words(report.verdict.threshold))) + ".\n\n";
}

/// What is offered, and apart from it what better parts of the machine would save.
std::string answers_table(const Report& report) {
  const AnswerTable answers = answer_table(report);
  std::string text = upgrades_table(report, answers.upgrades);
  if (answers.rows.empty()) return text;
  std::optional<bool> offered;
  for (const AnswerTable::Row& row : answers.rows) {
    if (!row.shown) continue;
    if (row.offered != offered)
      text += fmt::format("{}| {} | answer | saves | confidence |\n|---|---|---|---|\n", offered ? "\n" : "",
                          row.offered ? offered_heading : better_parts_words);
    offered = row.offered;
    text += fmt::format("| {} | {} | {} | {} |\n", escaped_markdown(row.what), escaped_markdown(row.answer),
                        escaped_markdown(row.saves), escaped_markdown(row.confidence));
  }
  if (const std::string more = hidden_words(answers.rows); !more.empty()) text += "\n" + more + "\n";
  if (!answers.reasons.empty()) text += "\nConfidence:\n\n";
  for (std::size_t i = 0; i < answers.reasons.size(); ++i)
    text += fmt::format("{}. {}\n", i + 1, escaped_markdown(answers.reasons[i]));
  return text;
}

/// What each of several runs answers.
std::string runs_table(const Report& report) {
  const std::vector<RunRow> rows = run_rows(report);
  if (rows.empty()) return {};
  std::string text = "| run | what | answer | saves | confidence |\n|---|---|---|---|---|\n";
  for (const RunRow& row : rows)
    if (row.shown)
      text += fmt::format("| {} | {} | {} | {} | {} |\n", escaped_markdown(run_words(report, row.run)),
                          escaped_markdown(row.what), escaped_markdown(row.answer), escaped_markdown(row.saves),
                          escaped_markdown(row.confidence));
  const std::string more = hidden_words(rows);
  return text + (more.empty() ? "" : "\n" + more + "\n") + "\n";
}

/// What each run that the report was given was recorded in, and its verdict.
std::string traces_table(const Report& report) {
  std::string text = report.traces.size() > 1 ? "\n| trace | verdict |\n|---|---|\n" : "";
  for (const auto& [trace, said] : trace_facts(report))
    text += fmt::format("| {} | {} |\n", escaped_markdown(trace), escaped_markdown(said));
  return text;
}

/// Time on each machine, and where it goes.
std::string machines_table(const Report& report) {
  std::string text = "\n| machine | time | compute+copy % | wait % | latency % | bandwidth % | bound by "
                     "| what helps |\n|---|---:|---:|---:|---:|---:|---|---|\n";
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    const replay::LaneResult& lane = report.lane(i);
    const ReportedMachine& machine = report.machines[i];
    if (lane.deadlock) {
      text += fmt::format("| {} | deadlock | | | | | | |\n", escaped_markdown(machine.name));
      continue;
    }
    const replay::Shares share = replay::shares(lane);
    text += fmt::format("| {} | {}{} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {} | {} |\n",
                        escaped_markdown(machine.description), seconds_words(lane.makespan),
                        machine.interval ? " (" + interval_words(machine.interval) + ")" : "", share.computation,
                        share.wait, share.latency, share.bandwidth, class_words(report, i), helps_words(report, i));
  }
  return text;
}

/// What to type, and why.
std::string next_steps(const ReportVerdict& verdict) {
  std::string text =
      fmt::format("\nNext: {}\n\nWhy: {}.\n", code(verdict.next_command), escaped_markdown(verdict.next_reason));
  if (!verdict.next_report.empty()) text += fmt::format("\nThen: {}\n", code(verdict.next_report));
  return text;
}

} // namespace

std::string to_markdown(const Report& report) {
  const ReportVerdict& verdict = report.verdict;
  std::string text = fmt::format("### {}\n\n**{}**\n\n", escaped_markdown(question_words(report)),
                                 escaped_markdown(verdict_sentence(report)));
  if (const std::string upgrades = upgrades_sentence(report); !upgrades.empty())
    text += escaped_markdown(upgrades) + "\n\n";
  text += runs_table(report) + answers_table(report);
  text += next_steps(verdict) + "\n" + escaped_markdown(time_sentence(report)) + "\n";
  text += machines_table(report) + traces_table(report);
  text += "\n<details><summary>What this rests on</summary>\n\n";
  for (const auto& [label, fact] : ground_facts(report))
    text += fmt::format("- {}: {}\n", escaped_markdown(label), escaped_markdown(fact));
  text += fmt::format("- made by {}\n\n</details>\n", code(report.asked.command));
  return text;
}

} // namespace timeless::tools
