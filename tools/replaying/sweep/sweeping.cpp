#include "tools/replaying/sweep/sweeping.h"

#include "analysis/sufficiency.h"
#include "analysis/sweep/upgrades.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/model_words.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/questions.h"
#include "tools/replaying/rate_range.h"
#include "tools/replaying/sweep/ending_limits.h"
#include "tools/replaying/sweep/grounds.h"
#include "tools/replaying/sweep/swept_machines.h"

#include "base/error.h"
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::SweepPoint;

/// Whether a change leaves the network as it is.
bool only_processors(const analysis::ChangedPoint& changed) {
  SweepPoint after = changed.after;
  after.compute = changed.before.compute;
  return after == changed.before;
}

/// Everything that is asked for as one list of points, replayed, and what came of it.
class Sweeping {
public:
  Sweeping(const trace::Source& source, const SweepRequest& request)
      : source_(source), request_(request), asked_(request.prediction),
        list_(asked_.machine.networks, asked_.platforms) {
    asked_.replay = [this, replay = asked_.replay](const trace::Source& run, const replay::Network& on,
                                                   const replay::ReplayOptions& options) {
      ++replays_;
      configurations_ += on.lanes.size();
      return replay(run, on, options);
    };
  }
  Sweeping(const Sweeping&) = delete;
  Sweeping& operator=(const Sweeping&) = delete;

  SweepPrediction run() {
    require_sense();
    read_changes();
    plan_points();
    place_ranks();
    plan_ranges();
    replay_points();
    take_what_ends();
    answer_.refusal = analysis::nothing_to_judge_by(
        source_.run(),
        std::ranges::max_element(answer_.sweep.configurations, {}, &analysis::SweptConfiguration::makespan)->makespan);
    add_classes();
    add_advice();
    add_crossovers();
    weigh_changes();
    add_upgrades_front();
    add_searches();
    add_notes();
    answer_.sweep.passes = replays_;
    answer_.replayed = configurations_;
    drop_what_is_not_named();
    return std::move(answer_);
  }

private:
  struct RangedPoint {
    std::size_t place = 0;
    std::size_t fastest = 0; ///< the same at the fastest of the rates that are to be expected
    std::size_t slowest = 0;
  };

  void require_sense() const {
    if (asked_.machine.networks.empty() && asked_.platforms.empty()) require_machine(asked_);
    const auto& per_node = request_.axes.ranks_per_node;
    if (per_node != std::vector<std::uint32_t>{0} &&
        (asked_.machine.mapping != "auto" || !asked_.machine.hostfile.empty()))
      throw Error(Failure::usage, "--ranks-per-node and a mapping contradict each other", {}, "give one of them");
  }

  void read_changes() {
    for (const std::string& words : request_.what_if)
      changes_.push_back(parse_change(words, "--what-if"));
    if (!request_.upgrades.empty()) upgrades_ = read_upgrades(request_.upgrades);
    for (const MachineChange& change : changes_)
      list_.add(change);
    for (const PricedUpgrade& upgrade : upgrades_)
      list_.add(upgrade.change);
  }

  /// A machine with the first of each list, unscaled.
  SweepPoint as_it_is(std::size_t machine) const {
    const analysis::SweepAxes& axes = request_.axes;
    return {.machine = machine,
            .ranks_per_node = axes.ranks_per_node.at(0),
            .collectives = axes.collectives.at(0),
            .eager_limit = axes.eager_limits.at(0)};
  }

  ChangedMachine planned(const MachineChange& change, std::size_t machine) {
    const SweepPoint before = as_it_is(machine);
    return {.name = {},
            .words = {},
            .price = {},
            .before = plan_.add(before),
            .after = plan_.add(list_.changed(before, change)),
            .change = {},
            .trust = {}};
  }

  void plan_points() {
    for (const std::size_t machine : list_.asked())
      answer_.machines.push_back(plan_.add(as_it_is(machine)));
    answer_.anchor = answer_.machines.front();
    if (request_.grid) plan_grid();
    for (std::size_t i = 0; i < changes_.size(); ++i)
      for (const std::size_t machine : list_.asked()) {
        answer_.what_if.push_back(planned(changes_[i], machine));
        answer_.what_if.back().words = request_.what_if[i];
      }
    for (const PricedUpgrade& upgrade : upgrades_) {
      ChangedMachine& one = answer_.upgrades.emplace_back(planned(upgrade.change, list_.asked().front()));
      one.name = upgrade.name;
      one.words = upgrade.words;
      one.price = upgrade.price;
    }
    own_points_ = plan_.points().size();
    if (request_.classes) plan_classes();
  }

