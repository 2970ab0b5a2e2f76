#include "tools/platforms/draft.h"

#include "replay/simgrid/quantities.h"
#include "replay/simgrid/topologies.h"

#include "base/error.h"
#include "base/escaping.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

namespace timeless::tools::platforms {

using replay::count_topology;
using replay::fitting_parameters;
using replay::Quantity;
using replay::read_quantity;
using replay::units_of;

namespace {

constexpr std::uint64_t most_nodes = 1'000'000;
constexpr std::uint64_t most_cores = 100'000;

/// Why an answer makes no sense; empty where it does.
using Complaint = std::string;

Complaint judge_count(const std::string& text, std::uint64_t most) {
  const auto value = whole_number<std::uint64_t>(text);
  if (!value || *value == 0 || *value > most) return fmt::format("{} is no number from 1 to {}", in_quotes(text), most);
  return {};
}

Complaint judge_quantity(const std::string& text, Quantity quantity) {
  const auto reading = read_quantity(quantity, text);
  if (!reading) return replay::explain_quantity(quantity, text);
  if (reading->unit.empty() && !(quantity == Quantity::time && reading->value == 0))
    return fmt::format("{} has no unit: write one like {}", in_quotes(text), units_of(quantity));
  if (reading->value < 0 || (reading->value == 0 && quantity != Quantity::time))
    return in_quotes(text) + " is not above zero";
  return {};
}

/// A person's word, and SimGrid's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> topology_words{
    {{"cluster", "FLAT"}, {"fat-tree", "FAT_TREE"}, {"torus", "TORUS"}, {"dragonfly", "DRAGONFLY"}}};

/// Returns SimGrid's word; empty for one it does not have.
std::string_view simgrid_topology(std::string_view topology) {
  for (const auto& [ours, simgrid] : topology_words)
    if (ours == topology) return simgrid;
  return {};
}

Complaint judge_topology(const std::string& text) {
  return simgrid_topology(text).empty()
             ? fmt::format("{} is not one of {}", in_quotes(text), fmt::join(topologies(), ", "))
             : Complaint{};
}

/// One thing a draft says.
struct Item {
  const char* option;
  const char* question;
  std::string Draft::*value;
  const char* suggestion; ///< empty: must be said
  Complaint (*judge)(const std::string&);
};

const std::array items{
    Item{"--nodes", "How many nodes", &Draft::nodes, "",
         [](const std::string& t) { return judge_count(t, most_nodes); }},
    Item{"--cores", "Cores of a node", &Draft::cores, "16",
         [](const std::string& t) { return judge_count(t, most_cores); }},
    Item{"--speed", "Speed of a core (instructions per second)", &Draft::speed, "8Gf",
         [](const std::string& t) { return judge_quantity(t, Quantity::speed); }},
    Item{"--topology", "Topology: cluster (one switch), fat-tree, torus or dragonfly", &Draft::topology, "cluster",
         judge_topology},
    Item{"--bandwidth", "Bandwidth of a link", &Draft::bandwidth, "",
         [](const std::string& t) { return judge_quantity(t, Quantity::bandwidth); }},
    Item{"--latency", "Latency of a link (a message crosses two or more)", &Draft::latency, "",
         [](const std::string& t) { return judge_quantity(t, Quantity::time); }},
    Item{"--loopback-bandwidth", "Bandwidth within a node", &Draft::loopback_bandwidth, "10GBps",
         [](const std::string& t) { return judge_quantity(t, Quantity::bandwidth); }},
    Item{"--loopback-latency", "Latency within a node", &Draft::loopback_latency, "500ns",
         [](const std::string& t) { return judge_quantity(t, Quantity::time); }},
};

std::string parameters_of(const Draft& draft, std::string_view topology, std::uint64_t nodes) {
  if (topology == "FLAT") {
    if (!draft.parameters.empty())
      throw Error(Failure::usage, "a cluster on one switch has no --parameters", "", "choose another --topology");
    return {};
  }
  if (draft.parameters.empty()) return *fitting_parameters(topology, nodes).value;
  const auto made = count_topology(topology, draft.parameters);
  if (!made.value) throw Error(Failure::usage, made.mistake, "--parameters", made.advice);
  if (*made.value != nodes)
    throw Error(Failure::usage, fmt::format("these parameters make {} nodes, not {}", *made.value, nodes),
                "--parameters", fmt::format("write --nodes {} or other parameters", *made.value));
  return draft.parameters;
}

} // namespace

