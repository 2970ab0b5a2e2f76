#include "tools/render/extrapolating/extrapolated.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace timeless::tools {

namespace {

using analysis::ActionComparison;
using analysis::ExtrapolatedClass;
using analysis::UsedLaw;
using nlohmann::ordered_json;

double percent_of(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 100 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

std::string comparison_text(const ExtrapolationAnswer& answer) {
  const ActionComparison& beside = *answer.comparison;
  std::string text =
      text_line("{:<10}{}: {:.4g} % of {} ranks do the same actions, {:.4g} % of {} actions; bytes are equal in "
                "{:.4g} % of these that have some",
                "recorded", answer.check, percent_of(beside.ranks_alike, beside.ranks), beside.ranks,
                percent_of(beside.actions_alike, beside.actions), count_text(beside.actions),
                percent_of(beside.sized_equal, beside.sized));
  text += text_line(
      "{:<10}volumes are equal in {:.4g} %; their sum is {:+.2g} % off, that of a rank at most {:.2g} %, each for "
      "itself {:.2g} % of the sum",
      "", percent_of(beside.volumes_equal, beside.volumes), 100 * beside.volume_error, 100 * beside.rank_error,
      100 * beside.action_error);
  text += text_line("{:<10}load balance of the work: {:.3g} %, recorded {:.3g} %", "", 100 * beside.balance,
                    100 * beside.balance_recorded);
  if (!beside.first_difference.empty()) text += text_fact(10, "", "first difference: {}", beside.first_difference);
  return text;
}

std::string loops_text(const ExtrapolationAnswer& answer) {
  const auto& loops = answer.extrapolation.loops;
  std::string text;
  const std::size_t shown = answer.top == 0 ? loops.size() : std::min(answer.top, loops.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += text_line("{:<10}({}): {} trips of {} actions, {}{}", i == 0 ? "loops" : "", loops[i].position,
                      loops[i].trips, loops[i].actions, loops[i].law,
                      loops[i].places > 1 ? fmt::format(", in {} places", loops[i].places) : "");
  if (shown < loops.size()) text += text_line("{:<10}and {} more: --top 0 lists all", "", loops.size() - shown);
  return text;
}

std::string law_text(const ExtrapolationAnswer& answer, const UsedLaw& law) {
  std::string what = law.what;
  if (law.what == "work") what = fmt::format("{} of kernel {}", answer.unit, law.kernel);
  std::string text = text_line("  ({}) {}: {}{}", law.position, what, law.law,
                               law.times > 1 ? fmt::format(", {} times", count_text(law.times)) : "");
  if (law.drawn)
    text += text_line("      drawn: ranks in the same position differ by {:.2g} %, root mean square", 100 * law.spread);
  if (law.error > 0)
    text += text_line("      approximate, {:.2g} of {}: {}", law.error, count_text(law.there), law.because);
  if (const auto found = answer.places.find(law.kernel); found != answer.places.end() && law.what == "work")
    text += text_line("      from {} to {}", symbols::end_in_words(found->second.from),
                      symbols::end_in_words(found->second.to));
  return text;
}

} // namespace

std::string to_text(const ExtrapolationAnswer& answer) {
  const analysis::Extrapolation& made = answer.extrapolation;
  std::vector<std::string> ranks;
  for (const auto& [name, number] : answer.runs)
    ranks.push_back(fmt::to_string(number));
  std::string text = text_fact(10, "written", "{}: {} ranks of {}, {} actions, {}", answer.output, answer.ranks,
                               std::filesystem::path(answer.program).filename().string(), count_text(answer.actions),
                               bytes_text(answer.bytes));
  text += text_fact(10, "from", "recordings of {} ranks", fmt::join(ranks, ", "));
  if (!answer.builds.empty()) text += text_fact(10, "builds", "{}", answer.builds);
  if (!answer.inputs.empty())
    text += text_fact(10, "arguments", "their numbers go with the number of ranks: {}", answer.inputs);
  text += text_fact(10, "grid", "{}, {}", made.grid.text(), made.assumption);
  text += text_fact(10, "laws", "{}",
                    made.error == 0 && !made.seed
                        ? "all exact: they are from all runs but the largest, and meet that too"
                        : fmt::format("approximate: {} may be {:.2g} % off, by how far laws miss runs that "
                                      "they are not from and disagree at the target: no bound; partners and bytes are "
                                      "exact",
                                      made.seed ? "the mean of ranks' work" : "a rank's work", 100 * made.error));
  if (made.even_shares)
    text +=
        text_fact(10, "ASSUMED",
                  "equal shares: all runs share their points out evenly, and none says whether {} ranks can; if they "
                  "cannot, bytes and work are of a mean rank. A run of a number of ranks that does not divide tells",
                  answer.ranks);
  if (made.seed)
    text +=
        text_fact(10, "drawn",
                  "{:.3g} % of the work, with seed {}: what laws say of the mean of ranks in the same position, times "
                  "how one of those recorded there differs from it; one of many that are as likely",
                  100 * made.drawn_share, *made.seed);
  std::vector<std::string> classes;
  for (const ExtrapolatedClass& one : made.classes)
    classes.push_back(fmt::format("{} at ({})", one.ranks, one.position));
  text += text_fact(10, "ranks", "{}", fmt::join(classes, "; "));
  text += loops_text(answer);
  if (answer.comparison) text += comparison_text(answer);
  text += "\n";
  const std::size_t shown = answer.top == 0 ? made.laws.size() : std::min(answer.top, made.laws.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += law_text(answer, made.laws[i]);
  if (shown < made.laws.size()) text += text_line("  and {} more laws: --top 0 lists all", made.laws.size() - shown);
  return text;
}

ordered_json to_json(const ExtrapolationAnswer& answer) {
  const analysis::Extrapolation& made = answer.extrapolation;
  ordered_json json{{"output", answer.output},
                    {"program", answer.program},
                    {"ranks", answer.ranks},
                    {"actions", answer.actions},
                    {"output_bytes", answer.bytes},
                    {"assumption", made.assumption},
                    {"exact", made.error == 0 && !made.seed},
                    {"error", made.error},
                    {"assumes_even_shares", made.even_shares},
                    {"tolerance", answer.tolerance},
                    {"builds", answer.builds},
                    {"inputs", answer.inputs},
                    {"seed", made.seed ? ordered_json(*made.seed) : ordered_json()},
                    {"drawn_share", made.drawn_share}};
  for (const auto& [name, ranks] : answer.runs)
    json["runs"].push_back({{"name", name}, {"ranks", ranks}});
  for (const trace::GridDimension& side : made.grid.sides)
    json["grid"].push_back({{"extent", side.extent}, {"periodic", side.periodic}});
  for (const ExtrapolatedClass& one : made.classes)
    json["classes"].push_back({{"position", one.position},
                               {"ranks", one.ranks},
                               {"runs", one.runs},
                               {"actions", one.sequence.size()},
                               {"error", one.error}});
  json["loops"] = ordered_json::array();
  for (const analysis::UsedLoop& loop : made.loops)
    json["loops"].push_back({{"position", loop.position},
                             {"actions", loop.actions},
                             {"trips", loop.trips},
                             {"law", loop.law},
                             {"places", loop.places}});
  json["laws"] = ordered_json::array();
  for (const UsedLaw& law : made.laws) {
    ordered_json one{{"position", law.position}, {"what", law.what}};
    one["kernel"] = law.kernel == trace::no_kernel ? ordered_json() : ordered_json(law.kernel);
    one.update({{"law", law.law},
                {"there", law.there},
                {"times", law.times},
                {"exact", law.exact},
                {"error", law.exact ? 0 : law.error},
                {"because", law.because},
                {"drawn", law.drawn},
                {"spread", law.spread}});
    json["laws"].push_back(std::move(one));
  }
  if (!answer.comparison) {
    json["check"] = nullptr;
    return json;
  }
  const ActionComparison& beside = *answer.comparison;
  json["check"] = {{"run", answer.check},
                   {"ranks", beside.ranks},
                   {"ranks_alike", beside.ranks_alike},
                   {"actions", beside.actions},
                   {"actions_alike", beside.actions_alike},
                   {"sized", beside.sized},
                   {"sized_equal", beside.sized_equal},
                   {"volumes", beside.volumes},
                   {"volumes_equal", beside.volumes_equal},
                   {"volume", beside.volume},
                   {"volume_error", beside.volume_error},
                   {"rank_error", beside.rank_error},
                   {"action_error", beside.action_error},
                   {"load_balance", beside.balance},
                   {"load_balance_recorded", beside.balance_recorded},
                   {"first_difference", beside.first_difference}};
  return json;
}

} // namespace timeless::tools
