#include "tools/planning/next_commands.h"

#include "tools/cli/locate.h"

#include <fmt/format.h>

#include <filesystem>

namespace timeless::tools {

namespace {

/// A word as a shell takes it for one.
std::string in_quotes(const std::string& word) {
  const bool plain =
      !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                              "_-+=./:,@%") == std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

} // namespace

NextCommands next_commands(const Plan& plan, std::uint32_t ranks, const std::string& hostfile,
                           const std::string& counter, const std::vector<std::string>& program) {
  const std::string hosts = hostfile.empty() ? "HOSTFILE" : in_quotes(hostfile);
  std::string record = "timeless record -o recording";
  if (!counter.empty()) record += " --counter " + in_quotes(counter);
  record += fmt::format(" -- mpirun -np {} --hostfile {} --map-by slot", ranks, hosts);
  // The slots are the ranks: Open MPI does not see that they share cores, and would bind and spin.
  if (is_folded(plan.mode)) record += " --bind-to none --mca mpi_yield_when_idle 1";
  if (program.empty()) record += " PROGRAM";
  for (const std::string& word : program)
    record += " " + in_quotes(word);
  // A bare name would be looked for in the PATH of each host's remote shell.
  const std::string gatherer =
      std::filesystem::exists(mpi_command()) ? in_quotes(mpi_command().string()) : "timeless-mpi";
  return {.record = record,
          .gather = fmt::format("mpirun --hostfile {} --map-by ppr:1:node {} gather recording -o recording.tia", hosts,
                                gatherer)};
}

} // namespace timeless::tools
