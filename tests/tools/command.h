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

} // namespace timeless::tools::test