  void plan_classes() {
    for (const std::size_t place : answer_.grid)
      for (const SweepPoint& point : analysis::classification_points(SweepPoint(plan_.points()[place]))) {
        if (plan_.points().size() == analysis::SweepPlan::most_points)
          throw Error(Failure::usage,
                      fmt::format("{} configurations, and up to {} around each for its class: more than {}",
                                  own_points_, analysis::classification_lane_count, analysis::SweepPlan::most_points),
                      "--classes", "ask for shorter lists, or leave --classes out");
        around_.push_back(plan_.add(point));
      }
  }

  void plan_grid() {
    analysis::SweepAxes axes = request_.axes;
    axes.machines = list_.asked();
    answer_.grid = plan_.add(axes);
  }

  /// Those that an answer is about, which would otherwise seem certain.
  std::set<std::size_t> asked_about() const {
    std::set<std::size_t> places(answer_.machines.begin(), answer_.machines.end());
    for (const std::vector<ChangedMachine>* changed : {&answer_.what_if, &answer_.upgrades})
      for (const ChangedMachine& one : *changed)
        places.insert({one.before, one.after});
    return places;
  }

  void plan_ranges() {
    const SweepPoint& anchor = plan_.points()[answer_.anchor];
    answer_.rates = rate_range(asked_.machine, answer_.basis_of(anchor).compute);
    if (answer_.rates.from.empty()) return;
    const std::set<std::size_t> about = asked_about();
    for (std::size_t place = 0; place < own_points_; ++place) {
      if (!asked_.machine.calibrated && !about.contains(place)) continue;
      plan_range(place);
    }
  }

  void plan_range(std::size_t place) {
    RangedPoint& ranged = ranged_.emplace_back();
    ranged.place = place;
    for (const auto& [factor, planned] :
         {std::pair(answer_.rates.fastest(), &ranged.fastest), std::pair(answer_.rates.slowest(), &ranged.slowest)}) {
      SweepPoint point = plan_.points()[place];
      point.compute *= factor;
      *planned = plan_.add(point);
    }
  }

  void place_ranks() {
    for (const SweepPoint& point : plan_.points()) {
      place_ranks(point);
      if (point.collectives != replay::CollectiveModel::measured) continue;
      const std::string note = collectives_note(answer_.placed_for(point).measured_collectives(point.machine));
      if (std::ranges::find(answer_.notes, note) == answer_.notes.end()) answer_.notes.push_back(note);
    }
  }

  void place_ranks(const SweepPoint& point) {
    if (answer_.placed.contains(point.ranks_per_node)) return;
    PredictionOptions asked = asked_;
    if (point.ranks_per_node > 0) {
      asked.machine.mapping = fmt::format("block:{}", point.ranks_per_node);
      asked.machine.hostfile.clear();
    }
    const auto platforms = answer_.placed.empty() ? nullptr : answer_.placed.begin()->second.platforms();
    answer_.placed.emplace(point.ranks_per_node, PlacedMachines(source_.run(), asked, {}, platforms));
  }

  analysis::Sweep replayed(std::span<const SweepPoint> points, bool keep_ranks) {
    const std::uint64_t actions = total_actions(source_.run());
    Progress progress("sweeping " + asked_.trace, actions * points.size());
    std::uint64_t before = 0; // actions times configurations
    std::uint64_t passed = 0; // actions
    analysis::SweepOptions options{
        .machines = {},
        .share_a_pass = [&](const SweepPoint& one, const SweepPoint& other) { return share_a_pass(one, other); },
        .ranks = static_cast<std::size_t>(source_.run().size),
        .keep_ranks = keep_ranks,
        .one_must_end = answer_.sweep.configurations.empty()}; // else what all are compared with ends
    for (const MachineBasis& basis : answer_.placed.begin()->second.bases())
      options.machines.push_back(basis.name);
    const auto replay = [&](std::span<const SweepPoint> some) {
      replay::ReplayOptions replaying = replay_options(asked_, progress);
      replaying.collectives = some.front().collectives;
      replaying.eager_limit = {}; // the points'
      replaying.incast = false;
      replaying.progress = [&, lanes = some.size()](std::uint64_t done, std::uint64_t) {
        progress.update(before + done * lanes, static_cast<double>(passed + done));
      };
      replay::Result result = asked_.replay(source_, network(some), replaying);
      before += actions * some.size();
      passed += actions;
      return result;
    };
    return analysis::sweep(points, replay, options);
  }

