#include "replay/smpi/smpi_replay.h"

#include "replay/platform/simgrid_network.h"
#include "replay/platform/simgrid_process.h"
#include "replay/smpi/rank_player.h"
#include "replay/smpi/trace_scan.h"
#include "trace/error.h"

#include <xbt/config.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <sys/resource.h>

namespace timeless::replay {

namespace {

namespace sg4 = simgrid::s4u;
using smpi::RankPlayer;
using smpi::Stage;

/// Addresses for SMPI to name. It copies nothing while replaying, so no memory stands behind them.
class Area {
public:
  Area() : start_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (start_ == MAP_FAILED)
      throw Error(Failure::runtime, "cannot reserve addresses for SMPI's buffers", {}, std::strerror(errno));
  }
  ~Area() { ::munmap(start_, size); }
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;
  char* address() const { return static_cast<char*>(start_); }

private:
  static constexpr std::size_t size = std::size_t{64} << 30;
  void* start_;
};

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// What travels back from the simulation's process.
struct Outcome {
  double cpu_seconds = 0;
  std::uint64_t actions = 0;
  std::vector<double> ends;
};

std::string encode(const Outcome& outcome) {
  std::string bytes(2 * sizeof(double) + outcome.ends.size() * sizeof(double), '\0');
  std::memcpy(bytes.data(), &outcome.cpu_seconds, sizeof(double));
  std::memcpy(bytes.data() + sizeof(double), &outcome.actions, sizeof(double));
  std::memcpy(bytes.data() + 2 * sizeof(double), outcome.ends.data(), outcome.ends.size() * sizeof(double));
  return bytes;
}

Outcome decode(std::string_view bytes, std::size_t ranks) {
  Outcome outcome;
  outcome.ends.resize(ranks);
  if (bytes.size() != (2 + ranks) * sizeof(double))
    throw Error(Failure::runtime, "the simulation's process sent half an answer");
  std::memcpy(&outcome.cpu_seconds, bytes.data(), sizeof(double));
  std::memcpy(&outcome.actions, bytes.data() + sizeof(double), sizeof(double));
  std::memcpy(outcome.ends.data(), bytes.data() + 2 * sizeof(double), ranks * sizeof(double));
  return outcome;
}

/// How many flops SimGrid must be given for one unit of a rank's volumes.
double flops_per_unit(const trace::Run& run, const SimgridPlatform& platform, std::size_t node,
                      const SmpiOptions& options) {
  const PlatformHost& host = platform.hosts()[node];
  const double seconds = options.seconds_per_unit.empty()
                             ? seconds_per_unit(run.counter, host, options.units_per_second)
                             : options.seconds_per_unit.at(node);
  return seconds * host.speed * options.scaling.compute;
}

std::vector<std::vector<trace::CommunicatorId>> communicators_by_rank(const trace::Run& run,
                                                                      const std::vector<bool>& used) {
  std::vector<std::vector<trace::CommunicatorId>> of(static_cast<std::size_t>(run.size));
  for (trace::CommunicatorId id = 0; id < run.communicators.size(); ++id) {
    if (!used[id]) continue;
    for (const trace::Rank member : run.communicators[id].members) {
      if (member < 0 || member >= run.size)
        throw Error(Failure::invalid_input,
                    "communicator " + std::to_string(id) + " has no rank " + std::to_string(member) + " to hold");
      of[static_cast<std::size_t>(member)].push_back(id);
    }
  }
  return of;
}

/// True when the platform chooses SMPI's collectives itself: some of those want groups of ranks per host.
bool collectives_chosen() {
  constexpr const char* settings[] = {"smpi/coll-selector",  "smpi/gather",    "smpi/allgather",  "smpi/barrier",
                                      "smpi/reduce_scatter", "smpi/scatter",   "smpi/allgatherv", "smpi/allreduce",
                                      "smpi/alltoall",       "smpi/alltoallv", "smpi/bcast",      "smpi/reduce"};
  return !std::ranges::all_of(settings, [](const char* name) { return simgrid::config::is_default(name); });
}

/// What to do where SMPI's replay fails.
std::string advice() {
  return collectives_chosen() ? "some of SMPI's collectives do not survive a replay: name others in the platform file "
                                "(smpi/coll-selector: mpich, ompi), or use --backend model"
                              : "use --backend model";
}

Error deadlock(const std::vector<RankPlayer>& players) {
  constexpr std::size_t named = 8;
  std::string where;
  std::size_t blocked = 0;
  for (const RankPlayer& player : players) {
    if (player.finished()) continue;
    if (++blocked <= named) where += (where.empty() ? "" : "; ") + player.position();
  }
  if (blocked > named) where += "; ...";
  std::string help = "timeless check finds messages without a partner; a program that sends large messages before it "
                     "receives deadlocks where they are not buffered";
  if (collectives_chosen()) help += "; " + advice();
  return {Failure::invalid_input,
          std::to_string(blocked) + " of " + std::to_string(players.size()) + " ranks wait and nothing will come",
          where, help};
}

/// SMPI's selector "automatic" tries all algorithms of a collective in turn, each time.
void refuse_trial_of_all_collectives(const SimgridPlatform& platform) {
  if (simgrid::config::get_value<std::string>("smpi/coll-selector") != "automatic") return;
  throw Error(Failure::missing_capability, "SMPI cannot replay with smpi/coll-selector automatic",
              platform.file().string(), "choose default, mpich or ompi");
}

class Simulation {
public:
  Simulation(const trace::Source& source, const SimgridPlatform& platform, const Mapping& mapping,
             const SmpiOptions& options)
      : source_(source), platform_(platform), mapping_(mapping), options_(options), scan_(smpi::scan(source)) {
    stage_.source = &source;
    stage_.scan = &scan_;
    stage_.instance = "timeless";
    stage_.communicators_of = communicators_by_rank(source.run(), scan_.communicator_used);
    stage_.kernel_factors = options.kernel_factors;
    for (const std::uint32_t node : mapping.node_of_rank)
      stage_.flops_per_unit.push_back(flops_per_unit(source.run(), platform, node, options));
  }

