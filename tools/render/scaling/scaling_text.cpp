#include "tools/cli/console.h"
#include "tools/render/figures.h"
#include "tools/render/scaling/scaled_words.h"
#include "tools/render/scaling/scaling.h"
#include "tools/render/scaling/times.h"
#include "tools/symbols/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ranges>

namespace timeless::tools {

namespace {

using analysis::LawFit;
using analysis::LawKind;
using analysis::ScaledFigure;
using analysis::ScaledKernel;
using analysis::ScaledMetric;
using analysis::ScalePlace;
using analysis::Scaling;

/// Returns the last target, or the run of most ranks.
const ScalePlace& last_place(const Scaling& scaling) {
  return scaling.targets.empty() ? scaling.runs.back().place : scaling.targets.back();
}

constexpr std::size_t longest_name = 40; // of regions and functions, columns

std::string law_words(const LawFit& fit, const Scaling& scaling, const ScalePlace& there) {
  return fit.laws.empty() ? "follows no law of P" : in_words(fit.laws.front(), there, scaling.mode);
}

/// Returns growth_in_words() behind "it".
std::string growth_sentence(const ScaledMetric& metric, const Scaling& scaling) {
  const std::string words = growth_in_words(metric, scaling);
  return words.starts_with("the same") || words.starts_with("about") ? "takes " + words
         : words == "nothing"                                        ? "takes nothing"
                                                                     : words;
}

/// Returns how far off a check run a law is, behind a comma.
std::string off_check_run(const analysis::LawCheck& check) {
  const double percent = 100 * check.residual;
  if (!std::isfinite(percent)) return ", infinitely off the check run, which has none";
  return std::abs(percent) < 99.5 ? fmt::format(", {:+.2g} % off the check run", percent)
                                  : fmt::format(", {:+.0f} % off the check run", percent);
}

/// What is said of laws that LawFit::assumes_no_growth, and explained below the table.
constexpr std::string_view no_growth_assumed = "no faster growth ASSUMED";

/// Returns how sure a law is: "exact", "exact, not confirmed", "approximate (0.3 %)"; with what a check run said.
std::string how_it_fits(const ScaledFigure& figure, const Scaling& scaling) {
  const LawFit& fit = figure.fit;
  const std::string from =
      figure.without == 0 || figure.without >= scaling.runs.size()
          ? ""
          : fmt::format(", from {} ranks on", place_name(scaling.runs[figure.without].place, scaling));
  if (fit.kind == LawKind::none && figure.check)
    return fmt::format("no law: the best is{}{}", off_check_run(*figure.check).substr(1), from);
  if (fit.kind == LawKind::none)
    return fit.left_out_error > 0 ? fmt::format("no law: the best is {:.0f} % off{}", 100 * fit.left_out_error, from)
                                  : fmt::format("no law: too few runs{}", from);
  std::string text = fit.kind == LawKind::approximate ? fmt::format("approximate ({:.2g} %)", 100 * fit.left_out_error)
                     : fit.confirmed                  ? "exact"
                                                      : "exact, not confirmed";
  if (figure.check) text += figure.check->exact ? ", met by the check run" : off_check_run(*figure.check);
  text += from;
  if (fit.laws.size() > 1) text += fmt::format(", one of {} that fit equally well", fit.laws.size());
  if (fit.assumes_no_growth) text += fmt::format(", {}", no_growth_assumed);
  return text;
}

std::string law_line(const ScaledFigure& figure, const Scaling& scaling) {
  if (figure.summed) {
    std::string text = figure.held ? "from its kernels: no law of its own goes with theirs"
                                   : "the sum of its kernels, by the ranks' positions";
    if (figure.check)
      text += figure.check->exact ? ": met by the check run" : ": " + off_check_run(*figure.check).substr(2);
    return text;
  }
  return figure.fit.laws.empty()
             ? how_it_fits(figure, scaling)
             : fmt::format("{}: {}", formula(figure.fit.laws.front()), how_it_fits(figure, scaling));
}

/// "may be 12 % off"; beyond 100 % nothing is known.
std::string error_words(double error) {
  return error > 1 ? "may be more than 100 % off" : fmt::format("may be {:.2g} % off", 100 * error);
}

/// Returns how sure what the ranks come to is.
std::string how_ranks_fit(const ScaledMetric& metric) {
  const analysis::RankForecast& last = metric.by_ranks.back().forecast;
  std::string text = last.exact ? "exact" : error_words(last.error());
  if (metric.most.check)
    text += metric.most.check->exact ? ", met by the check run" : off_check_run(*metric.most.check);
  return text;
}

/// Returns what the positions with most and least do at the last place that ranks are forecast for.
std::string by_ranks_text(const ScaledMetric& metric) {
  const auto& [place, last, grid] = metric.by_ranks.back();
  std::string text =
      text_paragraph("      ", fmt::format("by the ranks' positions in {}: {}", grid, how_ranks_fit(metric)));
  const auto add = [&](const char* head, const analysis::PositionForecast& one) {
    text += text_paragraph(
        head, fmt::format("at ({}), {} of {:.0f} ranks: {}", one.position, one.ranks, place.ranks, one.law));
  };
  add(last.positions.size() == 1 ? "      all   " : "      most  ", last.positions.front());
  if (last.positions.size() > 1) add("      least ", last.positions.back());
  return text;
}

std::string head_text(const ScalingAnswer& answer) {
  const Scaling& scaling = answer.scaling;
  std::vector<std::string> runs;
  for (const analysis::ScaledRun& run : scaling.runs)
    runs.push_back(place_name(run.place, scaling));
  const analysis::LawCoverage& coverage = scaling.coverage;
  std::string text = text_paragraph("runs      ", fmt::format("{} of {} ranks; {} scaling; {} by {}",
                                                              answer.program.substr(answer.program.rfind('/') + 1),
                                                              fmt::join(runs, ", "), name(scaling.mode), scaling.unit,
                                                              answer.counter));
  if (scaling.sizes_given)
    text +=
        text_paragraph("sizes     ", fmt::format("n is taken for the size of {}, by what the runs compute; a perfect "
                                                 "program's work goes with it",
                                                 scaling.size_of_rank ? "a rank's part" : "the whole problem"));
  if (!answer.doubt.empty()) text += text_paragraph("doubt     ", answer.doubt);
  if (scaling.classes)
    text += text_paragraph("positions ",
                           fmt::format("{}: they explain {} % of what ranks differ by in their work",
                                       scaling.classes->assumption, percent_text(scaling.classes->explained)));
  text += text_paragraph("laws      ",
                         fmt::format("exact for {} % of the {}, exact but not confirmed for {} %, "
                                     "approximate for {} %, none for {} %",
                                     percent_text(coverage.confirmed), scaling.unit, percent_text(coverage.exact),
                                     percent_text(coverage.approximate), percent_text(coverage.none)));
  return text;
}

std::string check_text(const Scaling& scaling) {
  if (!scaling.check) return "";
  double met = 0;
  double all = 0;
  double above = 0;
  double below = 0;
  double lawless = 0;
  double worst = 0;
  const ScaledKernel* worst_kernel = nullptr;
  for (const ScaledKernel& kernel : scaling.kernels) {
    const ScaledFigure& most = kernel.volume().most;
    all += *most.checked;
    if (kernel.volume().kind() == LawKind::none) {
      lawless += *most.checked;
      continue;
    }
    if (most.check && most.check->exact) met += *most.checked;
    const double miss = most.check ? std::abs(most.check->residual) * *most.checked : *most.checked;
    (most.check && most.check->residual > 0 ? above : below) += most.check && most.check->exact ? 0 : miss;
    if ((!most.check || !most.check->exact) && miss > worst) {
      worst = miss;
      worst_kernel = &kernel;
    }
  }
  std::string text = fmt::format("{} of {} ranks: {} % of its {} are exactly as the laws say", scaling.check->name,
                                 place_name(scaling.check->place, scaling), percent_text(met, all), scaling.unit);
  constexpr double next_to_nothing = 0.0005;
  if (worst_kernel != nullptr && above + below < next_to_nothing * all)
    text += "; the others' laws miss less than 0.05 % of all";
  else if (worst_kernel != nullptr)
    text +=
        fmt::format("; the others' laws have {} % of all too much and {} % too little, kernel {} is farthest off, by "
                    "{} %",
                    percent_text(above, all), percent_text(below, all), kernel_of_run(*worst_kernel, scaling),
                    percent_text(worst, all));
  if (lawless > 0) text += fmt::format("; {} % of them have no law", percent_text(lawless, all));
  return text_paragraph("check     ", text);
}

/// Returns what the ranks in the positions with most and least work do, where these differ by enough to be told.
std::string classes_text(const ScaledKernel& kernel, const Scaling& scaling) {
  constexpr double worth_telling = 1.02;
  if (kernel.classes.empty()) return "";
  const analysis::ScaledClass& most = kernel.classes.front();
  const analysis::ScaledClass& least = kernel.classes.back();
  if (most.volume.values.back() < worth_telling * least.volume.values.back()) return "";
  std::string text;
  for (const analysis::ScaledClass* one : {&most, &least}) {
    const LawFit& fit = one->volume.fit;
    const bool too_few = fit.kind == LawKind::none && fit.left_out_error == 0;
    text +=
        text_paragraph(one == &most ? "      most  " : "      least ",
                       fmt::format("at ({}), {} rank{}: {:.4g} now{}", one->position, one->ranks, plural(one->ranks),
                                   one->volume.values.back(), too_few ? "" : "; " + law_line(one->volume, scaling)));
  }
  return text;
}

/// Returns the laws of what was profiled in a kernel.
std::string profile_text(const ScaledKernel& kernel, const Scaling& scaling) {
  std::string text;
  for (const ScaledMetric& metric : kernel.metrics | std::views::drop(1)) {
    const std::vector<double>& values = metric.most.values;
    const bool any = std::ranges::any_of(values, [](double value) { return value > 0; });
    if (any && metric.name != "visits")
      text += text_paragraph(
          "      ", fmt::format("{}: {:.4g} now; {}", metric.name, values.back(), law_line(metric.most, scaling)));
  }
  return text;
}

void add_kernel(Table& table, const ScalingAnswer& answer, std::size_t at) {
  const Scaling& scaling = answer.scaling;
  const ScaledKernel& kernel = scaling.kernels[at];
  const ScaledFigure& most = kernel.volume().most;
  std::vector<std::string> row{std::to_string(kernel.kernel), percent_text(kernel.share_now)};
  for (std::size_t target = 0; target < scaling.targets.size(); ++target)
    row.push_back(percent_text(kernel.shares_there[target]) +
                  (kernel.volume().reaches(scaling.targets[target], &ScaledMetric::most) ? "" : "?"));
  row.push_back(growth_in_words(kernel.volume(), scaling));
  table.add(std::move(row));
  const std::string& of_run = scaling.runs[kernel.run].name;
  const bool by_ranks = kernel.volume().most_by_ranks();
  const bool everywhere = std::ranges::all_of(
      scaling.targets, [&](const ScalePlace& target) { return kernel.volume().by_ranks_at(target) != nullptr; });
  table.add_below(
      text_paragraph("      from ", symbols::end_in_words(answer.kernel_ends[at].from)) +
      text_paragraph(
          "      to   ",
          symbols::end_in_words(answer.kernel_ends[at].to) +
              (kernel.run + 1 == scaling.runs.size() ? "" : fmt::format(" (in no run larger than {})", of_run))) +
      (by_ranks ? by_ranks_text(kernel.volume()) : "") +
      (by_ranks && everywhere ? ""
                              : text_paragraph(by_ranks ? "      elsewhere " : "      ", law_line(most, scaling)) +
                                    classes_text(kernel, scaling)) +
      profile_text(kernel, scaling));
}

/// Returns the line below a table that leaves some out.
std::string more_text(std::size_t left_out, std::string_view one, std::string_view several) {
  return text_line("  and {} more {}: --top 0 lists all", left_out, left_out == 1 ? one : several);
}

std::string kernels_text(const ScalingAnswer& answer) {
  const Scaling& scaling = answer.scaling;
  if (scaling.kernels.empty()) return "no kernels: no computation was recorded\n";
  std::vector<std::string> header{"kernel", fmt::format("{} %", place_name(scaling.runs.back().place, scaling))};
  for (const ScalePlace& target : scaling.targets)
    header.push_back(fmt::format("{} %", place_name(target, scaling)));
  header.emplace_back(fmt::format("{} of the rank that has most", scaling.unit));
  Table table(header);
  const std::size_t shown = answer.top == 0 ? scaling.kernels.size() : std::min(answer.top, scaling.kernels.size());
  for (std::size_t i = 0; i < shown; ++i)
    add_kernel(table, answer, i);
  std::string text = table.text();
  text += text_paragraph("  %: ", "of the sum of what each kernel takes on the rank where it takes most");
  text +=
      text_paragraph("  ?: ", "far beyond the runs, by a law that is not confirmed, or one that has fallen below 0");
  if (text.find(no_growth_assumed) != std::string::npos)
    text += text_paragraph(
        fmt::format("  {}: ", no_growth_assumed),
        "a law with a part that grows faster than P fits as well, but that part is nowhere in the runs more than "
        "0.5 % of the value, and taken for noise; a run of more ranks would tell");
  if (shown < scaling.kernels.size()) text += more_text(scaling.kernels.size() - shown, "kernel", "kernels");
  return text;
}

std::string lawless_text(const ScalingAnswer& answer) {
  std::vector<std::string> lawless;
  double share = 0;
  for (const ScaledKernel& kernel : answer.scaling.kernels)
    if (kernel.volume().most.fit.kind == LawKind::none && kernel.volume().by_ranks.empty()) {
      lawless.push_back(
          fmt::format("{} ({} %)", kernel_of_run(kernel, answer.scaling), percent_text(kernel.share_now)));
      share += kernel.share_now;
    }
  if (lawless.empty()) return "";
  const std::size_t all = lawless.size();
  constexpr std::size_t most_named = 12;
  lawless.resize(std::min(all, most_named));
  return text_paragraph("no law    ", fmt::format("{} kernel{} with {} % of the {} now, which is taken to stay: {}{}",
                                                  all, plural(all), percent_text(share), answer.scaling.unit,
                                                  fmt::join(lawless, ", "), all > most_named ? ", ..." : ""));
}

/// Returns the kernels whose laws, exact and confirmed as they are, are below 0 at targets, and what is done there.
std::string ended_text(const ScalingAnswer& answer) {
  const Scaling& scaling = answer.scaling;
  std::string text;
  for (std::size_t target = 0; target < scaling.targets.size(); ++target) {
    std::vector<std::string> ended;
    for (const ScaledKernel& kernel : scaling.kernels)
      if (const auto& there = kernel.volume().most.there[target]; there && there->ended)
        ended.push_back(fmt::format("{} ({} % now)", kernel_of_run(kernel, scaling), percent_text(kernel.share_now)));
    if (ended.empty()) continue;
    text += text_paragraph("ended     ",
                           fmt::format("on {} ranks the laws of kernel{} {} are below 0, so the program does something "
                                       "else there: nothing is taken for {}",
                                       place_name(scaling.targets[target], scaling), plural(ended.size()),
                                       fmt::join(ended, ", "), ended.size() == 1 ? "it" : "them"));
  }
  return text;
}

std::string calls_text(const ScalingAnswer& answer) {
  const Scaling& scaling = answer.scaling;
  if (scaling.calls.empty()) return "";
  Table table({"call", "calls now", "calls of a rank", "bytes now", "bytes of a rank", "place"});
  const std::size_t shown = answer.top == 0 ? scaling.calls.size() : std::min(answer.top, scaling.calls.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const analysis::ScaledCall& call = scaling.calls[i];
    const auto law = [&](std::size_t metric) {
      const ScaledFigure& most = call.metrics[metric].most;
      const std::string formula = call.metrics[metric].law();
      return most.values.back() == 0 && most.fit.laws.size() == 1 ? std::string("none")
             : formula.empty()                                    ? std::string("no law")
                               : (call.metrics[metric].kind() == LawKind::exact ? "" : "about ") + formula;
    };
    table.add({"MPI_" + call.key.call, human_count(call.metrics[0].most.values.back()), law(0),
               human_bytes(call.metrics[1].most.values.back()), law(1),
               answer.call_places[i].empty() ? "not known" : answer.call_places[i]});
  }
  std::string text = "\n" + table.text();
  if (shown < scaling.calls.size())
    text += more_text(scaling.calls.size() - shown, "place of calls", "places of calls");
  return text;
}

/// Returns the regions, or the functions, with most work.
std::string parts_text(const ScalingAnswer& answer, const char* what, const std::vector<analysis::ScaledPart>& parts) {
  const Scaling& scaling = answer.scaling;
  if (parts.empty()) return "";
  Table table({what, scaling.unit + " of a rank", "law"});
  const std::size_t shown = answer.top == 0 ? parts.size() : std::min(answer.top, parts.size());
  for (const analysis::ScaledPart& part : parts | std::views::take(shown)) {
    const ScaledFigure& most = part.metrics.front().most;
    table.add({symbols::shortened_name(part.name, longest_name), human_count(most.values.back()),
               growth_in_words(part.metrics.front(), scaling)});
    table.add_below(text_paragraph("      ", law_line(most, scaling)));
  }
  std::string text = "\n" + table.text();
  if (shown < parts.size()) text += more_text(parts.size() - shown, what, fmt::format("{}s", what));
  return text;
}

std::string efficiencies_text(const Scaling& scaling) {
  Table table({"ranks", "", "instruction scaling %", "load balance %"});
  for (const analysis::WorkEfficiency& efficiency : scaling.efficiencies)
    table.add({place_name(efficiency.place, scaling), efficiency.predicted ? "by the laws" : "recorded",
               percent_text(efficiency.instruction_scaling), percent_text(efficiency.load_balance)});
  return "\n" + table.text();
}

/// Returns a kernel's part at the largest target and what it does on the way there.
std::string part_text(const ScalingAnswer& answer, std::size_t at) {
  const Scaling& scaling = answer.scaling;
  const ScaledKernel& kernel = scaling.kernels[at];
  return fmt::format("{} %, {} % on {}: it {}; it ends at {}", percent_text(kernel.shares_there.back()),
                     percent_text(kernel.share_now), place_name(scaling.runs.back().place, scaling),
                     growth_sentence(kernel.volume(), scaling), symbols::end_in_words(answer.kernel_ends[at].to));
}

/// Returns why a kernel's law says little of the largest target.
std::string doubt_text(const ScaledKernel& kernel) {
  const ScaledMetric& volume = kernel.volume();
  const LawFit& fit = volume.most.fit;
  if (fit.kind == LawKind::none && volume.by_ranks.empty()) return "it follows no law, so its part is taken to stay";
  if (const auto& there = kernel.volume().most.there.back(); there && there->ended) return "its law is below 0 there";
  const auto& [low, high] = kernel.share_ranges.back();
  constexpr double narrow = 0.005;
  const bool bounded = !volume.most.there.back() || volume.most.there.back()->bounded;
  const std::string range =
      bounded && high - low > narrow
          ? fmt::format(", which leaves {} to {} % unless all laws lack a term", percent_text(low), percent_text(high))
          : "";
  if (volume.sure()) return range.empty() ? "" : "laws fit equally well" + range;
  if (volume.most_by_ranks())
    return fmt::format("its law {}{}", error_words(volume.by_ranks.back().forecast.error()), range);
  return (fit.kind == LawKind::exact ? "its law is not confirmed" : "its law is approximate") + range;
}

/// Returns what bounds the largest target, in a sentence. Far beyond the runs, only a law that is exact and confirmed
/// leads it.
std::string verdict(const ScalingAnswer& answer) {
  const Scaling& scaling = answer.scaling;
  if (scaling.kernels.empty() || scaling.targets.empty()) return "";
  const ScaledKernel& first = scaling.kernels.front();
  const std::string there = place_name(scaling.targets.back(), scaling);
  if (first.volume().reaches(scaling.targets.back(), &ScaledMetric::most))
    return text_paragraph("verdict   ",
                          fmt::format("on {} ranks kernel {} has the largest part of the computation, {}{}", there,
                                      kernel_of_run(first, scaling), part_text(answer, 0),
                                      doubt_text(first).empty() ? "" : "; " + doubt_text(first)));
  const auto sure =
      std::ranges::find_if(scaling.kernels, [](const ScaledKernel& kernel) { return kernel.volume().sure(); });
  std::string text =
      sure == scaling.kernels.end() || scaling.coverage.confirmed < 0.5
          ? fmt::format("which kernel bounds {} ranks is not known: laws are exact and confirmed for {} % of the {}",
                        there, percent_text(scaling.coverage.confirmed), scaling.unit)
          : fmt::format(
                "on {} ranks, of the kernels whose laws are exact and confirmed, {} has the largest part of the "
                "computation, {}",
                there, kernel_of_run(*sure, scaling),
                part_text(answer, static_cast<std::size_t>(sure - scaling.kernels.begin())));
  text += fmt::format(". Kernel {} may have {} %, but {}: record more numbers of ranks{}",
                      kernel_of_run(first, scaling), percent_text(first.shares_there.back()), doubt_text(first),
                      scaling.check ? "" : ", or verify with --check");
  return text_paragraph("verdict   ", text);
}

} // namespace

const char* kind_name(analysis::LawKind kind) {
  return kind == analysis::LawKind::none ? "none" : kind == analysis::LawKind::exact ? "exact" : "approximate";
}

std::string place_name(const ScalePlace& place, const Scaling& scaling) {
  return scaling.sizes_given ? fmt::format("{:.0f} (n {:g})", place.ranks, place.size)
                             : fmt::format("{:.0f}", place.ranks);
}

std::string kernel_of_run(const ScaledKernel& kernel, const Scaling& scaling) {
  if (kernel.run + 1 == scaling.runs.size()) return std::to_string(kernel.kernel);
  return fmt::format("{} of {}", kernel.kernel, scaling.runs[kernel.run].name);
}

std::string growth_in_words(const ScaledMetric& metric, const Scaling& scaling) {
  return growth_in_words(metric, scaling, last_place(scaling));
}

std::string growth_in_words(const ScaledMetric& metric, const Scaling& scaling, const ScalePlace& there) {
  const ScaledFigure& most = metric.most;
  const bool by_ranks = metric.most_by_ranks() && metric.by_ranks_at(there) != nullptr;
  if (!by_ranks && !most.summed) return law_words(most.fit, scaling, there);
  const double ranks = there.ranks / scaling.runs.back().place.ranks;
  const auto target = static_cast<std::size_t>(std::ranges::find(scaling.targets, there) - scaling.targets.begin());
  const auto said = target < most.there.size() ? most.there[target] : std::nullopt;
  if (!said || !(said->value > 0) || !(most.values.back() > 0) || !(ranks > 1))
    return by_ranks && most.fit.laws.empty() ? "follows laws of ranks' positions" : law_words(most.fit, scaling, there);
  const double power = std::log(said->value / most.values.back()) / std::log(ranks);
  constexpr double next_to_none = 0.05;
  if (power > next_to_none) return fmt::format("grows about as P^{:.1f}", power);
  if (power >= -next_to_none) return "about the same on any number of ranks";
  const std::string shown = fmt::format("{:.1f}", -power);
  return "falls about as 1/P" + (shown == "1.0" ? "" : "^" + shown);
}

std::string to_text(const ScalingAnswer& answer) {
  std::string text = head_text(answer) + check_text(answer.scaling) + verdict(answer) + largest_part_text(answer) +
                     lawless_text(answer) + ended_text(answer) + "\n";
  text += kernels_text(answer) + calls_text(answer) + parts_text(answer, "region", answer.scaling.regions) +
          parts_text(answer, "function", answer.scaling.functions) + efficiencies_text(answer.scaling);
  text += times_text(answer) + growth_text(answer);
  for (const std::string& notice : answer.notices)
    text += text_paragraph("note      ", notice);
  return text;
}

} // namespace timeless::tools
