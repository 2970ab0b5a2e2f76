#pragma once

#include "tools/scaling/scaling_request.h"
#include "trace/model/source.h"

#include <map>
#include <string>
#include <vector>

namespace timeless::tools {

/// Adds the figures of the functions that call MPI to those of runs, by the names that the largest run with a kernel
/// has; `symbols` as below.
void add_functions(std::vector<analysis::ScaledRun>& runs, const std::map<std::string, const trace::Source*>& sources,
                   const std::vector<std::string>& symbols);

/// Names where the kernels and calls of an answer are, by the runs' names; `symbols` are further directories with the
/// program's files. Adds a notice for modules whose places cannot be named.
void name_places(ScalingAnswer& answer, const std::map<std::string, const trace::Source*>& sources,
                 const std::vector<std::string>& symbols);

} // namespace timeless::tools
