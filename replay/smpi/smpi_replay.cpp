#include "replay/smpi/smpi_replay.h"

#include "base/error.h"
#include "replay/result/observer.h"
#include "replay/simgrid/simgrid_network.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/smpi/collective_choice.h"
#include "replay/smpi/machine_failures.h"
#include "replay/smpi/rank_player.h"
#include "replay/smpi/trace_scan.h"

#include <xbt/config.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
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

/// The part of a rank's time that belongs to a subject.
struct Part {
  trace::Rank rank = 0;
  std::uint32_t subject = 0;
  std::uint64_t count = 0;
  double seconds = 0;
};

/// What travels back of one job from the simulation's process.
struct Outcome {
  double cpu_seconds = 0;
  std::uint64_t actions = 0;
  std::vector<double> ends;
  std::vector<Part> parts;
  std::string calls; ///< names of subjects, one a line, where these are calls
};

template <typename Number>
void put(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
Number take(std::string_view& bytes) {
  Number number{};
  if (bytes.size() < sizeof number) throw Error(Failure::runtime, "the simulation's process sent half an answer");
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

void put(std::string& bytes, const Outcome& outcome) {
  put(bytes, outcome.cpu_seconds);
  put(bytes, outcome.actions);
  put(bytes, std::uint64_t{outcome.ends.size()});
  for (const double end : outcome.ends)
    put(bytes, end);
  put(bytes, std::uint64_t{outcome.parts.size()});
  for (const Part& part : outcome.parts) {
    put(bytes, part.rank);
    put(bytes, part.subject);
    put(bytes, part.count);
    put(bytes, part.seconds);
  }
  put(bytes, std::uint64_t{outcome.calls.size()});
  bytes += outcome.calls;
}

Outcome take_outcome(std::string_view& bytes) {
  Outcome outcome;
  outcome.cpu_seconds = take<double>(bytes);
  outcome.actions = take<std::uint64_t>(bytes);
  for (auto left = take<std::uint64_t>(bytes); left > 0; --left)
    outcome.ends.push_back(take<double>(bytes));
  for (auto left = take<std::uint64_t>(bytes); left > 0; --left) {
    Part& part = outcome.parts.emplace_back();
    part.rank = take<trace::Rank>(bytes);
    part.subject = take<std::uint32_t>(bytes);
    part.count = take<std::uint64_t>(bytes);
    part.seconds = take<double>(bytes);
  }
  const auto size = take<std::uint64_t>(bytes);
  if (size > bytes.size()) throw Error(Failure::runtime, "the simulation's process sent half an answer");
  outcome.calls = std::string(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return outcome;
}

/// How many flops SimGrid must be given for one unit of a rank's volumes. Throws Error(invalid_input) where that would
/// take so long that SimGrid could not add up times: it takes such computations for ones that never end.
double flops_per_unit(const SmpiJob& job, const SimgridPlatform& platform, std::size_t node, double scaling) {
  const PlatformHost& host = platform.hosts()[node];
  const double seconds = job.seconds_per_unit.empty()
                             ? seconds_per_unit(job.source->run().counter, host, job.units_per_second)
                             : job.seconds_per_unit.at(node);
  constexpr double most_seconds = 1e9;
  if (!(seconds * scaling <= most_seconds))
    throw Error(Failure::invalid_input, "no prediction: a unit of computation would take more than 1e9 s", host.name,
                "look for a compute rate that no machine has");
  return seconds * host.speed * scaling;
}

std::vector<std::vector<trace::CommunicatorId>> communicators_by_rank(const trace::Run& run,
                                                                      const smpi::TraceScan& scan) {
  std::vector<std::vector<trace::CommunicatorId>> of(static_cast<std::size_t>(run.size));
  for (trace::CommunicatorId id = 0; id < run.communicators.size(); ++id) {
    if (!scan.communicators[id].used) continue;
    std::vector<trace::Rank> members = run.communicators[id].members;
    const auto& remote = run.communicators[id].remote_members;
    members.insert(members.end(), remote.begin(), remote.end());
    for (const trace::Rank member : members) {
      if (member < 0 || member >= run.size)
        throw Error(Failure::invalid_input,
                    "communicator " + std::to_string(id) + " has no rank " + std::to_string(member) + " to hold");
      auto& own = of[static_cast<std::size_t>(member)];
      if (!own.empty() && own.back() == id)
        throw Error(Failure::invalid_input,
                    "communicator " + std::to_string(id) + " has rank " + std::to_string(member) + " twice");
      own.push_back(id);
    }
  }
  return of;
}

/// What to do where SMPI's replay fails.
std::string advice() {
  const std::string chosen = smpi::chosen_collectives();
  return chosen.empty() ? "use --backend model"
                        : "the likely cause is the choice of collectives (" + chosen +
                              "), not all of which SimGrid can replay: try --cfg=smpi/coll-selector:mpich, or "
                              "--backend model";
}

class JobPlay {
public:
  JobPlay(const SmpiJob& job, std::size_t number, const SimgridPlatform& platform, const SmpiOptions& options)
      : job_(job), scan_(smpi::scan(*job.source)) {
    const trace::Run& run = job.source->run();
    if (job.mapping->node_of_rank.size() != static_cast<std::size_t>(run.size))
      throw Error(Failure::usage, "the mapping is not for this many ranks", std::to_string(run.size));
    stage_.source = job.source;
    stage_.scan = &scan_;
    stage_.instance = "timeless-" + std::to_string(number);
    stage_.communicators_of = communicators_by_rank(run, scan_);
    stage_.kernel_factors = job.kernel_factors;
    stage_.cores_per_rank = options.cores_per_rank;
    stage_.files = {options.files.latency, options.files.byte_time, options.files.aggregate_byte_time};
    stage_.attribute_kernels = options.attribute == AttributeBy::kernels;
    stage_.attribute_calls = options.attribute == AttributeBy::calls;
    for (const std::uint32_t node : job.mapping->node_of_rank)
      stage_.flops_per_unit.push_back(flops_per_unit(job, platform, node, options.scaling.compute));
  }
  JobPlay(JobPlay&&) = delete;

  Stage& stage() { return stage_; }
  const smpi::TraceScan& scan() const { return scan_; }
  std::vector<RankPlayer>& players() { return players_; }
  const std::vector<RankPlayer>& players() const { return players_; }
  const SmpiJob& job() const { return job_; }

  Outcome outcome(double seconds) const {
    Outcome made{.cpu_seconds = seconds, .actions = 0, .ends = {}, .parts = {}, .calls = {}};
    std::map<std::string, std::uint32_t> names;
    // Computation first, then by the alphabet, as in the model's.
    if (stage_.attribute_calls) made.calls = "computation\n";
    for (const RankPlayer& player : players_) {
      const smpi::TimeBySubject times = player.times();
      for (const auto& [name, timed] : times.calls())
        if (name != "computation") names.emplace(name, 0);
    }
    std::uint32_t number = 1;
    for (auto& [name, place] : names) {
      place = number++;
      made.calls += name + "\n";
    }
    names["computation"] = 0;
    trace::Rank rank = 0;
    for (const RankPlayer& player : players_) {
      made.actions += player.actions();
      made.ends.push_back(player.end());
      const smpi::TimeBySubject times = player.times();
      for (const auto& [kernel, timed] : times.kernels())
        made.parts.push_back({rank, kernel, timed.count, timed.seconds});
      const std::size_t first = made.parts.size();
      for (const auto& [name, timed] : times.calls())
        made.parts.push_back({rank, names.at(name), timed.count, timed.seconds});
      std::sort(made.parts.begin() + static_cast<std::ptrdiff_t>(first), made.parts.end(),
                [](const Part& left, const Part& right) { return left.subject < right.subject; });
      ++rank;
    }
    return made;
  }

private:
  SmpiJob job_;
  smpi::TraceScan scan_;
  Stage stage_;
  std::vector<RankPlayer> players_;
};

using JobPlays = std::vector<std::unique_ptr<JobPlay>>;

/// Ranks, the first of them with what they are at.
struct NamedRanks {
  std::string text;
  std::size_t number = 0;

  void add(const JobPlays& jobs, std::size_t job, const RankPlayer& player) {
    constexpr std::size_t named = 8;
    if (++number > named + 1) return;
    text += text.empty() ? "" : "; ";
    if (number > named) {
      text += "...";
      return;
    }
    if (jobs.size() > 1) text += "job " + std::to_string(job + 1) + ", ";
    text += player.position();
  }
};

Error deadlock(const JobPlays& jobs, const smpi::MachineFailures& failures) {
  NamedRanks blocked;
  std::size_t ranks = 0;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    for (const RankPlayer& player : jobs[job]->players()) {
      ++ranks;
      if (!player.finished()) blocked.add(jobs, job, player);
    }
  }
  std::string help = "timeless check finds messages without a partner; a program that sends large messages before it "
                     "receives deadlocks where they are not buffered";
  if (const std::string links = failures.links(); !links.empty())
    help =
        "links failed on the way (" + links + "), as the platform file says (state_file), and their messages are lost";
  else if (smpi::collectives_chosen())
    help += "; " + advice();
  return {Failure::invalid_input,
          std::to_string(blocked.number) + " of " + std::to_string(ranks) + " ranks wait and nothing will come",
          blocked.text, help};
}

/// SMPI's selector "automatic" tries all algorithms of a collective in turn, each time.
void refuse_trial_of_all_collectives(const SimgridPlatform& platform) {
  if (simgrid::config::get_value<std::string>("smpi/coll-selector") != "automatic") return;
  throw Error(Failure::missing_capability, "SMPI cannot replay with smpi/coll-selector automatic",
              platform.file().string(), "choose default or mpich");
}

/// What ranks did, on its way from the child to an observer in the parent: the parent has the actions, too.
class Observations {
public:
  Observations(Observer& observer, const trace::Source& source) : observer_(observer), source_(source) {
    ranks_.resize(static_cast<std::size_t>(source.run().size));
  }

  static void put_in(std::string& bytes, trace::Rank rank, double begin, double end) {
    put(bytes, rank);
    put(bytes, begin);
    put(bytes, end);
  }

  void take_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto rank = take<trace::Rank>(bytes);
      const auto begin = take<double>(bytes);
      const auto end = take<double>(bytes);
      observe(rank, begin, end);
    }
  }

private:
  struct RankCursor {
    std::unique_ptr<trace::RankStream> stream;
    trace::ActionBlock block;
    std::size_t next = 0;
    std::size_t volume = 0;
    std::uint64_t ordinal = 0;
    trace::Rank thread = 0;
  };

  void observe(trace::Rank rank, double begin, double end) {
    RankCursor& cursor = ranks_.at(static_cast<std::size_t>(rank));
    if (!cursor.stream) cursor.stream = source_.open(rank);
    while (cursor.next == cursor.block.size()) {
      if (!cursor.stream->next(cursor.block))
        throw Error(Failure::runtime, "the simulation's process reports more actions than there are");
      cursor.next = 0;
      cursor.volume = 0;
    }
    const trace::Action& action = cursor.block.dictionary()[cursor.block.sequence()[cursor.next++]];
    const std::uint64_t volume = trace::has_volume(action.kind) ? cursor.block.volumes()[cursor.volume++] : 0;
    if (action.kind == trace::ActionKind::thread) cursor.thread = action.peer;
    observer_.observe({.rank = rank,
                       .thread = cursor.thread,
                       .ordinal = cursor.ordinal++,
                       .action = action,
                       .volume = volume,
                       .start = begin,
                       .end = end});
  }

  Observer& observer_;
  const trace::Source& source_;
  std::vector<RankCursor> ranks_;
};

