#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// What a program's file says about whether the preloaded library can see its MPI calls.
namespace timeless::tools {

/// What a file is that is to be run.
enum class ProgramKind { not_a_program, script, static_program, dynamic_program };

/// What matters of a program for recording it.
struct ProgramFile {
  ProgramKind kind = ProgramKind::not_a_program;
  bool set_user_id = false;             ///< set-uid or set-gid: nothing is preloaded into it
  bool holds_mpi = false;               ///< an MPI library is part of it, as its symbols say
  bool calls_mpi = false;               ///< starts MPI, as its symbols say
  std::vector<std::string> needed = {}; ///< the shared libraries it names
};

/// Looks into the file; a file that cannot be read, or is no 64-bit ELF program nor a script, is not_a_program.
ProgramFile inspect_program(const std::filesystem::path& path);

/// Which binary interface of MPI a program is built for: that of Open MPI, that of MPICH and its relatives (Intel,
/// Cray, MVAPICH), or the one that MPI 5 standardises.
enum class MpiLibrary { none, open_mpi, mpich, standard };

/// Returns the MPI library among those a program names, by its file name.
MpiLibrary mpi_library_of(const ProgramFile& program);

/// Returns true for the programs that start an MPI program's ranks, by their names: mpirun, srun and their like.
bool starts_ranks(const std::string& path);

} // namespace timeless::tools
