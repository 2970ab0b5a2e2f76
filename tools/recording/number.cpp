#include "tools/recording/number.h"

#include "tools/recording/environment.h"
#include "tools/recording/program_file.h"

#include <algorithm>
#include <cstdlib>
#include <random>

namespace timeless::tools {

namespace {

/// Returns a name that is the same for all ranks that a launcher has started together, on whichever host, and for no
/// others; empty where no launcher has started this process, or none that says so.
std::string name_of_job() {
  // Of what names a job, each launcher knows one thing: PMIx (Slurm, Open MPI), Open MPI before PMIx, PMI-2.
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID"})
    if (const std::string job = environment(name); !job.empty())
      // Open MPI's numbers come back, on other hosts or later; its key is chance. Slurm's numbers are the cluster's.
      return job + " " + environment("OMPI_MCA_orte_precondition_transports") + " " + environment("SLURM_JOB_ID");
  return {};
}

/// Returns the FNV-1a hash.
std::uint32_t hash(const std::string& text) {
  std::uint32_t value = 2166136261U;
  for (const char byte : text)
    value = (value ^ static_cast<unsigned char>(byte)) * 16777619U;
  return value;
}

} // namespace

RecordingNumber recording_number(const std::vector<std::string>& command) {
  const std::string job = std::ranges::any_of(command, starts_ranks) ? "" : name_of_job();
  std::random_device random;
  RecordingNumber number{.value = job.empty() ? random() : hash(job), .shared = !job.empty()};
  if (number.value == 0) number.value = 1;
  return number;
}

} // namespace timeless::tools
