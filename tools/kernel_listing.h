#pragma once

#include "tools/answers/kernel_figures.h"
#include "tools/symbols/symboliser.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace timeless::tools {

/// The kernels of a run, for people and for programs.
struct KernelListing {
  const trace::Run& run;
  const std::vector<KernelFigures>& kernels; ///< by KernelId
  std::vector<trace::KernelId> listed;       ///< which, in their order
  symbols::Symboliser& symboliser;
};

/// A line of figures for each kernel, and below it where it begins and where it ends.
std::string listing_text(const KernelListing& listing);
nlohmann::ordered_json listing_json(const KernelListing& listing);

/// Where a kernel begins and ends, as the listing has it: "MPI_Recv in sweep (wave.f90:12) < main".
std::string begin_text(const KernelListing& listing, trace::KernelId kernel);
std::string end_text(const KernelListing& listing, trace::KernelId kernel);

} // namespace timeless::tools