  replay::Network network(std::span<const SweepPoint> points) const {
    std::vector<MachineConfiguration> configurations;
    for (const SweepPoint& point : points)
      configurations.push_back(configuration(point));
    const SweepPoint& first = points.front();
    const PlacedMachines& placed = answer_.placed_for(first);
    replay::Network network = placed.network(source_.run(), configurations);
    if (first.collectives == replay::CollectiveModel::measured)
      network.collectives = placed.measured_collectives(first.machine);
    return network;
  }

  static MachineConfiguration configuration(const SweepPoint& point) {
    return {.machine = point.machine, .scaling = point.scaling(), .eager_limit = point.eager_limit};
  }

  bool share_a_pass(const SweepPoint& one, const SweepPoint& other) const {
    const PlacedMachines& placed = answer_.placed_for(one);
    if (one.collectives == replay::CollectiveModel::measured && one.machine != other.machine &&
        one.collectives == other.collectives &&
        placed.measured_collectives(one.machine) != placed.measured_collectives(other.machine))
      return false;
    return one.ranks_per_node == other.ranks_per_node && one.collectives == other.collectives &&
           placed.share_a_network(configuration(one), configuration(other));
  }

  void replay_points() {
    try {
      answer_.sweep = replayed(plan_.points(), request_.per_rank);
    } catch (const replay::ReplayProblem& problem) { // in every configuration
      const SweepPoint& first = plan_.points()[answer_.machines.front()];
      std::vector<MachineConfiguration> asked;
      for (const std::size_t place : answer_.machines)
        asked.push_back(configuration(plan_.points()[place]));
      Progress progress("searching " + asked_.trace, total_actions(source_.run()));
      throw with_limits(problem, asked, answer_.placed_for(first), source_, searching(first, progress));
    }
    name_from(0);
    take_intervals();
  }

  void name_from(std::size_t first) {
    auto& all = answer_.sweep.configurations;
    for (std::size_t place = first; place < all.size(); ++place)
      all[place].name = swept_name(all[place], request_.axes);
  }

  /// Replays what has been planned since.
  void replay_more() {
    auto& all = answer_.sweep.configurations;
    const std::size_t done = all.size();
    if (plan_.points().size() == done) return;
    std::ranges::move(replayed(std::span(plan_.points()).subspan(done), false).configurations, std::back_inserter(all));
    name_from(done);
  }

  void take_intervals() {
    const auto& all = answer_.sweep.configurations;
    answer_.intervals.resize(all.size());
    for (const RangedPoint& one : ranged_)
      if (!all[one.fastest].deadlock && !all[one.slowest].deadlock)
        answer_.intervals[one.place] = analysis::Interval{all[one.fastest].makespan, all[one.slowest].makespan};
  }

  bool deadlocks(std::size_t place) const { return answer_.of(place).deadlock != nullptr; }

  /// Lets a machine that ends in a deadlock with the first eager limit stand for itself with the first with which it
  /// ends.
  void take_what_ends() {
    change_stand_ins(take_machines_that_end());
    plan_ranges_of_what_ends();
    replay_more();
    take_intervals();
    answer_.anchor = first_that_ends();
  }

  /// Plans a configuration with each of the eager limits that were asked for.
  std::vector<std::size_t> with_each_limit(SweepPoint point) {
    std::vector<std::size_t> places;
    for (const auto& limit : request_.axes.eager_limits) {
      point.eager_limit = limit;
      places.push_back(plan_.add(point));
    }
    return places;
  }

  /// The first of these that ends, if any does.
  std::optional<std::size_t> first_of(std::span<const std::size_t> places) const {
    const auto ends = std::ranges::find_if(places, [this](std::size_t place) { return !deadlocks(place); });
    return ends == places.end() ? std::nullopt : std::optional(*ends);
  }

  /// What stands for a machine: with another eager limit, or another of the other lists.
  std::optional<std::size_t> stand_in(std::size_t machine, std::span<const std::size_t> with_limits) const {
    if (const auto ends = first_of(with_limits)) return ends;
    const SweepPoint& own = answer_.of(machine).point;
    std::vector<std::size_t> others = answer_.grid;
    std::erase_if(others, [&](std::size_t place) {
      const SweepPoint& point = answer_.of(place).point;
      return point.machine != own.machine || point.bandwidth != 1 || point.latency != 1 || point.compute != 1;
    });
    return first_of(others);
  }

