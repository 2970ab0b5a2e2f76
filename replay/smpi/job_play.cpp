#include "replay/smpi/job_play.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_network.h"

#include <algorithm>
#include <map>
#include <string>

namespace timeless::replay::smpi {

namespace {

/// Returns how many flops SimGrid must be given for one unit of a rank's volumes. Throws Error(invalid_input) where
/// that would take so long that SimGrid could not add up times: it takes such computations for ones that never end.
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

std::vector<std::vector<trace::CommunicatorId>> communicators_by_rank(const trace::Run& run, const TraceScan& scan) {
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

} // namespace

JobPlay::JobPlay(const SmpiJob& job, std::size_t number, const SimgridPlatform& platform, const SmpiOptions& options)
    : job_(job), scan_(smpi::scan(*job.source)) {
  const trace::Run& run = job.source->run();
  if (job.mapping->node_of_rank.size() != static_cast<std::size_t>(run.size))
    throw Error(Failure::usage, "the mapping is not for this many ranks", std::to_string(run.size));
  context_.source = job.source;
  context_.scan = &scan_;
  context_.instance = "timeless-" + std::to_string(number);
  context_.communicators_of = communicators_by_rank(run, scan_);
  context_.kernel_factors = job.kernel_factors;
  context_.cores_per_rank = options.cores_per_rank;
  context_.files = {options.files.latency, options.files.byte_time, options.files.aggregate_byte_time};
  context_.attribute_kernels = options.attribute == AttributeBy::kernels;
  context_.attribute_calls = options.attribute == AttributeBy::calls;
  for (const std::uint32_t node : job.mapping->node_of_rank)
    context_.flops_per_unit.push_back(flops_per_unit(job, platform, node, options.scaling.compute));
}
JobAnswer JobPlay::answer(double seconds) const {
  JobAnswer made{.cpu_seconds = seconds};
  std::map<std::string, std::uint32_t> names;
  // Computation first, then by the alphabet, as in the model's.
  if (context_.attribute_calls) made.calls = "computation\n";
  for (const RankPlayer& player : players_) {
    const TimeBySubject times = player.times();
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
    const TimeBySubject times = player.times();
    for (const auto& [kernel, timed] : times.kernels())
      made.parts.push_back({rank, kernel, timed.count, timed.seconds});
    const std::size_t first = made.parts.size();
    for (const auto& [name, timed] : times.calls())
      made.parts.push_back({rank, names.at(name), timed.count, timed.seconds});
    std::sort(made.parts.begin() + static_cast<std::ptrdiff_t>(first), made.parts.end(),
              [](const TimePart& left, const TimePart& right) { return left.subject < right.subject; });
    ++rank;
  }
  return made;
}

} // namespace timeless::replay::smpi
