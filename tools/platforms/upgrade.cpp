#include "tools/platforms/upgrade.h"

#include "replay/simgrid/quantities.h"
#include "tools/platforms/simgrid_schema.h"

#include "base/error.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::tools::platforms {

using replay::Quantity;

namespace {

/// Changes a platform's document, element by element, to the present format, and counts the changes by what they are.
class Upgrader {
public:
  explicit Upgrader(XmlFile file) : file_(std::move(file)) {}

  Upgraded run() {
    demand_format();
    std::vector<pugi::xml_node> all;
    file_.visit([&](const pugi::xml_node& node) { all.push_back(node); });
    for (const pugi::xml_node& node : all)
      change(node);
    part_directions();
    remove_obsolete();
    change_head();
    std::ostringstream out;
    for (const pugi::xml_node node : file_.document().children()) {
      node.print(out, "", pugi::format_raw, pugi::encoding_utf8);
      out << '\n';
    }
    Upgraded upgraded{.text = out.str(), .changes = {}};
    for (const auto& [what, count] : changes_)
      upgraded.changes.push_back(what + (count > 1 ? ", " + std::to_string(count) + " times" : ""));
    return upgraded;
  }

private:
  void demand_format() const {
    const pugi::xml_node root = file_.document().document_element();
    const std::string where = file_.path().string() + ":" + std::to_string(file_.line_of(root));
    if (std::strcmp(root.name(), "platform") != 0)
      throw Error(Failure::invalid_input, "this is not a platform file", where, "it has no <platform> element");
    const std::string version = root.attribute("version").value();
    const double number = std::strtod(version.c_str(), nullptr);
    if (number < 3)
      throw Error(Failure::invalid_input,
                  version.empty() ? "<platform> does not say its version" : "this is format " + version, where,
                  "formats before 3 had other units: run SimGrid's simgrid_update_xml on a copy first");
    if (number > 4.1)
      throw Error(Failure::invalid_input, "this is format " + version + ", newer than 4.1", where,
                  "use it as it is with a newer SimGrid");
  }

  void note(const std::string& what) { ++changes_[what]; }

  void change(pugi::xml_node node) {
    if (const std::string now(new_name(renamed_elements(), node.name())); !now.empty()) {
      note("<" + std::string(node.name()) + "> is now <" + now + ">");
      node.set_name(now.c_str());
    }
    std::vector<pugi::xml_attribute> attributes(node.attributes_begin(), node.attributes_end());
    for (pugi::xml_attribute attribute : attributes)
      change_attribute(node, attribute);
    if (std::string_view(node.name()) == "prop" && std::string_view(node.parent().name()) == "config")
      change_setting(node.attribute("id"), node.attribute("value"));
  }

  void change_attribute(pugi::xml_node node, pugi::xml_attribute attribute) {
    const std::string element = node.name();
    const std::string before = attribute.name();
    // What a part of the machine gave or was at the beginning; profiles say that now.
    if ((element == "host" || element == "link") && (before == "availability" || before == "state")) {
      note("<" + element + "> has no " + before + " any more: removed");
      node.remove_attribute(attribute);
      return;
    }
    if (const std::string now(new_name(renamed_attributes(), before)); !now.empty()) {
      note("attribute " + before + " is now " + now);
      attribute.set_name(now.c_str());
    }
    if (before == "coordinates") part_by_one_blank(attribute);
    if (std::string_view(attribute.value()) == "FULLDUPLEX") {
      note("FULLDUPLEX is now SPLITDUPLEX");
      attribute.set_value("SPLITDUPLEX");
    }
    if (element == "trace_connect" && before == "kind" && std::string_view(attribute.value()) == "POWER") {
      note("kind POWER is now SPEED");
      attribute.set_value("SPEED");
    }
    if (const auto quantity = replay::quantity_of(attribute.name())) add_unit(attribute, *quantity);
  }

  /// SimGrid counts a blank too many as one more coordinate.
  void part_by_one_blank(pugi::xml_attribute attribute) {
    std::istringstream parts{std::string(attribute.value())};
    std::string dense;
    for (std::string part; parts >> part;)
      dense += (dense.empty() ? "" : " ") + part;
    if (dense == attribute.value()) return;
    note("coordinates have one blank between them");
    attribute.set_value(dense.c_str());
  }

