#pragma once

#include "analysis/scaling/law.h"

#include <string>

/// Laws in words and as formulas: P is the number of ranks, n the size, a x b and x y z the sides of the ranks' grids
/// in two and three dimensions, the longest first.
namespace timeless::analysis {

/// How the runs that laws are from share out the work.
enum class ScalingMode : unsigned char {
  strong, ///< the same work over more ranks: a rank's part should shrink
  weak,   ///< the same work for each rank: it should stay
};

const char* name(ScalingMode mode);

/// Returns a term: "P^(2/3) log2(P)", "1/P", "(n/P)^(1/3)", "n log2(n)"; "1" for a constant.
std::string formula(const ScaleTerm& term);

/// Returns a law: "1.25e+06 + 312.5 log2(P) - 40 P^(1/2)".
std::string formula(const ScaleLaw& law);

/// Returns what the law of a rank's work does on the way to a place, by its largest part there: "grows with log P",
/// "falls as 1/P", "falls as 1/P to a part that does not shrink", "does not shrink: serial", "the same on any number of
/// ranks" where that is as it should be, "nothing".
std::string in_words(const ScaleLaw& law, const ScalePlace& there, ScalingMode mode);

} // namespace timeless::analysis
