#include "replay/simgrid/topologies.h"
#include "tools/platforms/findings.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

namespace timeless::tools::platforms {

using replay::count_radical;

namespace {

/// Where each name is defined: links by one kind of name, hosts, routers and zones by another.
class Names {
public:
  Names(const XmlFile& file, Findings& findings) : file_(file), findings_(findings) {
    file.visit([this](const pugi::xml_node& node) { take(node); });
  }

  bool has_link(const std::string& id) const { return links_.contains(id); }
  const std::string& policy(const std::string& id) const { return links_.at(id); }
  bool has_place(const std::string& id) const { return places_.contains(id); }
  bool has_zone(const std::string& id) const { return zones_.contains(id); }

private:
  void take(const pugi::xml_node& node) {
    const std::string_view kind = node.name();
    const std::string id = node.attribute("id").value();
    if (kind == "link" || kind == "backbone") {
      if (!links_.emplace(id, node.attribute("sharing_policy").as_string("SHARED")).second) twice(node, "link", id);
    } else if (kind == "host" || kind == "router") {
      add_place(node, kind == "host" ? "host" : "router", id);
    } else if (kind == "zone" || kind == "AS") {
      if (!zones_.insert(id).second) twice(node, "zone", id);
    } else if (kind == "cluster") {
      take_cluster(node, id);
    } else if (kind == "peer") {
      zones_.insert(id);
      add_place(node, "host", "peer-" + id);
      places_.insert("router-" + id);
    } else if (kind == "cabinet") {
      add_hosts(node);
    }
  }

  void take_cluster(const pugi::xml_node& node, const std::string& id) {
    if (!zones_.insert(id).second) twice(node, "zone", id);
    const std::string given = node.attribute("router_id").value();
    places_.insert(given.empty() ? std::string(node.attribute("prefix").value()) + id + "_router" +
                                       node.attribute("suffix").value()
                                 : given);
    links_.emplace(id + "_backbone", "SHARED");
    add_hosts(node);
  }

  void add_hosts(const pugi::xml_node& node) {
    std::string_view radical = node.attribute("radical").value();
    if (!count_radical(radical).value) return;
    while (!radical.empty()) {
      const std::size_t end = std::min(radical.find(','), radical.size());
      std::string_view part = radical.substr(0, end);
      radical.remove_prefix(std::min(end + 1, radical.size()));
      while (part.starts_with(' '))
        part.remove_prefix(1);
      std::uint32_t first = 0;
      std::from_chars(part.data(), part.data() + part.size(), first);
      std::uint32_t last = first;
      if (const std::size_t dash = part.find('-'); dash != std::string_view::npos)
        std::from_chars(part.data() + dash + 1, part.data() + part.size(), last);
      for (std::uint32_t number = first; number <= last; ++number) {
        if (places_.size() > most_places) return;
        add_place(node, "host",
                  node.attribute("prefix").value() + std::to_string(number) + node.attribute("suffix").value());
      }
    }
  }

  void add_place(const pugi::xml_node& node, const char* kind, const std::string& id) {
    if (!places_.insert(id).second) twice(node, kind, id);
  }

  void twice(const pugi::xml_node& node, const char* kind, const std::string& id) {
    if (++repeated_ > most_repeated) return;
    findings_.push_back(
        {.line = file_.line_of(node),
         .what = std::string("there are two of the name '") + id.substr(0, 60) + "' (this one is a " + kind + ")",
         .advice = "give each a name of its own"});
  }

  static constexpr std::size_t most_places = 4'000'000;
  static constexpr std::size_t most_repeated = 20;
  const XmlFile& file_;
  Findings& findings_;
  std::map<std::string, std::string> links_;
  std::set<std::string> places_;
  std::set<std::string> zones_;
  std::size_t repeated_ = 0;
};

void check_link(const XmlFile& file, const pugi::xml_node& node, const Names& names, Findings& findings) {
  const std::size_t line = file.line_of(node);
  const std::string id = node.attribute("id").value();
  const std::string direction = node.attribute("direction").as_string("NONE");
  std::string bare = id;
  for (const std::string_view end : {"_UP", "_DOWN"})
    if (id.ends_with(end) && !names.has_link(id)) bare = id.substr(0, id.size() - end.size());
  if (!names.has_link(bare)) {
    findings.push_back({.line = line,
                        .what = "the route crosses a link that is nowhere: '" + id.substr(0, 60) + "'",
                        .advice = "define <link id=\"" + id.substr(0, 60) + "\" .../> in front of the routes"});
    return;
  }
  const std::string& policy = names.policy(bare);
  const bool split = policy == "SPLITDUPLEX" || policy == "FULLDUPLEX";
  if (split && direction == "NONE" && bare == id)
    findings.push_back({.line = line,
                        .what = "link '" + id + "' has two directions (SPLITDUPLEX), the route does not say which",
                        .advice = "write direction=\"UP\" or direction=\"DOWN\""});
  if (!split && direction != "NONE")
    findings.push_back({.line = line,
                        .what = "link '" + id + "' has one direction only (" + policy + ")",
                        .advice = "leave out direction, or make the link SPLITDUPLEX"});
}

void check_route(const XmlFile& file, const pugi::xml_node& node, const Names& names, Findings& findings) {
  const std::string kind = node.name();
  const bool zones = kind != "route" && kind != "bypassRoute";
  const auto demand = [&](const char* attribute, bool there, const char* what) {
    const std::string id = node.attribute(attribute).value();
    if (!there && !id.empty())
      findings.push_back(
          {.line = file.line_of(node),
           .what = "<" + kind + "> " + attribute + ": there is no " + what + " '" + id.substr(0, 60) + "'",
           .advice = std::string("name a ") + what + " of this file"});
  };
  for (const char* end : {"src", "dst"}) {
    const std::string id = node.attribute(end).value();
    if (zones)
      demand(end, names.has_zone(id), "zone or cluster");
    else
      demand(end, names.has_place(id), "host or router");
  }
  if (zones)
    for (const char* gateway : {"gw_src", "gw_dst"})
      demand(gateway, names.has_place(node.attribute(gateway).value()),
             "router (of a cluster: PREFIX + cluster's id + _router + SUFFIX)");
}

} // namespace

void check_references(const XmlFile& file, Findings& findings) {
  const Names names(file, findings);
  file.visit([&](const pugi::xml_node& node) {
    const std::string_view kind = node.name();
    if (kind == "link_ctn") check_link(file, node, names, findings);
    if (kind == "route" || kind == "zoneRoute" || kind == "ASroute" || kind == "bypassRoute" ||
        kind == "bypassZoneRoute" || kind == "bypassASroute")
      check_route(file, node, names, findings);
  });
}

} // namespace timeless::tools::platforms
