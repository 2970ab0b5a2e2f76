#include "tools/render/trace/gathered.h"

#include "tools/cli/console.h"
#include "tools/cli/shell_word.h"
#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

double bytes_per_action(const gather::Merged& merged) {
  const std::uint64_t actions = total_actions(merged.run);
  return actions == 0 ? 0 : static_cast<double>(merged.output_bytes) / static_cast<double>(actions);
}

std::string speeds_text(const gather::Speeds& speeds) {
  std::string rates;
  for (const auto& [senders, rate] : speeds.into_first)
    rates += fmt::format("{}{}/s from {}", rates.empty() ? "" : ", ", human_bytes(rate), senders);
  return fmt::format(" (measured: {}; disk {}/s; latency {:.0f} us)", rates, human_bytes(speeds.disk),
                     1e6 * speeds.latency);
}

ordered_json speeds_json(const gather::Speeds& speeds) {
  ordered_json rates = ordered_json::array();
  for (const auto& [senders, rate] : speeds.into_first)
    rates.push_back({{"senders", senders}, {"bytes_per_second", rate}});
  return {{"into_first", rates}, {"disk_bytes_per_second", speeds.disk}, {"latency_seconds", speeds.latency}};
}

double rate(const GatherAnswer& answer) {
  return answer.seconds > 0 ? static_cast<double>(answer.merged.output_bytes) / answer.seconds : 0;
}

} // namespace

std::string to_text(const GatherAnswer& answer) {
  const gather::Merged& merged = answer.merged;
  std::string text =
      text_line("gathered {} of {} ranks into {}", merged.run.ranks.size(), merged.run.size, answer.output);
  if (answer.nodes > 1)
    text += text_fact(10, "nodes", "{}, in {} step{}, k = {}{}", answer.nodes, answer.steps,
                      answer.steps == 1 ? "" : "s", answer.arity, answer.measured ? speeds_text(*answer.measured) : "");
  text += text_fact(10, "actions", "{}", count_text(total_actions(merged.run)));
  text += text_fact(10, "bytes", "{}, {:.2f} per action", bytes_text(merged.output_bytes), bytes_per_action(merged));
  text += text_fact(10, "rate", "{}/s", human_bytes(rate(answer)));
  if (answer.remove)
    text += merged.run.complete() ? text_fact(10, "removed", "{} rank files", merged.removed)
                                  : text_fact(10, "kept", "the rank files, as the run is not whole");
  for (const std::string& world : answer.spawned_worlds)
    text += text_fact(10, "spawned", "{} is a run of its own, gathered apart", world);
  return text + text_line("{:<10}timeless info {}", "next", shell_word(answer.output));
}

ordered_json to_json(const GatherAnswer& answer) {
  const gather::Merged& merged = answer.merged;
  return {{"directory", answer.directory},
          {"output", answer.output},
          {"ranks", merged.run.size},
          {"ranks_present", merged.run.ranks.size()},
          {"missing_ranks", merged.run.missing_ranks()},
          {"complete", merged.run.complete()},
          {"incomplete_because", incompleteness(merged.run)},
          {"actions", total_actions(merged.run)},
          {"segments", merged.segments},
          {"input_bytes", merged.input_bytes},
          {"output_bytes", merged.output_bytes},
          {"bytes_per_action", bytes_per_action(merged)},
          {"removed_files", merged.removed},
          {"nodes", answer.nodes},
          {"steps", answer.steps},
          {"arity", answer.arity},
          {"measured", answer.measured ? speeds_json(*answer.measured) : ordered_json()},
          {"seconds", answer.seconds},
          {"spawned_worlds", answer.spawned_worlds}};
}

} // namespace timeless::tools
