#include "replay/lane_partition.h"

#include "base/error.h"
#include "replay/engine/clocks/eager_limits.h"
#include "replay/engine/engine.h"
#include "replay/engine/explanation/attribution.h"
#include "replay/network/variations.h"
#include "replay/result/observer.h"
#include "replay/result/problem.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace timeless::replay {

namespace {

std::vector<Lanes> cut(std::size_t lanes, std::size_t parts) {
  const std::size_t groups = (lanes + lane_group - 1) / lane_group;
  parts = std::clamp<std::size_t>(parts, 1, groups);
  std::vector<Lanes> all(parts);
  for (std::size_t number = 0; number < parts; ++number)
    for (std::size_t lane = number * groups / parts * lane_group;
         lane < std::min((number + 1) * groups / parts * lane_group, lanes); ++lane)
      all[number].push_back(lane);
  return all;
}

/// Another part has failed, so nobody will want this one.
struct Abandoned {};

/// Tells how far all parts are, and ends the others when one has failed.
///
/// The parts' threads call every member, at any time. `mutex_` guards what is behind it, and is held during a call of
/// the caller's function: so that is called by one thread at a time, with rising numbers.
class SharedProgress {
public:
  SharedProgress(const ReplayOptions& options, std::size_t parts) : tell_(options.progress), done_(parts) {}

  void update(std::size_t part, std::uint64_t done, std::uint64_t total) {
    if (failed_) throw Abandoned{};
    if (!tell_) return;
    const std::lock_guard lock(mutex_);
    total_ = total;
    done_[part] = std::max(done_[part], done); // a part may begin anew
    tell();
  }
  void fail() { failed_ = true; }
  /// Notes that nobody waits for this part any more.
  void leave(std::size_t part) {
    const std::lock_guard lock(mutex_);
    done_[part] = total_;
  }

private:
  /// Tells the actions that parts have done on average, where these are more than before.
  void tell() {
    const std::uint64_t now = std::accumulate(done_.begin(), done_.end(), std::uint64_t{0}) / done_.size();
    if (told_ && now <= *told_) return;
    told_ = now;
    tell_(now, total_);
  }

  const std::function<void(std::uint64_t, std::uint64_t)>& tell_;
  std::mutex mutex_;
  std::vector<std::uint64_t> done_;
  std::uint64_t total_ = 0;
  std::optional<std::uint64_t> told_;
  std::atomic<bool> failed_ = false;
};

/// Returns the memory of a part's division, counted as if all lanes stood together, so that the same parts find room.
std::size_t attribution_bytes(const ReplayOptions& options, std::size_t all_lanes, std::size_t lanes_of_part) {
  const auto part_bytes = [&](std::size_t lanes) {
    return Attributor::part_bytes(options, padded_lanes(lanes + (options.ideal ? 1 : 0)));
  };
  return options.attribution_bytes / part_bytes(all_lanes) * part_bytes(lanes_of_part);
}

/// Appends the lanes of `more`. A part may be in one of them only, where the other's lanes have nothing in it.
void append(std::vector<AttributedTimes>& parts, std::vector<AttributedTimes>&& more, std::size_t lanes,
            std::size_t more_lanes) {
  const auto place = [](const AttributedTimes& part) { return std::pair(part.rank, part.subject); };
  std::vector<AttributedTimes> all;
  auto left = parts.begin();
  auto right = more.begin();
  while (left != parts.end() || right != more.end()) {
    const bool in_left = left != parts.end() && (right == more.end() || place(*left) <= place(*right));
    const bool in_right = right != more.end() && (left == parts.end() || place(*right) <= place(*left));
    AttributedTimes& part = all.emplace_back(std::move(in_left ? *left : *right));
    std::vector<RankTimes> added(more_lanes);
    if (in_right) added = in_left ? std::move(right->lanes) : std::exchange(part.lanes, std::vector<RankTimes>(lanes));
    std::ranges::move(added, std::back_inserter(part.lanes));
    left += in_left ? 1 : 0;
    right += in_right ? 1 : 0;
  }
  parts = std::move(all);
}

/// Appends the lanes of `more` to those of `result`; what a run is by itself is the same in both.
void append(Result& result, Result&& more) {
  append(result.attribution.parts, std::move(more.attribution.parts), result.lanes.size(), more.lanes.size());
  std::ranges::move(more.lanes, std::back_inserter(result.lanes));
  result.order_matters = result.order_matters || more.order_matters;
  if (!result.steady)
    result.steady = more.steady;
  else if (more.steady)
    result.steady->add(*more.steady);
  for (std::string& note : more.notes)
    if (std::ranges::find(result.notes, note) == result.notes.end()) result.notes.push_back(std::move(note));
}

/// An observer of the part that holds its lane.
class PartObserver : public Observer {
public:
  PartObserver(Observer& observer, std::size_t lane) : observer_(observer), lane_(lane) {}
  std::size_t lane(std::span<const std::string> /*lanes*/) override { return lane_; }
  TimeWindow window() const override { return observer_.window(); }
  void begin(const trace::Run& run) override { observer_.begin(run); }
  void start(trace::Rank rank, double seconds) override { observer_.start(rank, seconds); }
  void leave_out() override { observer_.leave_out(); }
  void observe(const ObservedAction& action) override { observer_.observe(action); }

private:
  Observer& observer_;
  std::size_t lane_; ///< in the part
};

} // namespace

