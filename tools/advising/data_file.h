#pragma once

#include "analysis/advisor/data_set.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace timeless::tools {

/// Returns rows as comma-separated values, with a head that names the columns; features by their names.
std::string to_csv(const analysis::AdvisorData& data);

/// Reads such a file. Columns may stand in any order; all features must be there. Throws Error(invalid_input) that
/// names the line and the column.
analysis::AdvisorData read_advisor_data(const std::filesystem::path& file);

/// Rows to train with.
struct TrainingData {
  analysis::AdvisorData data = {};
  std::size_t without_label = 0; ///< further rows, of which the label is not known
};

/// Reads the same to train with. Throws as well where a row has no time of SMPI's, and where none has the label's.
TrainingData read_training_data(const std::filesystem::path& file, analysis::AdvisorLabel label);

} // namespace timeless::tools
