#include "tools/console.h"
#include "tools/mpi/command.h"
#include "tools/not_modelled.h"
#include "tools/replaying/request.h"
#include "tools/trace_input.h"

#include "gather/team.h"
#include "replay/distributed/distributed_replay.h"

#include <memory>
#include <optional>
#include <string>

namespace timeless::tools {

namespace {

/// Leaves a prediction on the processes that only took part in its replay.
struct DonePart {};

/// Predicts on process 0, with the others' help. Whatever fails before all are ready fails on all.
std::optional<Prediction> predict_together(const trace::Source& source, PredictionOptions& asked,
                                           const gather::Team& team) {
  bool together = false;
  asked.replay = [&](const trace::Source& run, replay::Network& network, const replay::ReplayOptions& options) {
    if (together) throw Error(Failure::missing_capability, "several replays in a row need `timeless replay`");
    replay::require_replayable(run.run(), network, options);
    together = true;
    team.together([] {});
    std::optional<replay::Result> result = replay::distributed_replay(team.communicator(), run, network, options);
    if (!result) throw DonePart();
    return std::move(*result);
  };
  try {
    return predict_as_far_as_known(source, asked, predict_on_networks);
  } catch (const DonePart&) {
    return std::nullopt;
  } catch (const Error&) {
    if (!together) team.together([] { throw; });
    throw;
  }
}

int replay_on_processes(ReplayRequest& request) {
  const gather::Team team = gather::Team::of_nodes(MPI_COMM_WORLD);
  PredictionOptions& asked = request.prediction;
  std::unique_ptr<trace::Source> source;
  std::string lack;
  team.together([&] {
    read_words(request);
    if (asked.machine.networks.empty())
      throw Error(Failure::usage, "no machine to replay on", {},
                  "give --network e1g,e10g,qdr or a file; platform files need `timeless replay`");
    source = open_trace(asked.trace, asked.from);
    lack = incompleteness(source->run());
  });
  if (!lack.empty() && team.number() == 0)
    print_warning("the trace is incomplete: " + lack + "; the prediction ends where it does");
  const std::optional<Prediction> prediction = predict_together(*source, asked, team);
  if (!prediction) return 0;
  print_prediction(asked, source->run(), *prediction, request.report);
  if (request.strict) require_all_modelled(prediction->result);
  return lack.empty() ? 0 : static_cast<int>(Failure::partial);
}

} // namespace

MpiAction add_mpi_replay(CLI::App& command) {
  auto request = std::make_shared<ReplayRequest>();
  add_replay_options(command, *request, Machines::networks);
  command.footer("Example: mpirun timeless-mpi replay lu.D.16384.tia --network e1g,qdr --bandwidth /2,x1,x2");
  return [request] { return replay_on_processes(*request); };
}

} // namespace timeless::tools
