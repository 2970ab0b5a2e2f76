#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/kernel_names.h"
#include "tools/replaying/request.h"
#include "tools/reporting/contents.h"
#include "tools/reporting/machines.h"
#include "tools/reporting/plane.h"
#include "tools/reporting/report.h"
#include "tools/reporting/upgrades.h"

#include "base/error.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace timeless::tools {

namespace {

using replay::LaneResult;

nlohmann::json read_validation(const std::string& file) {
  if (file.empty()) return nullptr;
  std::ifstream stream(file);
  if (!stream) throw Error(Failure::usage, "no such file", file, "give a file of timeless validate --json");
  nlohmann::json answer = nlohmann::json::parse(stream, nullptr, false);
  const std::string schema = answer.is_object() ? answer.value("schema", "") : "";
  if (!schema.starts_with("timeless.validate/") || !answer.contains("predictions") || !answer["predictions"].is_array())
    throw Error(Failure::invalid_input, "not an answer of timeless validate --json", file,
                "write one: timeless validate --json ... >" + file);
  return answer;
}

/// Other runs of the program beside the first, by rising number of ranks.
std::vector<ReportedScale> scales_of(const Report& report) {
  std::vector<ReportedScale> scales;
  for (std::size_t i = 0; i < report.asked.traces.size(); ++i) {
    ReportedScale scale{.trace = report.asked.traces[i], .ranks = report.run().size, .lanes = {}};
    const auto keep = [&](const std::vector<LaneResult>& lanes) {
      for (const LaneResult& lane : lanes) {
        scale.lanes.push_back(lane);
        scale.lanes.back().rank_sensitivities.clear();
      }
    };
    if (i == 0) {
      keep(report.prediction.result.lanes);
    } else {
      ReportRequest request = report.asked;
      request.machine.calibrated = nullptr;
      const auto source = rated(open_trace(scale.trace, request.from), request.machine);
      scale.ranks = source->run().size;
      keep(predict_as_far_as_known(*source, options_of(request, scale.trace), predict_again).result.lanes);
    }
    scales.push_back(std::move(scale));
  }
  std::ranges::stable_sort(scales, {}, &ReportedScale::ranks);
  return scales;
}

/// What ranks do around the critical path: the base machine once more, observed.
std::optional<PathWindow> observed_window(const Report& report, const trace::Source& source) {
  const auto& path = report.prediction.critical_path;
  if (!path || report.prediction.critical_path_lane != report.base) return std::nullopt;
  PathWindow window = path_window(path->segments);
  if (window.rows.empty() || !(window.end > window.begin)) return std::nullopt;
  PredictionOptions options = base_options(report);
  WindowObserver observer(window, 0);
  options.observer = &observer;
  predict_again(source, options);
  observer.finish();
  return window;
}

std::optional<Prediction> simulated(const Report& report, const trace::Source& source) {
  if (!report.asked.smpi) return std::nullopt;
  PredictionOptions options = base_options(report);
  options.backend = Backend::smpi;
  Prediction prediction = predict(source, options);
  name_kernels(prediction, source, report.asked.symbols);
  return prediction;
}

} // namespace

Report assemble(ReportRequest request) {
  if (request.smpi && request.platforms.empty())
    throw Error(Failure::usage, "SMPI needs a platform file, a network's name is not enough", "--smpi",
                "give --platform FILE");
  Report report;
  report.validation = read_validation(request.validation);
  report.asked = std::move(request);
  const std::string& trace = report.asked.traces.front();
  report.source = open_trace(trace, report.asked.from);
  const auto source = rated(open_trace(trace, report.asked.from), report.asked.machine);
  predict_machines(report, *source, report.asked.machine.calibrated != nullptr);
  classify_machines(report, *source);
  report.smpi = simulated(report, *source);
  weigh_upgrades(report, *source);
  report.plane = class_plane(report, *source);
  report.scales = scales_of(report);
  read_contents(report, *report.source);
  report.window = observed_window(report, *source);
  return report;
}

} // namespace timeless::tools
