#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/mpi/command.h"
#include "tools/render/replay/prediction/prediction.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/not_modelled.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/options/kernel_names.h"
#include "tools/replaying/options/request.h"
#include "tools/replaying/served_platforms.h"

#include "base/bytes.h"
#include "gather/tree/team.h"
#include "replay/distributed/distributed_replay.h"
#include "replay/distributed/shared_timeline.h"
#include "replay/engine/clocks/eager_limits.h"
#include "replay/large_pages.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

/// Process 0 has failed, as it will say at the end.
struct FirstFailed {};

/// All processes have met, and have this to report.
struct AllFailed {
  std::exception_ptr problem;
};

/// Meets all others, who are at the same place or at their end, which is in_step()'s.
void meet(
    const gather::Team& team, const std::function<void()>& work = [] {}) {
  try {
    team.together(work);
  } catch (const Error&) {
    throw AllFailed{std::current_exception()};
  }
}

/// Does work in which all meet now and then. Whatever fails on one of them, wherever the others are, ends it on all,
/// and process 0 has something to report.
template <typename Work>
void in_step(const gather::Team& team, Work work) {
  std::exception_ptr problem;
  try {
    work();
  } catch (const AllFailed& failed) {
    std::rethrow_exception(failed.problem);
  } catch (const FirstFailed&) {
    problem = nullptr;
  } catch (const Error&) {
    problem = std::current_exception();
  } catch (const std::bad_alloc&) {
    problem = std::make_exception_ptr(Error(Failure::runtime, "out of memory", "", "use more processes"));
  } catch (const std::exception& error) {
    problem = std::make_exception_ptr(Error(Failure::runtime, error.what(), "", "this is a defect; please report it"));
  }
  try {
    team.together([&] {
      if (problem) std::rethrow_exception(problem);
    });
  } catch (const Error&) {
    if (problem) std::rethrow_exception(problem);
    throw;
  }
}

/// What decides how a prediction goes on, of one configuration.
struct LaneOutline {
  double makespan = 0;
  replay::Sensitivity sensitivity = {};
  bool deadlocked = false;
  bool order_matters = false; ///< of the whole result
};

void write(ByteWriter& words, const LaneOutline& outline) {
  for (const double real :
       {outline.makespan, outline.sensitivity.latency, outline.sensitivity.bandwidth, outline.sensitivity.compute})
    words.put(real);
  words.put(std::uint64_t{outline.deadlocked});
  words.put(std::uint64_t{outline.order_matters});
}

LaneOutline read_outline(ByteReader& words) {
  LaneOutline outline;
  for (double* real :
       {&outline.makespan, &outline.sensitivity.latency, &outline.sensitivity.bandwidth, &outline.sensitivity.compute})
    *real = words.real();
  outline.deadlocked = words.number() != 0;
  outline.order_matters = words.number() != 0;
  return outline;
}

void write(ByteWriter& words, const replay::ProcessWork& work) {
  for (const std::uint64_t number :
       {static_cast<std::uint64_t>(work.ranks.begin), static_cast<std::uint64_t>(work.ranks.end), work.actions,
        work.messages, work.collectives, work.batches, work.bytes})
    words.put(number);
  for (const double real : {work.seconds, work.waited, work.cpu_seconds})
    words.put(real);
}

replay::ProcessWork read_work(ByteReader& words) {
  replay::ProcessWork work;
  work.ranks.begin = static_cast<trace::Rank>(words.number());
  work.ranks.end = static_cast<trace::Rank>(words.number());
  for (std::uint64_t* number : {&work.actions, &work.messages, &work.collectives, &work.batches, &work.bytes})
    *number = words.number();
  for (double* real : {&work.seconds, &work.waited, &work.cpu_seconds})
    *real = words.real();
  return work;
}

/// A prediction that all processes make in step: each has its share of every replay; process 0 has the results, the
/// others what decides about the next replay.
class SharedPrediction {
public:
  SharedPrediction(const gather::Team& team, PredictionOptions& asked) : team_(team) {
    asked.replay = [this](const trace::Source& source, const replay::Network& network,
                          const replay::ReplayOptions& options) { return replay(source, network, options); };
  }

  const replay::ProcessWork& work() const { return work_; }

private:
  replay::Result replay(const trace::Source& source, const replay::Network& network,
                        const replay::ReplayOptions& options) {
    meet(team_, [&] {
      replay::require_replayable(source.run(), network, options);
      if (!replay::ordered(replay::eager_limits(network, options)))
        throw Error(Failure::usage,
                    "of two networks one has the lower eager limit between nodes, the other within them: several "
                    "processes cannot replay them at once",
                    {}, "replay them one after the other");
    });
    std::optional<replay::Result> result;
    std::exception_ptr problem;
    try {
      replay::prefer_large_pages();
      result = replay::distributed_replay(team_.communicator(), source, network, options, {}, &work_);
    } catch (const replay::LostProcess& lost) {
      print_error({Failure::runtime, lost.what(), team_.host(), "the other processes are ended, too"});
      MPI_Abort(MPI_COMM_WORLD, static_cast<int>(Failure::runtime));
    } catch (...) {
      problem = std::current_exception();
    }
    ByteWriter told;
    for (const replay::LaneResult& lane : result ? result->lanes : std::vector<replay::LaneResult>{})
      write(told, {lane.makespan, lane.sensitivity, static_cast<bool>(lane.deadlock), result->order_matters});
    const std::string heard = team_.from(0, told.bytes());
    std::vector<LaneOutline> outlines;
    for (ByteReader words(heard, ByteReader::From::process); !words.empty();)
      outlines.push_back(read_outline(words));
    if (problem) std::rethrow_exception(problem);
    if (result) return std::move(*result);
    if (outlines.empty()) throw FirstFailed();
    return outlined(network, outlines);
  }

