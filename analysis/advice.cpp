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
constexpr WeighedChange weighed[] = {{ChangeKind::processors, &ChangedTimes::processors, false},
                                     {ChangeKind::processor_step, &ChangedTimes::processor_step, false},
                                     {ChangeKind::bandwidth, &ChangedTimes::bandwidth, true},
                                     {ChangeKind::latency, &ChangedTimes::latency, true},
                                     {ChangeKind::network, &ChangedTimes::network, true},
                                     {ChangeKind::free_network, &ChangedTimes::free_network, true},
                                     {ChangeKind::balance, &ChangedTimes::balance, false}};

double saved(const ChangedTimes& times, double ChangedTimes::*seconds) {
  const TimesAtSpeed one{times.speed, times.as_it_is, times.*seconds};
  return saving(std::span(&one, 1)).expected;
}

/// What of a network helps, and what it saves.
struct NetworkHelp {
  ChangeKind what = ChangeKind::network;
  double saves = 0;
};

NetworkHelp network_help(const ChangedTimes& times) {
  const double latency = saved(times, &ChangedTimes::latency);
  const double bandwidth = saved(times, &ChangedTimes::bandwidth);
  if (2 * std::min(latency, bandwidth) > std::max(latency, bandwidth))
    return {ChangeKind::network, saved(times, &ChangedTimes::network)};
  return latency > bandwidth ? NetworkHelp{ChangeKind::latency, latency}
                             : NetworkHelp{ChangeKind::bandwidth, bandwidth};
}

ChangeKind helps_most(const ChangedTimes& times, double threshold, bool network_used) {
  const double whole_network = network_used ? saved(times, &ChangedTimes::network) : 0;
  const double processors = saved(times, &ChangedTimes::processors);
  const double balance = saved(times, &ChangedTimes::balance);
  if (balance >= std::max(clearly_uneven, threshold) && balance > whole_network) return ChangeKind::balance;
  const NetworkHelp network = network_used ? network_help(times) : NetworkHelp{};
  if (network_used && network.saves >= threshold && network.saves >= processors) return network.what;
  if (processors >= threshold) return ChangeKind::processors;
  if (whole_network >= threshold) return ChangeKind::network;
  return balance >= threshold ? ChangeKind::balance : ChangeKind::none;
}

/// The two neighbouring speeds between which a change begins or ceases to pay; nothing unless that happens once.
std::optional<Change::Switchover> switchover_of(std::vector<TimesAtSpeed> times, double threshold) {
  std::ranges::stable_sort(times, {}, &TimesAtSpeed::speed);
  const auto pays = [&](std::size_t i) { return saving(std::span(&times[i], 1)).expected >= threshold; };
  std::optional<Change::Switchover> found;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (pays(i - 1) == pays(i)) continue;
    if (found) return {};
    found = Change::Switchover{{times[i - 1].speed, times[i].speed}, pays(i)};
  }
  return found;
}

} // namespace

const char* name(ChangeKind kind) {
  static constexpr const char* names[] = {"machine",    "bandwidth",      "latency", "network", "free_network",
                                          "processors", "processor_step", "balance", "none"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_limit(ChangeKind kind) {
  return kind == ChangeKind::free_network || kind == ChangeKind::balance;
}

bool is_of_processors(ChangeKind kind) {
  return kind == ChangeKind::processors || kind == ChangeKind::processor_step;
}

const char* name(Worth worth) {
  static constexpr const char* names[] = {"pays", "ruled out", "undecided"};
  return names[static_cast<std::size_t>(worth)];
}

Saving saving(std::span<const TimesAtSpeed> times) {
  Saving found;
  bool first = true;
  for (const TimesAtSpeed& at : times) {
    if (!(at.without > 0) || !std::isfinite(at.without) || !std::isfinite(at.with)) continue;
    const double saved = 1 - at.with / at.without;
    if (&at == times.data()) found.expected = saved;
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

Change change(ChangeKind kind, const std::vector<TimesAtSpeed>& times, double threshold) {
  Change found{.kind = kind, .name = {}, .seconds = times.front().with, .saving = saving(times)};
  found.threshold = threshold;
  found.worth = worth(found.saving, threshold);
  if (found.worth == Worth::undecided) found.switchover = switchover_of(times, threshold);
  return found;
}

void compare_with_simulation(Change& change, double saved) {
  change.simulated = saved;
  if (change.worth == Worth::undecided || (saved >= change.threshold) == (change.worth == Worth::pays)) return;
  change.worth = Worth::undecided;
  change.contradicted = true;
}

ChangeKind Advice::what() const {
  const auto expected =
      std::ranges::find_if(helps, [](const Helps& one) { return one.speeds.slowest <= 1 && one.speeds.fastest >= 1; });
  return expected == helps.end() ? ChangeKind::none : expected->what;
}

std::vector<SpeedRange> Advice::switchovers() const {
  std::vector<SpeedRange> all;
  for (std::size_t i = 1; i < helps.size(); ++i)
    all.push_back({helps[i - 1].speeds.fastest, helps[i].speeds.slowest});
  for (const Change& one : changes)
    if (one.switchover) all.push_back(one.switchover->between);
  return all;
}

const Change* Advice::find(ChangeKind kind) const {
  const auto found = std::ranges::find(changes, kind, &Change::kind);
  return found == changes.end() ? nullptr : &*found;
}

void Advice::limit_to_recorded_part() {
  recorded_part = true;
  for (Change& one : changes)
    one.recorded_part = true;
}

Advice advise(std::vector<ChangedTimes> times, double threshold, bool network_used) {
  Advice advice{.changes = {}, .helps = {}, .threshold = threshold, .network_used = network_used};
  for (const WeighedChange& one : weighed) {
    if (one.of_network && !network_used) continue;
    std::vector<TimesAtSpeed> of_change;
    for (const ChangedTimes& at : times)
      of_change.push_back({at.speed, at.as_it_is, at.*one.seconds});
    advice.changes.push_back(change(one.kind, of_change, threshold));
  }
  std::ranges::stable_sort(times, {}, &ChangedTimes::speed);
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