std::size_t worthwhile_partitions(std::size_t lanes, std::uint64_t actions, std::size_t hardware_threads) {
  constexpr std::size_t least_lanes = 64;
  // Some milliseconds of work.
  constexpr std::uint64_t least_steps = std::uint64_t{1} << 24U;
  if (actions < least_steps / std::max<std::size_t>(lanes, 1)) return 1;
  return std::clamp<std::size_t>(lanes / least_lanes, 1, std::max<std::size_t>(hardware_threads, 1));
}

LaneResult stuck_lane(std::string name, std::shared_ptr<const Diagnosis> why) {
  LaneResult lane;
  lane.name = std::move(name);
  lane.makespan = std::numeric_limits<double>::infinity();
  lane.deadlock = std::move(why);
  return lane;
}

void take_run(Result& stuck, const Result& ended) {
  stuck.actions = ended.actions;
  stuck.attribution = {.by = ended.attribution.by, .calls = ended.attribution.calls, .parts = {}};
  stuck.not_modelled = ended.not_modelled;
}

namespace {

Result replay_once(const trace::Source& source, const Network& network, const ReplayOptions& options) {
  try {
    return Engine(source, network, options).run();
  } catch (const NeedsFullPath&) {
    return Engine(source, network, options, nullptr, true).run();
  }
}

} // namespace

ReplayLanes together(const trace::Source& source) {
  return [&source](const Network& network, const ReplayOptions& options) {
    return replay_together(source, network, options);
  };
}

Result replay_together(const trace::Source& source, const Network& network, const ReplayOptions& options) {
  if (options.jumps == Jumps::none) return replay_once(source, network, options);
  NoSteadyStates found;
  try {
    return replay_once(source, network, options);
  } catch (const LanesApart& apart) {
    return replay_apart(network, options, apart.groups, 1, together(source));
  } catch (const NoSteadyStates& why) {
    found = why;
  } catch (const Error&) {
    // Where ranks stand is to be told without jumps.
    if (options.jumps == Jumps::dry || options.iterations > 0) throw;
  }
  Result result = replay_together(source, network, found.without_jumps(options));
  if (options.jumps == Jumps::taken) result.steady = found.report();
  return result;
}

namespace {

/// Replays each part, as many of them at a time as there are workers. What a part throws goes to `failed`; true from
/// there, and the other parts are abandoned.
std::vector<Result> replay_parts(const Network& network, const ReplayOptions& options, const std::vector<Lanes>& all,
                                 std::size_t workers, const ReplayLanes& replay,
                                 const std::function<bool(std::size_t, std::exception_ptr)>& failed) {
  std::vector<Result> results(all.size());
  SharedProgress progress(options, all.size());
  const std::size_t observed = options.observer == nullptr ? 0 : options.observer->lane(lane_names(network));
  const auto replay_part = [&](std::size_t number) {
    try {
      const Network part = lanes_of(network, all[number]);
      ReplayOptions own = options;
      own.attribution_bytes = attribution_bytes(options, network.lanes.size(), all[number].size());
      own.progress = [&progress, number](std::uint64_t done, std::uint64_t total) {
        progress.update(number, done, total);
      };
      std::optional<PartObserver> observer;
      own.observer = nullptr;
      const auto place = std::ranges::find(all[number], observed);
      if (options.observer != nullptr && place != all[number].end())
        own.observer = &observer.emplace(*options.observer, static_cast<std::size_t>(place - all[number].begin()));
      results[number] = replay(part, own);
    } catch (const Abandoned&) {
    } catch (...) {
      progress.leave(number);
      if (failed(number, std::current_exception())) progress.fail();
    }
  };
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t number = next++; number < all.size(); number = next++)
      replay_part(number);
  };
  std::vector<std::jthread> threads;
  try {
    while (threads.size() + 1 < workers)
      threads.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads are to be had: those that there are do it all.
  }
  work();
  threads.clear();
  return results;
}

/// Puts what was listed part by part where its lanes are.
template <typename OfLane>
void put_in_place(std::vector<OfLane>& listed, const std::vector<Lanes>& parts) {
  std::vector<OfLane> lanes(listed.size());
  std::size_t next = 0;
  for (const Lanes& part : parts)
    for (const std::size_t lane : part)
      lanes[lane] = std::move(listed[next++]);
  listed = std::move(lanes);
}