class Simulation {
public:
  Simulation(std::span<const SmpiJob> jobs, const SimgridPlatform& platform, const SmpiOptions& options)
      : platform_(platform), options_(options) {
    for (const SmpiJob& job : jobs) {
      jobs_.push_back(std::make_unique<JobPlay>(job, jobs_.size(), platform, options));
      actions_ += jobs_.back()->scan().actions;
      ranks_ += static_cast<std::size_t>(job.source->run().size);
    }
  }

  /// In the child.
  std::string run(const ChildReport& report) {
    const Area sent;
    const Area received;
    scale_links();
    smpi::replace_failing_collectives();
    const auto start_barrier = sg4::Barrier::create(static_cast<unsigned>(ranks_));
    for (const auto& job : jobs_) {
      Stage& stage = job->stage();
      stage.send_area = sent.address();
      stage.receive_area = received.address();
      stage.prepare_collectives_for_nodes = smpi::collectives_chosen();
      stage.types.set_smallest_large(
          static_cast<trace::Bytes>(std::max(simgrid::config::get_value<int>("smpi/async-small-thresh"), 0)));
      stage.action_done = [this, &report] {
        constexpr std::uint64_t between_reports = 1 << 15;
        if (++done_ % between_reports == 0) report.progress(done_, actions_);
      };
      if (options_.observer != nullptr)
        stage.observe = [this, &report](trace::Rank rank, double begin, double end) {
          Observations::put_in(observed_, rank, begin, end);
          if (observed_.size() > 1 << 16) hand_over(report);
        };
      stage.start = [this, &report](const std::string& name, sg4::Host& host, const RankPlayer& player,
                                    std::function<void()> body) {
        sg4::Actor::create(name, &host, [this, &report, &player, body = std::move(body)] {
          try {
            body();
          } catch (const simgrid::NetworkFailureException&) {
            report.fail(failures_.of_message(player.position()));
          } catch (const std::exception& error) {
            report.fail(error);
          }
        });
      };
      stage.report = &report;
      stage.start_barrier = start_barrier;
      SMPI_app_instance_register(stage.instance.c_str(), nullptr, job->job().source->run().size);
    }
    failures_.watch([&](const std::string& host) { end_where_ranks_die(host, report); });
    for (const auto& job : jobs_)
      create_players(*job);
    const double before = cpu_seconds();
    sg4::Engine::on_deadlock_cb([&] {
      if (!ends_with_recordings()) report.fail(deadlock(jobs_, failures_));
      if (!observed_.empty()) hand_over(report);
      report.finish(answer(cpu_seconds() - before));
    });
    sg4::Engine::get_instance()->run();
    if (!observed_.empty()) hand_over(report);
    for (const auto& job : jobs_)
      if (!std::ranges::all_of(job->players(), &RankPlayer::finished)) throw deadlock(jobs_, failures_);
    return answer(cpu_seconds() - before);
  }