  static replay::Result outlined(const replay::Network& network, const std::vector<LaneOutline>& outlines) {
    replay::Result result;
    for (std::size_t lane = 0; lane < outlines.size(); ++lane) {
      replay::LaneResult& one = result.lanes.emplace_back();
      one.name = network.lanes[lane].name;
      one.makespan = outlines[lane].makespan;
      one.sensitivity = outlines[lane].sensitivity;
      result.order_matters = outlines[lane].order_matters;
      if (outlines[lane].deadlocked) one.deadlock = std::make_shared<const replay::Diagnosis>();
    }
    return result;
  }

  const gather::Team& team_;
  replay::ProcessWork work_;
};

Prediction predict_on_any_machine(const trace::Source& source, const PredictionOptions& asked) {
  return asked.platforms.empty() ? predict_on_networks(source, asked) : predict_on_served_platforms(source, asked);
}

/// Gathers what all have done, on process 0.
std::vector<replay::ProcessWork> gathered(const gather::Team& team, const replay::ProcessWork& work) {
  meet(team);
  ByteWriter told;
  write(told, work);
  std::vector<replay::ProcessWork> all;
  for (const std::string& of_one : team.collect(told.bytes())) {
    ByteReader words(of_one, ByteReader::From::process);
    all.push_back(read_work(words));
  }
  return all;
}

void refuse_what_one_process_does(const ReplayRequest& request) {
  if (request.backend != "model")
    throw Error(Failure::usage, "SMPI simulates all ranks in one process, several have nothing to divide", "--backend",
                "ask `timeless replay` for it");
  if (request.prediction.threads > 1)
    throw Error(Failure::usage, "the processes divide the ranks, and no threads the configurations", "--threads",
                "start more processes instead");
  if (request.prediction.within > 0)
    throw Error(Failure::usage, "several processes replay the volumes that were recorded", "--within",
                "ask `timeless replay` for it, or for --jump");
  if (request.prediction.critical_path && (request.jump || request.every_action))
    throw Error(Failure::usage, "several processes follow a critical path without cuts",
                request.jump ? "--jump" : "--every-action", "leave it out, or ask `timeless replay` for both");
}

int replay_on_processes(ReplayRequest& request) {
  const gather::Team team = gather::Team::of_nodes(MPI_COMM_WORLD);
  const bool first = team.number() == 0;
  PredictionOptions& asked = request.prediction;
  std::unique_ptr<trace::Source> source;
  std::unique_ptr<replay::timeline::Timeline> timeline;
  std::string lack;
  team.together([&] {
    refuse_what_one_process_does(request);
    read_words(request);
    require_machine(asked);
    source = rated(open_trace(asked.trace, asked.from), asked.machine);
    lack = incompleteness(source->run());
    timeline = asked_timeline(request, *source, first);
  });
  if (first) warn_of_recorded_part(asked.trace, lack);
  SharedPrediction shared(team, asked);
  Prediction prediction;
  in_step(team, [&] {
    prediction = predict_as_far_as_known(*source, asked, predict_on_any_machine);
    if (timeline) {
      meet(team);
      meet(team, [&] {
        const std::uint64_t bytes = replay::finish_timeline(team.communicator(), *timeline, prediction.result);
        prediction.timeline = written(request.timeline, bytes);
      });
    }
    if (request.per_process) prediction.processes = gathered(team, shared.work());
  });
  if (!first) return 0;
  add_notes(prediction, rates_notes(asked.machine, prediction.bases));
  add_notes(prediction, message_notes(*source, prediction.bases));
  if (timeline) add_notes(prediction, timeline_notes(request.timeline, prediction.result));
  if (asked.attribute == replay::AttributeBy::kernels || prediction.critical_path)
    name_kernels(prediction, *source, request.symbols);
  print_prediction({asked, source->run(), prediction, request.listing}, request.json);
  if (request.strict) require_all_modelled(prediction.result.not_modelled);
  return lack.empty() ? 0 : static_cast<int>(Failure::partial);
}

} // namespace

MpiAction add_mpi_replay(CLI::App& command) {
  auto request = std::make_shared<ReplayRequest>();
  add_replay_options(command, *request, Processes::several);
  command.footer("Example: mpirun timeless-mpi replay lu.D.16384.tia --network e1g,qdr --bandwidth /2,x1,x2\n"
                 "         mpirun timeless-mpi replay lu.D.16384.tia --platform graphene --tolerance 1%,5%");
  return [request] { return replay_on_processes(*request); };
}

} // namespace timeless::tools
