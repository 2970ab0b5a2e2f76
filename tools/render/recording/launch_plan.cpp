#include "tools/render/recording/launch_plan.h"

#include "tools/cli/console.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <vector>

namespace timeless::tools {

namespace {

std::string ratio_text(double ratio) {
  return fmt::format("{:.3g}", ratio);
}

std::size_t clusters(const NodePlan& plan) {
  std::vector<std::string> names;
  for (const PlannedNode& node : plan.nodes)
    if (std::ranges::find(names, node.node.cluster) == names.end()) names.push_back(node.node.cluster);
  return names.size();
}

std::string slowdown_text(const NodePlan& plan) {
  if (plan.slowdown() <= 1) return "none expected: every rank has a core";
  return fmt::format("about {} times as long as with a core for each rank: time grows with the ranks that share one",
                     ratio_text(plan.slowdown()));
}

constexpr const char* between_clusters = "what the network between the clusters costs while recording comes on top";

std::string hostfile_lines(const std::string& hostfile) {
  std::string text = text_line("{:<15}-o FILE writes it:", "hostfile");
  std::istringstream lines(hostfile);
  for (std::string line; std::getline(lines, line);)
    text += text_line("{}", line);
  return text + "\n";
}

} // namespace

std::string to_text(const PlanAnswer& answer) {
  const NodePlan& plan = answer.plan;
  std::string text;
  text += text_fact(15, "mode", "{}, {}", short_name(plan.mode), name(plan.mode));
  for (const std::string& reason : plan.reasons)
    text += text_fact(15, "", "{}", reason);
  text += text_fact(15, "ranks", "{} of {} each, {}", answer.request.ranks,
                    human_bytes(static_cast<double>(answer.memory.bytes)), answer.memory.source);
  for (const std::string& note : answer.memory.notes)
    text += text_fact(15, "NOTE", "{}", note);
  text += text_fact(15, "hosts", "{} in {} cluster{}; {} of memory kept free on each", plan.nodes.size(),
                    clusters(plan), clusters(plan) == 1 ? "" : "s", answer.reserve);
  text += text_fact(15, "slowdown", "{}", slowdown_text(plan));
  if (is_composite(plan.mode)) text += text_fact(15, "", "{}", between_clusters);
  Table table({"host", "cluster", "cores", "ranks", "ranks a core", "memory", "used", "room for"});
  for (const PlannedNode& node : plan.nodes)
    table.add({node.node.name, node.node.cluster.empty() ? "-" : node.node.cluster, std::to_string(node.node.cores),
               std::to_string(node.ranks), ratio_text(node.folding()),
               human_bytes(static_cast<double>(node.node.memory)),
               human_bytes(static_cast<double>(node.ranks * answer.memory.bytes)),
               fmt::format("{} ranks", node.most_by_memory)});
  text += "\n" + table.text() + "\n";
  if (answer.output.empty())
    text += hostfile_lines(answer.hostfile);
  else
    text += text_line("{:<15}{}", "hostfile", answer.output);
  text += text_line("{:<15}{}", "record", answer.next.record);
  text += text_line("{:<15}{}", "then gather", answer.next.gather);
  return text;
}

nlohmann::ordered_json to_json(const PlanAnswer& answer) {
  const NodePlan& plan = answer.plan;
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const PlannedNode& node : plan.nodes)
    nodes.push_back({{"host", node.node.name},
                     {"cluster", node.node.cluster},
                     {"cores", node.node.cores},
                     {"memory", node.node.memory},
                     {"ranks", node.ranks},
                     {"ranks_per_core", node.folding()},
                     {"memory_used", node.ranks * answer.memory.bytes},
                     {"room_for_ranks", node.most_by_memory}});
  return {{"mode", short_name(plan.mode)},
          {"reasons", plan.reasons},
          {"ranks", answer.request.ranks},
          {"memory_per_rank", answer.memory.bytes},
          {"memory_source", answer.memory.source},
          {"memory_notes", answer.memory.notes},
          {"folding", plan.folding},
          {"clusters", clusters(plan)},
          {"expected_slowdown", plan.slowdown()},
          {"nodes", nodes},
          {"hostfile", answer.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(answer.output)},
          {"hostfile_text", answer.hostfile},
          {"record_command", answer.next.record},
          {"gather_command", answer.next.gather}};
}

} // namespace timeless::tools
