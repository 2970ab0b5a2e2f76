#include "tools/info/head.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"

#include "base/rank_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

using trace::Run;

std::string counter_text(const Run& run) {
  const trace::Counter& counter = run.counter;
  if (counter.unit == trace::VolumeUnit::none) return "none: no computation was recorded";
  return fmt::format("{}{}: {}, {}; threads: {}", counter.name,
                     counter.version.empty() ? "" : " (" + counter.version + ")", name(counter.unit),
                     name(counter.exactness), counter.threads);
}

std::vector<std::string> host_texts(const Run& run) {
  std::vector<std::string> texts;
  for (std::size_t host = 0; host < run.hosts.size(); ++host) {
    std::vector<trace::Rank> ranks;
    for (const trace::RankRecord& record : run.ranks)
      if (record.host == host) ranks.push_back(record.rank);
    const trace::Host& machine = run.hosts[host];
    texts.push_back(fmt::format("{}{}: rank{} {}", machine.name,
                                machine.cpu_model.empty() ? "" : " (" + machine.cpu_model + ")",
                                ranks.size() == 1 ? "" : "s", rank_ranges(ranks)));
  }
  return texts;
}

void print_hosts(const Run& run) {
  constexpr std::size_t most = 8;
  const std::vector<std::string> texts = host_texts(run);
  for (std::size_t i = 0; i < std::min(texts.size(), most); ++i)
    print_line("{:<15}{}", i == 0 ? "hosts" : "", texts[i]);
  if (texts.size() > most) print_line("{:<15}and {} more hosts", "", texts.size() - most);
}

/// What is noted of ranks' recordings, and of which.
std::map<std::string, std::vector<trace::Rank>> notes(const Run& run) {
  std::map<std::string, std::vector<trace::Rank>> notes;
  for (const trace::RankRecord& record : run.ranks)
    for (const std::string& note : record.notes)
      notes[note].push_back(record.rank);
  return notes;
}

} // namespace

void print_head(const InfoRequest& request, const Run& run) {
  const std::string lack = incompleteness(run);
  print_line("{}: {} ranks of {}, {}", request.trace, run.size,
             run.provenance.program.empty() ? "an unknown program" : run.provenance.program,
             lack.empty() ? "complete" : "INCOMPLETE: " + lack);
  print_line("{:<15}{}{}{}", "recorded", run.provenance.date, run.provenance.tool_version.empty() ? "" : " by ",
             run.provenance.tool_version);
  if (!run.provenance.mpi_library.empty()) print_line("{:<15}{}", "MPI library", run.provenance.mpi_library);
  print_line("{:<15}{}", "counter", counter_text(run));
  if (run.volume_error > 0) print_line("{:<15}{}", "volumes", rounding(run));
  print_hosts(run);
  for (const std::string& world : spawned_worlds(request.trace))
    print_line("{:<15}{}: processes that these have started, a run of its own", "spawned", world);
  print_line("{:<15}{}", "communicators", run.communicators.size());
  for (const auto& [note, ranks] : notes(run))
    print_line("{:<15}rank{} {}: {}", "NOTE", ranks.size() == 1 ? "" : "s", rank_ranges(ranks), note);
  print_line("{:<15}{}", "kernels", run.kernels.size());
}

nlohmann::ordered_json head_json(const InfoRequest& request, const Run& run) {
  nlohmann::ordered_json json;
  json["trace"] = request.trace;
  json["ranks"] = run.size;
  json["complete"] = run.complete();
  json["incomplete_because"] = incompleteness(run);
  json["missing_ranks"] = run.missing_ranks();
  json["provenance"] = {{"tool_version", run.provenance.tool_version},
                        {"mpi_library", run.provenance.mpi_library},
                        {"program", run.provenance.program},
                        {"date", run.provenance.date}};
  json["counter"] = {{"name", run.counter.name},
                     {"version", run.counter.version},
                     {"unit", name(run.counter.unit)},
                     {"exactness", name(run.counter.exactness)},
                     {"threads", run.counter.threads}};
  json["volume_error"] = volume_error(run);
  for (const trace::Host& host : run.hosts)
    json["hosts"].push_back({{"name", host.name}, {"cpu_model", host.cpu_model}});
  for (const trace::RankRecord& record : run.ranks)
    json["rank_records"].push_back({{"rank", record.rank},
                                    {"host", record.host},
                                    {"actions", record.actions},
                                    {"ending", name(record.ending)},
                                    {"ending_reason", record.ending_reason},
                                    {"notes", record.notes},
                                    {"skew_per_call", record.skew_per_call},
                                    {"peak_memory", record.peak_memory}});
  for (const trace::Communicator& communicator : run.communicators)
    json["communicators"].push_back({{"members", communicator.members.size()},
                                     {"remote_members", communicator.remote_members.size()},
                                     {"foreign_members", communicator.foreign_members()}});
  json["spawned_worlds"] = spawned_worlds(request.trace);
  json["kernel_count"] = run.kernels.size();
  return json;
}

} // namespace timeless::tools
