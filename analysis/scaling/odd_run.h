#pragma once

#include "analysis/scaling/scaling.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace timeless::analysis {

/// A run that makes another number of calls than all others, which make the same: of another input, it seems.
struct OddRun {
  std::string run = {};
  CallKey call = {};      ///< that it makes most often of those
  double here = 0;        ///< calls of the rank that makes most
  double elsewhere = 0;   ///< the same in all other runs
  std::size_t places = 0; ///< of calls where it is so
};

/// Returns the run, if there is one, that makes most of its collective calls (of programs without any, of all calls) at
/// places where it makes another number than all others. The one of fewest ranks may do so, as may the one of most
/// where there are no four: a law may have it so. Nothing where sizes were given.
std::optional<OddRun> odd_run(const Scaling& scaling);

/// Returns "run-8.tia makes 40 calls of MPI_Send on a rank at a place where all other runs make 20, ...: is its input
/// theirs?".
std::string in_words(const OddRun& odd);

/// Two runs of as many ranks, and of one size, that compute different amounts: of different inputs, it seems.
struct UnequalRuns {
  std::string less = {};
  std::string more = {};
  double times = 1; ///< what the latter computes, by what the former does
};

/// Returns the two runs of as many ranks and of one size that are most apart, if these are by a hundredth or more.
std::optional<UnequalRuns> unequal_runs(const Scaling& scaling);

/// Returns "a.tia and b.tia are of as many ranks, and the latter computes 1.5 times what the former does: are their
/// inputs the same?".
std::string in_words(const UnequalRuns& runs);

/// A run that computes another amount than the others let expect: of another input, it seems.
struct OddWork {
  std::string run = {};
  double times = 1;  ///< what it computes, by what the others let expect
  double others = 0; ///< how far they are from a power of the number of ranks, relative, at most
};

/// Returns the run, if there is one, without which what all ranks compute together is a power of the number of ranks
/// much more closely than with it: it is off by a fifth or more, and by four times what the others are, at the ends of
/// them by more. Of fourteen programs, NPB's among them, no run was so, and each was whose work had been doubled.
/// Nothing of fewer than four runs, without volumes, or where sizes were given.
std::optional<OddWork> odd_work(const Scaling& scaling);

/// Returns "run-8.tia computes 2 times what the other runs let expect, ...: is its input theirs?".
std::string in_words(const OddWork& odd);

/// What the ranks of a run compute together.
struct WorkOfRun {
  std::string name = {};
  double ranks = 0;
  double work = 0;
};

/// Returns the same of runs of one size.
std::optional<OddWork> odd_work(const std::vector<WorkOfRun>& runs);

} // namespace timeless::analysis
