#include "tools/verbs/calibrate.h"

#include "base/error.h"
#include "base/files/text_file.h"
#include "replay/network/network_file.h"
#include "tools/calibrating/raw_file.h"
#include "tools/render/answer.h"
#include "tools/render/calibration/measurements.h"

#include <filesystem>
#include <memory>
#include <string>

namespace timeless::tools {

namespace {

struct ShowOptions {
  std::string file;
  bool json = false;
};

/// A network file with what its figures rest on.
ProvenanceAnswer provenance(const std::string& file) {
  // Also judges the file.
  (void)replay::read_network(file);
  constexpr std::size_t most = std::size_t{1} << 20U;
  nlohmann::ordered_json network = nlohmann::ordered_json::parse(read_text(file, most).value_or("{}"), nullptr, false);
  if (!network.is_object() || !network.contains("provenance"))
    throw Error(Failure::invalid_input, "nothing in it says what its figures rest on", file,
                "calibrate network writes files that do");
  return {.file = file, .network = std::move(network)};
}

int show(const ShowOptions& options) {
  if (std::filesystem::path(options.file).extension() == ".json") {
    try {
      print_answer("calibrate-show", 1, provenance(options.file), options.json);
    } catch (const nlohmann::json::exception& problem) {
      throw Error(Failure::invalid_input, std::string("its provenance is damaged: ") + problem.what(), options.file);
    }
    return 0;
  }
  const MeasurementsAnswer answer{.file = options.file,
                                  .fit = analysis::fit_network(read_raw_file(options.file), options.file)};
  print_answer("calibrate-show", 1, answer, options.json);
  return 0;
}

} // namespace

VerbAction add_calibrate_show(CLI::App& command) {
  auto options = std::make_shared<ShowOptions>();
  command
      .add_option("file", options->file,
                  "A file of measurements (.csv), or a network file that was fitted to some (.json)")
      ->required()
      ->type_name("")
      ->always_capture_default(false);
  command.add_flag("--json", options->json, "Print JSON (schema timeless.calibrate-show/1)");
  command.footer("Example: timeless calibrate show mine.csv");
  return [options] { return show(*options); };
}

} // namespace timeless::tools
