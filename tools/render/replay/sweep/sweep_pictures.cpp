#include "tools/cli/console.h"
#include "tools/render/heat.h"
#include "tools/render/replay/sweep/sweep_parts.h"

#include "base/factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::SweepPoint;
using analysis::SweptConfiguration;

/// A factor of a grid that may be an axis of a picture.
struct PictureAxis {
  const char* name;
  double (*of)(const SweepPoint&);
};

constexpr PictureAxis picture_axes[] = {
    {"bandwidth", [](const SweepPoint& point) { return point.bandwidth; }},
    {"latency", [](const SweepPoint& point) { return point.latency; }},
    {"cpu", [](const SweepPoint& point) { return 1 / point.compute; }},
};

std::vector<std::string> words_of(const std::set<double>& factors) {
  std::vector<std::string> words;
  for (const double factor : factors)
    words.push_back(factor_words(factor));
  return words;
}

/// The factor at which a grid is shown over others: 1, or the nearest to it.
double shown_factor(const std::set<double>& factors) {
  return *std::ranges::min_element(factors, {}, [](double factor) { return std::abs(std::log(factor)); });
}

/// The grid over its two first factors that vary, of the configurations with the others at 1, or as near as the lists
/// come, and all else as in the machine's first one.
class Picture {
public:
  Picture(const SweepPrediction& prediction, std::size_t machine_place) : prediction_(prediction) {
    const SweepPoint& own = prediction.of(machine_place).point;
    std::vector<const PictureAxis*> varied;
    std::vector<std::pair<const PictureAxis*, double>> fixed;
    for (const PictureAxis& axis : picture_axes) {
      std::set<double> factors;
      for (const std::size_t place : prediction.grid)
        factors.insert(axis.of(prediction.of(place).point));
      if (factors.empty()) continue;
      if (factors.size() < 2 || varied.size() == 2) {
        fixed.emplace_back(&axis, shown_factor(factors));
        continue;
      }
      varied.push_back(&axis);
      (varied.size() == 1 ? columns_ : rows_) = factors;
    }
    if (varied.empty()) return;
    across_ = varied[0];
    down_ = varied.size() > 1 ? varied[1] : nullptr;
    for (const auto& [axis, factor] : fixed)
      if (factor != 1) at_ += fmt::format(", {} {}", axis->name, factor_words(factor));
    for (std::size_t i = 0; i < prediction.grid.size(); ++i) {
      const SweepPoint& point = prediction.of(prediction.grid[i]).point;
      SweepPoint rest = point;
      rest.bandwidth = rest.latency = rest.compute = 1;
      if (rest == own && std::ranges::all_of(fixed, [&](const auto& at) { return at.first->of(point) == at.second; }))
        cells_[{down_ != nullptr ? down_->of(point) : 1, across_->of(point)}] = i;
    }
  }

  bool any() const { return across_ != nullptr && !cells_.empty(); }
  /// Returns whether all configurations come to their end.
  bool complete() const {
    return std::ranges::none_of(
        cells_, [&](const auto& cell) { return prediction_.of(prediction_.grid[cell.second]).deadlock != nullptr; });
  }
  std::string names() const {
    return down_ == nullptr ? across_->name : fmt::format("{} and {}", across_->name, down_->name);
  }
  /// Returns ", cpu x2" of what is neither shown nor as the machine has it.
  const std::string& at() const { return at_; }

  std::string speedups(const TextStyle& style) const {
    HeatMap map{.columns_name = across_->name,
                .rows_name = down_ != nullptr ? down_->name : "",
                .columns = words_of(columns_),
                .rows = down_ != nullptr ? words_of(rows_) : std::vector<std::string>{""},
                .values = {}};
    for_cells([&](std::size_t number) {
      const bool ends = number < prediction_.grid.size() && !prediction_.of(prediction_.grid[number]).deadlock;
      map.values.push_back(ends ? std::optional(prediction_.speedup(prediction_.grid[number])) : std::nullopt);
    });
    return heat_text(map, style, std::min<std::size_t>(text_columns(), 100));
  }

