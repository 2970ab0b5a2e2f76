// Models of `timeless advise train`: read, written again, and asked.
#include "analysis/advisor/features.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "tools/advising/model_file.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  static fuzz::MemoryFile file;
  file.hold(fuzz::text(data, size));
  std::optional<analysis::TrainedModel> model;
  if (!fuzz::reads([&] { model = tools::read_advisor_model(file.path()); })) return 0;
  const std::string written = tools::to_json(*model).dump();
  file.hold(written);
  fuzz::demand(tools::to_json(tools::read_advisor_model(file.path())).dump() == written, "what is written reads back");
  const analysis::SimulationAdvice advice = model->advise(std::vector<double>(analysis::features().size(), 1));
  fuzz::demand(advice.parts.size() == model->features.size(), "each feature has its part");
  return 0;
}
