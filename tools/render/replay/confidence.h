#pragma once

#include "analysis/trust.h"

#include <string>
#include <vector>

namespace timeless::tools {

/// Reasons why confidence in some answers is no higher, each once, which the answers name by number.
class NumberedReasons {
public:
  /// Returns "low: 1, 2", and keeps the reasons.
  std::string words(const analysis::Trust& trust);
  /// Returns those kept, from number 1 on.
  const std::vector<std::string>& all() const { return all_; }
  /// Returns a paragraph for each, "  1  the trace is incomplete: ...".
  std::string text() const;

private:
  std::vector<std::string> all_;
};

} // namespace timeless::tools
