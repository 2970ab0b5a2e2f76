#pragma once

#include <string>
#include <vector>

namespace timeless::tools {

/// Returns the names in lists "e1g,qdr". Names may be those of files that hold commas: what is neither known nor the
/// name of a file is joined with what follows it, as long as that makes the name of a file.
std::vector<std::string> names_in_lists(const std::vector<std::string>& lists, const std::vector<std::string>& known);

} // namespace timeless::tools