  /// Returns what stands for each machine that has another in its place.
  std::map<std::size_t, std::size_t> take_machines_that_end() {
    std::map<std::size_t, std::vector<std::size_t>> limited;
    for (const std::size_t machine : answer_.machines)
      if (deadlocks(machine)) limited.emplace(machine, with_each_limit(SweepPoint(plan_.points()[machine])));
    replay_more();
    std::map<std::size_t, std::size_t> instead;
    for (std::size_t& machine : answer_.machines) {
      if (!deadlocks(machine)) continue;
      const auto ends = stand_in(machine, limited.at(machine));
      if (!ends) continue;
      answer_.notes.push_back(fmt::format("{} ends in a deadlock: pictures of {}, what helps there, what changes of it "
                                          "bring and what it may lose or has to gain are of {}",
                                          answer_.of(machine).name, answer_.basis_of(answer_.of(machine).point).name,
                                          answer_.of(*ends).name));
      instead.emplace(machine, *ends);
      machine = *ends;
    }
    return instead;
  }

  /// Calls with each changed machine, and what changes it.
  template <typename Tell>
  void for_changed(Tell tell) {
    const std::size_t machines = answer_.machines.size();
    for (std::size_t i = 0; i < answer_.what_if.size(); ++i)
      tell(answer_.what_if[i], changes_[i / machines]);
    for (std::size_t i = 0; i < answer_.upgrades.size(); ++i)
      tell(answer_.upgrades[i], upgrades_[i].change);
  }

  /// Changes what stands for a machine, in place of the machine.
  void change_stand_ins(const std::map<std::size_t, std::size_t>& instead) {
    for_changed([&](ChangedMachine& one, const MachineChange& change) {
      const auto other = instead.find(one.before);
      if (other == instead.end()) return;
      one.before = other->second;
      one.after = plan_.add(list_.changed(SweepPoint(plan_.points()[one.before]), change));
    });
    replay_more();
  }

  void plan_ranges_of_what_ends() {
    if (answer_.rates.from.empty()) return;
    for (const std::size_t place : asked_about())
      if (!deadlocks(place) && std::ranges::find(ranged_, place, &RangedPoint::place) == ranged_.end())
        plan_range(place);
  }

  /// Leaves of the configurations those that were asked for, and behind them those that answers name.
  void drop_what_is_not_named() {
    std::map<std::size_t, std::size_t> moved;
    const auto keep = [&](std::size_t& place) {
      if (place >= own_points_) place = moved.emplace(place, own_points_ + moved.size()).first->second;
    };
    keep(answer_.anchor);
    std::ranges::for_each(answer_.machines, keep);
    for_changed([&](ChangedMachine& one, const MachineChange&) {
      keep(one.before);
      keep(one.after);
    });
    std::vector<std::size_t> named(moved.size());
    for (const auto& [from, to] : moved)
      named[to - own_points_] = from;
    analysis::Sweep& sweep = answer_.sweep;
    std::vector<analysis::SweptConfiguration> configurations;
    std::vector<std::optional<analysis::Interval>> intervals;
    for (const std::size_t place : named) {
      configurations.push_back(std::move(sweep.configurations[place]));
      intervals.push_back(answer_.intervals[place]);
    }
    sweep.configurations.resize(own_points_);
    answer_.intervals.resize(own_points_);
    std::ranges::move(configurations, std::back_inserter(sweep.configurations));
    std::ranges::move(intervals, std::back_inserter(answer_.intervals));
  }

  /// Returns the first machine as it is that does not end in a deadlock; else the first configuration that does not,
  /// those with the machines' own figures before others. One there is, or the sweep would have thrown.
  std::size_t first_that_ends() const {
    const auto& all = answer_.sweep.configurations;
    const auto ends = [](const analysis::SweptConfiguration& one) { return !one.deadlock; };
    const auto machine =
        std::ranges::find_if(answer_.machines, [&](std::size_t place) { return ends(answer_.of(place)); });
    if (machine != answer_.machines.end()) return *machine;
    const auto as_it_is = std::ranges::find_if(all, [&](const analysis::SweptConfiguration& one) {
      return ends(one) && one.point.bandwidth == 1 && one.point.latency == 1 && one.point.compute == 1;
    });
    const auto found = as_it_is == all.end() ? std::ranges::find_if(all, ends) : as_it_is;
    return static_cast<std::size_t>(found - all.begin());
  }

