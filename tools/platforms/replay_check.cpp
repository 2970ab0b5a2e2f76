#include "tools/platforms/findings.h"

#include "replay/simgrid/simgrid_profiles.h"

#include <string_view>

namespace timeless::tools::platforms {

void check_replay(const XmlFile& file, Findings& findings) {
  file.visit([&](const pugi::xml_node& node) {
    if (std::string_view(node.name()) != "link" || std::string_view(node.attribute("sharing_policy").value()) != "WIFI")
      return;
    findings.push_back({.line = file.line_of(node),
                        .what = "link '" + std::string(node.attribute("id").value()).substr(0, 60) +
                                "' is WIFI: no replay can send messages over it",
                        .advice = "write sharing_policy=\"SHARED\" and one bandwidth, or leave it out",
                        .failure = Failure::missing_capability});
  });
  for (const replay::Profile& profile : replay::profiles_in(file.document()))
    findings.push_back(
        {.severity = Severity::remark, .line = file.line_of(profile.node), .what = replay::profile_sentence(profile)});
}

} // namespace timeless::tools::platforms
