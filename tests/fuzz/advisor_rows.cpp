// Rows of `timeless advise collect`: read, written again, and trained with.
#include "analysis/advisor/training.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "tools/advising/data_file.h"

#include <cmath>
#include <optional>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using analysis::AdvisorLabel;
  static fuzz::MemoryFile file;
  file.hold(fuzz::text(data, size));
  std::optional<analysis::AdvisorData> rows;
  if (!fuzz::reads([&] { rows = tools::read_advisor_data(file.path()); })) return 0;
  const std::string written = tools::to_csv(*rows);
  file.hold(written);
  fuzz::demand(tools::to_csv(tools::read_advisor_data(file.path())) == written, "what is written reads back");
  constexpr std::size_t most_rows = 100; // more take long
  if (rows->rows.size() > most_rows) return 0;
  for (const AdvisorLabel label : {AdvisorLabel::total, AdvisorLabel::contention})
    fuzz::reads([&] {
      const tools::TrainingData training = tools::read_training_data(file.path(), label);
      const analysis::TrainedModel model = analysis::train(
          training.data, {.label = label, .most_features = 3, .candidates = {"T", "CL_ncs", "log_busiest_link"}});
      fuzz::demand(std::isfinite(model.intercept) && std::isfinite(model.log_difference), "a model has figures");
      for (const analysis::TrainedFeature& feature : model.features)
        fuzz::demand(std::isfinite(feature.coefficient) && std::isfinite(feature.slope), "a feature has a coefficient");
    });
  return 0;
}
