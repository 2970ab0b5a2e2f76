#include "analysis/trace/program_names.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace timeless::analysis {

namespace {

constexpr std::string_view separators = ".-_";

/// The name without the last part that is the number of ranks, and what separates it from the part before.
std::string without_ranks(const NamedProgram& program) {
  const std::string& name = program.name;
  const std::string ranks = std::to_string(program.ranks);
  for (std::size_t at = name.rfind(ranks); at != std::string::npos && at > 1; at = name.rfind(ranks, at - 1)) {
    const std::size_t end = at + ranks.size();
    const auto separates = [&](std::size_t place) { return separators.find(name[place]) != std::string_view::npos; };
    if (separates(at - 1) && (end == name.size() || separates(end))) return name.substr(0, at - 1) + name.substr(end);
  }
  return name;
}

} // namespace

std::vector<std::string> program_names(std::span<const NamedProgram> programs) {
  std::vector<std::string> shortened;
  for (const NamedProgram& program : programs)
    shortened.push_back(without_ranks(program));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    bool alike = false;
    for (std::size_t j = 0; j < programs.size(); ++j)
      alike = alike || (shortened[j] == shortened[i] && programs[j].name != programs[i].name);
    names.push_back(alike ? shortened[i] : programs[i].name);
  }
  return names;
}

} // namespace timeless::analysis
