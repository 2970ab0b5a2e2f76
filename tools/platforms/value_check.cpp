#include "tools/platforms/findings.h"
#include "tools/platforms/quantities.h"
#include "replay/platform/topologies.h"

#include <string_view>

namespace timeless::tools::platforms {

using replay::count_radical;
using replay::count_topology;

namespace {

constexpr std::string_view quantity_name(Quantity quantity) {
  switch (quantity) {
  case Quantity::speed:
    return "speed";
  case Quantity::bandwidth:
    return "bandwidth";
  case Quantity::time:
    return "time";
  }
  return "";
}

/// One number of an attribute; a host has several speeds, a radio link several bandwidths.
void check_number(std::string_view text, Quantity quantity, std::size_t line, const std::string& place,
                  Findings& findings) {
  const auto reading = read_quantity(quantity, text);
  if (!reading) {
    findings.push_back({.line = line,
                        .what = place + "=\"" + std::string(text.substr(0, 60)) + "\"",
                        .advice = explain_quantity(quantity, text)});
    return;
  }
  if (reading->value < 0)
    findings.push_back(
        {.line = line, .what = place + " is negative", .advice = "write " + std::string(units_of(quantity))});
  else if (reading->value == 0 && quantity != Quantity::time)
    findings.push_back(
        {.line = line,
         .what = place + " is zero: nothing would ever end",
         .advice = "write a " + std::string(quantity_name(quantity)) + " like " + std::string(units_of(quantity))});
  else if (reading->unit.empty() && reading->value != 0)
    findings.push_back(
        {.line = line,
         .what = place + "=\"" + std::string(text) + "\" has no unit; SimGrid takes it for " +
                 std::string(bare_unit(quantity)),
         .advice = "write " + std::string(text) + std::string(bare_unit(quantity)) + " if that is meant"});
}

void check_quantity(const XmlFile& file, const pugi::xml_node& node, const pugi::xml_attribute& attribute,
                    Quantity quantity, Findings& findings) {
  std::string_view text = attribute.value();
  if (text.empty()) return;
  const std::string place = "<" + std::string(node.name()) + "> " + attribute.name();
  const bool several = quantity == Quantity::speed || (quantity == Quantity::bandwidth && place == "<link> bandwidth");
  // A host has a speed for each of its states, of which it keeps one; the others may stand for a host that is off.
  const int state = quantity == Quantity::speed ? node.attribute("pstate").as_int(0) : -1;
  for (int number = 0;; ++number) {
    const std::size_t end = several ? text.find(',') : std::string_view::npos;
    std::string_view one = text.substr(0, end);
    while (several && one.starts_with(' '))
      one.remove_prefix(1);
    const auto reading = read_quantity(quantity, one);
    const bool off = state >= 0 && number != state && reading && reading->value == 0;
    if (!off) check_number(one, quantity, file.line_of(node), place, findings);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void check_loopback(const pugi::xml_node& cluster, std::size_t line, const std::string& name, Findings& findings) {
  const bool bandwidth = *cluster.attribute("loopback_bw").value() != '\0';
  const bool latency = *cluster.attribute("loopback_lat").value() != '\0';
  if (bandwidth != latency)
    findings.push_back({.line = line,
                        .what = name + " has only half of a loopback",
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
  file.visit([&](const pugi::xml_node& node) {
    for (const pugi::xml_attribute attribute : node.attributes())
      if (const auto quantity = quantity_of(attribute.name()))
        check_quantity(file, node, attribute, *quantity, findings);
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
