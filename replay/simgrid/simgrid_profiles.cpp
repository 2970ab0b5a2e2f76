#include "replay/simgrid/simgrid_profiles.h"

#include <array>
#include <set>
#include <string_view>

namespace timeless::replay {

namespace {

struct Way {
  std::string_view written; ///< an attribute, or the kind of a <trace_connect>
  const char* kind;
};

constexpr std::array attributes{Way{"state_file", "state"}, Way{"speed_file", "speed"},
                                Way{"availability_file", "speed"}, Way{"bandwidth_file", "bandwidth"},
                                Way{"latency_file", "latency"}};

constexpr std::array connections{Way{"HOST_AVAIL", "state"}, Way{"LINK_AVAIL", "state"}, Way{"SPEED", "speed"},
                                 Way{"BANDWIDTH", "bandwidth"}, Way{"LATENCY", "latency"}};

std::string named(const char* what, std::string_view name) {
  constexpr std::size_t shown = 60;
  return std::string(what) + " '" + std::string(name.substr(0, shown)) + "'";
}

class Finder : public pugi::xml_tree_walker {
public:
  std::vector<Profile> found;

  bool for_each(pugi::xml_node& node) override {
    const std::string_view element = node.name();
    if (element == "host" || element == "link" || element == "peer") {
      const char* what = element == "link" ? "link" : "host";
      for (const Way& way : attributes)
        if (const std::string_view file = node.attribute(way.written.data()).value(); !file.empty())
          found.push_back({named(what, node.attribute("id").value()), way.kind, node, std::string(file)});
    } else if (element == "trace_connect") {
      const std::string_view kind = node.attribute("kind").as_string("HOST_AVAIL");
      for (const Way& way : connections)
        if (kind == way.written) {
          const bool host = kind == "HOST_AVAIL" || kind == "SPEED";
          found.push_back({named(host ? "host" : "link", node.attribute("element").value()), way.kind, node,
                           node.attribute("trace").value(), false});
        }
    }
    return true;
  }
};

} // namespace

std::vector<Profile> profiles_in(const pugi::xml_document& platform) {
  Finder finder;
  pugi::xml_node root = platform;
  root.traverse(finder);
  return std::move(finder.found);
}

std::string profile_sentence(const Profile& profile) {
  const std::string begin = profile.changed + " has a " + profile.kind + " profile: ";
  if (profile.kind == "state") return begin + "a replay in SMPI that it fails under ends, the model lets it work on";
  const std::string followed = begin + "SMPI follows it, the model keeps the " + profile.kind + " that the file gives";
  // Seen with SimGrid's own example small_platform_profile.xml, also under smpirun.
  if (profile.kind == "latency")
    return followed +
           "; SimGrid 3.32 may stop messages for good that are under way when it changes, and ranks then wait";
  return followed;
}

std::vector<std::string> profile_notes(const pugi::xml_document& platform) {
  const std::vector<Profile> all = profiles_in(platform);
  std::vector<std::string> notes;
  std::set<std::string> told;
  for (const Profile& profile : all) {
    if (!told.insert(profile.kind).second) continue;
    std::size_t alike = 0;
    for (const Profile& other : all)
      alike += other.kind == profile.kind ? 1 : 0;
    notes.push_back(profile_sentence(profile) +
                    (alike > 1 ? " (and " + std::to_string(alike - 1) + " more like it)" : ""));
  }
  return notes;
}

} // namespace timeless::replay
