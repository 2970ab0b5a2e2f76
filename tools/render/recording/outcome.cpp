#include "tools/render/recording/outcome.h"

#include "base/rank_ranges.h"
#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace timeless::tools {

namespace {

std::string some(const std::vector<trace::Rank>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + rank_ranges(ranks);
}

/// Returns " (why)", of each rank where they differ; empty where nothing is known.
std::string reasons(const Outcome& outcome) {
  constexpr std::size_t most = 3;
  const std::vector<std::pair<std::string, std::vector<trace::Rank>>>& all = outcome.reasons;
  if (all.size() == 1) return all.front().first.empty() ? "" : " (" + all.front().first + ")";
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", some(all[i].second),
                        all[i].first.empty() ? "not known why" : all[i].first);
  return " (" + text + (all.size() > most ? "; and others)" : ")");
}

std::string unrecorded(const Outcome& outcome) {
  std::string line = "not in the trace, so in no replay: ";
  const char* separator = "";
  for (const auto& [call, times] : outcome.unrecorded_calls) {
    line += fmt::format("{}{} ({} calls)", separator, call, times);
    separator = ", ";
  }
  return line;
}

} // namespace

std::string to_text(const Outcome& outcome) {
  std::string counter = outcome.counter.name;
  if (outcome.counter.unit != trace::VolumeUnit::none)
    counter += fmt::format(" ({} {})", name(outcome.counter.exactness), name(outcome.counter.unit));
  std::string line = fmt::format("recorded {} of {} ranks: {} actions, {}, counter {}", outcome.recorded.size(),
                                 outcome.size, human_count(static_cast<double>(outcome.actions)),
                                 human_bytes(static_cast<double>(outcome.bytes)), counter);
  for (const std::string& world : outcome.spawned_worlds)
    line += fmt::format("; spawned processes: {}", world);
  return line;
}

std::vector<std::string> complaints(const Outcome& outcome) {
  std::vector<std::string> lines;
  if (!outcome.of_others.empty())
    lines.push_back(some(outcome.of_others) + " here are of another recording, which is not counted and left as it is: "
                                              "name another directory with -o");
  if (const auto absent = outcome.missing(); !absent.empty())
    lines.push_back(some(absent) + " left no file here: look for it on the host it ran on (gather with timeless-mpi), "
                                   "or whether Timeless is installed there at the same path");
  if (!outcome.unfinished.empty())
    lines.push_back(some(outcome.unfinished) + " did not reach MPI_Finalize: the trace ends where the recording did" +
                    reasons(outcome));
  for (const auto& [note, ranks] : outcome.notes)
    lines.push_back(some(ranks) + ": " + note);
  for (const std::string& file : outcome.unreadable)
    lines.push_back("not readable: " + file);
  for (const std::string& message : outcome.icount_messages)
    lines.push_back("icount says in " + message);
  if (!outcome.unrecorded_calls.empty()) lines.push_back(unrecorded(outcome));
  return lines;
}

nlohmann::ordered_json to_json(const RecordAnswer& answer) {
  const Outcome& outcome = answer.outcome;
  return {{"directory", answer.directory},
          {"status", answer.status},
          {"ranks", outcome.size},
          {"ranks_recorded", outcome.recorded.size()},
          {"ranks_unfinished", outcome.unfinished},
          {"complete", outcome.complete()},
          {"actions", outcome.actions},
          {"bytes", outcome.bytes},
          {"counter", outcome.counter.name},
          {"unit", name(outcome.counter.unit)},
          {"exactness", name(outcome.counter.exactness)},
          {"spawned_worlds", outcome.spawned_worlds},
          {"complaints", complaints(outcome)}};
}

} // namespace timeless::tools
