#include "tools/render/replay/advice.h"

#include "tools/render/machines/compute_basis.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

namespace timeless::tools {

namespace {

using analysis::Advice;
using analysis::Change;
using analysis::ChangeKind;
using analysis::SpeedRange;
using analysis::Worth;

/// "latency is what to buy".
std::string verdict(ChangeKind kind, double threshold) {
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
  return fmt::format("none of these saves {:g} %", 100 * threshold);
}

std::string percent_words(double share) {
  return fmt::format("{:.1f}", 100 * std::abs(share) < 0.05 ? 0.0 : 100 * share);
}

std::string about(const ComputeBasis& compute, const SpeedRange& between) {
  return "about " + speed_words(compute, std::sqrt(between.slowest * between.fastest));
}

/// "latency is what to buy"; where that depends on the rate, what is up to which rate, and above it.
std::string verdicts(const Advice& advice, const ComputeBasis& compute) {
  const auto& helps = advice.helps;
  if (helps.size() == 1) return verdict(helps.front().what, advice.threshold);
  std::string text = "undecided, it depends on the rate";
  for (std::size_t i = 0; i < helps.size(); ++i) {
    const std::size_t below = i == 0 ? 0 : i - 1;
    text += fmt::format("{} {} {}", i == 0 ? ": up to" : ", above",
                        about(compute, {helps[below].speeds.fastest, helps[below + 1].speeds.slowest}),
                        verdict(helps[i].what, advice.threshold));
  }
  return text;
}

} // namespace

std::string change_words(const Change& change) {
  switch (change.kind) {
  case ChangeKind::bandwidth:
    return "twice the bandwidth";
  case ChangeKind::latency:
    return "half the latency";
  case ChangeKind::network:
    return "twice the bandwidth and half the latency";
  case ChangeKind::free_network:
    return "messages that take no time (no network saves more)";
  case ChangeKind::processors:
    return "processors twice as fast";
  case ChangeKind::balance:
    return "work divided evenly among the ranks, at most";
  default:
    break;
  }
  return change.name;
}

std::string saving_words(const analysis::Saving& saving) {
  const bool longer = saving.expected < 0 && percent_words(saving.expected) != "0.0";
  const double sign = longer ? -1 : 1;
  const std::string least = percent_words(sign * (longer ? saving.most : saving.least));
  const std::string most = percent_words(sign * (longer ? saving.least : saving.most));
  std::string text = percent_words(sign * saving.expected) + (longer ? " % longer" : " %");
  if (least != most) text += fmt::format(" ({} to {} %)", least, most);
  return text;
}

std::string worth_words(const Change& change, double threshold, const ComputeBasis& compute) {
  const std::string enough = fmt::format("{:g} %", 100 * threshold);
  if (change.worth == Worth::pays) return "pays: at least " + enough;
  if (change.worth == Worth::ruled_out)
    return change.saving.most < 0 ? "ruled out: it is slower" : "ruled out: less than " + enough;
  if (!change.turn) return "undecided, depends on the rate: above or below " + enough;
  return fmt::format("undecided, depends on the rate: at least {} {}",
                     enough + (change.turn->pays_above ? " from" : " up to"), about(compute, change.turn->between)) +
         (change.turn->pays_above ? " on" : "");
}

std::string helps_words(const Advice& advice) {
  std::string text;
  for (const Advice::Helps& one : advice.helps)
    text +=
        (text.empty() ? "" : " or ") + std::string(one.what == ChangeKind::none ? "nothing of these" : name(one.what));
  return text;
}

std::string advice_sentence(const Advice& advice, const ComputeBasis& compute) {
  std::string text = advice.network_used ? "" : std::string(no_network_words) + "; ";
  text += verdicts(advice, compute);
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  bool first = true;
  for (const Change& change : advice.changes) {
    if (change.kind == ChangeKind::free_network) continue;
    text +=
        fmt::format("{} {}{} {}", first ? ":" : ",", change.kind == ChangeKind::network ? "both" : change_words(change),
                    first ? " saves" : "", saving_words(change.saving));
    first = false;
  }
  if (const Change* limit = advice.find(ChangeKind::free_network))
    text += fmt::format("; no network saves more than {}", saving_words(limit->saving));
  return text;
}

nlohmann::ordered_json to_json(const RateRange& range) {
  return {{"from", range.from.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(range.from)},
          {"fastest", range.fastest()},
          {"slowest", range.slowest()}};
}

nlohmann::ordered_json to_json(const Change& change) {
  nlohmann::ordered_json json{{"change", name(change.kind)},
                              {"what", change_words(change)},
                              {"makespan_seconds", change.seconds},
                              {"saving", change.saving.expected},
                              {"saving_interval", {change.saving.least, change.saving.most}},
                              {"answer", name(change.worth)}};
  if (change.turn)
    json["turns"] = {{"least_speed", change.turn->between.slowest},
                     {"most_speed", change.turn->between.fastest},
                     {"pays_above", change.turn->pays_above}};
  return json;
}

nlohmann::ordered_json to_json(const std::optional<Advice>& advice, const ComputeBasis& compute) {
  if (!advice) return nullptr;
  nlohmann::ordered_json json{{"what", name(advice->what())},
                              {"decided", advice->decided()},
                              {"sentence", advice_sentence(*advice, compute)},
                              {"network_used", advice->network_used},
                              {"worth", advice->threshold}};
  for (const Advice::Helps& one : advice->helps)
    json["by_speed"].push_back(
        {{"what", name(one.what)}, {"least_speed", one.speeds.slowest}, {"most_speed", one.speeds.fastest}});
  for (const Change& change : advice->changes)
    json["changes"].push_back(to_json(change));
  return json;
}

} // namespace timeless::tools
