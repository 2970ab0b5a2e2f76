#include "recorded.h"

#include "trace/archive/reader.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace timeless::test {

namespace {

/// Many ranks on few cores, as any user, without looking at the machine's devices.
constexpr const char* open_mpi_settings =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader "
    "HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio ";

/// For sanitized builds: a process that is found at fault ends with this status, but dies of signals as ever. Threads
/// of Open MPI's synchronise by means that the thread sanitizer does not see.
constexpr const char* sanitizer_settings =
    "ASAN_OPTIONS=detect_leaks=0:exitcode=99:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:use_sigaltstack=0 "
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=99 "
    "TSAN_OPTIONS=ignore_noninstrumented_modules=1:exitcode=99 ";

/// What a variable says, or what the build does: the tests run with every MPI whose programs are built
/// (CMakeLists.txt).
std::string setting(const char* variable, const char* built) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : built;
}

Outcome run(const Job& job, const std::string& preload) {
  const TemporaryDirectory results;
  const bool ours = job.program.find('/') == std::string::npos;
  const std::string program = ours ? tested_program(job.program) : job.program;
  const std::string environment = preload + job.environment + " ";
  std::string command = std::string("env ") + open_mpi_settings + sanitizer_settings +
                        (job.around_launcher ? environment : "") + "timeout -k 5 300 ";
  if (job.ranks > 0) command += setting("TESTED_MPIRUN", TIMELESS_MPIRUN) + " -np " + std::to_string(job.ranks) + " ";
  command += (job.around_launcher ? "" : "env " + environment) + program + " " + job.arguments + " >" +
             (results / "output").string() + " 2>" + (results / "errors").string() + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(results / "output"),
          content(results / "errors")};
}

Kept keep(const trace::Action& action) {
  Kept kept{action,
            {action.requests.begin(), action.requests.end()},
            {action.counts.begin(), action.counts.end()},
            {action.receive_counts.begin(), action.receive_counts.end()},
            {action.ranks.begin(), action.ranks.end()}};
  kept.action.requests = {};
  kept.action.counts = {};
  kept.action.receive_counts = {};
  kept.action.ranks = {};
  return kept;
}

RecordedRank read_rank(const std::filesystem::path& path) {
  const trace::ArchiveReader reader(path);
  RecordedRank rank;
  rank.run = reader.run();
  rank.finished = reader.finished() && reader.damage().empty();
  const auto stream = reader.open(rank.run.ranks.at(0).rank);
  trace::ActionBlock block;
  while (stream->next(block))
    trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
      if (!has_volume(action.kind)) return rank.actions.push_back(keep(action));
      rank.all_volumes.push_back({action.kind, volume});
      if (action.kind == trace::ActionKind::compute) rank.volumes.push_back(volume);
    });
  return rank;
}

} // namespace

std::string tested_mpi() {
  return setting("TESTED_MPI", "Open MPI");
}

std::string tested_program(const std::string& name) {
  return setting("TESTED_PROGRAMS", TIMELESS_PROGRAMS) + "/" + name;
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Outcome run_plain(const Job& job) {
  return run(job, "");
}

Outcome run_traced(const Job& job, const std::filesystem::path& directory) {
  return run(job, "LD_PRELOAD=" TIMELESS_PRELOAD " TIMELESS_COUNTER=none TIMELESS_DIR=" + directory.string() + " ");
}

std::ostream& operator<<(std::ostream& out, const Kept& kept) {
  const trace::Action& action = kept.action;
  out << trace::mpi_name(action) << " flags " << action.flags << " communicator " << action.communicator << " peer "
      << action.peer << " tag " << action.tag << " bytes " << action.bytes << " receive " << action.receive_peer << '/'
      << action.receive_tag << '/' << action.receive_bytes << " element " << action.element_bytes << " request "
      << static_cast<int>(action.request) << " new " << static_cast<int>(action.new_communicator) << " requests";
  for (const auto request : kept.requests)
    out << ' ' << request;
  out << " counts";
  for (const auto count : kept.counts)
    out << ' ' << count;
  out << " receive counts";
  for (const auto count : kept.receive_counts)
    out << ' ' << count;
  out << " ranks";
  for (const auto rank : kept.ranks)
    out << ' ' << rank;
  return out;
}

std::ostream& operator<<(std::ostream& out, const Volume& volume) {
  return out << name(volume.kind) << ' ' << volume.volume;
}

std::vector<Kept> RecordedRank::of_kind(trace::ActionKind kind) const {
  std::vector<Kept> found;
  for (const Kept& kept : actions)
    if (kept.action.kind == kind) found.push_back(kept);
  return found;
}

std::vector<RecordedRank> read_recording(const std::filesystem::path& directory) {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".tia") files[entry.path().filename().string()] = entry.path();
  std::vector<RecordedRank> ranks;
  for (const auto& [name, path] : files)
    ranks.push_back(read_rank(path));
  return ranks;
}

Recording record_beside_plain(const Job& job) {
  const TemporaryDirectory directory;
  Recording recording{run_plain(job), run_traced(job, directory / "trace"), {}};
  if (recording.traced.status == recording.plain.status) recording.trace = read_recording(directory / "trace");
  return recording;
}

TracedRun record_traced(const Job& job) {
  const TemporaryDirectory directory;
  TracedRun run{run_traced(job, directory / "trace"), {}};
  if (std::filesystem::exists(directory / "trace")) run.ranks = read_recording(directory / "trace");
  return run;
}

std::vector<trace::ActionKind> kinds(const RecordedRank& rank) {
  std::vector<trace::ActionKind> result;
  for (const Kept& kept : rank.actions)
    result.push_back(kept.action.kind);
  return result;
}

const Recording& recording_of(const std::string& program) {
  static std::map<std::string, Recording> done;
  const auto known = done.find(program);
  if (known != done.end()) return known->second;
  const TemporaryDirectory directory;
  return done[program] = record_beside_plain(
             {.ranks = recorded_ranks, .program = program, .arguments = (directory / "data").string()});
}

} // namespace timeless::test
