#pragma once

#include "replay/result/full_links.h"

#include <cstddef>
#include <vector>

namespace timeless::replay::smpi {

/// Joins neighbours, those with the least time between them first, until at most `most` are left.
void join_closest(std::vector<Period>& periods, std::size_t most);

/// The periods in which something held, as they come; a bounded number of them.
class GrowingPeriods {
public:
  /// Adds a period that begins no earlier than the last one has ended.
  void add(double begin, double end);
  /// Returns at most so many.
  std::vector<Period> at_most(std::size_t most) const;

private:
  std::vector<Period> periods_;
};

} // namespace timeless::replay::smpi