  void add_classes() {
    constexpr std::size_t count = analysis::classification_lane_count;
    const std::span<const std::size_t> around(around_);
    for (std::size_t i = 0; i * count < around.size(); ++i)
      answer_.classes.push_back(answer_.refusal.empty()
                                    ? analysis::classification(answer_.sweep, around.subspan(i * count, count))
                                    : std::nullopt);
  }

  std::vector<std::optional<analysis::Advice>> advise(std::span<const std::size_t> places, bool all_rates) {
    std::vector<analysis::AdvisedPoint> where;
    for (const std::size_t place : places) {
      const SweepPoint& point = answer_.of(place).point;
      const MachineBasis& basis = answer_.basis_of(point);
      analysis::AdvisedPoint& one = where.emplace_back();
      one.point = point;
      one.network_used = basis.network_used();
      one.recorded_part = answer_.recorded_part;
      if (all_rates) one.speeds = rate_range(asked_.machine, basis.compute).speeds;
    }
    return analysis::advise(where, request_.worth,
                            [&](std::span<const SweepPoint> points) { return replayed(points, false); });
  }

  void add_advice() {
    answer_.recorded_part = !source_.run().complete();
    answer_.advice.resize(answer_.machines.size());
    answer_.trusts.resize(answer_.machines.size());
    if (request_.classes) answer_.helps.resize(answer_.grid.size());
    if (!answer_.refusal.empty()) return;
    if (request_.advice) answer_.advice = advise(answer_.machines, true);
    if (request_.classes) answer_.helps = advise(answer_.grid, false);
    for (std::size_t i = 0; i < answer_.machines.size(); ++i)
      if (const auto& advice = answer_.advice[i])
        answer_.trusts[i] = analysis::trust(grounds_at(answer_.machines[i], answer_.machines[i]), *advice);
  }

  /// What an answer rests on that compares these configurations.
  analysis::Grounds grounds_at(std::size_t before, std::size_t after) const {
    const analysis::SweptConfiguration& one = answer_.of(before);
    const PlacedMachines& placed = answer_.placed_for(one.point);
    analysis::Grounds found =
        grounds(source_.run(), asked_.machine, rate_range(asked_.machine, answer_.basis_of(one.point).compute),
                one.makespan, one.sensitivity);
    found.left_out = !answer_.sweep.not_modelled.empty();
    found.figures = {placed.figures_of(one.point.machine)};
    const std::size_t other = answer_.of(after).point.machine;
    if (other != one.point.machine) found.figures.push_back(placed.figures_of(other));
    if (request_.further_grounds) request_.further_grounds(found);
    return found;
  }

  /// The network's two parts may be the longest of all.
  bool known(const analysis::Crossover& crossover) const {
    return std::ranges::any_of(answer_.crossovers, [&](const analysis::Crossover& one) {
      return one.at == crossover.at && one.axis == crossover.axis && one.before == crossover.before &&
             one.after == crossover.after;
    });
  }

  /// Along one factor, with the other one and the processors' speed as they are.
  void add_crossovers() {
    for (const auto axis : {analysis::SweepAxis::bandwidth, analysis::SweepAxis::latency}) {
      std::vector<std::size_t> line;
      for (const std::size_t place : answer_.grid) {
        const SweepPoint& point = answer_.of(place).point;
        const double other = axis == analysis::SweepAxis::bandwidth ? point.latency : point.bandwidth;
        if (other == 1 && point.compute == 1) line.push_back(place);
      }
      for (const analysis::PartOf part :
           {&analysis::SweptConfiguration::longest_part, &analysis::SweptConfiguration::longer_network_part})
        for (analysis::Crossover& crossover : analysis::crossovers(answer_.sweep, line, axis, part))
          if (!known(crossover)) answer_.crossovers.push_back(crossover);
    }
    constexpr double near = 1.02;  // what lies between is within a hundredth of either
    constexpr int most_rounds = 8; // where some end in deadlocks, they do not come nearer
    const auto wide = [](const analysis::Crossover& one) { return one.most > one.least * near; };
    for (int round = 0; round < most_rounds && std::ranges::any_of(answer_.crossovers, wide); ++round)
      analysis::narrow(answer_.crossovers, [&](std::span<const SweepPoint> points) { return replayed(points, false); });
  }

