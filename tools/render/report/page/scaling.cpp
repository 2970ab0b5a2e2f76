// How the kernels of a program grow with its ranks, where the report was given three or more numbers of them: a small
// picture for each, with the law, and what the run of most ranks loses.
#include "tools/render/figures.h"
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/shown.h"
#include "tools/render/report/words.h"
#include "tools/render/scaling/scaled_words.h"
#include "tools/render/scaling/times.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using analysis::ScaledFigure;
using analysis::ScaledKernel;

constexpr std::size_t most_pictures = 9;

/// A picture's measures, in pixels.
constexpr double picture_width = 220;
constexpr double picture_height = 110;
constexpr double margin = 8;

/// Where values stand in a picture, both axes logarithmic.
struct LogPlot {
  double least_ranks, most_ranks, least, most;

  double x(double ranks) const { return position(ranks, least_ranks, most_ranks, picture_width); }
  double y(double value) const { return picture_height - position(value, least, most, picture_height); }

private:
  static double position(double value, double low, double high, double length) {
    const double span = std::log(high / low);
    const double share = span > 0 ? std::log(value / low) / span : 0.5;
    return margin + std::clamp(share, 0.0, 1.0) * (length - 2 * margin);
  }
};

/// The law at the runs and the targets, where it is above 0: between them, grids of ranks have other shapes. Laws of
/// ranks' positions meet the runs.
std::vector<std::pair<double, double>> law_points(const analysis::ScaledMetric& metric,
                                                  const analysis::Scaling& scaling) {
  const ScaledFigure& figure = metric.most;
  std::vector<std::pair<double, double>> points;
  if (figure.fit.laws.empty() && metric.by_ranks.empty()) return points;
  const auto keep = [&](const analysis::ScalePlace& place, double value) {
    if (value > 0 && std::isfinite(value)) points.emplace_back(place.ranks, value);
  };
  const auto add = [&](const analysis::ScalePlace& place) {
    if (const analysis::RankForecast* said = metric.by_ranks_at(place); said != nullptr && metric.most_by_ranks())
      keep(place, said->most.value);
    else if (!figure.fit.laws.empty())
      keep(place, figure.fit.laws.front().at(place));
  };
  for (std::size_t run = figure.without; run < scaling.runs.size(); ++run)
    if (!metric.most_by_ranks())
      add(scaling.runs[run].place);
    else
      keep(scaling.runs[run].place, figure.values[run]);
  for (const analysis::ScalePlace& target : scaling.targets)
    add(target);
  return points;
}

/// All that a kernel's picture shows.
std::vector<double> values_shown(const ScaledKernel& kernel, const analysis::Scaling& scaling) {
  std::vector<double> values;
  for (const double value : kernel.volume().most.values)
    if (value > 0) values.push_back(value);
  for (const auto& [ranks, value] : law_points(kernel.volume(), scaling))
    values.push_back(value);
  return values;
}

/// Returns the quotient of the largest and the smallest value of the picture where that is largest, and no less than
/// that of the numbers of ranks, lest little look like much: all pictures have this scale, so that equal slopes are
/// equal laws.
double widest(std::span<const ScaledKernel* const> kernels, const analysis::Scaling& scaling) {
  double most = scaling.targets.back().ranks / scaling.runs.front().place.ranks;
  for (const ScaledKernel* kernel : kernels) {
    const std::vector<double> values = values_shown(*kernel, scaling);
    most = std::max(most, std::ranges::max(values) / std::ranges::min(values));
  }
  return most;
}

/// Of the first kernels, those that compute in two runs or more: a logarithmic axis has no 0, and one point is no
/// picture.
std::vector<const ScaledKernel*> pictured(std::span<const ScaledKernel> kernels) {
  std::vector<const ScaledKernel*> found;
  for (const ScaledKernel& kernel : kernels)
    if (std::ranges::count_if(kernel.volume().most.values, [](double value) { return value > 0; }) >= 2)
      found.push_back(&kernel);
  return found;
}

void draw_kernel(Html& html, const ScaledKernel& kernel, const analysis::Scaling& scaling, double scale,
                 const std::string& words) {
  const ScaledFigure& figure = kernel.volume().most;
  const auto law = law_points(kernel.volume(), scaling);
  const std::vector<double> values = values_shown(kernel, scaling);
  const double middle = std::sqrt(std::ranges::max(values) * std::ranges::min(values));
  const LogPlot plot{scaling.runs.front().place.ranks, scaling.targets.back().ranks, middle / std::sqrt(scale),
                     middle * std::sqrt(scale)};
  html.open("li").open("svg", {{"class", "chart"},
                               {"width", coordinate(picture_width)},
                               {"height", coordinate(picture_height)},
                               {"role", "img"},
                               {"aria-label", words}});
  std::string path;
  for (const auto& [ranks, value] : law)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", coordinate(plot.x(ranks)), coordinate(plot.y(value)));
  if (!path.empty()) html.empty("path", {{"class", "law"}, {"d", path}});
  std::string points;
  for (std::size_t run = 0; run < figure.values.size(); ++run)
    if (figure.values[run] > 0)
      points += fmt::format("M{} {}h0", coordinate(plot.x(scaling.runs[run].place.ranks)),
                            coordinate(plot.y(figure.values[run])));
  html.empty("path", {{"class", "points"}, {"d", points}});
  html.close().leaf("p", {{"class", "note"}}, words).close();
}

