#pragma once

#include "analysis/trace/kernel_figures.h"
#include "tools/replaying/options/request.h"
#include "tools/replaying/prediction.h"
#include "tools/symbols/symboliser.h"

#include "trace/model/source.h"

#include <memory>
#include <string>
#include <vector>

/// Names for the kernels of an answer, as `timeless info --kernels` gives them.
namespace timeless::tools {

/// Names the kernels that the prediction's answers tell apart; `symbols` are directories. Warns of modules whose places
/// cannot be named.
void name_kernels(Prediction& prediction, const trace::Source& source, const std::vector<std::string>& symbols);

/// A kernel's begin and end, for a timeline. The trace is read for it when the first is asked for.
class KernelNames {
public:
  KernelNames(const trace::Source& source, const std::vector<std::string>& symbols)
      : source_(source), symboliser_(source.run(), {symbols.begin(), symbols.end()}) {}

  std::string operator()(trace::KernelId kernel);

private:
  const trace::Source& source_;
  symbols::Symboliser symboliser_;
  std::vector<analysis::KernelFigures> figures_;
};

/// Returns the timeline that is asked for, as the replay's observer; nothing if none is. `writes` is false where
/// another process writes it. Throws Error(usage), also where the file is one that is read, and Error(runtime) when it
/// cannot be written.
std::unique_ptr<replay::timeline::Timeline> asked_timeline(ReplayRequest& request, const trace::Source& source,
                                                           bool writes = true);

} // namespace timeless::tools
