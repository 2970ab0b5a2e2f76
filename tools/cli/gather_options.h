#pragma once

#include "tools/cli/cli11_fwd.h"

#include <filesystem>
#include <optional>
#include <string>

/// What `timeless gather` and `timeless-mpi gather` are told.
namespace timeless::tools {

/// Returns the archive's name when none is given: DIR.tia, beside the directory.
std::string default_output(const std::filesystem::path& directory);

/// Adds -k, a number or "auto", for which the option stays empty.
void add_arity_option(CLI::App& command, std::optional<int>& arity, const std::string& description);

} // namespace timeless::tools