  /// A change with its times at the rate that is taken, and at the ends of the range of rates.
  analysis::ChangedPoint weighable(const ChangedMachine& changed) const {
    const analysis::SweptConfiguration& before = answer_.of(changed.before);
    const analysis::SweptConfiguration& after = answer_.of(changed.after);
    analysis::ChangedPoint point{
        .before = before.point, .after = after.point, .speeds = {}, .times = {{1, before.makespan, after.makespan}}};
    const auto& without = answer_.intervals[changed.before];
    const auto& with = answer_.intervals[changed.after];
    if (!without || !with) return point;
    point.speeds = answer_.rates.speeds;
    point.times.push_back({point.speeds.fastest, without->low, with->low});
    point.times.push_back({point.speeds.slowest, without->high, with->high});
    return point;
  }

  void weigh_changes() {
    if (!answer_.refusal.empty()) return;
    std::vector<ChangedMachine*> weighed;
    std::vector<analysis::ChangedPoint> where;
    for (std::vector<ChangedMachine>* list : {&answer_.what_if, &answer_.upgrades})
      for (ChangedMachine& one : *list) {
        if (answer_.of(one.before).deadlock || answer_.of(one.after).deadlock) continue;
        weighed.push_back(&one);
        where.push_back(weighable(one));
      }
    const std::vector<analysis::Change> changes = analysis::weigh(
        where, request_.worth, [&](std::span<const SweepPoint> points) { return replayed(points, false); });
    for (std::size_t i = 0; i < weighed.size(); ++i) {
      ChangedMachine& one = *weighed[i];
      one.change = changes[i];
      one.change->recorded_part = answer_.recorded_part;
      analysis::Change judged = *one.change;
      if (only_processors(where[i])) judged.kind = analysis::ChangeKind::processors;
      one.trust = analysis::trust(grounds_at(one.before, one.after), judged, request_.worth);
    }
  }

  /// The first machine, then with each upgrade, at a speed of the processors.
  std::vector<SweepPoint> upgraded_at(double speed) const {
    std::vector<SweepPoint> points{answer_.of(answer_.upgrades.front().before).point};
    for (const ChangedMachine& one : answer_.upgrades)
      points.push_back(answer_.of(one.after).point);
    for (SweepPoint& point : points)
      point.compute /= speed;
    return points;
  }

  /// Looks at the rates of the range until it is known where which upgrades are on the front.
  analysis::FrontSearch searched_front() {
    std::vector<double> prices;
    for (const ChangedMachine& one : answer_.upgrades)
      prices.push_back(*one.price);
    analysis::FrontSearch search(std::move(prices));
    std::vector<double> speeds{1};
    if (const analysis::SpeedRange& range = answer_.rates.speeds; !answer_.rates.from.empty() && !range.single())
      speeds.insert(speeds.end(), {range.slowest, range.fastest});
    for (; !speeds.empty(); speeds = search.next()) {
      std::vector<SweepPoint> points;
      for (const double speed : speeds)
        std::ranges::copy(upgraded_at(speed), std::back_inserter(points));
      const analysis::Sweep swept = replayed(points, false);
      auto one = swept.configurations.begin();
      for (const double speed : speeds) {
        const analysis::TimeAndSlope before = analysis::time_and_slope(*one++, speed);
        std::vector<analysis::TimeAndSlope> times;
        for (std::size_t i = 0; i < answer_.upgrades.size(); ++i)
          times.push_back(analysis::time_and_slope(*one++, speed));
        search.take(speed, before, std::move(times));
      }
    }
    return search;
  }

  void add_upgrades_front() {
    if (answer_.upgrades.empty() || deadlocks(answer_.upgrades.front().before)) return;
    const analysis::FrontSearch search = searched_front();
    for (std::size_t i = 0; i < answer_.upgrades.size(); ++i) {
      ChangedMachine& one = answer_.upgrades[i];
      one.on_front = search.on_front(i, 1);
      one.beaten_at = search.beaten(i);
      if (!one.on_front_at_some())
        find_better(i);
      else if (one.change && *one.answer() != one.change->worth)
        trust_as(one, *one.answer());
    }
  }

  /// How far to trust that an upgrade is worth a look, where more than its saving decides on that.
  void trust_as(ChangedMachine& one, analysis::Worth worth) {
    analysis::Change judged = *one.change;
    judged.worth = worth;
    one.trust = analysis::trust(grounds_at(one.before, one.after), judged, request_.worth);
  }

