#pragma once

#include "tests/record/shell.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

/// Programs recorded here, and what `timeless info --kernels` says of them.
namespace timeless::test {

/// Returns the program's file, as it was built.
std::string built(const std::string& program);

/// Returns the line of a source file of this folder that holds "site: <name>".
int line_of_site(const std::string& source, const std::string& name);

/// Records `command` in the place, into `directory`, with CPU time as the counter unless the options say otherwise.
void record(const Workplace& place, const std::string& directory, const std::string& command,
            const std::string& options = "");

/// What timeless info says of the kernels of a recording.
struct Listed {
  nlohmann::json answer;
  std::string warnings;

  const nlohmann::json& kernels() const { return answer.at("kernels"); }
  /// Returns the first end (or begin) of a kernel with this MPI call; a null value when there is none.
  nlohmann::json end(const std::string& call) const;
  /// Returns all distinct ends with this MPI call.
  std::vector<nlohmann::json> ends(const std::string& call) const;
};

Listed list_kernels(const Workplace& place, const std::string& trace, const std::string& options = "");

} // namespace timeless::test
