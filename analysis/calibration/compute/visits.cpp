#include "analysis/calibration/compute/visits.h"

#include "analysis/calibration/compute/bursts.h"

#include "base/error.h"
#include "base/escaping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::KernelId;
using trace::traits;

/// Two runs differ in calls that depend on time.
struct Reordered {};

/// The first call that differs.
struct Difference {
  trace::Rank rank;
  std::uint64_t action;
  std::string what;

  std::string where() const { return fmt::format("rank {}, action {}", rank, action); }
};

[[noreturn]] void differ(trace::Rank rank, std::uint64_t action, const std::string& what) {
  throw Difference{rank, action, what};
}

/// "Send of 8 bytes to 1, tag 0".
std::string described(const Action& action) {
  std::string text = mpi_name(action);
  if (action.bytes > 0) text += fmt::format(" of {} bytes", action.bytes);
  if (action.peer >= 0) text += fmt::format(", rank {}", action.peer);
  if (action.tag > 0) text += fmt::format(", tag {}", action.tag);
  if (names_communicator(action.kind) && action.communicator != trace::world_communicator)
    text += fmt::format(", communicator {}", action.communicator);
  return text;
}

bool same_call(const Action& one, const Action& other) {
  if (one.kind != other.kind || one.communicator != other.communicator || one.mode != other.mode) return false;
  if (family(one.kind) == trace::ActionFamily::completion) return true;
  if (one.element_bytes != other.element_bytes || one.receive_bytes != other.receive_bytes) return false;
  if (((one.flags | other.flags) & trace::flag_wildcard) != 0 || exchanges_messages(one.kind)) return true;
  const bool receives = one.kind == trace::ActionKind::receive;
  return one.peer == other.peer && one.tag == other.tag && (receives || one.bytes == other.bytes) &&
         std::ranges::equal(one.counts, other.counts) && std::ranges::equal(one.receive_counts, other.receive_counts);
}

/// Whether two places are one place of one build.
bool same_place(const trace::Run& run, const trace::CallSite& site, const trace::Run& other_run,
                const trace::CallSite& other) {
  if (site.offset != other.offset) return false;
  if (site.module >= run.modules.size() || other.module >= other_run.modules.size())
    return site.module >= run.modules.size() && other.module >= other_run.modules.size();
  const trace::Module& module = run.modules[site.module];
  const trace::Module& its = other_run.modules[other.module];
  if (!module.build_id.empty() && !its.build_id.empty()) return module.build_id == its.build_id;
  return std::filesystem::path(module.path).filename() == std::filesystem::path(its.path).filename();
}

/// Which kernels of the times' run are which of the volumes' run: each is looked at once.
class VisitPairs {
public:
  VisitPairs(const trace::Run& volumes, const trace::Run& times)
      : volumes_(volumes), times_(times), pairs_(times.kernels.size(), trace::no_kernel) {}

  bool same(KernelId of_volumes, KernelId of_times) {
    if (of_volumes >= volumes_.kernels.size() || of_times >= times_.kernels.size()) return of_volumes == of_times;
    if (pairs_[of_times] == of_volumes) return true;
    const trace::Kernel& kernel = volumes_.kernels[of_volumes];
    const trace::Kernel& its = times_.kernels[of_times];
    if (!same_place(volumes_, kernel.begin, times_, its.begin) || !same_place(volumes_, kernel.end, times_, its.end))
      return false;
    pairs_[of_times] = of_volumes;
    return true;
  }

private:
  const trace::Run& volumes_;
  const trace::Run& times_;
  std::vector<KernelId> pairs_;
};

/// Whose volumes and times a visit has.
class Meter {
public:
  /// `least`: what the shortest computation of a launch with both took, in nanoseconds.
  Meter(const trace::Run& times, std::uint64_t least) : both_(has_both(times)), least_(least) {}

  static bool has_both(const trace::Run& times) { return times.counter.unit != trace::VolumeUnit::nanoseconds; }

  Visit visit(const Burst& counted, const Burst& timed) const {
    if (!both_)
      return {.volume = static_cast<double>(counted.volume), .seconds = static_cast<double>(timed.volume) * 1e-9};
    const std::uint64_t nanoseconds = timed.nanoseconds - std::min(timed.nanoseconds, least_);
    return {.volume = static_cast<double>(timed.volume), .seconds = static_cast<double>(nanoseconds) * 1e-9};
  }

private:
  bool both_;
  std::uint64_t least_;
};

