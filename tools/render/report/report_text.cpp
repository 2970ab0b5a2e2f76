#include "tools/render/report/report.h"

#include "analysis/efficiencies.h"
#include "tools/cli/console.h"
#include "tools/render/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using replay::RankTimes;

struct Part {
  const char* name;
  double RankTimes::*field;
  const char* unicode;
  const char* ascii;
};
constexpr std::array bar_parts{
    Part{"compute", &RankTimes::compute, "█", "#"},   Part{"copy", &RankTimes::memory_copy, "▓", "c"},
    Part{"overhead", &RankTimes::overhead, "▒", "o"}, Part{"wait", &RankTimes::wait, "░", "."},
    Part{"latency", &RankTimes::latency, "╱", "/"},   Part{"bandwidth", &RankTimes::bandwidth, "▞", "="},
    Part{"files", &RankTimes::files, "▬", "f"}};

/// A bar of the mean rank's time; the longest is `columns` wide.
std::string bar(const RankTimes& mean, double longest, std::size_t columns, bool unicode) {
  const auto width = static_cast<double>(columns);
  std::string text;
  double sum = 0;
  long drawn = 0;
  for (const Part& part : bar_parts) {
    sum += mean.*part.field;
    const long upto = longest > 0 ? std::lround(width * sum / longest) : 0;
    for (; drawn < upto; ++drawn)
      text += unicode ? part.unicode : part.ascii;
  }
  return text;
}

std::string legend(bool unicode) {
  std::string text;
  std::string line;
  for (const Part& part : bar_parts) {
    const std::string one = fmt::format("  {} {}", unicode ? part.unicode : part.ascii, part.name);
    if (columns_of(line) + columns_of(one) > text_columns()) text += std::exchange(line, "") + "\n";
    line += one;
  }
  return text + line + "\n";
}

/// A bar for each machine, beside its name and time, or below them where there is no room.
std::string bars_text(const Report& report, bool unicode) {
  constexpr std::size_t widest_bar = 48;
  constexpr std::size_t narrowest_bar = 16;
  double longest = 0;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    longest = std::max(longest, replay::mean(report.lane(i)).end);
    widest = std::max(widest, escaped(report.machines[i].name).size());
  }
  const std::size_t before = widest + 16; // the name, the time, and the blanks between them
  const bool beside = before + narrowest_bar <= text_columns();
  const std::size_t bar_columns = std::min(widest_bar, text_columns() - std::min(beside ? before : 2, text_columns()));
  std::string text;
  for (std::size_t i = 0; i < report.machines.size(); ++i) {
    const replay::LaneResult& lane = report.lane(i);
    const std::string name = escaped(report.machines[i].name);
    text += lane.deadlock ? fmt::format("  {:<{}}     deadlock\n", name, widest)
                          : fmt::format("  {:<{}}  {:>10}{}  {}\n", name, widest, seconds_words(lane.makespan),
                                        beside ? "" : "\n", bar(replay::mean(lane), longest, bar_columns, unicode));
  }
  return text + legend(unicode);
}

/// One character for each value, by its size.
std::string sparkline(const std::vector<double>& values, bool unicode) {
  static constexpr std::array blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::string_view digits = "12345678";
  const double most = values.empty() ? 0 : *std::ranges::max_element(values);
  std::string text;
  for (const double value : values) {
    const auto level = most > 0 ? static_cast<std::size_t>(std::clamp(std::lround(7 * value / most), 0L, 7L)) : 0;
    text += unicode ? blocks[level] : std::string(1, digits[level]);
  }
  return text;
}

std::string curves_text(const Report& report, bool unicode) {
  std::string text;
  if (!report.prediction.bases[report.base].network_used()) return text;
  for (const SweepCurve& curve : report.curves) {
    if (curve.points.size() < 2) continue;
    std::vector<double> values;
    for (const SweepCurve::Point& point : curve.points)
      values.push_back(point.makespan);
    const char* const of = curve.of == SweepCurve::Of::bandwidth ? "bandwidth /8 to x8"
                           : curve.of == SweepCurve::Of::latency ? "latency x8 to /8"
                                                                 : "both";
    const std::string picture = fmt::format("  {:<19} {}", of, sparkline(values, unicode));
    const std::string ends = seconds_words(values.front()) + " to " + seconds_words(values.back());
    const bool beside = columns_of(picture) + 2 + ends.size() <= text_columns();
    text += fmt::format("{}{}  {}\n", picture, beside ? "" : "\n  ", ends);
  }
  return text.empty() ? text : text + "\n";
}

