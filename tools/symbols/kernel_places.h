#pragma once

#include "analysis/trace/kernel_figures.h"
#include "tools/symbols/symboliser.h"

#include <map>
#include <string>
#include <vector>

namespace timeless::tools::symbols {

/// A place in a program and those it was called from, no further than main; the innermost first.
struct CallPath {
  std::vector<trace::CallSite> sites;
  std::vector<SourcePlace> places; ///< of the sites
};

/// Where a kernel begins and ends, in words: "MPI_Recv in sweep (wave.f90:12) < main"; of a run that knows no places
/// "MPI_Recv", or nothing where it is not always the same call.
struct KernelEnds {
  std::string from;
  std::string to;
};

/// Kernels' ends in words, by KernelId, of those whose ends are known.
using KernelEndsById = std::map<trace::KernelId, KernelEnds>;

/// Returns an end, or "no known place" where it is empty.
std::string end_in_words(const std::string& end);

/// Returns false for sites of imported runs, which know the calls that were made, not where: their module has no path.
bool knows_place(const trace::Run& run, const trace::CallSite& site);

/// Names the places where a run's kernels begin and end.
class KernelPlaces {
public:
  /// Names the places of kernels. All three must live as long; `kernels` are by KernelId.
  KernelPlaces(const trace::Run& run, const std::vector<analysis::KernelFigures>& kernels, Symboliser& symboliser)
      : run_(run), kernels_(kernels), symboliser_(symboliser) {}

  CallPath begin_path(trace::KernelId kernel) const;
  CallPath end_path(trace::KernelId kernel) const;
  KernelEnds ends(trace::KernelId kernel) const;
  /// Returns from where to where a kernel goes; nothing where neither is known.
  std::string text(trace::KernelId kernel) const;

private:
  void leave_out_start(std::vector<trace::CallSite>& sites) const;
  CallPath path(const trace::CallSite& site, trace::CallerId caller) const;
  std::string place_text(const trace::CallSite& site, const SourcePlace& place) const;
  std::string end_text(const std::string& call, const CallPath& path) const;

  const trace::Run& run_;
  const std::vector<analysis::KernelFigures>& kernels_;
  Symboliser& symboliser_;
};

} // namespace timeless::tools::symbols
