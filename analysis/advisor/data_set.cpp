#include "analysis/advisor/data_set.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace timeless::analysis {

double AdvisorRow::difference(AdvisorLabel label) const {
  const double without = label == AdvisorLabel::total ? model_seconds : unshared_seconds;
  if (without > 0) return std::abs(smpi_seconds / without - 1);
  return smpi_seconds > 0 ? std::numeric_limits<double>::infinity() : 0;
}

std::vector<bool> AdvisorData::needed(double threshold, AdvisorLabel label) const {
  std::vector<bool> answers;
  for (const AdvisorRow& row : rows)
    answers.push_back(row.difference(label) > threshold);
  return answers;
}

std::vector<std::string> AdvisorData::programs() const {
  std::vector<std::string> names;
  for (const AdvisorRow& row : rows)
    if (!row.synthetic && std::ranges::find(names, row.program) == names.end()) names.push_back(row.program);
  return names;
}

} // namespace timeless::analysis
