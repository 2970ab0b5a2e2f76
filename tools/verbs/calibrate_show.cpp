#include "tools/verbs/calibrate.h"

#include "base/files/text_file.h"
#include "tools/calibrating/raw_file.h"
#include "tools/render/answer.h"
#include "tools/render/calibration/network.h"

#include <memory>
#include <string>

namespace timeless::tools {

namespace {

struct ShowOptions {
  std::string file;
  bool json = false;
};

int show(const ShowOptions& options) {
  const NetworkAnswer answer{
      .fit = analysis::fit_network(read_raw_file(options.file), options.file), .raw = options.file, .files = {}};
  print_answer("calibrate-show", 1, answer, options.json);
  return 0;
}

} // namespace

VerbAction add_calibrate_show(CLI::App& command) {
  auto options = std::make_shared<ShowOptions>();
  command.add_option("file", options->file, "A file of measurements, as calibrate network keeps it")
      ->required()
      ->type_name("")
      ->always_capture_default(false);
  command.add_flag("--json", options->json, "Print JSON (schema timeless.calibrate-show/1)");
  command.footer("Example: timeless calibrate show mine.csv");
  return [options] { return show(*options); };
}

} // namespace timeless::tools
