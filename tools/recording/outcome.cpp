#include "tools/recording/outcome.h"

#include "base/error.h"
#include "base/files/temporary_file.h"
#include "base/processes/command.h"
#include "gather/parts/rank_files.h"
#include "tools/recording/program_file.h"
#include "trace/archive/reader.h"
#include "trace/model/recording.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>

namespace timeless::tools {

namespace fs = std::filesystem;

namespace {

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
  if (outcome.reason.empty() && record != nullptr) outcome.reason = record->ending_reason;
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

bool starts_another(const std::string& path) {
  static constexpr std::array<std::string_view, 5> names = {"env", "timeout", "taskset", "nice", "flux"};
  return starts_ranks(path) || std::ranges::find(names, fs::path(path).filename().string()) != names.end();
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
  for (const std::string& word : command) {
    const std::string path = found_command(word);
    if (path.empty() || starts_another(path)) continue;
    const ProgramFile program = inspect_program(path);
    if (program.kind == ProgramKind::not_a_program || program.kind == ProgramKind::script) continue;
    if (program.set_user_id)
      return path + " is set-uid or set-gid, so that nothing can be preloaded into it: run a copy without that bit";
    if (program.kind == ProgramKind::static_program)
      return path +
             " is statically linked, so that nothing can be preloaded into it: link it with the shared MPI library";
    switch (mpi_library_of(program)) {
    case MpiLibrary::none:
      return path + " names no shared MPI library: is it an MPI program, and not linked with a static one?";
    case MpiLibrary::open_mpi:
    case MpiLibrary::mpich:
    case MpiLibrary::standard:
      return path + " is an MPI program, but no rank left a file: it ended before it was through MPI_Init, or it says "
                    "above why it was not recorded, or its files were removed; on other hosts, Timeless has to be "
                    "installed at the same path";
    }
  }
  return "no MPI program was found in the command: is the program linked with a shared MPI library, and does what "
         "starts it keep the environment (LD_PRELOAD)?";
}

} // namespace timeless::tools
