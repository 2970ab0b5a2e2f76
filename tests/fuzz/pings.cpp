// Measurements of a network: what is fitted to them is written, and read again.
#include "analysis/calibration/network/network_fit.h"
#include "replay/network/network_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "tools/calibrating/network_text.h"
#include "tools/calibrating/platform_text.h"

#include <optional>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  static fuzz::MemoryFile file;
  std::optional<analysis::NetworkFit> fit;
  if (!fuzz::reads([&] { fit = analysis::fit_network(ping::read_raw(fuzz::text(data, size), "raw.csv"), "raw.csv"); }))
    return 0;
  for (const tools::LinkModel model : {tools::LinkModel::loggp, tools::LinkModel::table, tools::LinkModel::hockney}) {
    std::string text;
    // Without a bandwidth there is no line.
    if (!fuzz::reads([&] { text = tools::network_text(*fit, {.name = "fuzz", .model = model}); })) continue;
    file.hold(text);
    try {
      replay::read_network(file.path());
    } catch (const Error& problem) {
      fuzz::demand(false, problem.what());
    }
  }
  tools::platform_text(*fit, {});
  return 0;
}
