#include "tools/symbols/calling_function.h"

#include "tools/symbols/kernel_places.h"

#include <filesystem>

namespace timeless::tools::symbols {

std::string calling_function(const trace::Run& run, const trace::Kernel& kernel, Symboliser& symboliser) {
  if (kernel.end.module >= run.modules.size() || !knows_place(run, kernel.end)) return "";
  const SourcePlace place = symboliser.place(kernel.end);
  const std::string& name = place.inlined_into.empty() ? place.function : place.inlined_into;
  return !name.empty() ? name : std::filesystem::path(run.modules[kernel.end.module].path).filename().string();
}

} // namespace timeless::tools::symbols
