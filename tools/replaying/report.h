#pragma once

#include "tools/replaying/answers_report.h"
#include "tools/replaying/prediction.h"

#include "trace/model/run.h"

namespace timeless::tools {

struct ReportOptions {
  bool per_rank = false;
  bool json = false;
  AnswerOptions answers = {};
};

/// A prediction for programs: what timeless.replay/1 holds.
nlohmann::ordered_json prediction_json(const PredictionOptions& asked, const trace::Run& run,
                                       const Prediction& prediction, const AnswerOptions& answers);

/// Prints a prediction for people, or as JSON (schema timeless.replay/1).
void print_prediction(const PredictionOptions& asked, const trace::Run& run, const Prediction& prediction,
                      const ReportOptions& options);

} // namespace timeless::tools