std::vector<std::string> topologies() {
  std::vector<std::string> words;
  for (const auto& [ours, simgrid] : topology_words)
    words.emplace_back(ours);
  return words;
}

Draft ask_for_rest(Draft draft, std::istream& answers, std::ostream& questions) {
  for (const Item& item : items) {
    while ((draft.*item.value).empty()) {
      questions << item.question;
      if (*item.suggestion != '\0') questions << " [" << item.suggestion << "]";
      questions << ": " << std::flush;
      std::string answer;
      if (!std::getline(answers, answer))
        throw Error(Failure::usage, "the answers end before all is said", item.option, "give it as an option");
      if (answer.empty()) answer = item.suggestion;
      if (answer.empty()) continue;
      if (const Complaint complaint = item.judge(answer); complaint.empty())
        draft.*item.value = answer;
      else
        questions << complaint << "\n";
    }
  }
  return draft;
}

Draft with_defaults(Draft draft) {
  for (const Item& item : items) {
    if (!(draft.*item.value).empty()) continue;
    if (*item.suggestion == '\0')
      throw Error(Failure::usage, std::string(item.option) + " is missing", "",
                  "give --nodes, --bandwidth and --latency; on a terminal, what is missing is asked for");
    draft.*item.value = item.suggestion;
  }
  return draft;
}

std::string platform_text(const Draft& draft) {
  for (const Item& item : items)
    if (const Complaint complaint = item.judge(draft.*item.value); !complaint.empty())
      throw Error(Failure::usage, complaint, item.option);
  std::uint64_t nodes = 0;
  std::from_chars(draft.nodes.data(), draft.nodes.data() + draft.nodes.size(), nodes);
  const std::string_view topology = simgrid_topology(draft.topology);
  const std::string parameters = parameters_of(draft, topology, nodes);
  const std::string shape =
      topology == "FLAT" ? ""
                         : fmt::format("\n             topology=\"{}\" topo_parameters=\"{}\"", topology, parameters);
  return fmt::format(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- {nodes} nodes of {cores} cores: {topology}{written}, {bandwidth} and {latency} a link.

     Trust: assumed. Written by timeless platform new from the figures given to it; say here where they come from.
     Overheads: none (smpi/os, ois, or), and no factors: a message takes latency + size / bandwidth. Messages below 64 KiB are
     eager. -->
<platform version="4.1">
  <config>
    <prop id="network/model" value="SMPI"/>
    <prop id="smpi/async-small-thresh" value="65536"/>
    <prop id="smpi/send-is-detached-thresh" value="65536"/>
    <prop id="smpi/bw-factor" value="0:1"/>
    <prop id="smpi/lat-factor" value="0:1"/>
  </config>

  <zone id="world" routing="Full">
    <cluster id="machine" prefix="node-" suffix="" radical="0-{last}" speed="{speed}" core="{cores}"
             bw="{bandwidth}" lat="{latency}" sharing_policy="SPLITDUPLEX"{shape}
             loopback_bw="{loopback_bandwidth}" loopback_lat="{loopback_latency}"/>
  </zone>
</platform>
)",
                     fmt::arg("nodes", nodes), fmt::arg("cores", draft.cores), fmt::arg("topology", draft.topology),
                     fmt::arg("written", parameters.empty() ? "" : " " + parameters),
                     fmt::arg("bandwidth", draft.bandwidth), fmt::arg("latency", draft.latency),
                     fmt::arg("last", nodes - 1), fmt::arg("speed", draft.speed), fmt::arg("shape", shape),
                     fmt::arg("loopback_bandwidth", draft.loopback_bandwidth),
                     fmt::arg("loopback_latency", draft.loopback_latency));
}

} // namespace timeless::tools::platforms
