#include "analysis/classification.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace timeless::analysis {

namespace {

using replay::LaneResult;
using replay::RankTimes;

// Places in the lanes: three sets of seven, the anchor in the middle of each.
constexpr std::size_t set_size = 7;
constexpr std::size_t bandwidth_set = 0;
constexpr std::size_t latency_set = set_size;
constexpr std::size_t both_set = 2 * set_size;
constexpr std::size_t anchor = 3;
constexpr std::size_t half = 2;  ///< half the speed of the anchor
constexpr std::size_t twice = 4; ///< twice the speed
constexpr std::size_t eight = 6; ///< eight times the speed

double ratio(double over, double under) {
  if (under > 0) return over / under;
  return over > 0 ? std::numeric_limits<double>::infinity() : 1;
}

/// Returns the largest |value - reference| over some lanes, relative to `scale`.
template <typename Value>
double largest_change(std::span<const RankTimes> means, double reference, double scale, Value value) {
  double largest = 0;
  for (const RankTimes& times : means)
    largest = std::max(largest, std::abs(value(times) - reference));
  return largest == 0 ? 0 : ratio(largest, scale);
}

double largest_total_change(std::span<const LaneSummary> lanes) {
  double largest = 0;
  const double reference = lanes[anchor].makespan;
  for (const LaneSummary& lane : lanes)
    largest = std::max(largest, std::abs(lane.makespan - reference));
  return reference > 0 ? largest / reference : 0;
}

Evidence weigh(std::span<const LaneSummary> lanes, const Thresholds& thresholds) {
  std::vector<RankTimes> means;
  for (const LaneSummary& lane : lanes)
    means.push_back(lane.mean);
  const std::span<const RankTimes> all(means);
  const RankTimes& base = means[anchor];
  const double copies = thresholds.copies_communicate ? 1 : 0;
  const auto communication = [copies](const RankTimes& times) {
    return times.wait + times.latency + times.bandwidth + copies * times.memory_copy;
  };
  const double total = base.end > 0 ? base.end : 1;
  const double own_wait = thresholds.insensitive_of_own ? base.wait : total;
  const double own_communication = thresholds.insensitive_of_own ? communication(base) : total;
  const auto gain = [&](std::size_t set) {
    return ratio(communication(means[set + half]), communication(means[set + twice]));
  };
  Evidence evidence;
  evidence.total = lanes[anchor].makespan;
  evidence.computation = (base.compute + (1 - copies) * base.memory_copy) / total;
  evidence.wait = base.wait / total;
  evidence.latency = base.latency / total;
  evidence.bandwidth = base.bandwidth / total;
  evidence.overhead = base.overhead / total;
  evidence.communication = communication(base) / total;
  evidence.total_change = largest_total_change(lanes);
  evidence.wait_change = largest_change(all, base.wait, own_wait, [](const RankTimes& times) { return times.wait; });
  evidence.latency_change =
      largest_change(all.subspan(latency_set, set_size), communication(base), own_communication, communication);
  evidence.bandwidth_change =
      largest_change(all.subspan(bandwidth_set, set_size), communication(base), own_communication, communication);
  evidence.bandwidth_gain = gain(bandwidth_set);
  evidence.latency_gain = gain(latency_set);
  evidence.both_gain = gain(both_set);
  evidence.bandwidth_speedup = ratio(lanes[anchor].makespan, lanes[bandwidth_set + eight].makespan);
  evidence.latency_speedup = ratio(lanes[anchor].makespan, lanes[latency_set + eight].makespan);
  evidence.both_speedup = ratio(lanes[anchor].makespan, lanes[both_set + eight].makespan);
  evidence.bandwidth_twice = ratio(lanes[anchor].makespan, lanes[bandwidth_set + twice].makespan);
  evidence.latency_twice = ratio(lanes[anchor].makespan, lanes[latency_set + twice].makespan);
  evidence.both_twice = ratio(lanes[anchor].makespan, lanes[both_set + twice].makespan);
  return evidence;
}

/// Returns the network's bound when communication is `least` of the total or more; mixed when no definition holds.
Bound network_bound(const Evidence& evidence, const Thresholds& thresholds) {
  const bool bandwidth = evidence.latency_change < thresholds.insensitive && evidence.bandwidth_gain >= thresholds.gain;
  const bool latency = evidence.bandwidth_change < thresholds.insensitive && evidence.latency_gain >= thresholds.gain;
  const bool both = evidence.both_gain >= thresholds.gain;
  const double narrow_gain = std::max(bandwidth ? evidence.bandwidth_gain : 0, latency ? evidence.latency_gain : 0);
  if (both && evidence.both_gain > narrow_gain * (1 + thresholds.insensitive)) return Bound::communication;
  if (bandwidth && evidence.bandwidth_gain == narrow_gain) return Bound::bandwidth;
  if (latency) return Bound::latency;
  return both ? Bound::communication : Bound::mixed;
}

/// Returns the imbalance and network bounds at a given least share of the total; mixed when none holds.
Bound bound_at(double share, const Evidence& evidence, const Thresholds& thresholds) {
  if (evidence.wait >= share && evidence.wait_change < thresholds.insensitive) return Bound::imbalance;
  if (evidence.communication >= share) return network_bound(evidence, thresholds);
  return Bound::mixed;
}

const char* name(Bound bound) {
  static constexpr const char* names[] = {"computation", "imbalance", "bandwidth", "latency", "communication", "mixed"};
  return names[static_cast<std::size_t>(bound)];
}

double percent(double share) {
  return 100 * share;
}

} // namespace

