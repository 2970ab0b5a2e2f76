#pragma once

#include <array>
#include <cstdlib>
#include <string_view>

namespace timeless {

/// The variables in which launchers tell a process its rank before MPI_Init: Open MPI's mpirun, PMIx (srun, prterun),
/// PMI (hydra, of MPICH, Intel MPI and MVAPICH; srun; flux), hydra that is asked to be found by a port, and Cray's
/// PALS. Slurm's own SLURM_PROCID is none of them: a batch script has it, too.
inline constexpr std::array<const char*, 5> rank_variables = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_ID",
                                                              "PALS_RANKID"};

/// Returns the rank that a launcher has given to this process, as it writes it; null where none has.
inline const char* launched_rank() noexcept {
  for (const char* const name : rank_variables)
    if (const char* const rank = std::getenv(name); rank != nullptr && *rank != '\0') return rank;
  return nullptr;
}

/// Returns the number of processes that mpirun or hydra says it has started with this one, as it writes it; null where
/// none has said. In an allocation of Slurm's the number of its tasks need not be that.
inline const char* launched_size() noexcept {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* const size = std::getenv(name); size != nullptr && *size != '\0') return size;
  return nullptr;
}

/// Returns that number where the launcher has started several processes and MPI has made a world of this one alone,
/// since it is not the launcher of this MPI; null otherwise.
inline const char* launched_apart(int world_size) noexcept {
  const char* const size = launched_size();
  return world_size == 1 && size != nullptr && std::string_view(size) != "1" ? size : nullptr;
}

} // namespace timeless