  /// What each job's result has to say beside its numbers.
  std::vector<std::string> notes(std::size_t job) const {
    std::vector<std::string> notes = jobs_[job]->scan().notes;
    if (jobs_[job]->scan().files) notes.push_back(file_note(jobs_[job]->job()));
    return notes;
  }

private:
  /// True when each job in which ranks wait has recordings that are cut short: for what was not recorded.
  bool ends_with_recordings() const {
    return failures_.links().empty() && std::ranges::all_of(jobs_, [](const auto& job) {
             return std::ranges::all_of(job->players(), &RankPlayer::finished) || !job->job().source->run().complete();
           });
  }

  std::string answer(double seconds) const {
    std::string bytes;
    std::size_t waiting = 0;
    for (const auto& job : jobs_) {
      put(bytes, job->outcome(seconds));
      waiting += static_cast<std::size_t>(std::ranges::count(job->players(), false, &RankPlayer::finished));
    }
    for (const std::string& note : smpi::replaced_collectives())
      bytes += note + "\n";
    if (waiting > 0) bytes += waits_for_unrecorded(waiting, ranks_) + "\n";
    return bytes;
  }

  void scale_links() const {
    const Scaling& scaling = options_.scaling;
    if (scaling.latency == 1 && scaling.bandwidth == 1) return;
    std::vector<std::uint32_t> hosts;
    for (const auto& job : jobs_)
      hosts.insert(hosts.end(), job->job().mapping->node_of_rank.begin(), job->job().mapping->node_of_rank.end());
    platform_.scale_links(scaling.latency, scaling.bandwidth, hosts);
  }