Classification classify(std::span<const LaneResult> lanes, const Thresholds& thresholds) {
  std::vector<LaneSummary> summaries;
  for (const LaneResult& lane : lanes)
    summaries.push_back({lane.makespan, replay::mean(lane)});
  return classify(summaries, thresholds);
}

Classification classify(std::span<const LaneSummary> lanes, const Thresholds& thresholds) {
  if (lanes.size() != classification_lane_count)
    throw Error(Failure::usage, "a classification needs its 21 configurations");
  Classification result;
  result.thresholds = thresholds;
  result.evidence = weigh(lanes, thresholds);
  const Evidence& evidence = result.evidence;
  if (evidence.computation >= thresholds.computation && evidence.total_change < thresholds.insensitive) {
    result.bound = Bound::computation;
    return result;
  }
  result.bound = bound_at(thresholds.communication, evidence, thresholds);
  if (result.bound == Bound::mixed && evidence.communication < thresholds.communication) {
    result.bound = bound_at(thresholds.sensitive, evidence, thresholds);
    result.sensitive = result.bound != Bound::mixed;
  }
  return result;
}

std::string name(const Classification& classification) {
  return std::string(name(classification.bound)) + (classification.sensitive ? "-sensitive" : "");
}

std::vector<std::string> class_names() {
  std::vector<std::string> names{name(Bound::computation), name(Bound::mixed)};
  for (const Bound bound : {Bound::imbalance, Bound::bandwidth, Bound::latency, Bound::communication})
    for (const bool sensitive : {false, true})
      names.push_back(name({.bound = bound, .sensitive = sensitive, .evidence = {}}));
  return names;
}

namespace {

const char* unit(const Condition& condition) {
  return condition.gain ? "" : " %";
}

double scaled(const Condition& condition, double value) {
  return condition.gain ? value : percent(value);
}

/// Returns the fewest digits behind the point, `least` or more, with which a rounded figure is told from its limit.
int telling_digits(double figure, double limit, int least) {
  constexpr int most = 6;
  int digits = least;
  double step = std::pow(0.1, least);
  while (digits < most && std::abs(std::round(figure / step) * step - figure) > std::abs(figure - limit) / 2) {
    ++digits;
    step /= 10;
  }
  return digits;
}

} // namespace

std::string Condition::words() const {
  const double figure = scaled(*this, found);
  const std::string text =
      fmt::format("{:.{}f}{}", figure, telling_digits(figure, scaled(*this, limit), gain ? 1 : 0), unit(*this));
  return std::string(what).replace(what.find("{}"), 2, text);
}

std::string Condition::wanted() const {
  return fmt::format("{}{:g}{}{}", at_least ? "" : "less than ", scaled(*this, limit), unit(*this),
                     at_least ? " or more" : "");
}

double Condition::miss() const {
  if (holds()) return 0;
  const double factor = at_least ? ratio(limit, found) : ratio(found, limit);
  return std::log(factor);
}

