#include "tools/recording/environment.h"

#include "base/error.h"
#include "base/launched_rank.h"
#include "tools/cli/shell_word.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>

namespace timeless::tools {

namespace {

constexpr const char* forwarded_list = "OMPI_MCA_mca_base_env_list";
/// Of Open MPI 4's daemons, and of those of PRRTE, which starts the ranks of Open MPI 5.
constexpr const char* orte_agent = "OMPI_MCA_orte_launch_agent";
constexpr const char* prte_agent = "PRTE_MCA_prte_launch_agent";
/// What Open MPI 5's mpirun hands on of its environment to ranks on other hosts: names, of which `*` may be a part.
constexpr const char* harvested_list = "PMIX_MCA_pmdl_ompi_include_envars";
constexpr const char* harvested_by_default = "OMPI_*,OPAL_*";
constexpr const char* slurm_export = "SLURM_EXPORT_ENV";
/// Resolving a symbol at its first call would count as the program's work.
constexpr const char* bind_now = "LD_BIND_NOW";

/// The dynamic linker splits the list at colons and spaces and knows no way to quote them.
void check_preloadable(const std::string& library) {
  if (library.find_first_of(": \t\n;") == std::string::npos) return;
  throw Error(Failure::usage, "a path with spaces or colons cannot be preloaded", library,
              "build or install Timeless elsewhere");
}

/// Returns the command that starts PRRTE's daemon with variables. Where that starts further ones (on more than 64
/// hosts), it does so with what stands before the first `=` of this command, so that must be a command that starts one.
std::string prte_command(const std::string& assignments, const std::string& daemon) {
  const bool one_word = daemon.find(' ') == std::string::npos;
  return one_word ? "env " + daemon + "=1" + assignments + " " + daemon : daemon;
}

/// Returns the variables that have Open MPI forward these to its daemons on other hosts, which it starts through ssh,
/// without an environment. It has a list of variables to forward, but refuses to run when the user also says mpirun -x;
/// so the daemons are started with them instead, unless the user has such a list already (then there can be no -x).
/// Open MPI 5 has another list, which does not mind. Its PRRTE takes the older daemon's variable for its own where that
/// is not set, and would start a daemon it has not.
Variables forwarding(const Variables& variables) {
  if (std::string list = environment(forwarded_list); !list.empty()) {
    for (const auto& [name, value] : variables)
      if (name != bind_now) list.append(";").append(name);
    return {{forwarded_list, list.append(";").append(bind_now).append("=1")}};
  }
  std::string assignments = std::string(" ") + bind_now + "=1";
  const std::string harvested = environment(harvested_list);
  std::string names = harvested.empty() ? harvested_by_default : harvested;
  for (const auto& [name, value] : variables) {
    if (name != bind_now) assignments.append(" ").append(name).append("=").append(shell_word(value));
    names.append(",").append(name);
  }
  const std::string orted = environment(orte_agent);
  const std::string prted = environment(prte_agent);
  return {{orte_agent, "env" + assignments + " " + (orted.empty() ? "orted" : orted)},
          {prte_agent, prte_command(assignments, !prted.empty()  ? prted
                                                 : orted.empty() ? "prted"
                                                                 : orted)},
          {harvested_list, names}};
}

/// Returns true where srun may start the program, or Open MPI's daemons, rather than that this is a rank already.
bool may_meet_slurm(const std::string& launcher) {
  if (launched_rank() != nullptr) return false;
  return !environment("SLURM_JOB_ID").empty() || std::filesystem::path(launcher).filename() == "srun" ||
         !found_command("srun").empty();
}

/// Slurm's own commands load plugins that name symbols nobody has, which works as long as they are not resolved. So
/// srun is told to give the variable to what it starts, and does not get it.
std::pair<std::string, std::string> binding(const std::string& launcher) {
  if (!may_meet_slurm(launcher)) return {bind_now, "1"};
  const std::string exported = environment(slurm_export);
  return {slurm_export, (exported.empty() ? "ALL" : exported) + "," + bind_now + "=1"};
}

} // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Variables recording_variables(const RecordingSettings& settings) {
  check_preloadable(settings.library);
  const std::string preloaded = environment("LD_PRELOAD");
  Variables variables = {
      {"LD_PRELOAD", preloaded.empty() ? settings.library : settings.library + ":" + preloaded},
      binding(settings.launcher),
      {"TIMELESS_DIR", settings.directory},
      {"TIMELESS_COUNTER", settings.counter},
      {"TIMELESS_START", settings.start},
      {"TIMELESS_RUN", std::to_string(settings.number)},
  };
  // What idle threads execute while they wait would count as the program's work.
  if (environment("OMP_WAIT_POLICY").empty()) variables.emplace_back("OMP_WAIT_POLICY", "passive");
  if (!settings.buffer_size.empty()) variables.emplace_back("TIMELESS_BUFFER_SIZE", settings.buffer_size);
  const auto add = [&](const char* name, const std::string& asked) {
    const std::string value = asked.empty() ? environment(name) : asked;
    if (!value.empty()) variables.emplace_back(name, value);
  };
  add("TIMELESS_STACK", settings.stack);
  add("TIMELESS_TIMESTAMPS", settings.timestamps ? "1" : "");
  add("TIMELESS_PROFILE", settings.profile);
  if (!settings.self_test.empty()) variables.emplace_back("TIMELESS_SELF_TEST", settings.self_test);
  for (const char* further : {"TIMELESS_VERBOSE", "TIMELESS_ICOUNT_TOOL"})
    if (const std::string value = environment(further); !value.empty()) variables.emplace_back(further, value);
  std::ranges::move(forwarding(variables), std::back_inserter(variables));
  return variables;
}

} // namespace timeless::tools
