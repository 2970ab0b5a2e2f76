#pragma once

#include "analysis/advisor/data_set.h"

#include <filesystem>
#include <string>

namespace timeless::tools {

/// Returns rows as comma-separated values, with a head that names the columns; features by their names.
std::string to_csv(const analysis::AdvisorData& data);

/// Reads such a file. Columns may stand in any order; all features must be there. Throws Error(invalid_input) that
/// names the line and the column.
analysis::AdvisorData read_advisor_data(const std::filesystem::path& file);

/// Reads the same to train with. Throws as well where a row has no time of SMPI's.
analysis::AdvisorData read_training_data(const std::filesystem::path& file);

} // namespace timeless::tools
