#include "tools/recording/environment.h"
#include "tools/recording/program_file.h"

#include "tests/temporary_directory.h"

#include "base/error.h"
#include "base/launched_rank.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

namespace timeless::tools {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

RecordingSettings settings() {
  return {.library = "/opt/lib/libtimeless.so", .directory = "/tmp/it's here", .counter = "none"};
}

std::string value(const Variables& variables, const std::string& name) {
  for (const auto& [each, value] : variables)
    if (each == name) return value;
  return "(unset)";
}

class RecordingVariables : public testing::Test {
protected:
  void SetUp() override {
    for (const char* name :
         {"LD_PRELOAD", "OMPI_MCA_mca_base_env_list", "OMPI_MCA_orte_launch_agent", "PRTE_MCA_prte_launch_agent",
          "PMIX_MCA_pmdl_ompi_include_envars", "OMP_WAIT_POLICY", "SLURM_EXPORT_ENV", "SLURM_JOB_ID"})
      unsetenv(name);
    for (const char* const name : rank_variables)
      unsetenv(name);
    setenv("PATH", "/nowhere", 1); // no srun
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }

  std::string path_ = std::getenv("PATH");
};

TEST_F(RecordingVariables, preload_the_library_before_what_is_preloaded_already) {
  EXPECT_EQ(value(recording_variables(settings()), "LD_PRELOAD"), "/opt/lib/libtimeless.so");
  setenv("LD_PRELOAD", "/a.so:/b.so", 1);
  EXPECT_EQ(value(recording_variables(settings()), "LD_PRELOAD"), "/opt/lib/libtimeless.so:/a.so:/b.so");
}

TEST_F(RecordingVariables, reach_other_hosts_with_open_mpis_daemons_quoted_for_the_shell_between) {
  const Variables variables = recording_variables(settings());
  EXPECT_EQ(value(variables, "OMPI_MCA_mca_base_env_list"), "(unset)");
  EXPECT_THAT(value(variables, "OMPI_MCA_orte_launch_agent"),
              AllOf(StartsWith("env LD_BIND_NOW=1 LD_PRELOAD=/opt/lib/libtimeless.so "),
                    HasSubstr(" TIMELESS_COUNTER=none "), HasSubstr(" TIMELESS_DIR='/tmp/it'\\''s here' "),
                    EndsWith(" orted")));
}

TEST_F(RecordingVariables, let_idle_threads_of_openmp_sleep_unless_the_user_says_what_they_do) {
  EXPECT_EQ(value(recording_variables(settings()), "OMP_WAIT_POLICY"), "passive");
  setenv("OMP_WAIT_POLICY", "active", 1);
  EXPECT_EQ(value(recording_variables(settings()), "OMP_WAIT_POLICY"), "(unset)");
}

TEST_F(RecordingVariables, have_all_symbols_bound_at_the_start) {
  EXPECT_EQ(value(recording_variables(settings()), "LD_BIND_NOW"), "1");
  EXPECT_EQ(value(recording_variables(settings()), "SLURM_EXPORT_ENV"), "(unset)");
}

TEST_F(RecordingVariables, leave_slurms_own_commands_their_lazy_binding) {
  RecordingSettings by_srun = settings();
  by_srun.launcher = "/opt/slurm/bin/srun";
  const Variables variables = recording_variables(by_srun);
  EXPECT_EQ(value(variables, "LD_BIND_NOW"), "(unset)");
  EXPECT_EQ(value(variables, "SLURM_EXPORT_ENV"), "ALL,LD_BIND_NOW=1");
  EXPECT_THAT(value(variables, "OMPI_MCA_orte_launch_agent"), HasSubstr(" LD_BIND_NOW=1 "));

  // In an allocation, mpirun starts its daemons by srun.
  setenv("SLURM_JOB_ID", "7", 1);
  EXPECT_EQ(value(recording_variables(settings()), "LD_BIND_NOW"), "(unset)");
  setenv("SLURM_EXPORT_ENV", "PATH,HOME", 1);
  EXPECT_EQ(value(recording_variables(settings()), "SLURM_EXPORT_ENV"), "PATH,HOME,LD_BIND_NOW=1");
  setenv("OMPI_MCA_mca_base_env_list", "A=1", 1);
  EXPECT_THAT(value(recording_variables(settings()), "OMPI_MCA_mca_base_env_list"), EndsWith(";LD_BIND_NOW=1"));

  // A rank that records itself starts the program, and nothing of Slurm's.
  for (const char* const name : rank_variables) {
    setenv(name, "0", 1);
    EXPECT_EQ(value(recording_variables(settings()), "LD_BIND_NOW"), "1") << name;
    unsetenv(name);
  }
}

TEST_F(RecordingVariables, keep_the_users_own_launch_agent) {
  setenv("OMPI_MCA_orte_launch_agent", "/opt/openmpi/bin/orted", 1);
  EXPECT_THAT(value(recording_variables(settings()), "OMPI_MCA_orte_launch_agent"),
              EndsWith(" /opt/openmpi/bin/orted"));
}

TEST_F(RecordingVariables, start_prrtes_own_daemon_for_open_mpi_5_rather_than_that_of_4) {
  EXPECT_THAT(value(recording_variables(settings()), "PRTE_MCA_prte_launch_agent"),
              AllOf(StartsWith("env prted=1 LD_BIND_NOW=1 LD_PRELOAD=/opt/lib/libtimeless.so "), EndsWith(" prted")));
  // Without one of its own, PRRTE takes the older variable of the user.
  setenv("OMPI_MCA_orte_launch_agent", "/opt/openmpi/bin/mine", 1);
  EXPECT_THAT(value(recording_variables(settings()), "PRTE_MCA_prte_launch_agent"), EndsWith(" /opt/openmpi/bin/mine"));
  setenv("PRTE_MCA_prte_launch_agent", "/opt/prrte/bin/prted", 1);
  EXPECT_THAT(value(recording_variables(settings()), "PRTE_MCA_prte_launch_agent"), EndsWith(" /opt/prrte/bin/prted"));
  EXPECT_THAT(value(recording_variables(settings()), "OMPI_MCA_orte_launch_agent"), EndsWith(" /opt/openmpi/bin/mine"));
}

TEST_F(RecordingVariables, reach_the_hosts_that_a_daemon_of_prrte_starts_others_on) {
  // PRRTE's daemons get of this variable what stands before the second '='.
  const auto further = [](const std::string& agent) { return agent.substr(0, agent.find('=')); };
  EXPECT_EQ(further(value(recording_variables(settings()), "PRTE_MCA_prte_launch_agent")), "env prted");
  setenv("PRTE_MCA_prte_launch_agent", "/opt/prrte/bin/prted", 1);
  EXPECT_EQ(further(value(recording_variables(settings()), "PRTE_MCA_prte_launch_agent")), "env /opt/prrte/bin/prted");
  setenv("PRTE_MCA_prte_launch_agent", "nice -n 1 prted", 1);
  EXPECT_EQ(value(recording_variables(settings()), "PRTE_MCA_prte_launch_agent"), "nice -n 1 prted");

  EXPECT_THAT(value(recording_variables(settings()), "PMIX_MCA_pmdl_ompi_include_envars"),
              AllOf(StartsWith("OMPI_*,OPAL_*,LD_PRELOAD,LD_BIND_NOW,TIMELESS_DIR,"), HasSubstr(",OMP_WAIT_POLICY")));
  setenv("PMIX_MCA_pmdl_ompi_include_envars", "OMPI_*,MINE", 1);
  EXPECT_THAT(value(recording_variables(settings()), "PMIX_MCA_pmdl_ompi_include_envars"),
              StartsWith("OMPI_*,MINE,LD_PRELOAD,"));
}

TEST_F(RecordingVariables, join_the_users_own_list_of_forwarded_variables) {
  setenv("OMPI_MCA_mca_base_env_list", "OMP_NUM_THREADS;A=1", 1);
  const Variables variables = recording_variables(settings());
  EXPECT_THAT(value(variables, "OMPI_MCA_mca_base_env_list"),
              AllOf(StartsWith("OMP_NUM_THREADS;A=1;LD_PRELOAD;"), HasSubstr(";TIMELESS_DIR")));
  EXPECT_EQ(value(variables, "OMPI_MCA_orte_launch_agent"), "(unset)");
  EXPECT_EQ(value(variables, "PRTE_MCA_prte_launch_agent"), "(unset)");
}

TEST_F(RecordingVariables, refuse_a_library_that_the_dynamic_linker_could_not_be_told) {
  RecordingSettings bad = settings();
  bad.library = "/my tools/libtimeless.so";
  EXPECT_THROW(recording_variables(bad), Error);
}

TEST(ProgramFile, a_shell_is_dynamic_and_names_no_mpi) {
  const ProgramFile shell = inspect_program("/bin/sh");
  EXPECT_EQ(shell.kind, ProgramKind::dynamic_program);
  EXPECT_THAT(shell.needed, testing::Contains(StartsWith("libc.so")));
  EXPECT_EQ(mpi_library_of(shell), MpiLibrary::none);
}

TEST(ProgramFile, an_mpi_program_names_its_mpi) {
  EXPECT_EQ(mpi_library_of(inspect_program(RECORD_PROGRAMS "/behave")), MpiLibrary::open_mpi);
  EXPECT_EQ(mpi_library_of(inspect_program(RECORD_PROGRAMS "/ring")), MpiLibrary::open_mpi);
}

TEST(ProgramFile, mpich_and_its_relatives_are_told_apart) {
  const auto naming = [](std::string library) {
    return mpi_library_of(
        {.kind = ProgramKind::dynamic_program, .needed = {"libm.so.6", std::move(library), "libc.so.6"}});
  };
  EXPECT_EQ(naming("libmpich.so.12"), MpiLibrary::mpich);
  EXPECT_EQ(naming("libmpi.so.12"), MpiLibrary::mpich);
  EXPECT_EQ(naming("libmpi_cray.so.12"), MpiLibrary::mpich);
  EXPECT_EQ(naming("libmpi_gnu_91.so.12"), MpiLibrary::mpich);
  EXPECT_EQ(naming("libmpi_abi.so.1"), MpiLibrary::standard);
  EXPECT_EQ(naming("libmpi.so.40"), MpiLibrary::open_mpi);
  EXPECT_EQ(naming("libmpi_mpifh.so.40"), MpiLibrary::open_mpi);
  EXPECT_EQ(naming("libz.so.1"), MpiLibrary::none);
}

TEST(Launchers, are_known_by_their_names) {
  for (const char* const launcher : {"mpirun", "/opt/mpi/bin/mpiexec.hydra", "prterun", "/opt/prrte/bin/prun", "srun"})
    EXPECT_TRUE(starts_ranks(launcher)) << launcher;
  for (const char* const other : {"./program", "sh", "/mpirun/program"})
    EXPECT_FALSE(starts_ranks(other)) << other;
}

TEST(ProgramFile, what_is_no_program_is_said_to_be_none) {
  EXPECT_EQ(inspect_program("/nowhere").kind, ProgramKind::not_a_program);
  EXPECT_EQ(inspect_program("/").kind, ProgramKind::not_a_program);
  EXPECT_EQ(inspect_program("/etc/passwd").kind, ProgramKind::not_a_program);
}

TEST(ProgramFile, a_damaged_program_is_read_without_harm) {
  std::ifstream whole("/bin/sh", std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(whole), {});
  const test::TemporaryDirectory directory;
  const std::string path = directory.path() / "damaged-program";
  // Every truncation of the headers, then every byte of them changed.
  for (std::size_t i = 0; i < 2048; ++i) {
    std::string damaged = i < 1024 ? bytes.substr(0, i) : bytes;
    if (i >= 1024) damaged[i - 1024] = static_cast<char>(~damaged[i - 1024]);
    std::ofstream(path, std::ios::binary).write(damaged.data(), static_cast<std::streamsize>(damaged.size()));
    EXPECT_LT(inspect_program(path).needed.size(), 1000U);
  }
}

} // namespace
} // namespace timeless::tools
