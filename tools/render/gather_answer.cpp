#include "tools/render/gather_answer.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "trace/codec/format.h"

#include <fmt/format.h>

namespace timeless::tools {

namespace {

double bytes_per_action(const gather::Merged& merged) {
  const std::uint64_t actions = total_actions(merged.run);
  return actions == 0 ? 0 : static_cast<double>(merged.output_bytes) / static_cast<double>(actions);
}

std::string words(const gather::Speeds& speeds) {
  std::string rates;
  for (const auto& [senders, rate] : speeds.into_first)
    rates += fmt::format("{}{}/s from {}", rates.empty() ? "" : ", ", human_bytes(rate), senders);
  return fmt::format(" (measured: {}; disk {}/s; latency {:.0f} us)", rates, human_bytes(speeds.disk),
                     1e6 * speeds.latency);
}

nlohmann::json described(const gather::Speeds& speeds) {
  nlohmann::json rates = nlohmann::json::array();
  for (const auto& [senders, rate] : speeds.into_first)
    rates.push_back({{"senders", senders}, {"bytes_per_second", rate}});
  return {{"into_first", rates}, {"disk_bytes_per_second", speeds.disk}, {"latency_seconds", speeds.latency}};
}

double rate(const GatherAnswer& answer) {
  return answer.seconds > 0 ? static_cast<double>(answer.merged.output_bytes) / answer.seconds : 0;
}

void print_text(const GatherAnswer& answer) {
  const gather::Merged& merged = answer.merged;
  print_line("gathered {} of {} ranks into {}", merged.run.ranks.size(), merged.run.size, answer.output);
  if (answer.nodes > 1)
    print_line("{:<10}{}, in {} step{}, k = {}{}", "nodes", answer.nodes, answer.steps, answer.steps == 1 ? "" : "s",
               answer.arity, answer.measured ? words(*answer.measured) : "");
  print_line("{:<10}{}", "actions", human_count(static_cast<double>(total_actions(merged.run))));
  print_line("{:<10}{}, {:.2f} per action", "bytes", human_bytes(static_cast<double>(merged.output_bytes)),
             bytes_per_action(merged));
  print_line("{:<10}{}/s", "rate", human_bytes(rate(answer)));
  if (answer.remove && merged.run.complete()) print_line("{:<10}{} rank files", "removed", merged.removed);
  if (answer.remove && !merged.run.complete()) print_line("{:<10}the rank files, as the run is not whole", "kept");
  for (const std::string& world : spawned_worlds(answer.directory))
    print_line("{:<10}{} is a run of its own, gathered apart", "spawned", world);
  print_line("{:<10}timeless info {}", "next", answer.output);
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
              {"stretches", merged.stretches},
              {"input_bytes", merged.input_bytes},
              {"output_bytes", merged.output_bytes},
              {"bytes_per_action", bytes_per_action(merged)},
              {"removed_files", merged.removed},
              {"nodes", answer.nodes},
              {"steps", answer.steps},
              {"arity", answer.arity},
              {"measured", answer.measured ? described(*answer.measured) : nlohmann::json()},
              {"seconds", answer.seconds},
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

void add_arity_option(CLI::App& command, std::optional<int>& arity, const std::string& description) {
  const auto parse = [&arity](const std::string& text) {
    arity.reset();
    int number = 0;
    if (text == "auto") return true;
    if (!CLI::detail::lexical_cast(text, number) || number < 1) return false;
    arity = number;
    return true;
  };
  command
      .add_option_function<std::string>(
          "-k,--arity",
          [parse](const std::string& text) {
            if (!parse(text)) throw CLI::ValidationError("-k", "expected a positive number or auto");
          },
          description)
      ->type_name("N|auto")
      ->default_str(arity ? std::to_string(*arity) : "auto");
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
