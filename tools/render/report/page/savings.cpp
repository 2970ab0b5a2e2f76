// What each change saves, as a picture.
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::Change;

/// Where savings stand on an axis that holds all of them: what takes r times as long is as far to the left of 0 as what
/// takes one r-th of the time is to the right.
class SavingAxis {
public:
  explicit SavingAxis(const ReportVerdict& verdict) : least_(0), most_(place(verdict.threshold)) {
    for (const auto& [change, trust] : verdict.answers) {
      least_ = std::min({least_, place(change.saving.least), place(change.saving.expected)});
      most_ = std::max({most_, place(change.saving.most), place(change.saving.expected)});
    }
  }

  bool has_losses() const { return least_ < 0; }
  /// In per cent of the picture's width.
  double x(double saving) const { return 2 + 96 * (place(saving) - least_) / (most_ - least_); }

  struct Tick {
    double saving = 0;
    std::string words;
  };
  /// 0, and on each side where there is room the largest round number that is on the axis.
  std::vector<Tick> ticks() const {
    constexpr double room = 34; // % of the width of a telephone, for the longest words
    static constexpr std::array longer{1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 1e4, 1e5, 1e6};
    static constexpr std::array saved{1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0};
    std::vector<Tick> found{{0, "0"}};
    const auto add = [&](const auto& rounds, double sign, const char* words) {
      const auto beyond = std::ranges::find_if(rounds, [&](double percent) {
        const double at = place(sign * percent / 100);
        return at < least_ || at > most_;
      });
      if (beyond == rounds.begin()) return;
      const double percent = *(beyond - 1);
      if (std::abs(x(sign * percent / 100) - x(0)) >= room)
        found.push_back({sign * percent / 100, fmt::format(fmt::runtime(words), percent)});
    };
    add(longer, -1, "{:g} % longer");
    add(saved, 1, "saves {:g} %");
    return found;
  }

private:
  static double place(double saving) { return saving < 0 ? saving / (1 - saving) : saving; }

  double least_;
  double most_;
};

/// A tick's words, or those of the threshold, so that they do not stand out of the picture.
void axis_words(Html& html, double x, double y, const std::string& words) {
  html.leaf("text",
            {{"class", x < 15   ? "tick"
                       : x > 85 ? "tick end"
                                : "tick middle"},
             {"x", coordinate(x) + "%"},
             {"y", coordinate(y)}},
            words);
}

void draw_savings(Html& html, const Report& report) {
  const ReportVerdict& verdict = report.verdict;
  const ComputeBasis& compute = report.prediction.bases[report.base].compute;
  const SavingAxis axis(verdict);
  const auto ticks = axis.ticks();
  const auto x = [&](double saving) { return coordinate(axis.x(saving)) + "%"; };
  const auto upright = [&](const char* style, double saving) {
    html.empty("line", {{"class", style}, {"x1", x(saving)}, {"x2", x(saving)}, {"y1", "1"}, {"y2", "17"}});
  };
  PictureRows rows(html, "saving-figure");
  for (const AnswerTable::Row& row : answer_table(report).rows) {
    if (!row.shown || row.of == nullptr) continue;
    const Change& change = row.of->change;
    const std::string words = change_words(change) + ": " + saving_words(change);
    rows.open(words, words + "; " + answer_words(change, compute), 18);
    for (const SavingAxis::Tick& tick : ticks)
      upright("axis", tick.saving);
    upright("threshold", verdict.threshold);
    html.empty("line", {{"class", "interval"},
                        {"x1", x(change.saving.least)},
                        {"x2", x(change.saving.most)},
                        {"y1", "9"},
                        {"y2", "9"}});
    html.empty("circle", {{"class", "dot " + answer_cell(change, compute).style},
                          {"cx", x(change.saving.expected)},
                          {"cy", "9"},
                          {"r", "5"}});
    rows.close();
  }
  html.open("svg", {{"class", "chart"}, {"width", "100%"}, {"height", "34"}, {"aria-hidden", "true"}});
  for (const SavingAxis::Tick& tick : ticks)
    axis_words(html, axis.x(tick.saving), 12, tick.words);
  axis_words(html, axis.x(verdict.threshold), 28, fmt::format("{:g} % is worth having", 100 * verdict.threshold));
  html.close();
}

} // namespace

void saving_figure(Html& html, const Report& report) {
  if (report.verdict.answers.empty()) return;
  figure(
      html, "saving-figure",
      fmt::format("What each change saves of the time on {}: the dot is the answer, the line what it is at the other "
                  "speeds that the processors may have.{}",
                  report.machines[report.base].name,
                  SavingAxis(report.verdict).has_losses()
                      ? " Left of 0 it takes longer: twice as long is as far from 0 as half the time."
                      : ""),
      [&] { draw_savings(html, report); }, nullptr);
}

} // namespace timeless::tools
