#include "tools/cli/console.h"
#include "tools/cli/gather_options.h"
#include "tools/cli/trace_input.h"
#include "tools/mpi/command.h"
#include "tools/render/answer.h"
#include "tools/render/trace/gathered.h"

#include "gather/gather.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace timeless::tools {

namespace {

struct Options {
  std::string directory;
  std::string output;
  std::string node_name;
  std::optional<int> arity = 4;
  bool force = false;
  bool remove = false;
  bool json = false;
};

int gather_nodes(const Options& options) {
  const std::string output = options.output.empty() ? default_output(options.directory) : options.output;
  const auto start = std::chrono::steady_clock::now();
  std::optional<gather::Gathered> gathered;
  {
    std::optional<Progress> progress;
    gathered = gather::gather(MPI_COMM_WORLD, {.directory = options.directory,
                                               .output = output,
                                               .arity = options.arity,
                                               .force = options.force,
                                               .remove = options.remove,
                                               .node_name = options.node_name,
                                               .progress = [&](std::uint64_t done, std::uint64_t total) {
                                                 if (!progress) progress.emplace("gathering", total, "bytes");
                                                 progress->update(done);
                                               }});
  }
  if (!gathered) return 0;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const GatherAnswer answer{.directory = options.directory,
                            .output = output,
                            .merged = std::move(gathered->merged),
                            .nodes = gathered->nodes,
                            .steps = gathered->steps,
                            .arity = gathered->arity,
                            .measured = gathered->measured,
                            .remove = options.remove,
                            .seconds = took.count(),
                            .spawned_worlds = spawned_worlds(options.directory)};
  print_answer("gather", 1, answer, options.json);
  return warn_if_incomplete(answer.merged.run, answer.output);
}

} // namespace

MpiAction add_mpi_gather(CLI::App& command) {
  auto options = std::make_shared<Options>();
  command.add_option("directory", options->directory, "Where the run was recorded, as each node sees it")->required();
  command.add_option("-o,--output", options->output, "The archive process 0 writes; DIR.tia unless given")
      ->always_capture_default(false);
  add_arity_option(command, options->arity,
                   "Nodes that send to one node in each step; auto picks what a short measurement suggests");
  command.add_flag("--force", options->force, "Replace an existing output");
  command.add_flag("--remove", options->remove,
                   "Remove the rank files once the archive is verified, if no rank is missing or ended early");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.gather/1)");
  // For tests: processes of one machine that give different names count as different nodes.
  command.add_option("--node-name", options->node_name)->group("");
  command.footer("Example: mpirun --map-by ppr:1:node timeless-mpi gather lu.C.64 -k 4 -o lu.C.64.tia");
  return [options] { return gather_nodes(*options); };
}

} // namespace timeless::tools
