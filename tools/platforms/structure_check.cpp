#include "tools/cli/nearest.h"
#include "tools/platforms/findings.h"
#include "tools/platforms/simgrid_schema.h"

#include "base/escaping.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace timeless::tools::platforms {

namespace {

constexpr const char* current_doctype = "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";

void check_attributes(const XmlFile& file, const pugi::xml_node& node, const Element& element, Findings& findings) {
  const std::size_t line = file.line_of(node);
  const std::string tag = "<" + std::string(element.name) + ">";
  for (const pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    if (lists(element.required, name) || lists(element.optional, name)) continue;
    const std::string_view now = new_name(renamed_attributes(), name);
    std::vector<std::string_view> known;
    for (std::string_view words : {element.required, element.optional})
      while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        known.push_back(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
      }
    const std::string_view near = now.empty() ? nearest(known, name) : now;
    findings.push_back({.line = line,
                        .what = tag + " has no attribute " + in_quotes(name) +
                                (now.empty() ? "" : ": that is its name in an older format"),
                        .advice = near.empty() ? "remove it" : "write " + std::string(near)});
  }
  std::string_view words = element.required;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string name(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
    bool there = !node.attribute(name.c_str()).empty();
    for (const Renamed& renamed : renamed_attributes())
      there = there || (renamed.now == name && !node.attribute(std::string(renamed.before).c_str()).empty());
    if (!there) findings.push_back({.line = line, .what = tag + " lacks the attribute " + name, .advice = "give it"});
  }
}

void check_element(const XmlFile& file, const pugi::xml_node& node, Findings& findings) {
  const std::size_t line = file.line_of(node);
  const std::string_view name = node.name();
  const std::string_view now = new_name(renamed_elements(), name);
  const Element* element = element_named(name);
  // Format 4.1 still takes these.
  const bool accepted = element != nullptr && !now.empty();
  if (!now.empty())
    findings.push_back({.severity = accepted ? Severity::remark : Severity::mistake,
                        .line = line,
                        .what = "<" + std::string(name) + "> is an old name",
                        .advice = "write <" + std::string(now) + ">, or run timeless platform upgrade"});
  if (element == nullptr) {
    if (now.empty())
      findings.push_back({.line = line,
                          .what = "SimGrid knows no element <" + std::string(name) + ">",
                          .advice = "see SimGrid's manual for what a platform may hold"});
    return;
  }
  check_attributes(file, node, *element, findings);
  const std::string_view parent = node.parent().name();
  const bool known_parent = element_named(parent) != nullptr;
  if (!element->inside.empty() && known_parent && !lists(element->inside, parent))
    findings.push_back({.line = line,
                        .what = "<" + std::string(name) + "> cannot stand in <" + std::string(parent) + ">",
                        .advice = "it belongs into: " + std::string(element->inside)});
}

} // namespace

void check_head(const XmlFile& file, Findings& findings) {
  const pugi::xml_node root = file.document().document_element();
  if (std::strcmp(root.name(), "platform") != 0) {
    findings.push_back({.line = file.line_of(root),
                        .what = "the first element is <" + std::string(root.name()) + ">, not <platform>",
                        .advice = "a platform file holds one <platform version=\"4.1\">"});
    return;
  }
  pugi::xml_node found;
  for (const pugi::xml_node node : file.document().children())
    if (node.type() == pugi::node_doctype) found = node;
  const std::string_view wanted = "platform SYSTEM \"https://simgrid.org/simgrid.dtd\"";
  if (!found)
    findings.push_back({.line = 1, .what = "there is no DOCTYPE", .advice = std::string("write ") + current_doctype});
  else if (std::string_view(found.value()) != wanted)
    findings.push_back({.line = file.line_of(found),
                        .what = "this DOCTYPE is not SimGrid's: " + in_quotes(found.value()),
                        .advice = std::string("write ") + current_doctype});
  const std::string version = root.attribute("version").value();
  if (version == "4.1") return;
  const double number = std::strtod(version.c_str(), nullptr);
  const std::size_t line = file.line_of(root);
  if (version.empty() || number < 4)
    findings.push_back(
        {.line = line,
         .what = version.empty() ? "<platform> does not say its version" : "this is format " + in_quotes(version),
         .advice = "run timeless platform upgrade FILE -o NEW, which writes format 4.1"});
  else if (number > 4.1)
    findings.push_back({.line = line,
                        .what = "this is format " + in_quotes(version) + ", which SimGrid 3.32 does not know",
                        .advice = "write version=\"4.1\" if nothing in the file is newer"});
}

void check_structure(const XmlFile& file, Findings& findings) {
  file.visit([&](const pugi::xml_node& node) { check_element(file, node, findings); });
}

} // namespace timeless::tools::platforms
