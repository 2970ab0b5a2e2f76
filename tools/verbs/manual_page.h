#pragma once

#include <filesystem>
#include <string>

namespace timeless::tools {

/// Returns the manual page of the verb the template is named after (timeless-VERB.1.in, timeless-mpi-replay.1.in for
/// what mpirun starts, or timeless.1.in for the command), with @OPTIONS@ replaced by the verb's options, @VERBS@ by the
/// list of verbs and @VERSION@ by the version: names, descriptions and defaults stand once, in the code. Throws
/// Error(runtime) when the template cannot be read, Error(usage) when there is no such verb.
std::string manual_page(const std::filesystem::path& file);

} // namespace timeless::tools