  /// What is better than an upgrade that is worth no look at any rate. That answer does not depend on the rate.
  void find_better(std::size_t beaten) {
    ChangedMachine& one = answer_.upgrades[beaten];
    const auto offer = [&](const ChangedMachine& upgrade) {
      return analysis::PricedTime{*upgrade.price, answer_.of(upgrade.after).makespan};
    };
    for (std::size_t i = 0; i < answer_.upgrades.size(); ++i) {
      const analysis::PricedTime other = offer(answer_.upgrades[i]);
      if (!analysis::beats(other, offer(one))) continue;
      if (!one.beaten_by || other.makespan < offer(answer_.upgrades[*one.beaten_by]).makespan) one.beaten_by = i;
    }
    if (one.beaten_by && one.change) trust_as(one, analysis::Worth::ruled_out);
  }

  void add_searches() {
    if (!answer_.refusal.empty() || (request_.break_even.empty() && request_.gain.empty())) return;
    std::vector<double> shrinks;
    for (const double gain : request_.gain)
      shrinks.push_back(-gain);
    Progress progress("searching " + asked_.trace, total_actions(source_.run()));
    for (const std::size_t place : answer_.machines) {
      if (!request_.break_even.empty()) answer_.break_even.push_back(searched(place, request_.break_even, progress));
      if (!shrinks.empty()) answer_.gains.push_back(searched(place, shrinks, progress));
    }
  }

  SearchedMachine searched(std::size_t place, std::span<const double> growths, Progress& progress) const {
    const analysis::SweptConfiguration& machine = answer_.of(place);
    if (machine.deadlock) return {};
    PredictionOptions asked = asked_;
    asked.collectives = machine.point.collectives;
    asked.eager_limit = {};
    SearchedMachine found;
    const auto add = [&](double speed, std::size_t there) {
      SweepPoint point = machine.point;
      point.compute /= speed;
      found.push_back(
          {speed, tolerance(source_, network(std::span(&point, 1)), 0, asked, growths, progress), answer_.of(there)});
    };
    add(1, place);
    if (const auto ranged = std::ranges::find(ranged_, place, &RangedPoint::place); ranged != ranged_.end()) {
      add(answer_.rates.speeds.fastest, ranged->fastest);
      add(answer_.rates.speeds.slowest, ranged->slowest);
    }
    return found;
  }

  void add_note(const std::string& note) {
    if (std::ranges::find(answer_.notes, note) == answer_.notes.end()) answer_.notes.push_back(note);
  }

  /// How a machine that deadlocks is replayed with other eager limits.
  replay::ReplayOptions searching(const SweepPoint& point, Progress& progress) const {
    replay::ReplayOptions options = replay_options(asked_, progress);
    // What was measured of one machine's collectives says nothing of whether messages wait.
    options.collectives =
        point.collectives == replay::CollectiveModel::measured ? replay::CollectiveModel::schedule : point.collectives;
    options.eager_limit = {};
    options.incast = false;
    return options;
  }

  /// With which limit a configuration would end.
  MachineDeadlock deadlock_at(const SweepPoint& point) const {
    Progress progress("searching " + asked_.trace, total_actions(source_.run()));
    return deadlock_on(configuration(point), answer_.placed_for(point), source_, searching(point, progress));
  }

  /// Says that nothing can be said of what ends with no eager limit that was asked for, with which it would, and what
  /// to do.
  void add_deadlock_note(std::size_t place, const std::string& what) {
    const MachineDeadlock found = deadlock_at(answer_.of(place).point);
    std::string note = fmt::format("{} ends in a deadlock: messages above its eager limit of {} wait for receives that "
                                   "come later; ",
                                   answer_.of(place).name, whole_bytes(found.eager_limit));
    if (found.ends_from)
      note += fmt::format("{}{}; ", *found.ends_from == replay::no_eager_limit ? "" : "it ",
                          ending_limit_words(*found.ends_from));
    note += fmt::format("what {} would bring cannot be said", what);
    if (found.ends_from && request_.axes.eager_limits.size() == 1)
      note += fmt::format(": give several, as --eager-limit {}none, and the first with which it ends stands for it",
                          *found.ends_from == replay::no_eager_limit ? "64KiB," : fmt::format("{},", *found.ends_from));
    add_note(note);
  }

