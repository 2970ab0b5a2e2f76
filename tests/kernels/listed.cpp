#include "tests/kernels/listed.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

namespace timeless::test {

using nlohmann::json;

std::string built(const std::string& program) {
  return RECORD_PROGRAMS "/" + program;
}

int line_of_site(const std::string& source, const std::string& name) {
  std::ifstream file(SOURCES "/" + source);
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::size_t mark = line.find("site: " + name);
    if (mark == std::string::npos) continue;
    const std::string rest = line.substr(mark + 6 + name.size());
    if (rest.empty() || rest == " */") return number;
  }
  ADD_FAILURE() << "no site " << name << " in " << source;
  return 0;
}

void record(const Workplace& place, const std::string& directory, const std::string& command,
            const std::string& options) {
  const bool chosen = options.find("--counter") != std::string::npos;
  const Ran ran = place.run("timeless record " + std::string(chosen ? "" : "--counter cputime ") + options + " -o " +
                            directory + " -- " + command);
  EXPECT_EQ(ran.status, 0) << ran.errors;
}

json Listed::end(const std::string& call) const {
  const std::vector<json> all = ends(call);
  return all.empty() ? json() : all.front();
}

std::vector<json> Listed::ends(const std::string& call) const {
  std::vector<json> found;
  for (const json& kernel : kernels())
    for (const char* side : {"from", "to"}) {
      const json& end = kernel.at(side);
      if (end.at("call") == call && std::ranges::find(found, end) == found.end()) found.push_back(end);
    }
  return found;
}

Listed list_kernels(const Workplace& place, const std::string& trace, const std::string& options) {
  const Ran ran = place.run("timeless info --kernels --top 0 --json " + options + " " + trace);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  return {json::parse(ran.output), ran.errors};
}

} // namespace timeless::test
