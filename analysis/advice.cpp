#include "analysis/advice.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace timeless::analysis {

namespace {

/// So much of the time that even work saves is said before what is to be bought.
constexpr double clearly_uneven = 0.2;

struct WeighedChange {
  ChangeKind kind;
  double ChangedTimes::*seconds;
  bool of_network;
};
constexpr WeighedChange weighed[] = {{ChangeKind::bandwidth, &ChangedTimes::bandwidth, true},
                                     {ChangeKind::latency, &ChangedTimes::latency, true},
                                     {ChangeKind::network, &ChangedTimes::network, true},
                                     {ChangeKind::free_network, &ChangedTimes::free_network, true},
                                     {ChangeKind::processors, &ChangedTimes::processors, false},
                                     {ChangeKind::balance, &ChangedTimes::balance, false}};

double saved(const ChangedTimes& times, double ChangedTimes::*seconds) {
  return saving({times.as_it_is}, {times.*seconds}).expected;
}

ChangeKind part_of_network(double latency, double bandwidth) {
  if (2 * std::min(latency, bandwidth) > std::max(latency, bandwidth)) return ChangeKind::network;
  return latency > bandwidth ? ChangeKind::latency : ChangeKind::bandwidth;
}

ChangeKind helps_most(const ChangedTimes& times, double threshold, bool network_used) {
  const double network = network_used ? saved(times, &ChangedTimes::network) : 0;
  const double processors = saved(times, &ChangedTimes::processors);
  const double balance = saved(times, &ChangedTimes::balance);
  if (balance >= std::max(clearly_uneven, threshold) && balance > network) return ChangeKind::balance;
  if (network_used && network >= threshold && network >= processors)
    return part_of_network(saved(times, &ChangedTimes::latency), saved(times, &ChangedTimes::bandwidth));
  if (processors >= threshold) return ChangeKind::processors;
  return balance >= threshold ? ChangeKind::balance : ChangeKind::none;
}

/// The two neighbouring speeds between which a change begins or ceases to pay; nothing unless that happens once.
std::optional<Change::Turn> turn_of(double ChangedTimes::*seconds, std::span<const ChangedTimes> by_speed,
                                    double threshold) {
  const auto pays = [&](const ChangedTimes& times) { return saved(times, seconds) >= threshold; };
  std::optional<Change::Turn> found;
  for (std::size_t i = 1; i < by_speed.size(); ++i) {
    if (pays(by_speed[i - 1]) == pays(by_speed[i])) continue;
    if (found) return {};
    found = Change::Turn{{by_speed[i - 1].speed, by_speed[i].speed}, pays(by_speed[i])};
  }
  return found;
}

} // namespace

const char* name(ChangeKind kind) {
  static constexpr const char* names[] = {"machine",      "bandwidth",  "latency", "network",
                                          "free_network", "processors", "balance", "none"};
  return names[static_cast<std::size_t>(kind)];
}

const char* name(Worth worth) {
  static constexpr const char* names[] = {"pays", "ruled out", "undecided"};
  return names[static_cast<std::size_t>(worth)];
}

Saving saving(const std::vector<double>& without, const std::vector<double>& with) {
  Saving found;
  bool first = true;
  for (std::size_t i = 0; i < std::min(without.size(), with.size()); ++i) {
    if (!(without[i] > 0) || !std::isfinite(without[i]) || !std::isfinite(with[i])) continue;
    const double saved = 1 - with[i] / without[i];
    if (i == 0) found.expected = saved;
    found.least = first ? saved : std::min(found.least, saved);
    found.most = first ? saved : std::max(found.most, saved);
    first = false;
  }
  return found;
}

Worth worth(const Saving& saving, double threshold) {
  if (saving.least >= threshold) return Worth::pays;
  return saving.most < threshold ? Worth::ruled_out : Worth::undecided;
}

Change change(ChangeKind kind, const std::vector<double>& without, const std::vector<double>& with, double threshold) {
  Change found{.kind = kind, .name = {}, .seconds = with.front(), .saving = saving(without, with)};
  found.worth = worth(found.saving, threshold);
  return found;
}

ChangeKind Advice::what() const {
  const auto expected =
      std::ranges::find_if(helps, [](const Helps& one) { return one.speeds.slowest <= 1 && one.speeds.fastest >= 1; });
  return expected == helps.end() ? ChangeKind::none : expected->what;
}

bool Advice::decided() const {
  return helps.size() == 1 &&
         std::ranges::none_of(changes, [](const Change& one) { return one.worth == Worth::undecided; });
}

const Change* Advice::find(ChangeKind kind) const {
  const auto found = std::ranges::find(changes, kind, &Change::kind);
  return found == changes.end() ? nullptr : &*found;
}

Advice advise(std::vector<ChangedTimes> times, double threshold, bool network_used) {
  Advice advice{.changes = {}, .helps = {}, .threshold = threshold, .network_used = network_used};
  for (const WeighedChange& one : weighed) {
    if (one.of_network && !network_used) continue;
    std::vector<double> without;
    std::vector<double> with;
    for (const ChangedTimes& at : times) {
      without.push_back(at.as_it_is);
      with.push_back(at.*one.seconds);
    }
    advice.changes.push_back(change(one.kind, without, with, threshold));
  }
  std::ranges::stable_sort(times, {}, &ChangedTimes::speed);
  for (Change& one : advice.changes)
    if (one.worth == Worth::undecided)
      one.turn = turn_of(std::ranges::find(weighed, one.kind, &WeighedChange::kind)->seconds, times, threshold);
  for (const ChangedTimes& at : times) {
    const ChangeKind what = helps_most(at, threshold, network_used);
    if (advice.helps.empty() || advice.helps.back().what != what)
      advice.helps.push_back({what, {at.speed, at.speed}});
    else
      advice.helps.back().speeds.fastest = at.speed;
  }
  return advice;
}

} // namespace timeless::analysis
