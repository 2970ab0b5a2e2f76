#pragma once

#include "analysis/kernel_figures.h"
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

/// Where a kernel begins and ends, as the listing has it: "MPI_Recv in sweep (wave.f90:12) < main"; of a run that knows
/// no places "MPI_Recv", or nothing where it is not always the same call.
std::string begin_text(const KernelListing& listing, trace::KernelId kernel);
std::string end_text(const KernelListing& listing, trace::KernelId kernel);
/// From where to where a kernel goes; nothing where neither is known.
std::string kernel_text(const KernelListing& listing, trace::KernelId kernel);
/// An end as a person reads it: "no known place" where it is empty.
std::string end_in_words(const std::string& end);

} // namespace timeless::tools
