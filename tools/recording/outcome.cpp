#include "tools/recording/outcome.h"

#include "base/error.h"
#include "base/files/temporary_file.h"
#include "gather/parts/rank_files.h"
#include "tools/recording/command_program.h"
#include "trace/archive/reader.h"
#include "trace/model/recording.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>

namespace timeless::tools {

namespace fs = std::filesystem;

namespace {

void add_reason(const std::string& reason, trace::Rank rank, Outcome& outcome) {
  auto known = std::ranges::find(outcome.reasons, reason, [](const auto& each) { return each.first; });
  if (known == outcome.reasons.end()) known = outcome.reasons.insert(known, {reason, {}});
  known->second.push_back(rank);
}

/// Returns a smaller number for what rather is the cause of a program's end: launchers end the other ranks of one that
/// has died. The words are those of trace/journal/owner.cpp.
int distance_from_cause(const std::string& reason) {
  if (reason.empty()) return 3;
  if (reason.find(", sent by process ") != reason.npos) return 2;
  return reason.starts_with("killed by ") || reason.starts_with("ended by ") ? 0 : 1;
}

void add_rank_file(const gather::RankFile& file, std::uint32_t recording, Outcome& outcome) {
  const trace::ArchiveReader archive(file.path);
  const trace::Run& run = archive.run();
  if (trace::recording_of(run.provenance.run_identity) != recording) return outcome.of_others.push_back(file.rank);
  outcome.size = std::max(outcome.size, run.size);
  outcome.counter = run.counter;
  outcome.bytes += archive.file_bytes();
  outcome.recorded.push_back(file.rank);
  const trace::RankRecord* record = run.find(file.rank);
  if (record != nullptr) outcome.actions += record->actions;
  if (record != nullptr)
    for (const auto& [call, times] : record->unrecorded_calls)
      outcome.unrecorded_calls[call] += times;
  if (record != nullptr)
    for (const std::string& note : record->notes)
      outcome.notes[note].push_back(file.rank);
  if (record != nullptr && record->ending == trace::Ending::finalized && archive.finished()) return;
  outcome.unfinished.push_back(file.rank);
  add_reason(record == nullptr ? "" : record->ending_reason, file.rank, outcome);
}

bool is_icount_log(const fs::path& path) {
  return path.filename().string().starts_with("icount-") && path.extension() == ".log";
}

/// Returns the first line that says something, without Valgrind's "==PID== ".
std::string first_message(const fs::path& log) {
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    const std::size_t mark = line.starts_with("==") ? line.find("== ", 2) : std::string::npos;
    std::string text = mark == std::string::npos ? line : line.substr(mark + 3);
    if (text.find_first_not_of(" =") != std::string::npos) return text;
  }
  return "(nothing)";
}

void collect_icount_logs(const fs::path& directory, Outcome& outcome) {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, none)) {
    if (!is_icount_log(entry.path())) continue;
    if (entry.file_size(none) == 0)
      fs::remove(entry.path(), none);
    else
      outcome.icount_messages.push_back(entry.path().string() + ": " + first_message(entry.path()));
  }
  std::ranges::sort(outcome.icount_messages);
}

} // namespace

bool Outcome::complete() const {
  return size > 0 && recorded.size() == static_cast<std::size_t>(size) && unfinished.empty() && unreadable.empty();
}

std::vector<trace::Rank> Outcome::missing() const {
  std::vector<trace::Rank> ranks;
  for (trace::Rank rank = 0; rank < size; ++rank)
    if (!std::ranges::binary_search(recorded, rank)) ranks.push_back(rank);
  return ranks;
}

Outcome outcome_of(const fs::path& directory, std::uint32_t recording) {
  Outcome outcome;
  for (const gather::RankFile& file : gather::list_rank_files(directory)) {
    try {
      add_rank_file(file, recording, outcome);
    } catch (const Error& error) {
      outcome.unreadable.emplace_back(error.what());
    }
  }
  std::ranges::stable_sort(outcome.reasons, {}, [](const auto& each) { return distance_from_cause(each.first); });
  // Another recording may still write its logs.
  if (outcome.of_others.empty()) collect_icount_logs(directory, outcome);
  if (outcome.of_others.empty() || !outcome.recorded.empty())
    for (const fs::path& world : gather::list_spawned_worlds(directory))
      outcome.spawned_worlds.push_back(world.string());
  return outcome;
}

bool has_no_room(const fs::path& directory) {
  constexpr off_t beginning = 256 << 10;
  int file = -1;
  try {
    file = open_scratch(directory);
  } catch (const Error&) {
    return errno == ENOSPC || errno == EDQUOT;
  }
  const int refused = ::posix_fallocate(file, 0, beginning);
  ::close(file);
  return refused == ENOSPC || refused == EDQUOT;
}

std::string why_nothing_recorded(const std::vector<std::string>& command, const fs::path& directory) {
  if (has_no_room(directory))
    return "the disk that holds " + directory.string() +
           " is full: free some space, or name a directory on another disk";
  const std::optional<CommandsProgram> program = program_of(command);
  if (!program)
    return "no MPI program was found in the command: is the program linked with a shared MPI library, and does what "
           "starts it keep the environment (LD_PRELOAD)? 'timeless doctor -- COMMAND' finds out";
  if (const auto obstacle = recording_obstacle(*program)) return obstacle->what + ": " + obstacle->remedy;
  return program->path +
         " is an MPI program, but no rank left a file: it ended before it was through MPI_Init, or it says above why "
         "it was not recorded, or its files were removed, or the command sets LD_PRELOAD itself, in place of the "
         "recorder; on other hosts, Timeless has to be installed at the same path; 'timeless doctor -- COMMAND' finds "
         "out";
}

} // namespace timeless::tools
