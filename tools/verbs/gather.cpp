#include "tools/console.h"
#include "tools/interruption.h"
#include "tools/trace_input.h"
#include "tools/verbs/verbs.h"

#include "gather/merge.h"
#include "gather/rank_files.h"
#include "trace/archive/format.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct Options {
  std::string directory;
  std::string output;
  int arity = 4;
  bool force = false;
  bool json = false;
};

/// DIR.tia beside the directory.
std::filesystem::path default_output(const std::filesystem::path& directory) {
  std::filesystem::path whole = std::filesystem::absolute(directory).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  std::filesystem::path output = directory.lexically_normal();
  if (!output.has_filename()) output = output.parent_path();
  if (output == "." || output == ".." || output.empty()) output = whole;
  output += trace::archive_extension;
  return output;
}

std::vector<std::filesystem::path> rank_files(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory))
    throw Error(Failure::usage, "no such directory", directory.string(),
                "name the directory given to timeless record -o, or TIMELESS_DIR");
  std::vector<std::filesystem::path> paths;
  for (const gather::RankFile& file : gather::list_rank_files(directory))
    paths.push_back(file.path);
  if (paths.empty())
    throw Error(Failure::invalid_input, "the directory holds no rank files (rank-000000.tia ...)", directory.string(),
                "name the directory the run was recorded into; if each node has its own, gather with timeless-mpi");
  return paths;
}

double bytes_per_action(const gather::Merged& merged) {
  const std::uint64_t actions = total_actions(merged.run);
  return actions == 0 ? 0 : static_cast<double>(merged.output_bytes) / static_cast<double>(actions);
}

void print_text(const Options& options, const gather::Merged& merged) {
  fmt::print("gathered {} of {} ranks into {}\n", merged.run.ranks.size(), merged.run.size, options.output);
  fmt::print("{:<10}{}\n", "actions", human_count(static_cast<double>(total_actions(merged.run))));
  fmt::print("{:<10}{}, {:.2f} per action\n", "bytes", human_bytes(static_cast<double>(merged.output_bytes)),
             bytes_per_action(merged));
  fmt::print("{:<10}timeless info {}\n", "next", options.output);
}

void print_answer(const Options& options, const gather::Merged& merged) {
  print_json("gather", 1,
             {{"directory", options.directory},
              {"output", options.output},
              {"ranks", merged.run.size},
              {"ranks_present", merged.run.ranks.size()},
              {"missing_ranks", merged.run.missing_ranks()},
              {"complete", merged.run.complete()},
              {"incomplete_because", incompleteness(merged.run)},
              {"actions", total_actions(merged.run)},
              {"blocks", merged.blocks},
              {"input_bytes", merged.input_bytes},
              {"output_bytes", merged.output_bytes},
              {"bytes_per_action", bytes_per_action(merged)}});
}

int gather_directory(Options options) {
  if (options.output.empty()) options.output = default_output(options.directory).string();
  remove_temporary_files_when_interrupted();
  gather::Merged merged;
  {
    std::optional<Progress> progress;
    merged = gather::merge(rank_files(options.directory), options.output,
                           {.force = options.force, .progress = [&](std::uint64_t done, std::uint64_t total) {
                              if (!progress) progress.emplace("gathering", total);
                              progress->update(done);
                            }});
  }
  if (options.json)
    print_answer(options, merged);
  else
    print_text(options, merged);
  if (merged.run.complete()) return exit_ok;
  print_warning(incompleteness(merged.run) + " (" + options.output + ")");
  return static_cast<int>(Failure::partial);
}

} // namespace

VerbAction add_gather(CLI::App& command) {
  auto options = std::make_shared<Options>();
  command.add_option("directory", options->directory, "Where the run was recorded: DIR/rank-000000.tia ...")
      ->required();
  command.add_option("-o,--output", options->output, "The archive to write; DIR.tia unless given")
      ->always_capture_default(false);
  command
      .add_option("-k,--arity", options->arity,
                  "Nodes that send to one node in each step when gathering across nodes with timeless-mpi gather; "
                  "one machine needs no steps")
      ->check(CLI::PositiveNumber);
  command.add_flag("--force", options->force, "Replace an existing output");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.gather/1)");
  command.footer(
      "Example: timeless gather lu.C.64 -o lu.C.64.tia\n"
      "Where nodes do not share the directory: mpirun -np NODES --map-by ppr:1:node timeless-mpi gather DIR");
  return [options] { return gather_directory(*options); };
}

} // namespace timeless::tools
