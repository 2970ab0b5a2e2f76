#include "tools/render/replay/advice.h"

#include "tools/cli/console.h"
#include "tools/render/machines/compute_basis.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>

namespace timeless::tools {

namespace {

using analysis::Advice;
using analysis::Change;
using analysis::ChangeKind;
using analysis::Worth;

/// "latency is what to buy".
std::string what_to_buy(ChangeKind kind, double threshold) {
  switch (kind) {
  case ChangeKind::latency:
    return "latency is what to buy";
  case ChangeKind::bandwidth:
    return "bandwidth is what to buy";
  case ChangeKind::network:
    return "a network with less latency and more bandwidth is what to buy";
  case ChangeKind::processors:
    return "faster processors are what to buy";
  case ChangeKind::balance:
    return "the work is to be divided more evenly";
  default:
    break;
  }
  return fmt::format("none of its parts, made twice as good, saves {:g} %", 100 * threshold);
}

std::string percent_words(double share, int digits) {
  const std::string text = fmt::format("{:.{}f}", 100 * share, digits);
  return text.find_first_of("123456789") == std::string::npos ? fmt::format("{:.{}f}", 0.0, digits) : text;
}

/// Returns the decimals that savings are written with: one, or as many more, up to three, as it takes that none reads
/// as the other side of what is worth having.
int decimals(const Change& change) {
  constexpr int most = 3;
  int digits = 1;
  const auto crosses = [&](double saved) {
    const double unit = std::pow(10, digits + 2);
    return (std::round(saved * unit) >= std::round(change.threshold * unit)) != (saved >= change.threshold);
  };
  const analysis::Saving& saving = change.saving;
  while (digits < most && (crosses(saving.expected) || crosses(saving.least) || crosses(saving.most)))
    ++digits;
  return digits;
}

/// The advice that knows most changes: one without a network knows fewer.
const Advice& longest(std::span<const AdvisedMachine> machines) {
  const auto found =
      std::ranges::max_element(machines, {}, [](const AdvisedMachine& one) { return one.advice->changes.size(); });
  return *found->advice;
}

/// What each change saves on some machines; a row for each change that one of them knows.
std::string savings_table(std::span<const AdvisedMachine> machines) {
  std::vector<std::string> header{"saves %"};
  for (const AdvisedMachine& one : machines)
    header.push_back(one.name);
  Table table(header);
  for (const Change& change : longest(machines).changes) {
    std::vector<std::string> row{change_words(change)};
    for (const AdvisedMachine& one : machines) {
      const Change* own = one.advice->find(change.kind);
      row.push_back(own != nullptr ? saving_cell(*own) : "-");
    }
    table.add(row);
  }
  if (std::ranges::any_of(machines, [](const AdvisedMachine& one) { return !one.confidence.empty(); })) {
    std::vector<std::string> row{"confidence in what helps"};
    for (const AdvisedMachine& one : machines)
      row.push_back(one.confidence.empty() ? "-" : one.confidence);
    table.add(row);
  }
  return table.text();
}

} // namespace

std::string change_words(const Change& change) {
  switch (change.kind) {
  case ChangeKind::bandwidth:
    return "twice the bandwidth";
  case ChangeKind::latency:
    return "half the latency";
  case ChangeKind::network:
    return "a network twice as good";
  case ChangeKind::free_network:
    return "a perfect network, at most";
  case ChangeKind::processors:
    return "processors twice as fast";
  case ChangeKind::processor_step:
    return fmt::format("processors {:.0f} % faster", 100 * (analysis::processor_step_speed - 1));
  case ChangeKind::balance:
    return "work divided evenly, at most";
  default:
    break;
  }
  return change.name;
}

bool is_longer(const Change& change) {
  return percent_words(change.saving.expected, decimals(change)).starts_with('-');
}

std::string saving_words(const Change& change) {
  const analysis::Saving& saving = change.saving;
  const int digits = decimals(change);
  const bool longer = is_longer(change);
  const double sign = longer ? -1 : 1;
  const std::string least = percent_words(sign * (longer ? saving.most : saving.least), digits);
  const std::string most = percent_words(sign * (longer ? saving.least : saving.most), digits);
  std::string text = percent_words(sign * saving.expected, digits) + (longer ? " % longer" : " %");
  if (least != most) text += fmt::format(" ({} to {} %)", least, most);
  return text;
}

std::string saving_cell(const Change& change) {
  std::string text = saving_words(change);
  for (std::size_t sign = text.find(" %"); sign != text.npos; sign = text.find(" %"))
    text.erase(sign, 2);
  return text;
}

std::string answer_words(const Change& change, const ComputeBasis& compute) {
  const bool limit = is_limit(change.kind);
  const char* const of_what = change.recorded_part ? " (recorded part)" : "";
  if (change.worth == Worth::pays) return std::string(limit ? "perhaps" : "yes") + of_what;
  if (change.worth == Worth::ruled_out)
    return fmt::format("no{}{}", of_what, change.saving.most < 0 && is_longer(change) ? ": slower" : "");
  if (change.contradicted) return fmt::format("depends{} on contention", of_what);
  if (!change.switchover) return fmt::format("depends{} on the rate", of_what);
  return fmt::format("depends{}: {} {} {}", of_what, limit ? "no" : "yes",
                     change.switchover->pays_above != limit ? "above" : "below",
                     turn_words(compute, change.switchover->between.slowest, change.switchover->between.fastest));
}

std::string no_network_reason(const MachineBasis& basis) {
  if (basis.nodes.size() == 1) return std::string(no_network_words) + ", since there is one rank";
  return std::string(no_network_words) +
         ", since all ranks are on one node (--mapping one-per-node or block:N places them apart)";
}

std::string helps_words(const Advice& advice) {
  std::string text;
  for (const Advice::Helps& one : advice.helps)
    text += (text.empty()                   ? ""
             : &one == &advice.helps.back() ? " or "
                                            : ", ") +
            std::string(one.what == ChangeKind::none ? "nothing of these" : name(one.what));
  return text;
}

std::string class_and_help(const analysis::Classification& classification, const std::optional<Advice>& advice) {
  const std::string word = analysis::name(classification);
  if (classification.bound != analysis::Bound::mixed || !advice) return word;
  return fmt::format("{} (helps: {})", word, helps_words(*advice));
}

std::string verdict_words(const Advice& advice, const ComputeBasis& compute) {
  const auto& helps = advice.helps;
  if (helps.size() == 1) return what_to_buy(helps.front().what, advice.threshold);
  std::string text = "it depends on the rate";
  for (std::size_t i = 0; i < helps.size(); ++i) {
    const std::size_t below = i == 0 ? 0 : i - 1;
    text += fmt::format("{} {} {}", i == 0 ? ": up to" : ", above",
                        turn_words(compute, helps[below].speeds.fastest, helps[below + 1].speeds.slowest),
                        what_to_buy(helps[i].what, advice.threshold));
  }
  return text;
}

std::string advice_sentence(const Advice& advice, const ComputeBasis& compute) {
  std::string text = advice.recorded_part ? "of the recorded part: " : "";
  if (!advice.network_used) text += std::string(no_network_words) + "; ";
  text += verdict_words(advice, compute);
  if (const Change* named = advice.find(advice.what()); named != nullptr && advice.helps.size() == 1)
    text += fmt::format(": {} {} {}", change_words(*named), named->kind == ChangeKind::processors ? "save" : "saves",
                        saving_words(*named));
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

namespace {

/// Returns true where the table has a saving that is larger than that of what helps.
bool network_saves_more(const AdvisedMachine& one) {
  const Change* const processors = one.advice->find(ChangeKind::processors);
  const Change* const network = one.advice->find(ChangeKind::network);
  return one.advice->what() == ChangeKind::processors && processors != nullptr && network != nullptr &&
         network->saving.expected > processors->saving.expected;
}

} // namespace

std::string advice_text(const std::vector<AdvisedMachine>& machines) {
  constexpr std::size_t columns = 4; // of a table that fits into 120 characters
  std::string text;
  for (const AdvisedMachine& one : machines)
    text += text_paragraph(one.name + ": ", advice_sentence(*one.advice, *one.compute));
  for (std::size_t first = 0; first < machines.size(); first += columns)
    text += "\n" + savings_table(std::span(machines).subspan(first, std::min(columns, machines.size() - first)));
  if (std::ranges::any_of(machines, network_saves_more))
    text += "where latency or bandwidth saves twice what the other does, it alone is compared with processors\n";
  return text;
}

nlohmann::ordered_json to_json(const RateRange& range) {
  return {{"from", range.from.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(range.from)},
          {"fastest", range.fastest()},
          {"slowest", range.slowest()}};
}

nlohmann::ordered_json to_json(const Change::Switchover& switchover) {
  return {{"least_speed", switchover.between.slowest},
          {"most_speed", switchover.between.fastest},
          {"pays_above", switchover.pays_above}};
}

nlohmann::ordered_json to_json(const Change& change) {
  nlohmann::ordered_json json{{"change", name(change.kind)},
                              {"what", change_words(change)},
                              {"makespan_seconds", change.seconds},
                              {"saving", change.saving.expected},
                              {"saving_interval", {change.saving.least, change.saving.most}},
                              {"answer", name(change.worth)},
                              {"recorded_part", change.recorded_part}};
  if (change.switchover) json["turns"] = to_json(*change.switchover);
  if (change.simulated) json["saving_in_smpi"] = *change.simulated;
  return json;
}

nlohmann::ordered_json to_json(const std::optional<Advice>& advice, const ComputeBasis& compute) {
  if (!advice) return nullptr;
  nlohmann::ordered_json json{{"what", name(advice->what())},
                              {"decided", advice->decided()},
                              {"sentence", advice_sentence(*advice, compute)},
                              {"network_used", advice->network_used},
                              {"recorded_part", advice->recorded_part},
                              {"worth", advice->threshold}};
  for (const Advice::Helps& one : advice->helps)
    json["by_speed"].push_back(
        {{"what", name(one.what)}, {"least_speed", one.speeds.slowest}, {"most_speed", one.speeds.fastest}});
  for (const Change& change : advice->changes)
    json["changes"].push_back(to_json(change));
  return json;
}

} // namespace timeless::tools
