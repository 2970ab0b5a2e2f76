#include "tools/planning/next_commands.h"

#include "tools/cli/locate.h"
#include "tools/cli/shell_word.h"

#include <fmt/format.h>

#include <filesystem>

namespace timeless::tools {

NextCommands next_commands(const NodePlan& plan, std::uint32_t ranks, const std::string& hostfile,
                           const std::string& counter, const std::vector<std::string>& program) {
  const std::string hosts = hostfile.empty() ? "HOSTFILE" : shell_word(hostfile);
  std::string record = "timeless record -o recording";
  if (!counter.empty()) record += " --counter " + shell_word(counter);
  record += fmt::format(" -- mpirun -np {} --hostfile {} --map-by slot", ranks, hosts);
  // The slots are the ranks: Open MPI does not see that they share cores, and would bind and spin.
  if (is_folded(plan.mode)) record += " --bind-to none --mca mpi_yield_when_idle 1";
  if (program.empty()) record += " PROGRAM";
  for (const std::string& word : program)
    record += " " + shell_word(word);
  // A bare name would be looked for in the PATH of each host's remote shell.
  const std::string gatherer =
      std::filesystem::exists(mpi_command()) ? shell_word(mpi_command().string()) : "timeless-mpi";
  return {.record = record,
          .gather = fmt::format("mpirun --hostfile {} --map-by ppr:1:node {} gather recording -o recording.tia", hosts,
                                gatherer)};
}

} // namespace timeless::tools