  void hand_over(const ChildReport& report) {
    report.part(observed_);
    observed_.clear();
  }

  /// Ranks that are done matter, too, as long as others are not: what is sent to them would be lost.
  void end_where_ranks_die(const std::string& host, const ChildReport& report) const {
    NamedRanks dying;
    bool over = true;
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      const std::vector<std::uint32_t>& nodes = jobs_[job]->job().mapping->node_of_rank;
      const std::vector<RankPlayer>& players = jobs_[job]->players();
      for (std::size_t rank = 0; rank < players.size(); ++rank) {
        over = over && players[rank].finished();
        if (platform_.hosts()[nodes[rank]].name == host) dying.add(jobs_, job, players[rank]);
      }
    }
    if (dying.number > 0 && !over) report.fail(smpi::MachineFailures::of_host(host, dying.text));
  }

  void create_players(JobPlay& job) {
    std::vector<RankPlayer>& players = job.players();
    const auto ranks = static_cast<std::size_t>(job.job().source->run().size);
    players.reserve(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      players.emplace_back(job.stage(), static_cast<trace::Rank>(rank));
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const std::string& host = platform_.hosts()[job.job().mapping->node_of_rank[rank]].name;
      if (!sg4::Host::by_name(host)->is_on()) throw smpi::MachineFailures::of_host_at_start(host, rank);
      const std::string name = (jobs_.size() > 1 ? job.stage().instance + "-" : "") + "rank-" + std::to_string(rank);
      RankPlayer& player = players[rank];
      job.stage().start(name, *sg4::Host::by_name(host), player, [&player] { player.play(); });
    }
  }

  std::string file_note(const SmpiJob& job) const {
    const auto has_disk = [&](std::uint32_t node) {
      return !sg4::Host::by_name(platform_.hosts()[node].name)->get_disks().empty();
    };
    if (std::ranges::all_of(job.mapping->node_of_rank, has_disk))
      return "files are read and written on the first disk of each rank's host: where the program's were is not "
             "recorded";
    const SmpiFiles& files = options_.files;
    std::string costs = human_number(files.latency * 1e6) + " us a call, " + human_number(1e-9 / files.byte_time) +
                        " GB/s per process, ";
    costs += files.aggregate_byte_time > 0 ? human_number(1e-9 / files.aggregate_byte_time) + " GB/s in all"
                                           : "no limit for all";
    return "files cost what they cost in the model, the hosts have no disks: " + costs +
           (files.assumed ? ", an assumption" : "");
  }

  static std::string human_number(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", number);
    return text;
  }

  const SimgridPlatform& platform_;
  const SmpiOptions& options_;
  JobPlays jobs_;
  std::size_t ranks_ = 0;
  std::uint64_t actions_ = 0;
  std::uint64_t done_ = 0;
  std::string observed_;
  smpi::MachineFailures failures_;
};