namespace {

/// What networks the 21 configurations span.
constexpr const char* networks_tried = "networks from eight times worse to eight times better";

/// Returns what a change of communication or wait is a share of.
const char* base(const Thresholds& thresholds) {
  return thresholds.insensitive_of_own ? "of itself" : "of the time";
}

Condition change_condition(const std::string& change, const std::string& of_what, double found,
                           const Thresholds& thresholds) {
  return {fmt::format("{} {} by up to {{}} {}", change, of_what, base(thresholds)), found, thresholds.insensitive,
          false, false};
}

Condition gain_condition(const std::string& by, double found, const Thresholds& thresholds) {
  return {"communication shrinks {} times with " + by, found, thresholds.gain, true, true};
}

Definition computation_definition(const Evidence& evidence, const Thresholds& thresholds) {
  return {Bound::computation,
          false,
          {{"computation takes {} of the time", evidence.computation, thresholds.computation, true, false},
           {fmt::format("{} change the time by up to {{}}, of which the best saves {:.1f} %", networks_tried,
                        percent(1 - ratio(1, evidence.both_speedup))),
            evidence.total_change, thresholds.insensitive, false, false}}};
}

/// Returns what bandwidth, latency and communication ask for beside a share of the time.
std::vector<Condition> network_conditions(Bound bound, const Evidence& evidence, const Thresholds& thresholds) {
  switch (bound) {
  case Bound::bandwidth:
    return {change_condition("latency alone, from eight times worse to eight times better, changes", "communication",
                             evidence.latency_change, thresholds),
            gain_condition("fourfold bandwidth", evidence.bandwidth_gain, thresholds)};
  case Bound::latency:
    return {change_condition("bandwidth alone, from eight times worse to eight times better, changes", "communication",
                             evidence.bandwidth_change, thresholds),
            gain_condition("a quarter of the latency", evidence.latency_gain, thresholds)};
  default:
    return {gain_condition("fourfold bandwidth and a quarter of the latency", evidence.both_gain, thresholds)};
  }
}

Definition share_definition(Bound bound, bool sensitive, const Evidence& evidence, const Thresholds& thresholds) {
  const double least = sensitive ? thresholds.sensitive : thresholds.communication;
  if (bound == Bound::imbalance)
    return {bound,
            sensitive,
            {{"ranks wait {} of the time", evidence.wait, least, true, false},
             change_condition(std::string(networks_tried) + " change", "the wait", evidence.wait_change, thresholds)}};
  Definition definition{
      bound, sensitive, {{"communication takes {} of the time", evidence.communication, least, true, false}}};
  for (Condition& condition : network_conditions(bound, evidence, thresholds))
    definition.conditions.push_back(std::move(condition));
  return definition;
}

std::size_t missed(const Definition& definition) {
  return static_cast<std::size_t>(
      std::ranges::count_if(definition.conditions, [](const Condition& one) { return !one.holds(); }));
}

double miss(const Definition& definition) {
  double sum = 0;
  for (const Condition& condition : definition.conditions)
    sum += condition.miss();
  return sum;
}

/// Returns "missed because ranks wait 13 % of the time (25 % or more is needed) and ...".
std::string missed_conditions(const Definition& definition) {
  std::string text;
  for (const Condition& condition : definition.conditions)
    if (!condition.holds())
      text += fmt::format("{} {} ({} is needed)", text.empty() ? "missed because" : " and", condition.words(),
                          condition.wanted());
  return text;
}

/// Returns how near the nearest other class is; empty where the definitions of all hold.
std::string nearest_text(const Classification& classification) {
  const std::optional<Definition> nearest = nearest_missed(classification);
  if (!nearest) return {};
  const bool same = classification.sensitive && nearest->bound == classification.bound;
  return fmt::format("{} {}, {}", same ? "the stronger class is" : "the nearest other class is", name(*nearest),
                     missed_conditions(*nearest));
}

/// Returns "communication takes 40 % of the time, and shrinks 3.0 times with fourfold bandwidth".
std::string shrinking(const Evidence& evidence, double gain, const char* with) {
  return fmt::format("communication takes {:.0f} % of the time, and shrinks {:.1f} times with {}",
                     percent(evidence.communication), gain, with);
}

/// Returns ", enough for its class, but networks from ... change the time by up to 27.8 %, ... (less than 5 % is
/// needed)" where a class whose share suffices misses that, and is not the nearest, of which that is said; else empty.
/// Its conditions are the share, then the change.
std::string missed_change(const Definition& definition, const Classification& classification) {
  const Condition& share = definition.conditions.front();
  const Condition& change = definition.conditions.back();
  if (!share.holds() || change.holds() || nearest_missed(classification)->bound == definition.bound) return {};
  return fmt::format(", enough for {}, but {} ({} is needed)", name(definition), change.words(), change.wanted());
}

/// Returns what all classes are decided on, where none of them holds.
std::string why_mixed(const Classification& classification) {
  const Evidence& evidence = classification.evidence;
  const Definition computation = computation_definition(evidence, classification.thresholds);
  const Definition imbalance = share_definition(Bound::imbalance, true, evidence, classification.thresholds);
  return fmt::format(
      "computation takes {:.0f} % of the time{}; wait {:.0f} %{}; communication, wait included, {:.0f} %, and shrinks "
      "{:.1f} times with fourfold bandwidth, {:.1f} with a quarter of the latency, {:.1f} with both",
      percent(evidence.computation), missed_change(computation, classification), percent(evidence.wait),
      missed_change(imbalance, classification), percent(evidence.communication), evidence.bandwidth_gain,
      evidence.latency_gain, evidence.both_gain);
}

std::string decided(const Classification& classification) {
  const Evidence& evidence = classification.evidence;
  const char* const of = base(classification.thresholds);
  switch (classification.bound) {
  case Bound::computation:
    return fmt::format("computation takes {:.0f} % of the time, which {} change by at most {:.1f} %",
                       percent(evidence.computation), networks_tried, percent(evidence.total_change));
  case Bound::imbalance:
    return fmt::format("ranks wait {:.0f} % of the time, which {} change by at most {:.1f} % {}",
                       percent(evidence.wait), networks_tried, percent(evidence.wait_change), of);
  case Bound::bandwidth:
    return fmt::format("{}; latency alone changes it by at most {:.1f} % {}",
                       shrinking(evidence, evidence.bandwidth_gain, "fourfold bandwidth"),
                       percent(evidence.latency_change), of);
  case Bound::latency:
    return fmt::format("{}; bandwidth alone changes it by at most {:.1f} % {}",
                       shrinking(evidence, evidence.latency_gain, "a quarter of the latency"),
                       percent(evidence.bandwidth_change), of);
  case Bound::communication:
    return shrinking(evidence, evidence.both_gain, "fourfold bandwidth and a quarter of the latency");
  case Bound::mixed:
    break;
  }
  return why_mixed(classification);
}

} // namespace

