#pragma once

#include "tests/fuzz/fuzz.h"
#include "trace/formats/common/format.h"

#include <memory>

namespace timeless::fuzz {

/// Reads all that an import gives: whatever the bytes are, it ends in a run or in an Error, and the run's actions are
/// as many as it says, of its own communicators and kernels.
template <typename Open>
void read_import(const Open& open) {
  std::unique_ptr<trace::formats::ImportedRun> source;
  if (!reads([&] { source = open(); })) return;
  const trace::Run& run = source->run();
  for (const trace::RankRecord& record : run.ranks) {
    std::uint64_t actions = 0;
    trace::ActionBlock block;
    for (const auto stream = source->open(record.rank); stream->next(block);) {
      stream->read_times(block);
      demand(block.times().empty() || block.times().size() == block.size(), "every action has its times, or none has");
      actions += block.size();
      for (const trace::Action& action : block.dictionary()) {
        demand(action.communicator < run.communicators.size(), "an action's communicator is one of the run's");
        demand(action.kernel == trace::no_kernel || action.kernel < run.kernels.size(), "so is its kernel");
      }
    }
    demand(actions == record.actions, "a rank has as many actions as its record says");
  }
}

} // namespace timeless::fuzz