/// Puts the parts' lanes where they were.
Result unite(std::vector<Result> results, const std::vector<Lanes>& parts) {
  const auto first = std::ranges::find_if(parts, [](const Lanes& lanes) { return lanes.front() == 0; });
  const auto incast = results[static_cast<std::size_t>(first - parts.begin())].incast;
  Result result = std::move(results.front());
  result.incast = incast;
  for (std::size_t number = 1; number < results.size(); ++number)
    append(result, std::move(results[number]));
  put_in_place(result.lanes, parts);
  for (AttributedTimes& part : result.attribution.parts)
    put_in_place(part.lanes, parts);
  return result;
}

/// Returns what is said of the run by `ended`, and that these lanes do not end.
Result stuck(const Result& ended, const Network& network, const Lanes& lanes,
             const std::shared_ptr<const Diagnosis>& why) {
  Result result;
  take_run(result, ended);
  result.incast = ended.incast;
  for (const std::size_t lane : lanes)
    result.lanes.push_back(stuck_lane(network.lanes[lane].name, why));
  return result;
}

/// Gives lanes that are stuck for the same reason the same diagnosis.
std::vector<std::shared_ptr<const Diagnosis>> united(std::vector<std::shared_ptr<const Diagnosis>> all) {
  std::map<std::string, std::shared_ptr<const Diagnosis>> known;
  for (auto& one : all)
    if (one) one = known.try_emplace(text(*one), one).first->second;
  return all;
}

} // namespace

Result replay_partitioned(const trace::Source& source, const Network& network, const ReplayOptions& options,
                          std::size_t parts) {
  const std::vector<Lanes> all = cut(network.lanes.size(), parts);
  std::vector<std::exception_ptr> problems(all.size());
  std::vector<Result> results = replay_parts(network, options, all, all.size(), together(source),
                                             [&](std::size_t number, std::exception_ptr problem) {
                                               problems[number] = std::move(problem);
                                               return true;
                                             });
  const auto problem = std::ranges::find_if(problems, [](const auto& one) { return one != nullptr; });
  if (problem == problems.end()) return unite(std::move(results), all);
  if (all_equal(eager_limits(network, options))) std::rethrow_exception(*problem);
  // What ends one lane may not end the others, and what is met first may not be what all together meet first.
  try {
    std::rethrow_exception(*problem);
  } catch (const Error&) {
    return replay_together(source, network, options);
  }
}

std::vector<Lanes> each_alone(const Network& network) {
  std::vector<Lanes> all;
  for (std::size_t lane = 0; lane < network.lanes.size(); ++lane)
    all.push_back({lane});
  return all;
}

std::vector<Lanes> apart_for_jumps(const Network& network, const ReplayOptions& options) {
  if (options.jumps == Jumps::none || !why_every_action(options).empty()) return {};
  const std::vector<EagerLimits> limits = eager_limits(network, options);
  std::map<EagerLimits, Lanes> by_limits;
  for (std::size_t lane = 0; lane < limits.size(); ++lane)
    by_limits[limits[lane]].push_back(lane);
  if (by_limits.size() < 2) return {};
  std::vector<Lanes> all;
  std::ranges::move(std::views::values(by_limits), std::back_inserter(all));
  return all;
}

Result replay_apart(const Network& network, const ReplayOptions& options, const std::vector<Lanes>& groups,
                    std::size_t threads, const ReplayLanes& replay) {
  std::vector<std::exception_ptr> problems(groups.size());
  std::vector<std::shared_ptr<const Diagnosis>> deadlocks(groups.size());
  std::vector<Result> results = replay_parts(network, options, groups, std::min(threads, groups.size()), replay,
                                             [&](std::size_t group, std::exception_ptr problem) {
                                               try {
                                                 std::rethrow_exception(problem);
                                               } catch (const ReplayProblem& why) {
                                                 deadlocks[group] = std::make_shared<const Diagnosis>(why.diagnosis());
                                               } catch (...) {
                                                 problems[group] = std::move(problem);
                                               }
                                               return problems[group] != nullptr;
                                             });
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
  const auto ended = std::ranges::find(deadlocks, nullptr);
  if (ended == deadlocks.end()) {
    // Where the lane with the largest limit does not end either, none would: what it says is the least special.
    const auto limits = eager_limits(network, options);
    const auto lane = static_cast<std::size_t>(std::ranges::max_element(limits) - limits.begin());
    const auto group =
        std::ranges::find_if(groups, [&](const Lanes& lanes) { return std::ranges::find(lanes, lane) != lanes.end(); });
    throw ReplayProblem(*deadlocks[static_cast<std::size_t>(group - groups.begin())]);
  }
  deadlocks = united(std::move(deadlocks));
  const Result& like = results[static_cast<std::size_t>(ended - deadlocks.begin())];
  for (std::size_t group = 0; group < groups.size(); ++group)
    if (deadlocks[group]) results[group] = stuck(like, network, groups[group], deadlocks[group]);
  return unite(std::move(results), groups);
}

} // namespace timeless::replay
