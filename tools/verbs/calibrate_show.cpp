#include "tools/verbs/calibrate.h"

#include "base/error.h"
#include "base/escaping.h"
#include "base/files/text_file.h"
#include "replay/network/compute_costs.h"
#include "replay/network/compute_rates.h"
#include "replay/network/description.h"
#include "replay/network/network_file.h"
#include "tools/calibrating/machine_raw.h"
#include "tools/calibrating/machine_text.h"
#include "tools/calibrating/raw_file.h"
#include "tools/cli/option_groups.h"
#include "tools/machines/platform_head.h"
#include "tools/render/answer.h"
#include "tools/render/calibration/calibrated_file.h"
#include "tools/render/calibration/measurements.h"
#include "tools/render/calibration/provenance.h"
#include "tools/render/calibration/unfitted.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace timeless::tools {

namespace {

struct ShowOptions {
  std::string file;
  bool json = false;
};

constexpr std::size_t most_bytes = std::size_t{1} << 26U; // of calibrations

void demand(bool says, const std::string& file) {
  if (!says)
    throw Error(Failure::invalid_input, "nothing in it says what its figures rest on", file,
                "calibrate writes files that do");
}

void show_network(const std::string& file, nlohmann::ordered_json content, bool json) {
  demand(content.contains("provenance"), file);
  print_answer("calibrate-show", 1, ProvenanceAnswer{.file = file, .network = std::move(content)}, json);
}

void show_json(const std::string& file, bool json) {
  // The readers judge the file before anything else looks at it.
  const std::string format = replay::Description::read(file, most_bytes).word_or("format", {});
  if (format.starts_with("timeless.rates/"))
    (void)replay::read_rates(file);
  else if (format.starts_with("timeless.machine/"))
    (void)replay::read_machine(file);
  else
    (void)replay::read_network(file);
  auto content = nlohmann::ordered_json::parse(read_text(file, most_bytes).value_or("{}"), nullptr, false);
  demand(content.is_object(), file);
  try {
    if (format == "timeless.network/1") return show_network(file, std::move(content), json);
    // One rate for everything (--whole) has a source and no more.
    demand(format == "timeless.rates/1" ? content.contains("instances") || content.contains("source")
                                        : content.contains("measurement"),
           file);
    print_answer("calibrate-show", 1, CalibratedFileAnswer{.file = file, .content = std::move(content)}, json);
  } catch (const nlohmann::json::exception& problem) {
    throw Error(Failure::invalid_input, std::string("what its figures rest on is damaged: ") + problem.what(), file);
  }
}

/// Shows the comment at its head, which says what a measured platform rests on.
void show_platform(const std::string& file, bool json) {
  const std::optional<std::string> text = read_text(file, most_bytes);
  if (!text) throw Error(Failure::invalid_input, "cannot read the file", file, "name a readable file");
  demand(platforms::head_of(file).trust == "measured", file);
  if (text->find("</platform>") == std::string::npos)
    throw Error(Failure::invalid_input, "the file was cut off", file,
                "write it again, with --from and the measurements");
  const std::size_t begin = text->find("<!--") + 4;
  nlohmann::ordered_json head = nlohmann::ordered_json::array();
  std::istringstream lines(text->substr(begin, text->find("-->", begin) - begin));
  for (std::string line; std::getline(lines, line);)
    head.push_back(escaped(line));
  print_answer("calibrate-show", 1,
               CalibratedFileAnswer{.file = file, .content = {{"format", "platform"}, {"head", std::move(head)}}},
               json);
}

/// Shows what was measured where nothing can be fitted to it, and throws why.
template <typename Raw, typename Fit>
auto fit_or_show(const std::string& file, const Raw& raw, bool json, const Fit& fit) {
  try {
    return fit();
  } catch (const Error& error) {
    print_answer("calibrate-show", 1,
                 UnfittedAnswer{.file = file, .reason = error.description(), .measured = measured_classes(raw)}, json);
    throw;
  }
}

/// Measurements of a network, or of a machine.
void show_measurements(const std::string& file, bool json) {
  const std::optional<std::string> text = read_text(file, std::size_t{1} << 30U);
  if (text && text->starts_with("# format: timeless.machine-raw/")) {
    const MachineRaw raw = read_machine_raw(*text, file);
    if (raw.cut_off) print_warning("the last line of " + file + " was cut off and is left out");
    const analysis::MachineFit fit =
        fit_or_show(file, raw, json, [&] { return analysis::fit_machine(raw.cases, raw.processors, std::nullopt); });
    print_answer("calibrate-show", 1,
                 CalibratedFileAnswer{.file = file, .content = nlohmann::ordered_json::parse(machine_text(fit, raw))},
                 json);
    return;
  }
  const ping::Raw raw = read_raw_file(file);
  print_answer("calibrate-show", 1,
               MeasurementsAnswer{
                   .file = file, .fit = fit_or_show(file, raw, json, [&] { return analysis::fit_network(raw, file); })},
               json);
}

int show(const ShowOptions& options) {
  const auto extension = std::filesystem::path(options.file).extension();
  if (extension == ".json")
    show_json(options.file, options.json);
  else if (extension == ".xml")
    show_platform(options.file, options.json);
  else
    show_measurements(options.file, options.json);
  return 0;
}

} // namespace

VerbAction add_calibrate_show(CLI::App& command) {
  auto options = std::make_shared<ShowOptions>();
  command
      .add_option("file", options->file,
                  "A file of measurements (.csv), or what was fitted to some: a network, rates, a machine (.json), a "
                  "platform (.xml)")
      ->required()
      ->type_name("")
      ->always_capture_default(false);
  begin_group(command, "Output");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.calibrate-show/1)");
  command.footer("Example: timeless calibrate show mine.csv");
  return [options] { return show(*options); };
}

} // namespace timeless::tools