std::uint64_t shortest(const trace::Source& times) {
  if (!Meter::has_both(times.run())) return 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const trace::RankRecord& record : times.run().ranks)
    for (BurstReader reader(times, record.rank); reader.next();)
      if (reader.burst().nanoseconds > 0) least = std::min(least, reader.burst().nanoseconds);
  return least;
}

/// `pairs` may be null: then places are not compared. Throws a Difference, or Reordered where only a join by kernel is
/// possible.
void require_same_calls(const trace::Source& volumes, const trace::Source& times, trace::Rank rank, VisitPairs* pairs) {
  BurstReader counted(volumes, rank);
  BurstReader timed(times, rank);
  for (;;) {
    const bool more = counted.next();
    const std::uint64_t at = counted.ordinal();
    if (more != timed.next())
      differ(rank, at,
             more ? fmt::format("it ends where {} was recorded", described(counted.action()))
                  : fmt::format("{} comes where the recording ends", described(timed.action())));
    if (!more) return;
    if (!same_call(counted.action(), timed.action())) {
      if (traits(counted.action().kind).by_chance || traits(timed.action().kind).by_chance) throw Reordered{};
      differ(rank, at, fmt::format("{} instead of {}", described(timed.action()), described(counted.action())));
    }
    const KernelId kernel = counted.burst().kernel;
    const KernelId its = timed.burst().kernel;
    if (pairs != nullptr && kernel != trace::no_kernel && its != trace::no_kernel && !pairs->same(kernel, its))
      differ(rank, at,
             fmt::format("{} is called from another place of the program, or of another build",
                         described(counted.action())));
  }
}

/// The rank makes the same calls in both.
void join_rank(const trace::Source& volumes, const trace::Source& times, trace::Rank rank, const Meter& meter,
               JoinedLaunch& launch) {
  BurstReader counted(volumes, rank);
  BurstReader timed(times, rank);
  RankSums& sums = launch.ranks.emplace_back();
  while (counted.next() && timed.next()) {
    const Burst& burst = counted.burst();
    if (burst.kernel == trace::no_kernel) continue;
    const Visit visit = meter.visit(burst, timed.burst());
    launch.kernels.at(burst.kernel).add(visit);
    sums.volume += visit.volume;
    sums.seconds += visit.seconds;
  }
}

/// The kernels of the volumes' run by their places; of several between the same, none.
class KernelsByPlaces {
public:
  explicit KernelsByPlaces(const trace::Run& volumes) {
    for (KernelId id = 0; id < volumes.kernels.size(); ++id) {
      const auto [place, added] = ids_.emplace(key(volumes, volumes.kernels[id]), id);
      if (!added) place->second = trace::no_kernel;
    }
  }
  KernelId find(const trace::Run& times, KernelId id) const {
    if (id >= times.kernels.size()) return trace::no_kernel;
    const auto found = ids_.find(key(times, times.kernels[id]));
    return found == ids_.end() ? trace::no_kernel : found->second;
  }

private:
  static std::string key(const trace::Run& run, const trace::Kernel& kernel) {
    return key(run, kernel.begin) + ".." + key(run, kernel.end);
  }
  static std::string key(const trace::Run& run, const trace::CallSite& site) {
    if (site.module >= run.modules.size()) return "?";
    const trace::Module& module = run.modules[site.module];
    const std::string name = std::filesystem::path(module.path).filename().string();
    return fmt::format("{}+{}", module.build_id.empty() ? name : module.build_id, site.offset);
  }

  std::map<std::string, KernelId> ids_;
};

void join_rank_by_kernel(const trace::Source& volumes, const trace::Source& times, trace::Rank rank, const Meter& meter,
                         JoinedLaunch& launch) {
  const KernelsByPlaces places(volumes.run());
  std::vector<std::vector<Burst>> timed(volumes.run().kernels.size());
  for (BurstReader reader(times, rank); reader.next();)
    if (reader.burst().kernel != trace::no_kernel) {
      const KernelId kernel = places.find(times.run(), reader.burst().kernel);
      if (kernel != trace::no_kernel) timed[kernel].push_back(reader.burst());
    }
  std::vector<std::uint64_t> visits(timed.size());
  for (BurstReader reader(volumes, rank); reader.next();)
    if (reader.burst().kernel < visits.size()) ++visits[reader.burst().kernel];
  std::vector<std::size_t> next(timed.size());
  RankSums& sums = launch.ranks.emplace_back();
  for (BurstReader reader(volumes, rank); reader.next();) {
    const Burst& burst = reader.burst();
    if (burst.kernel >= timed.size()) continue;
    if (timed[burst.kernel].size() != visits[burst.kernel]) {
      launch.unjoined += static_cast<double>(burst.volume);
      continue;
    }
    const Visit visit = meter.visit(burst, timed[burst.kernel][next[burst.kernel]++]);
    launch.kernels[burst.kernel].add(visit);
    sums.volume += visit.volume;
    sums.seconds += visit.seconds;
  }
  launch.reordered.push_back(rank);
}

