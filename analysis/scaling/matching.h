#pragma once

#include "analysis/scaling/law.h"
#include "trace/model/run.h"

#include <span>
#include <string>

namespace timeless::analysis {

/// A run as somebody named it, with how large it is.
struct NamedRun {
  std::string name;
  const trace::Run* run = nullptr;
  ScalePlace place = {};
};

/// Throws Error, naming the runs, unless laws can be drawn from them: Error(usage) with fewer than three different
/// numbers of ranks or sizes, Error(invalid_input) for one that is extrapolated or not complete, for two of different
/// programs or builds, that counted different things, or that are the same recording. The check run, where there is
/// one, is last in `runs` and does not count among the three.
void demand_one_program(std::span<const NamedRun> runs, bool last_checks);

/// Throws Error(invalid_input), naming two runs, for runs whose programs were started with arguments of different
/// problems (inputs_of). Returns in words how arguments that differ go with the number of ranks; empty where all are
/// the same, or not known.
std::string demand_one_input(std::span<const NamedRun> runs);

} // namespace timeless::analysis