  /// In the child.
  std::string run(const ChildReport& report) {
    const Area sent;
    const Area received;
    stage_.send_area = sent.address();
    stage_.receive_area = received.address();
    const Scaling& scaling = options_.scaling;
    if (scaling.latency != 1 || scaling.bandwidth != 1)
      platform_.scale_links(scaling.latency, scaling.bandwidth, mapping_.node_of_rank);
    stage_.prepare_collectives_for_nodes = collectives_chosen();
    count_actions(report);
    stage_.report = &report;
    const auto ranks = static_cast<std::size_t>(source_.run().size);
    stage_.curtain = sg4::Barrier::create(static_cast<unsigned>(ranks));
    SMPI_app_instance_register(stage_.instance, nullptr, static_cast<int>(ranks));
    create_players(report, ranks);
    sg4::Engine::on_deadlock_cb([&] { report.fail(deadlock(players_)); });
    const double before = cpu_seconds();
    sg4::Engine::get_instance()->run();
    return encode(outcome(cpu_seconds() - before));
  }

private:
  void count_actions(const ChildReport& report) {
    stage_.action_done = [this, &report] {
      constexpr std::uint64_t between_reports = 1 << 15;
      if (++done_ % between_reports == 0) report.progress(done_, scan_.actions);
    };
  }

  void create_players(const ChildReport& report, std::size_t ranks) {
    players_.reserve(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      players_.emplace_back(stage_, static_cast<trace::Rank>(rank));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::string& host = platform_.hosts()[mapping_.node_of_rank[rank]].name;
      sg4::Actor::create("rank-" + std::to_string(rank), sg4::Host::by_name(host), [this, &report, rank] {
        try {
          players_[rank].play();
        } catch (const std::exception& error) {
          report.fail(error);
        }
      });
    }
  }

  Outcome outcome(double seconds) const {
    Outcome made{.cpu_seconds = seconds, .actions = 0, .ends = {}};
    for (const RankPlayer& player : players_) {
      if (!player.finished()) throw deadlock(players_);
      made.actions += player.actions();
      made.ends.push_back(player.end());
    }
    return made;
  }

  const trace::Source& source_;
  const SimgridPlatform& platform_;
  const Mapping& mapping_;
  const SmpiOptions& options_;
  smpi::TraceScan scan_;
  Stage stage_;
  std::vector<RankPlayer> players_;
  std::uint64_t done_ = 0;
};

} // namespace

SmpiResult smpi_replay(const trace::Source& source, const SimgridPlatform& platform, const Mapping& mapping,
                       const SmpiOptions& options) {
  const auto ranks = static_cast<std::size_t>(source.run().size);
  if (mapping.node_of_rank.size() != ranks)
    throw Error(Failure::usage, "the mapping is not for this many ranks", std::to_string(ranks));
  refuse_trial_of_all_collectives(platform);
  Simulation simulation(source, platform, mapping, options);
  const ChildDeath death{Failure::runtime, "SimGrid stopped during the replay", platform.file().string(), advice()};
  const std::string answer =
      run_apart([&](const ChildReport& report) { return simulation.run(report); }, death, options.progress);

  const Outcome outcome = decode(answer, ranks);
  SmpiResult result{.replay = {}, .cpu_seconds = outcome.cpu_seconds};
  LaneResult lane{.name = lane_name(platform, options.scaling), .makespan = 0, .ranks = {}};
  for (const double end : outcome.ends) {
    lane.ranks.push_back({.end = end});
    lane.makespan = std::max(lane.makespan, end);
  }
  result.replay.lanes.push_back(std::move(lane));
  result.replay.attributed = false;
  result.replay.actions = outcome.actions;
  return result;
}

} // namespace timeless::replay
