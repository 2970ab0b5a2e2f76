#include "tools/verbs/calibrate.h"

#include "base/files/new_file.h"
#include "tools/calibrating/network_text.h"
#include "tools/calibrating/raw_file.h"
#include "tools/render/answer.h"
#include "tools/render/calibration/network.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct NetworkOptions {
  std::vector<std::string> outputs;
  std::string from;
  std::string name;
  LinkModel model = LinkModel::loggp;
  bool force = false;
  bool json = false;
};

Existing existing(const NetworkOptions& options) {
  return options.force ? Existing::replace : Existing::refuse;
}

/// Before anything is measured.
void demand_outputs(const NetworkOptions& options) {
  if (options.outputs.empty())
    throw Error(Failure::usage, "no output is named", "", "give -o mine.json for a network file");
  for (const std::string& output : options.outputs) {
    if (std::filesystem::path(output).extension() != ".json")
      throw Error(Failure::usage, "what to write is told by the name's end: .json", output);
    demand_free_output(output, existing(options));
  }
}

int network(const NetworkOptions& options) {
  demand_outputs(options);
  if (options.from.empty())
    throw Error(Failure::usage, "no measurements are named", "", "give --from raw.csv");
  NetworkAnswer answer{
      .fit = analysis::fit_network(read_raw_file(options.from), options.from), .raw = options.from, .files = {}};
  for (const std::string& output : options.outputs) {
    const std::filesystem::path inputs[] = {options.from};
    demand_output_apart(output, inputs);
    write_file(output, network_text(answer.fit, {.name = options.name, .model = options.model}), existing(options));
    answer.files.push_back(output);
  }
  print_answer("calibrate-network", 1, answer, options.json);
  return 0;
}

} // namespace

VerbAction add_calibrate_network(CLI::App& command) {
  auto options = std::make_shared<NetworkOptions>();
  command.add_option("-o,--output", options->outputs, "The file to write: .json, a network file; may be given again")
      ->type_name("FILE")
      ->default_str("")
      ->always_capture_default(false);
  command.add_option("--from", options->from, "Fit these measurements; nothing is started")
      ->type_name("RAW")
      ->always_capture_default(false);
  command.add_option("--name", options->name, "What the network is called; the file's name unless given")
      ->always_capture_default(false);
  const std::map<std::string, LinkModel> models{
      {"loggp", LinkModel::loggp}, {"table", LinkModel::table}, {"hockney", LinkModel::hockney}};
  command.add_option("--model", options->model,
                     "What messages are described by in the network file: loggp (overheads, latency, bytes), table (half "
                     "round trips) or hockney (one line through them)")
      ->transform(CLI::CheckedTransformer(models).description(""))
      ->type_name("MODEL")
      ->default_str("loggp");
  command.add_flag("--force", options->force, "Replace existing files");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.calibrate-network/1)");
  command.footer("Example: timeless calibrate network --from raw.csv -o mine.json");
  return [options] { return network(*options); };
}

} // namespace timeless::tools