  void add_unit(pugi::xml_attribute attribute, Quantity quantity) {
    std::string with_units;
    bool changed = false;
    std::istringstream parts{std::string(attribute.value())};
    for (std::string part; std::getline(parts, part, ',');) {
      const auto reading = replay::read_quantity(quantity, part);
      const bool bare = reading && reading->unit.empty() && reading->value != 0;
      changed = changed || bare;
      with_units += (with_units.empty() ? "" : ",") + part + (bare ? std::string(replay::bare_unit(quantity)) : "");
    }
    if (!changed) return;
    note("numbers without a unit have " + std::string(replay::bare_unit(quantity)));
    attribute.set_value(with_units.c_str());
  }

  void change_setting(pugi::xml_attribute id, pugi::xml_attribute value) {
    std::string dense = value.value();
    if (dense.find(';') != std::string::npos && std::erase(dense, ' ') > 0) {
      note("lists have no blanks");
      value.set_value(dense.c_str());
    }
    const std::string now(new_name(renamed_settings(), id.value()));
    if (now.empty()) return;
    note("setting " + std::string(id.value()) + " is now " + now);
    id.set_value(now.c_str());
  }

  /// Writes routes in both directions as they are meant: a route is for both unless it says otherwise, but early files
  /// gave both and did not say so.
  void part_directions() {
    using Ends = std::tuple<std::size_t, std::string, std::string, std::string>; // zone, kind, from, to
    std::map<Ends, pugi::xml_node> routes;
    const auto ends = [](const pugi::xml_node& node, const char* from, const char* to) {
      return Ends{node.parent().hash_value(), node.name(), node.attribute(from).value(), node.attribute(to).value()};
    };
    file_.visit([&](pugi::xml_node node) {
      const std::string_view kind = node.name();
      if (kind == "route" || kind == "zoneRoute") routes.emplace(ends(node, "src", "dst"), node);
    });
    for (auto& [key, node] : routes) {
      const auto back = routes.find(ends(node, "dst", "src"));
      if (back == routes.end() || back->second == node || !(symmetrical(node) || symmetrical(back->second))) continue;
      note("routes given in both directions say symmetrical=\"NO\"");
      for (pugi::xml_node one : {node, back->second}) {
        pugi::xml_attribute attribute = one.attribute("symmetrical");
        if (!attribute) attribute = one.append_attribute("symmetrical");
        attribute.set_value("NO");
      }
    }
  }

  static bool symmetrical(const pugi::xml_node& route) {
    const std::string_view said = route.attribute("symmetrical").as_string("YES");
    return said == "YES" || said == "yes";
  }

  void remove_obsolete() {
    std::vector<pugi::xml_node> gone;
    file_.visit([&](const pugi::xml_node& node) {
      const std::string_view kind = node.name();
      if (kind == "prop" && std::string_view(node.parent().name()) == "config" &&
          std::string_view(node.attribute("id").value()) == "network/coordinates") {
        note("setting network/coordinates is gone, coordinates need none: removed");
        gone.push_back(node);
      }
      if (kind == "prop" && std::string_view(node.parent().name()) == "config" &&
          std::string_view(node.attribute("id").value()).ends_with("/model") &&
          std::string_view(node.attribute("value").value()) == "compound") {
        note("host model compound is what SimGrid takes by itself: removed");
        gone.push_back(node);
      }
      if (kind == "zoneRoute" && !node.attribute("src").empty() &&
          std::string_view(node.attribute("src").value()) == node.attribute("dst").value()) {
        note("a zone has no route to itself: removed");
        gone.push_back(node);
      }
    });
    for (pugi::xml_node node : gone)
      node.parent().remove_child(node);
  }

  void change_head() {
    pugi::xml_document& document = file_.document();
    pugi::xml_node root = document.document_element();
    if (std::string_view(root.attribute("version").value()) != "4.1") {
      note("version " + std::string(root.attribute("version").value()) + " is now 4.1");
      root.attribute("version").set_value("4.1");
    }
    pugi::xml_node doctype;
    for (const pugi::xml_node node : document.children())
      if (node.type() == pugi::node_doctype) doctype = node;
    constexpr const char* now = "platform SYSTEM \"https://simgrid.org/simgrid.dtd\"";
    if (!doctype) doctype = document.insert_child_before(pugi::node_doctype, root);
    if (std::string_view(doctype.value()) != now) {
      note("the DOCTYPE is SimGrid's present one");
      doctype.set_value(now);
    }
  }

  XmlFile file_;
  std::map<std::string, std::size_t> changes_;
};

} // namespace

Upgraded upgrade(XmlFile file) {
  return Upgrader(std::move(file)).run();
}

} // namespace timeless::tools::platforms
