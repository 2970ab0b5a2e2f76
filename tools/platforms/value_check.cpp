#include "replay/simgrid/impossible_figures.h"
#include "replay/simgrid/quantities.h"
#include "replay/simgrid/topologies.h"
#include "tools/platforms/findings.h"

#include <string_view>
#include <vector>

namespace timeless::tools::platforms {

using replay::count_radical;
using replay::count_topology;

namespace {

/// Numbers that SimGrid reads, though not as most people would mean them.
void remark_bare_numbers(const pugi::xml_node& node, const pugi::xml_attribute& attribute, std::size_t line,
                         Findings& findings) {
  const auto quantity = replay::quantity_of(attribute.name());
  if (!quantity || *attribute.value() == '\0') return;
  const std::string place = "<" + std::string(node.name()) + "> " + attribute.name();
  const std::vector<std::string_view> numbers = replay::numbers_of(node, attribute);
  for (const std::string_view text : numbers) {
    const auto reading = replay::read_quantity(*quantity, text);
    if (!reading || reading->value <= 0 || !reading->unit.empty()) continue;
    findings.push_back(
        {.severity = Severity::remark,
         .line = line,
         .what = place + "=\"" + std::string(text) + "\" has no unit; SimGrid takes it for " +
                 std::string(replay::bare_unit(*quantity)),
         .advice = "write " + std::string(text) + std::string(replay::bare_unit(*quantity)) + " if that is meant" +
                   (numbers.size() > 1 ? "; a comma separates numbers, its place is not within one" : "")});
  }
}

void check_loopback(const pugi::xml_node& cluster, std::size_t line, const std::string& name, Findings& findings) {
  const bool bandwidth = *cluster.attribute("loopback_bw").value() != '\0';
  const bool latency = *cluster.attribute("loopback_lat").value() != '\0';
  if (bandwidth != latency)
    findings.push_back(
        {.severity = bandwidth ? Severity::remark : Severity::mistake,
         .line = line,
         .what = name + " has only half of a loopback" + (bandwidth ? ": SimGrid gives it a latency of 0" : ""),
         .advice = "give both loopback_bw and loopback_lat"});
  else if (!bandwidth)
    findings.push_back({.severity = Severity::remark,
                        .line = line,
                        .what = name + " has no loopback: ranks of one host will talk over its network link",
                        .advice = "give loopback_bw=\"10GBps\" loopback_lat=\"500ns\", or what you measure"});
}

void check_cluster(const pugi::xml_node& cluster, std::size_t line, Findings& findings) {
  const std::string name = "cluster '" + std::string(cluster.attribute("id").value()).substr(0, 60) + "'";
  const auto hosts = count_radical(cluster.attribute("radical").value());
  if (!hosts.value) findings.push_back({.line = line, .what = name + ": " + hosts.mistake, .advice = hosts.advice});
  check_loopback(cluster, line, name, findings);
  const std::string topology = cluster.attribute("topology").as_string("FLAT");
  const std::string parameters = cluster.attribute("topo_parameters").value();
  if (topology == "FLAT") {
    if (!parameters.empty())
      findings.push_back({.severity = Severity::remark,
                          .line = line,
                          .what = name + " has topo_parameters but no topology: they count for nothing",
                          .advice = "give topology=\"TORUS\", \"FAT_TREE\" or \"DRAGONFLY\""});
    return;
  }
  const auto made = count_topology(topology, parameters);
  if (!made.value)
    findings.push_back({.line = line, .what = name + ": " + made.mistake, .advice = made.advice});
  else if (hosts.value && *made.value != *hosts.value)
    findings.push_back({.line = line,
                        .what = name + ": its topo_parameters make " + std::to_string(*made.value) +
                                " hosts, its radical names " + std::to_string(*hosts.value),
                        .advice = "write radical=\"0-" + std::to_string(*made.value - 1) + "\" or other parameters"});
}

} // namespace

void check_quantities(const XmlFile& file, Findings& findings) {
  for (replay::ImpossibleFigure& figure : replay::impossible_figures(file))
    findings.push_back({.line = figure.line, .what = std::move(figure.what), .advice = std::move(figure.advice)});
  file.visit([&](const pugi::xml_node& node) {
    for (const pugi::xml_attribute& attribute : node.attributes())
      remark_bare_numbers(node, attribute, file.line_of(node), findings);
  });
}

void check_clusters(const XmlFile& file, Findings& findings) {
  file.visit([&](const pugi::xml_node& node) {
    if (std::string_view(node.name()) == "cluster") check_cluster(node, file.line_of(node), findings);
    if (std::string_view(node.name()) == "cabinet") {
      const auto hosts = count_radical(node.attribute("radical").value());
      if (!hosts.value)
        findings.push_back({.line = file.line_of(node), .what = "cabinet: " + hosts.mistake, .advice = hosts.advice});
    }
  });
}

} // namespace timeless::tools::platforms
