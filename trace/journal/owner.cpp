#include "trace/journal/owner.h"

#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

namespace timeless::trace {

namespace {

/// Returns what proc(5) says of a process, or empty.
std::string proc_file(std::uint32_t process, const char* name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns true for this host, in this container, since it was started.
bool same_pid_namespace(const JournalHeader& header) {
  const auto [boot, pids] = this_pid_namespace();
  return boot == std::string(header.boot, strnlen(header.boot, sizeof header.boot)) && pids == header.process_namespace;
}

std::string words(const JournalSignal& signal, std::uint32_t process) {
  if (signal.number == ended_by_mpi) return "ended by MPI with status " + std::to_string(signal.code);
  if (signal.number == ended_by_quick_exit) return "ended by quick_exit without MPI_Finalize";
  const int number = static_cast<int>(signal.number);
  const char* const name = sigabbrev_np(number);
  std::string text = "killed by ";
  text += name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number);
  if (const char* const description = sigdescr_np(number); description != nullptr)
    text += " (" + std::string(description) + ")";
  if (signal.code != SI_USER && signal.code != SI_QUEUE && signal.code != SI_TKILL) return text;
  if (static_cast<std::uint32_t>(signal.sender) == process) return text + ", which it sent itself";
  return text + ", sent by process " + std::to_string(signal.sender);
}

/// Returns ", in MPI_Recv", or nothing: the program was not in MPI.
std::string where(const JournalImage& journal) {
  for (const JournalThread& thread : journal.threads())
    if (const std::string call = journal.call_of(thread); !call.empty()) return ", in " + call;
  return "";
}

} // namespace

PidNamespace this_pid_namespace() {
  PidNamespace here;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> here.boot;
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) == 0) here.processes = status.st_ino;
  return here;
}

std::uint64_t start_of_process(std::uint32_t process) {
  const std::string stat = proc_file(process, "stat");
  // The second field, the program's name, may hold spaces and parentheses.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  const char* field = stat.c_str() + name_end + 1;
  for (int number = 2; number < 21 && field != nullptr; ++number)
    field = std::strchr(field + 1, ' ');
  return field == nullptr ? 0 : std::strtoull(field, nullptr, 10);
}

JournalOwner find_owner(const JournalImage& journal, const std::filesystem::path& path) {
  const JournalHeader& header = journal.header();
  if (!same_pid_namespace(header)) return JournalOwner::elsewhere;
  if (start_of_process(header.process) != header.process_start || header.process_start == 0) return JournalOwner::gone;
  const std::string stat = proc_file(header.process, "stat");
  const std::size_t state = stat.rfind(") ");
  // A zombie has ended: nobody has asked for its status yet.
  if (state != std::string::npos && (stat[state + 2] == 'Z' || stat[state + 2] == 'X')) return JournalOwner::gone;
  const std::string maps = proc_file(header.process, "maps");
  const bool kept = maps.empty() || maps.find(path.filename().string()) != std::string::npos;
  return kept ? JournalOwner::running : JournalOwner::replaced;
}

std::string ending_words(const JournalImage& journal, JournalOwner owner) {
  if (const JournalSignal signal = journal.signal(); signal.number != 0)
    return words(signal, journal.header().process) + where(journal);
  const std::string process = "process " + std::to_string(journal.header().process);
  switch (owner) {
  case JournalOwner::running:
    return "still running: " + process + " on " + journal.host() + where(journal);
  case JournalOwner::replaced:
    return process + " became another program (exec) without MPI_Finalize";
  case JournalOwner::gone:
    return process + " ended without saying why (SIGKILL, _exit, or its host went down)" + where(journal);
  case JournalOwner::elsewhere:
    break;
  }
  return process + " on " + journal.host() + " is still running or was killed: ask there" + where(journal);
}

} // namespace timeless::trace