  std::string classes() const {
    std::vector<std::string> header{down_ != nullptr ? fmt::format("{} \\ {}", down_->name, across_->name)
                                                     : across_->name};
    std::ranges::copy(words_of(columns_), std::back_inserter(header));
    Table table(header);
    const std::vector<std::string> rows = down_ != nullptr ? words_of(rows_) : std::vector<std::string>{"class"};
    std::vector<std::string> row;
    for_cells([&](std::size_t number) {
      if (row.empty()) row.push_back(rows.at(rows_done_));
      row.push_back(number < prediction_.classes.size() ? class_word(number) : "-");
      if (row.size() < header.size()) return;
      table.add(std::exchange(row, {}));
      ++rows_done_;
    });
    rows_done_ = 0;
    return table.text();
  }

private:
  /// Calls with a place in the grid, or one beyond it, by row.
  template <typename Tell>
  void for_cells(Tell tell) const {
    const std::set<double> one{1};
    for (const double row : down_ != nullptr ? rows_ : one)
      for (const double column : columns_) {
        const auto cell = cells_.find({row, column});
        tell(cell == cells_.end() ? prediction_.grid.size() : cell->second);
      }
  }

  /// A class in few letters; in brackets what helps, where the definitions leave the class open.
  std::string class_word(std::size_t number) const {
    static const std::map<analysis::Bound, std::string> words{{analysis::Bound::computation, "comp"},
                                                              {analysis::Bound::imbalance, "imb"},
                                                              {analysis::Bound::bandwidth, "bw"},
                                                              {analysis::Bound::latency, "lat"},
                                                              {analysis::Bound::communication, "net"}};
    using analysis::ChangeKind;
    static const std::map<ChangeKind, std::string> helping{
        {ChangeKind::latency, "(lat)"},    {ChangeKind::bandwidth, "(bw)"}, {ChangeKind::network, "(net)"},
        {ChangeKind::processors, "(cpu)"}, {ChangeKind::balance, "(even)"}, {ChangeKind::none, "(-)"}};
    const auto& found = prediction_.classes[number];
    if (!found) return "-";
    if (const auto word = words.find(found->bound); word != words.end())
      return word->second + (found->sensitive ? "-s" : "");
    const auto& helps = prediction_.helps[number];
    return helps ? helping.at(helps->what()) : "-";
  }

  const SweepPrediction& prediction_;
  const PictureAxis* across_ = nullptr;
  const PictureAxis* down_ = nullptr;
  std::set<double> columns_;
  std::set<double> rows_;
  std::string at_;
  std::map<std::pair<double, double>, std::size_t> cells_; ///< places in the grid, by row and column
  mutable std::size_t rows_done_ = 0;
};

} // namespace

std::string pictures_text(const SweepAnswer& answer) {
  const SweepPrediction& prediction = answer.prediction;
  std::string text;
  bool classes = false;
  bool none = false;
  for (const std::size_t machine : prediction.machines) {
    const Picture picture(prediction, machine);
    if (!picture.any() || !prediction.basis_of(prediction.of(machine).point).network_used()) continue;
    const std::string name = prediction.of(machine).name + picture.at();
    text += "\n" + text_paragraph("", fmt::format("{}: speed-up over {}", name, picture.names())) +
            picture.speedups(answer.style);
    none = none || !picture.complete();
    if (prediction.classes.empty() || !prediction.refusal.empty()) continue;
    classes = true;
    text += "\n" + text_paragraph("", name + ": what bounds it") + picture.classes();
  }
  if (classes)
    text +=
        text_paragraph("", "comp computation, imb imbalance, bw bandwidth, lat latency, net both; -s: 10 to 25 % of "
                           "the time; in brackets, where none of the definitions holds, what helps: lat, bw and "
                           "net as above, cpu faster processors, even work divided evenly, - nothing of these");
  if (none) text += text_paragraph("", "- without brackets: the run ends in a deadlock there");
  return text;
}

} // namespace timeless::tools