/// "kernel 14: 87.6 % of the work on 12 ranks, 84.3 % on 48; the same on any number of ranks".
std::string kernel_caption(const ScaledKernel& kernel, const analysis::Scaling& scaling) {
  const auto& there = kernel.volume().most.there.back();
  const char* const doubt = there && there->ended ? " (its law is below 0 there)"
                            : kernel.volume().reaches(scaling.targets.back(), &analysis::ScaledMetric::most)
                                ? ""
                                : " (open)";
  return fmt::format("kernel {}: {} % on {} ranks, {} % on {}{}; {}", kernel.kernel, percent_text(kernel.share_now),
                     place_name(scaling.runs.back().place, scaling), percent_text(kernel.shares_there.back()),
                     place_name(scaling.targets.back(), scaling), doubt, growth_in_words(kernel.volume(), scaling));
}

void kernel_table(Html& html, const ScalingAnswer& answer, std::size_t shown) {
  const analysis::Scaling& scaling = answer.scaling;
  constexpr std::size_t most_shown = 5; // that a screen has room for; CSV has the others before the law
  const std::vector<std::size_t> shown_of_runs = evenly(scaling.runs.size(), most_shown);
  std::vector<TableColumn> columns{"kernel", "from", "to", "share now %", "share later %"};
  TableColumn law("law");
  for (std::size_t run = 0; run < scaling.runs.size(); ++run) {
    const std::string words = fmt::format("{} on {}", scaling.unit, place_name(scaling.runs[run].place, scaling));
    if (holds(shown_of_runs, run))
      columns.emplace_back(words);
    else
      law.csv.push_back(words);
  }
  law.csv.emplace_back("law");
  columns.push_back(std::move(law));
  PageTable table(html, "scaling-table", "Work of the rank that has most, by kernel", columns);
  for (std::size_t i = 0; i < shown; ++i) {
    const ScaledKernel& kernel = scaling.kernels[i];
    const ScaledFigure& most = kernel.volume().most;
    std::vector<TableCell> cells{std::to_string(kernel.kernel), symbols::end_in_words(answer.kernel_ends[i].from),
                                 symbols::end_in_words(answer.kernel_ends[i].to),
                                 TableCell(share_words(kernel.share_now), kernel.share_now),
                                 TableCell(share_words(kernel.shares_there.back()), kernel.shares_there.back())};
    TableCell grows(kernel.volume().law().empty() ? "none" : kernel.volume().law());
    for (std::size_t run = 0; run < most.values.size(); ++run)
      if (holds(shown_of_runs, run))
        cells.emplace_back(human_count(most.values[run]), most.values[run]);
      else
        grows.csv.push_back(csv_number(most.values[run]));
    grows.csv.push_back(grows.text);
    cells.push_back(std::move(grows));
    table.row(cells);
  }
}

} // namespace

void scaling_section(Html& html, const Report& report) {
  if (!report.scaling || report.scaling->scaling.kernels.empty()) return;
  const ScalingAnswer& answer = *report.scaling;
  const std::size_t shown = std::min(most_pictures, answer.scaling.kernels.size());
  const std::vector<const ScaledKernel*> pictures = pictured(std::span(answer.scaling.kernels).first(shown));
  open_section(html, "scaling", "How it scales");
  html.leaf("p", {{"class", "finding"}}, growth_words(answer) + ".");
  if (pictures.size() < shown)
    html.leaf("p", {{"class", "note"}},
              fmt::format("Without a picture: {} of the {} kernels with the largest part, which compute in fewer than "
                          "two of the runs.",
                          shown - pictures.size(), shown));
  if (pictures.empty()) {
    kernel_table(html, answer, shown);
    html.close();
    return;
  }
  figure(
      html, "scaling-figure",
      fmt::format("The {} of the kernels with the largest part on {} ranks, by number of ranks, both axes logarithmic: "
                  "points are the runs in which they compute, lines the laws that they follow. Equal slopes are equal "
                  "laws.",
                  answer.scaling.unit, place_name(answer.scaling.targets.back(), answer.scaling)),
      [&] {
        html.open("ul", {{"class", "multiples"}});
        const double scale = widest(pictures, answer.scaling);
        for (const ScaledKernel* kernel : pictures)
          draw_kernel(html, *kernel, answer.scaling, scale, kernel_caption(*kernel, answer.scaling));
        html.close();
      },
      [&] { kernel_table(html, answer, shown); });
  html.close();
}

} // namespace timeless::tools
