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
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace timeless::replay {

namespace {

/// Lanes begin <= lane < end.
struct LaneRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<LaneRange> cut(std::size_t lanes, std::size_t parts) {
  const std::size_t groups = (lanes + lane_group - 1) / lane_group;
  parts = std::clamp<std::size_t>(parts, 1, groups);
  std::vector<LaneRange> all;
  for (std::size_t number = 0; number < parts; ++number)
    all.push_back({number * groups / parts * lane_group, std::min((number + 1) * groups / parts * lane_group, lanes)});
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
std::size_t attribution_bytes(const ReplayOptions& options, std::size_t all_lanes, const LaneRange& part) {
  const auto part_bytes = [&](std::size_t lanes) {
    return Attributor::part_bytes(padded_lanes(lanes + (options.ideal ? 1 : 0)));
  };
  return options.attribution_bytes / part_bytes(all_lanes) * part_bytes(part.end - part.begin);
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
  // What was played for some lanes was not saved.
  if (more.steady && more.steady->actions < result.steady->actions) result.steady = more.steady;
  for (std::string& note : more.notes)
    if (std::ranges::find(result.notes, note) == result.notes.end()) result.notes.push_back(std::move(note));
}

/// An observer of the part that holds its lane.
class PartObserver : public Observer {
public:
  PartObserver(Observer& observer, std::size_t lane) : observer_(observer), lane_(lane) {}
  std::size_t lane(std::span<const std::string> /*lanes*/) override { return lane_; }
  void begin(const trace::Run& run) override { observer_.begin(run); }
  void start(trace::Rank rank, double seconds) override { observer_.start(rank, seconds); }
  void observe(const ObservedAction& action) override { observer_.observe(action); }

private:
  Observer& observer_;
  std::size_t lane_; ///< in the part
};

/// Returns true when senders may wait in some lanes and not in others.
bool lanes_differ_in_what_they_do(const Network& network, const ReplayOptions& options) {
  const auto limits = eager_limits(network, options);
  return std::ranges::adjacent_find(limits, std::ranges::not_equal_to()) != limits.end();
}

} // namespace

std::size_t worthwhile_partitions(std::size_t lanes, std::uint64_t actions, std::size_t hardware_threads) {
  constexpr std::size_t least_lanes = 64;
  // Some milliseconds of work.
  constexpr std::uint64_t least_steps = std::uint64_t{1} << 24U;
  if (actions < least_steps / std::max<std::size_t>(lanes, 1)) return 1;
  return std::clamp<std::size_t>(lanes / least_lanes, 1, std::max<std::size_t>(hardware_threads, 1));
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

Result replay_together(const trace::Source& source, const Network& network, const ReplayOptions& options) {
  if (options.jumps == Jumps::none) return replay_once(source, network, options);
  ReplayOptions other = options;
  std::string why;
  try {
    return replay_once(source, network, options);
  } catch (const NoSteadyStates& found) {
    if (options.iterations > 0)
      throw Error(Failure::invalid_input, "iterations cannot be added", "",
                  found.why.empty() ? "the run does not end well: replay it without --iterations to see why"
                                    : found.why);
    why = found.why;
    other.jumps = why.empty() ? Jumps::dry : Jumps::none;
  } catch (const Error&) {
    // Where ranks stand is to be told without jumps.
    if (options.jumps == Jumps::dry || options.iterations > 0) throw;
    other.jumps = Jumps::dry;
  }
  Result result = replay_together(source, network, other);
  if (options.jumps == Jumps::taken)
    result.steady =
        SteadyReport{.actions = 0, .loops = {}, .played_since = {why.empty() ? "the run does not end" : why}};
  return result;
}

namespace {

/// Replays each part, as many of them at a time as there are workers. What a part throws goes to `failed`; true from
/// there, and the other parts are abandoned.
std::vector<Result> replay_parts(const trace::Source& source, const Network& network, const ReplayOptions& options,
                                 const std::vector<LaneRange>& all, std::size_t workers,
                                 const std::function<bool(std::size_t, std::exception_ptr)>& failed) {
  std::vector<Result> results(all.size());
  SharedProgress progress(options, all.size());
  const std::size_t observed = options.observer == nullptr ? 0 : options.observer->lane(lane_names(network));
  const auto replay_part = [&](std::size_t number) {
    try {
      const Network part = lanes_of(network, all[number].begin, all[number].end);
      ReplayOptions own = options;
      own.attribution_bytes = attribution_bytes(options, network.lanes.size(), all[number]);
      own.progress = [&progress, number](std::uint64_t done, std::uint64_t total) {
        progress.update(number, done, total);
      };
      std::optional<PartObserver> observer;
      own.observer = nullptr;
      if (options.observer != nullptr && all[number].begin <= observed && observed < all[number].end)
        own.observer = &observer.emplace(*options.observer, observed - all[number].begin);
      results[number] = replay_together(source, part, own);
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

Result unite(std::vector<Result> results) {
  Result result = std::move(results.front());
  for (std::size_t number = 1; number < results.size(); ++number)
    append(result, std::move(results[number]));
  return result;
}

/// Returns what is said of the run by `ended`, and that this lane does not end.
Result stuck(const Result& ended, std::string lane, std::shared_ptr<const Diagnosis> why) {
  Result result;
  result.actions = ended.actions;
  result.attribution = {.by = ended.attribution.by, .calls = ended.attribution.calls, .parts = {}};
  result.not_modelled = ended.not_modelled;
  LaneResult& one = result.lanes.emplace_back();
  one.name = std::move(lane);
  one.makespan = std::numeric_limits<double>::infinity();
  one.deadlock = std::move(why);
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
  const std::vector<LaneRange> all = cut(network.lanes.size(), parts);
  std::vector<std::exception_ptr> problems(all.size());
  std::vector<Result> results =
      replay_parts(source, network, options, all, all.size(), [&](std::size_t number, std::exception_ptr problem) {
        problems[number] = std::move(problem);
        return true;
      });
  const auto problem = std::ranges::find_if(problems, [](const auto& one) { return one != nullptr; });
  if (problem == problems.end()) return unite(std::move(results));
  if (!lanes_differ_in_what_they_do(network, options)) std::rethrow_exception(*problem);
  // What ends one lane may not end the others, and what is met first may not be what all together meet first.
  try {
    std::rethrow_exception(*problem);
  } catch (const Error&) {
    return replay_together(source, network, options);
  }
}

Result replay_one_by_one(const trace::Source& source, const Network& network, const ReplayOptions& options,
                         std::size_t threads) {
  std::vector<LaneRange> all;
  for (std::size_t lane = 0; lane < network.lanes.size(); ++lane)
    all.push_back({lane, lane + 1});
  std::vector<std::exception_ptr> problems(all.size());
  std::vector<std::shared_ptr<const Diagnosis>> deadlocks(all.size());
  std::vector<Result> results = replay_parts(source, network, options, all, std::min(threads, all.size()),
                                             [&](std::size_t lane, std::exception_ptr problem) {
                                               try {
                                                 std::rethrow_exception(problem);
                                               } catch (const ReplayProblem& why) {
                                                 deadlocks[lane] = std::make_shared<const Diagnosis>(why.diagnosis());
                                               } catch (...) {
                                                 problems[lane] = std::move(problem);
                                               }
                                               return problems[lane] != nullptr;
                                             });
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
  const auto ended = std::ranges::find(deadlocks, nullptr);
  if (ended == deadlocks.end()) {
    // Where the lane with the largest limit does not end either, none would: what it says is the least special.
    const auto limits = eager_limits(network, options);
    const auto lane = static_cast<std::size_t>(std::ranges::max_element(limits) - limits.begin());
    throw ReplayProblem(*deadlocks[lane]);
  }
  deadlocks = united(std::move(deadlocks));
  const Result& like = results[static_cast<std::size_t>(ended - deadlocks.begin())];
  for (std::size_t lane = 0; lane < all.size(); ++lane)
    if (deadlocks[lane]) results[lane] = stuck(like, network.lanes[lane].name, deadlocks[lane]);
  return unite(std::move(results));
}

} // namespace timeless::replay