/// `timed`: the launch was recorded with timestamps.
void require_joinable(const trace::Run& volumes, const trace::Run& times, bool timed) {
  const bool both = timed && times.counter.unit == volumes.counter.unit && times.counter.name == volumes.counter.name;
  if (times.counter.unit != trace::VolumeUnit::nanoseconds && !both)
    throw Error(Failure::invalid_input, "a launch was recorded without the time of its computations",
                "counter " + times.counter.name,
                "record it with --counter walltime or cputime, or with the recording's counter and --timestamps");
  if (volumes.size != times.size)
    throw Error(
        Failure::invalid_input,
        fmt::format("the launch has {} rank{}, the recording {}", times.size, times.size == 1 ? "" : "s", volumes.size),
        {}, "launch as many ranks as were recorded");
  for (const trace::Run* run : {&volumes, &times})
    if (!run->complete())
      throw Error(Failure::invalid_input,
                  run == &times ? "a launch did not come to its end" : "the recording is not whole", {},
                  "what is calibrated must run to MPI_Finalize on all ranks");
}

/// Returns how the arguments of two programs differ, where both are known: the same calls may compute something else.
std::optional<std::string> different_arguments(const trace::Run& recorded, const trace::Run& launched) {
  const auto arguments = [](const trace::Run& run) {
    const std::vector<std::string>& command = run.provenance.command;
    return std::vector<std::string>(command.begin() + (command.empty() ? 0 : 1), command.end());
  };
  const auto text = [](const std::vector<std::string>& words) {
    constexpr std::size_t most = 200; // letters
    const std::string all = escaped(fmt::format("{}", fmt::join(words, " ")));
    return words.empty() ? "without arguments"
                         : fmt::format("with '{}'", all.size() > most ? all.substr(0, most) + "..." : all);
  };
  if (recorded.provenance.command.empty() || launched.provenance.command.empty()) return std::nullopt;
  const auto [first, second] = std::pair(arguments(recorded), arguments(launched));
  if (first == second) return std::nullopt;
  return fmt::format("the recording was started {}, the launch {}", text(first), text(second));
}

} // namespace

void VisitSample::add(const Visit& visit) {
  if (count_ % stride_ == 0) {
    if (visits_.size() == most) {
      for (std::size_t i = 0; 2 * i < most; ++i)
        visits_[i] = visits_[2 * i];
      visits_.resize(most / 2);
      stride_ *= 2;
    }
    if (count_ % stride_ == 0) visits_.push_back(visit);
  }
  ++count_;
  volume_ += visit.volume;
  seconds_ += visit.seconds;
}

JoinedLaunch join(const trace::Source& volumes, const trace::Source& times) {
  require_joinable(volumes.run(), times.run(), has_times(times));
  if (const auto difference = different_arguments(volumes.run(), times.run()))
    throw Error(Failure::invalid_input, "the launch has another input than was recorded: " + *difference, {},
                "launch what was recorded, with the same arguments, or record what is launched");
  JoinedLaunch launch;
  launch.kernels.resize(volumes.run().kernels.size());
  launch.processor_time = times.run().counter.name == "cputime";
  VisitPairs pairs(volumes.run(), times.run());
  const Meter meter(times.run(), shortest(times));
  for (const trace::RankRecord& record : volumes.run().ranks)
    try {
      require_same_calls(volumes, times, record.rank, &pairs);
      join_rank(volumes, times, record.rank, meter, launch);
    } catch (const Reordered&) {
      join_rank_by_kernel(volumes, times, record.rank, meter, launch);
    } catch (const Difference& first) {
      throw Error(Failure::invalid_input, "the launch did not do what was recorded: " + first.what, first.where(),
                  "record volumes and launch with the same program, input and ranks; a program whose calls depend on "
                  "time has no such pair");
    }
  return launch;
}

std::optional<std::string> difference(const trace::Source& recorded, const trace::Source& launched) {
  if (auto arguments = different_arguments(recorded.run(), launched.run())) return arguments;
  for (const trace::RankRecord& record : recorded.run().ranks)
    try {
      require_same_calls(recorded, launched, record.rank, nullptr);
    } catch (const Reordered&) {
      // By chance, as it seems: what follows tells nothing.
    } catch (const Difference& first) {
      return fmt::format("{} ({})", first.what, first.where());
    }
  return std::nullopt;
}

} // namespace timeless::analysis