std::string kernels_text(const Report& report, bool unicode) {
  constexpr std::size_t most = 5;
  const double makespan = report.base_lane().makespan;
  if (report.kernels.empty() || !(makespan > 0)) return {};
  Table table({"kernel", "from", "to", "compute %", "critical path %", "by rank"});
  for (std::size_t i = 0; i < std::min(most, report.kernels.size()); ++i) {
    const ReportedKernel& one = report.kernels[i];
    table.add({std::to_string(one.kernel.kernel), symbols::end_in_words(one.kernel.ends.from),
               symbols::end_in_words(one.kernel.ends.to), share_words(one.kernel.share),
               share_words(one.path_seconds / makespan), sparkline(one.by_ranks, unicode)});
  }
  return table.text() + "\n";
}

std::string hidden_text(const auto& rows) {
  const std::string words = hidden_words(rows);
  return words.empty() ? "" : text_paragraph("  ", words);
}

/// What is offered at a price, the fastest first.
std::string upgrades_text(const Report& report, const std::vector<UpgradeRow>& upgrades) {
  if (upgrades.empty()) return {};
  Table table({"upgrade", "saves", "price", "price per %", "worth a look", "confidence"});
  for (const UpgradeRow& row : upgrades)
    table.add({row.of->name, row.of->change ? saving_words(*row.of->change) : row.time, row.price,
               row.price_per_percent, row.look, row.confidence});
  return table.text() + text_paragraph("  ", worth_a_look_words(report.verdict.threshold)) + "\n";
}

/// What is offered, and apart from it what better parts of the machine would save.
std::string answers_text(const Report& report) {
  const AnswerTable answers = answer_table(report);
  if (answers.rows.empty()) return upgrades_text(report, answers.upgrades);
  const bool offered = answers.rows.front().offered;
  Table table({std::string(offered ? offered_heading : better_parts_words), "answer", "saves", "confidence"});
  bool of_parts = !offered;
  for (const AnswerTable::Row& row : answers.rows) {
    if (!row.shown) continue;
    if (!row.offered && !std::exchange(of_parts, true)) table.add_below(text_line("  {}", better_parts_words));
    table.add({row.what, row.answer, row.saves, row.confidence});
  }
  std::string text = upgrades_text(report, answers.upgrades) + table.text() + hidden_text(answers.rows);
  for (std::size_t i = 0; i < answers.reasons.size(); ++i)
    text += text_paragraph(fmt::format("  {}  ", i + 1), answers.reasons[i]);
  return text + "\n";
}

/// What each of several runs answers.
std::string runs_text(const Report& report) {
  Table table({"run", "what", "answer", "saves", "confidence"});
  const std::vector<RunRow> rows = run_rows(report);
  std::size_t last = report.traces.size();
  for (const RunRow& row : rows)
    if (row.shown)
      table.add({std::exchange(last, row.run) == row.run ? "" : run_words(report, row.run), row.what, row.answer,
                 row.saves, row.confidence});
  return rows.empty() ? "" : table.text() + hidden_text(rows) + "\n";
}

std::string facts_text(const Facts& facts) {
  std::string text;
  for (const auto& [label, fact] : facts)
    text += text_paragraph(fmt::format("{:<12}", label), fact);
  return text;
}

/// Each run on some lines: what it is, and its verdict.
std::string traces_text(const Report& report) {
  std::string text;
  for (const auto& [trace, said] : trace_facts(report))
    text += text_line("{}", trace) + text_paragraph("  ", said);
  return text.empty() ? text : text + "\n";
}

/// What to type, each command on one line, to be pasted.
std::string next_text(const ReportVerdict& verdict) {
  std::string text = text_line("{:<6}{}", "next", verdict.next_command);
  text += text_paragraph(fmt::format("{:<6}", ""), verdict.next_reason);
  if (!verdict.next_report.empty()) text += text_line("{:<6}{}", "then", verdict.next_report);
  return text;
}

} // namespace

std::string to_text(const Report& report, bool unicode) {
  const ReportVerdict& verdict = report.verdict;
  std::string text = text_paragraph("", question_words(report)) + "\n" + text_paragraph("", verdict_sentence(report));
  if (const std::string upgrades = upgrades_sentence(report); !upgrades.empty())
    text += "\n" + text_paragraph("", upgrades);
  text += "\n" + runs_text(report) + answers_text(report);
  text += next_text(verdict) + "\n" + text_paragraph("", time_sentence(report)) + "\n";
  text += bars_text(report, unicode) + "\n" + curves_text(report, unicode);
  return text + kernels_text(report, unicode) + traces_text(report) + facts_text(ground_facts(report));
}

} // namespace timeless::tools
