#include "tools/cli/console.h"
#include "tools/cli/gather_options.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/render/answer.h"
#include "tools/render/trace/gathered.h"
#include "tools/verbs/verbs.h"

#include "gather/merge/merge.h"
#include "gather/parts/rank_files.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct GatherOptions {
  std::string directory;
  std::string output;
  std::optional<int> arity = 4;
  bool force = false;
  bool remove = false;
  bool json = false;
};

std::vector<std::filesystem::path> rank_files(const std::filesystem::path& directory) {
  if (std::filesystem::is_regular_file(directory)) {
    const bool archive = is_archive(directory);
    throw Error(Failure::usage, archive ? "this is an archive, gathered already" : "this is a file, and no directory",
                directory.string(),
                archive ? "replay it as it is; gather takes the directory given to timeless record -o"
                        : "name the directory given to timeless record -o, or TIMELESS_DIR");
  }
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

int gather_directory(const GatherOptions& options) {
  GatherAnswer answer{.directory = options.directory, .output = options.output, .merged = {}, .remove = options.remove};
  if (answer.output.empty()) answer.output = default_output(options.directory);
  const auto start = std::chrono::steady_clock::now();
  {
    std::optional<Progress> progress;
    answer.merged = gather::merge(
        rank_files(options.directory), answer.output,
        {.force = options.force, .remove = options.remove, .progress = [&](std::uint64_t done, std::uint64_t total) {
           if (!progress) progress.emplace("gathering", total, "bytes");
           progress->update(done);
         }});
  }
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  answer.spawned_worlds = spawned_worlds(options.directory);
  print_answer("gather", 1, answer, options.json);
  return warn_if_incomplete(answer.merged.run, answer.output);
}

} // namespace

VerbAction add_gather(CLI::App& command) {
  auto options = std::make_shared<GatherOptions>();
  command.add_option("directory", options->directory, "Where the run was recorded: DIR/rank-000000.tia ...")
      ->required();
  begin_group(command, "Output");
  command.add_option("-o,--output", options->output, "The archive to write; DIR.tia unless given")
      ->always_capture_default(false);
  begin_group(command, "Across nodes");
  add_arity_option(
      command, options->arity,
      "Nodes that send to one node in each step when gathering across nodes with timeless-mpi gather, or auto; "
      "one machine needs no steps");
  begin_group(command, "Output");
  command.add_flag("--force", options->force, "Replace an existing output");
  command.add_flag("--remove", options->remove,
                   "Remove the rank files once the archive is verified, if no rank is missing or ended early");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.gather/1)");
  command.footer("Example: timeless gather lu.C.64 -o lu.C.64.tia\n"
                 "Where nodes do not share the directory: mpirun --map-by ppr:1:node timeless-mpi gather DIR");
  return [options] { return gather_directory(*options); };
}

} // namespace timeless::tools
