#pragma once

#include <string>
#include <vector>

namespace timeless::tools::test {

/// What a command left behind.
struct Outcome {
  int status = -1; ///< exit code; 128 + signal when it died by one
  std::string out;
  std::string err;
};

/// Runs the `timeless` command of this build. Its standard output goes to a file of that name, if one is given.
Outcome timeless_command(const std::vector<std::string>& arguments, const std::string& output = "");

/// Returns a text with one blank wherever it has blanks or line ends: what is printed is broken into lines.
std::string in_one_line(const std::string& text);

} // namespace timeless::tools::test
