#include "tools/render/info/head.h"

#include "tools/cli/console.h"
#include "tools/cli/shell_word.h"
#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"

#include "base/parsing.h"
#include "base/rank_ranges.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

/// Returns how a program was started, as a shell takes it; the beginning of what is long.
std::string command_text(const std::vector<std::string>& command) {
  constexpr std::size_t most = 400;
  const std::string line = shell_line(command);
  return line.size() <= most ? line : line.substr(0, most) + " ...";
}

std::vector<std::string> host_texts(const Run& run) {
  std::vector<std::string> texts;
  for (std::size_t host = 0; host < run.hosts.size(); ++host) {
    std::vector<trace::Rank> ranks;
    for (const trace::RankRecord& record : run.ranks)
      if (record.host == host) ranks.push_back(record.rank);
    const trace::Host& machine = run.hosts[host];
    texts.push_back(fmt::format("{}{}: rank{} {}", machine.name,
                                machine.cpu_model.empty() ? "" : " (" + machine.cpu_model + ")", plural(ranks.size()),
                                rank_ranges(ranks)));
  }
  return texts;
}

std::string hosts_text(const Run& run) {
  constexpr std::size_t most = 8;
  const std::vector<std::string> texts = host_texts(run);
  std::string text;
  for (std::size_t i = 0; i < std::min(texts.size(), most); ++i)
    text += text_fact(15, i == 0 ? "hosts" : "", "{}", texts[i]);
  if (texts.size() > most) text += text_fact(15, "", "and {} more hosts", texts.size() - most);
  return text;
}

/// Returns what is noted of ranks' recordings, and of which.
std::map<std::string, std::vector<trace::Rank>> notes(const Run& run) {
  std::map<std::string, std::vector<trace::Rank>> notes;
  for (const trace::RankRecord& record : run.ranks)
    for (const std::string& note : record.notes)
      notes[note].push_back(record.rank);
  return notes;
}

} // namespace

std::string to_text(const RunHead& head) {
  const Run& run = head.run;
  const std::string lack = incompleteness(run);
  std::string text = text_line("{}: {} ranks of {}, {}", head.trace, run.size,
                               run.provenance.program.empty() ? "an unknown program" : run.provenance.program,
                               lack.empty() ? "complete" : "INCOMPLETE: " + lack);
  text += text_fact(15, "recorded", "{}{}{}", run.provenance.date, run.provenance.tool_version.empty() ? "" : " by ",
                    run.provenance.tool_version);
  if (!run.provenance.command.empty()) text += text_fact(15, "started as", "{}", command_text(run.provenance.command));
  if (!run.provenance.extrapolated.empty()) // without its laws, on further lines
    text += text_fact(15, "EXTRAPOLATED", "{}", first_line(run.provenance.extrapolated));
  if (!run.provenance.mpi_library.empty()) text += text_fact(15, "MPI library", "{}", run.provenance.mpi_library);
  text += text_fact(15, "counter", "{}", counter_text(run));
  if (run.volume_error > 0) text += text_fact(15, "volumes", "{}", rounding(run));
  text += hosts_text(run);
  for (const std::string& world : head.spawned_worlds)
    text += text_fact(15, "spawned", "{}: processes that these have started, a run of its own", world);
  text += text_fact(15, "communicators", "{}", run.communicators.size());
  for (const auto& [note, ranks] : notes(run))
    text += text_fact(15, "NOTE", "rank{} {}: {}", plural(ranks.size()), rank_ranges(ranks), note);
  text += text_fact(15, "kernels", "{}", run.kernels.size());
  return text;
}

nlohmann::ordered_json to_json(const RunHead& head) {
  const Run& run = head.run;
  nlohmann::ordered_json json;
  json["trace"] = head.trace;
  json["ranks"] = run.size;
  json["complete"] = run.complete();
  json["incomplete_because"] = incompleteness(run);
  json["missing_ranks"] = run.missing_ranks();
  json["provenance"] = {{"tool_version", run.provenance.tool_version},
                        {"mpi_library", run.provenance.mpi_library},
                        {"program", run.provenance.program},
                        {"command", run.provenance.command},
                        {"date", run.provenance.date},
                        {"extrapolated", run.provenance.extrapolated}};
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
  for (const trace::Communicator& communicator : run.communicators) {
    json["communicators"].push_back({{"members", communicator.members.size()},
                                     {"remote_members", communicator.remote_members.size()},
                                     {"foreign_members", communicator.foreign_members()},
                                     {"grid", nlohmann::ordered_json::array()}});
    for (const trace::GridDimension& dimension : communicator.grid)
      json["communicators"].back()["grid"].push_back({{"extent", dimension.extent}, {"periodic", dimension.periodic}});
  }
  json["spawned_worlds"] = head.spawned_worlds;
  json["kernel_count"] = run.kernels.size();
  return json;
}

} // namespace timeless::tools