  void add_notes() {
    const auto add = [&](const std::string& note) { add_note(note); };
    if (const std::string made = extrapolation_words(source_.run()); !made.empty()) add(made);
    for (const auto& [ranks_per_node, machines] : answer_.placed) {
      std::ranges::for_each(machines.notes(), add);
      std::ranges::for_each(rates_notes(asked_.machine, machines.bases()), add);
      std::ranges::for_each(message_notes(source_, machines.bases()), add);
    }
    std::ranges::for_each(answer_.sweep.notes, add);
    const bool searched = !answer_.break_even.empty() || !answer_.gains.empty();
    if (searched && !asked_.platforms.empty()) add(platform_costs_note);
    for (const std::size_t place : answer_.machines)
      if (deadlocks(place)) add_deadlock_note(place, "changes of it");
    for_changed([&](const ChangedMachine& one, const MachineChange&) {
      if (!deadlocks(one.before) && deadlocks(one.after))
        add_deadlock_note(one.after, fmt::format("\"{}\"", one.words));
    });
  }

  const trace::Source& source_;
  const SweepRequest& request_;
  PredictionOptions asked_; ///< with the machines that changes name, too
  SweptMachines list_;
  std::vector<MachineChange> changes_;
  std::vector<PricedUpgrade> upgrades_;
  analysis::SweepPlan plan_;
  std::size_t replays_ = 0;         ///< those that searches make, too
  std::size_t configurations_ = 0;  ///< of all of them
  std::size_t own_points_ = 0;      ///< what is asked for; behind them is what answers need beside
  std::vector<std::size_t> around_; ///< 21 for each of the grid's
  std::vector<RangedPoint> ranged_;
  SweepPrediction answer_;
};

} // namespace

namespace {

/// Returns ranges by rising speed, those that overlap as one.
std::vector<analysis::BeatenRange> united(std::vector<analysis::BeatenRange> ranges) {
  constexpr double most = std::numeric_limits<double>::infinity();
  const auto from = [](const analysis::BeatenRange& one) { return one.from ? one.from->slowest : 0; };
  const auto to = [](const analysis::BeatenRange& one) { return one.to ? one.to->fastest : most; };
  std::ranges::stable_sort(ranges, {}, from);
  std::vector<analysis::BeatenRange> all;
  for (const analysis::BeatenRange& one : ranges)
    if (all.empty() || from(one) > to(all.back()))
      all.push_back(one);
    else if (to(one) > to(all.back()))
      all.back().to = one.to;
  return all;
}

bool whole(const std::vector<analysis::BeatenRange>& ranges) {
  return ranges.size() == 1 && !ranges.front().from && !ranges.front().to;
}

} // namespace

bool ChangedMachine::on_front_at_some() const {
  return !whole(beaten_at);
}

std::vector<analysis::BeatenRange> ChangedMachine::no_choice_at() const {
  if (change->worth != analysis::Worth::undecided) return beaten_at;
  if (!change->switchover) return {};
  std::vector<analysis::BeatenRange> ranges = beaten_at;
  const analysis::SpeedRange& turn = change->switchover->between;
  ranges.push_back(change->switchover->pays_above ? analysis::BeatenRange{{}, turn} : analysis::BeatenRange{turn, {}});
  return united(std::move(ranges));
}

std::optional<Look> ChangedMachine::look() const {
  using analysis::Worth;
  if (!change) return {};
  if (change->worth == Worth::ruled_out) return change->saving.most < 0 ? Look::slower : Look::saves_too_little;
  if (!on_front_at_some()) return Look::beaten;
  if (on_front_at_all()) return change->worth == Worth::pays ? Look::pays : Look::saving_depends;
  if (change->worth == Worth::pays) return Look::front_depends;
  return whole(no_choice_at()) ? Look::saves_too_little_or_beaten : Look::both_depend;
}

std::optional<analysis::Worth> ChangedMachine::answer() const {
  using analysis::Worth;
  if (!change || !price) return change ? std::optional(change->worth) : std::nullopt;
  const Look found = *look();
  if (found == Look::pays) return Worth::pays;
  return found < Look::pays ? Worth::ruled_out : Worth::undecided;
}

double SweepPrediction::speedup(const analysis::SweptConfiguration& one) const {
  return one.makespan > 0 ? of(anchor).makespan / one.makespan : 1;
}

SweepPrediction sweep(const trace::Source& source, const SweepRequest& request) {
  return Sweeping(source, request).run();
}

} // namespace timeless::tools
