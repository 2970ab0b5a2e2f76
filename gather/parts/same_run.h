#pragma once

#include "trace/model/run.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::gather {

/// Whether files belong together: one run, one number of ranks, one way of counting, no rank twice.
class SameRun {
public:
  /// Adds what a file, or several that fit together, say of their run and their ranks. `labels` name the file of each
  /// rank in errors. Throws Error(invalid_input) naming both files that do not fit, and their ranks.
  void add(const trace::Run& run, const std::vector<std::string>& labels);

  bool empty() const { return !first_.has_value(); }
  trace::Rank size() const { return first_->size; }
  /// Returns the provenance and the counter of the file with the lowest rank.
  const trace::Provenance& provenance() const { return lowest_->provenance; }
  const trace::Counter& counter() const { return lowest_->counter; }
  const std::vector<std::string>& profile_events() const { return first_->profile_events; }

private:
  struct RunStatement {
    trace::Rank rank = trace::no_rank; ///< the file's lowest
    trace::Rank size = 0;
    trace::Counter counter;
    trace::Provenance provenance;
    std::vector<std::string> profile_events;
    std::string label;
  };

  void demand_agreement(const RunStatement& said) const;

  std::optional<RunStatement> first_;
  std::optional<RunStatement> lowest_;
  std::map<trace::Rank, std::string> label_of_rank_;
};

} // namespace timeless::gather
