#include "tools/cli/console.h"
#include "tools/cli/locate.h"
#include "tools/machines/named_platforms.h"
#include "tools/platforms/answers.h"
#include "tools/platforms/catalogue.h"

#include "replay/simgrid/simgrid_platform.h"
#include "replay/simgrid/simgrid_process.h"

#include <fmt/format.h>

namespace timeless::tools::platforms {

namespace {

/// What a child process, which loads the file, tells of it.
nlohmann::ordered_json described(const std::filesystem::path& file) {
  const Head head = head_of(file);
  const std::string answer = replay::run_simgrid(
      [&](const ChildReport&) {
        const replay::SimgridPlatform platform = replay::SimgridPlatform::load(file);
        const std::vector<HostKind> kinds = kinds_of(platform);
        nlohmann::ordered_json json;
        json["hosts"] = platform.hosts().size();
        json["cores"] = kinds.front().cores;
        json["speed"] = kinds.front().speed;
        json["alike"] = kinds.size() == 1;
        return json.dump();
      },
      {Failure::invalid_input, "SimGrid dies of this file", file.string()});
  nlohmann::ordered_json json{{"name", file.stem().string()}, {"file", file.string()}};
  json.update(nlohmann::ordered_json::parse(answer));
  json["trust"] = head.trust;
  json["overheads"] = head.overheads;
  json["description"] = head.description;
  return json;
}

} // namespace

int answer_list(bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  const std::vector<std::string> names = known_platforms();
  {
    Progress progress("loading", names.size());
    for (const std::string& name : names) {
      all.push_back(described(platform_file(name)));
      progress.update(all.size());
    }
  }
  if (json) {
    print_json("platform", 1, {{"action", "list"}, {"folder", platforms_directory().string()}, {"platforms", all}});
    return 0;
  }
  Table table({"name", "hosts", "cores", "speed", "trust", "overheads"});
  for (const auto& one : all)
    table.add({one["name"], std::to_string(one["hosts"].get<std::size_t>()), std::to_string(one["cores"].get<int>()),
               human_count(one["speed"]), one["trust"], one["overheads"]});
  fmt::print("{}\n", table.text());
  for (const auto& one : all)
    print_line("{}: {}", one["name"].get<std::string>(), one["description"].get<std::string>());
  fmt::print("\n");
  print_line(
      "Times on machines whose overheads rest on different bases differ by that, too: a measured overhead is that "
      "machine's own, an assumed one is 200 ns at either end of every message, whatever the network.");
  print_line("They are in {}; their heads say where each figure comes from.", platforms_directory().string());
  return 0;
}

} // namespace timeless::tools::platforms
