#include "tools/gather_answer.h"

#include "tools/console.h"
#include "tools/trace_input.h"
#include "trace/archive/format.h"

#include <fmt/format.h>

namespace timeless::tools {

namespace {

double bytes_per_action(const gather::Merged& merged) {
  const std::uint64_t actions = total_actions(merged.run);
  return actions == 0 ? 0 : static_cast<double>(merged.output_bytes) / static_cast<double>(actions);
}

void print_text(const GatherAnswer& answer) {
  const gather::Merged& merged = answer.merged;
  fmt::print("gathered {} of {} ranks into {}\n", merged.run.ranks.size(), merged.run.size, answer.output);
  if (answer.nodes > 1)
    fmt::print("{:<10}{}, in {} step{}\n", "nodes", answer.nodes, answer.steps, answer.steps == 1 ? "" : "s");
  fmt::print("{:<10}{}\n", "actions", human_count(static_cast<double>(total_actions(merged.run))));
  fmt::print("{:<10}{}, {:.2f} per action\n", "bytes", human_bytes(static_cast<double>(merged.output_bytes)),
             bytes_per_action(merged));
  if (answer.remove && merged.run.complete()) fmt::print("{:<10}{} rank files\n", "removed", merged.removed);
  if (answer.remove && !merged.run.complete()) fmt::print("{:<10}the rank files, as the run is not whole\n", "kept");
  for (const std::string& world : spawned_worlds(answer.directory))
    fmt::print("{:<10}{} is a run of its own, gathered apart\n", "spawned", world);
  fmt::print("{:<10}timeless info {}\n", "next", answer.output);
}

void print_answer(const GatherAnswer& answer) {
  const gather::Merged& merged = answer.merged;
  print_json("gather", 1,
             {{"directory", answer.directory},
              {"output", answer.output},
              {"ranks", merged.run.size},
              {"ranks_present", merged.run.ranks.size()},
              {"missing_ranks", merged.run.missing_ranks()},
              {"complete", merged.run.complete()},
              {"incomplete_because", incompleteness(merged.run)},
              {"actions", total_actions(merged.run)},
              {"blocks", merged.blocks},
              {"input_bytes", merged.input_bytes},
              {"output_bytes", merged.output_bytes},
              {"bytes_per_action", bytes_per_action(merged)},
              {"removed_files", merged.removed},
              {"nodes", answer.nodes},
              {"steps", answer.steps},
              {"spawned_worlds", spawned_worlds(answer.directory)}});
}

} // namespace

std::string default_output(const std::filesystem::path& directory) {
  std::filesystem::path name = directory.lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  if (name.empty() || name == "." || name == "..")
    name = std::filesystem::weakly_canonical(std::filesystem::absolute(directory));
  name += trace::archive_extension;
  return name.string();
}

int print_gathered(const GatherAnswer& answer, bool json) {
  if (json)
    print_answer(answer);
  else
    print_text(answer);
  if (answer.merged.run.complete()) return 0;
  print_warning(incompleteness(answer.merged.run) + " (" + answer.output + ")");
  return static_cast<int>(Failure::partial);
}

} // namespace timeless::tools