void attribute(Result& result, AttributeBy by, const Outcome& outcome) {
  Attribution& attribution = result.attribution;
  attribution.by = by;
  for (std::size_t begin = 0; begin < outcome.calls.size();) {
    const std::size_t end = outcome.calls.find('\n', begin);
    attribution.calls.push_back(outcome.calls.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const Part& part : outcome.parts)
    attribution.parts.push_back(
        {.rank = part.rank, .subject = part.subject, .count = part.count, .lanes = {{.end = part.seconds}}});
}

SmpiResult result_of(const Outcome& outcome, const std::string& name, const SmpiOptions& options) {
  SmpiResult result{.replay = {}, .cpu_seconds = outcome.cpu_seconds};
  LaneResult lane{.name = name, .makespan = 0, .ranks = {}};
  for (const double end : outcome.ends)
    lane.ranks.push_back({.end = end});
  find_makespan(lane);
  result.replay.lanes.push_back(std::move(lane));
  result.replay.attributed = false;
  result.replay.actions = outcome.actions;
  if (options.attribute != AttributeBy::nothing) attribute(result.replay, options.attribute, outcome);
  return result;
}

} // namespace

std::vector<SmpiResult> smpi_replay(std::span<const SmpiJob> jobs, const SimgridPlatform& platform,
                                    const SmpiOptions& options) {
  if (jobs.empty()) throw Error(Failure::usage, "no job to replay");
  if (options.observer != nullptr && jobs.size() > 1)
    throw Error(Failure::usage, "several jobs have no timeline", {}, "replay one of them alone");
  refuse_trial_of_all_collectives(platform);
  Simulation simulation(jobs, platform, options);
  const ChildDeath death{Failure::runtime, "SimGrid stopped during the replay", platform.file().string(), advice()};
  const std::string name = lane_name(platform, options.scaling);
  std::optional<Observations> observations;
  ChildPart part;
  if (options.observer != nullptr) {
    options.observer->begin(jobs.front().source->run());
    observations.emplace(*options.observer, *jobs.front().source);
    part = [&](std::string_view bytes) { observations->take_all(bytes); };
  }
  const auto simulate = [&] {
    try {
      return run_simgrid([&](const ChildReport& report) { return simulation.run(report); }, death, options.progress,
                         part);
    } catch (const Error& error) {
      if (const auto explained = smpi::missing_route(error)) throw *explained;
      throw;
    }
  };
  const std::string answer = simulate();

  std::vector<SmpiResult> results;
  std::string_view rest = answer;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    results.push_back(result_of(take_outcome(rest), name, options));
    results.back().replay.notes = simulation.notes(job);
  }
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    for (SmpiResult& result : results)
      result.replay.notes.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return results;
}

SmpiResult smpi_replay(const trace::Source& source, const SimgridPlatform& platform, const Mapping& mapping,
                       const SmpiOptions& options) {
  const SmpiJob job{.source = &source,
                    .mapping = &mapping,
                    .units_per_second = options.units_per_second,
                    .seconds_per_unit = options.seconds_per_unit,
                    .kernel_factors = options.kernel_factors};
  return std::move(smpi_replay(std::span(&job, 1), platform, options).front());
}

} // namespace timeless::replay