std::vector<Definition> definitions(const Evidence& evidence, const Thresholds& thresholds) {
  std::vector<Definition> all{computation_definition(evidence, thresholds)};
  for (const bool sensitive : {false, true})
    for (const Bound bound : {Bound::imbalance, Bound::bandwidth, Bound::latency, Bound::communication})
      all.push_back(share_definition(bound, sensitive, evidence, thresholds));
  return all;
}

std::optional<Definition> nearest_missed(const Classification& classification) {
  std::optional<Definition> nearest;
  for (Definition& one : definitions(classification.evidence, classification.thresholds)) {
    if (missed(one) == 0 || (one.sensitive && classification.bound != Bound::mixed)) continue;
    if (classification.sensitive && one.bound == classification.bound) return std::move(one);
    const auto rank = [](const Definition& definition) { return std::pair(missed(definition), miss(definition)); };
    if (!nearest || rank(one) < rank(*nearest)) nearest = std::move(one);
  }
  return nearest;
}

std::string name(const Definition& definition) {
  return std::string(name(definition.bound)) + (definition.sensitive ? "-sensitive" : "");
}

std::string reason(const Classification& classification) {
  const std::string why = decided(classification);
  const std::string nearest = nearest_text(classification);
  if (nearest.empty()) return why;
  return classification.bound == Bound::mixed ? nearest + "; " + why : why + "; " + nearest;
}

} // namespace timeless::analysis
