#include "iterated_program.h"

#include <algorithm>
#include <utility>

namespace timeless::bench {

namespace {

class IteratedStream : public trace::RankStream {
public:
  IteratedStream(const trace::ActionBlock& iteration, std::uint64_t iterations)
      : iteration_(iteration), left_(iterations) {}

  bool next(trace::ActionBlock& block) override {
    if (ended_) return false;
    block.clear();
    if (left_ == 0) {
      block.append({.kind = trace::ActionKind::finalize});
      ended_ = true;
      return true;
    }
    constexpr std::size_t wanted = 4096;
    const std::uint64_t times = std::min(left_, wanted / iteration_.size() + 1);
    left_ -= times;
    for (const trace::Action& action : iteration_.dictionary())
      block.add_entry(action);
    std::vector<std::uint32_t> sequence;
    std::vector<std::uint64_t> volumes;
    for (std::uint64_t i = 0; i < times; ++i) {
      sequence.insert(sequence.end(), iteration_.sequence().begin(), iteration_.sequence().end());
      volumes.insert(volumes.end(), iteration_.volumes().begin(), iteration_.volumes().end());
    }
    block.assign(std::move(sequence), std::move(volumes));
    return true;
  }

private:
  const trace::ActionBlock& iteration_;
  std::uint64_t left_;
  bool ended_ = false;
};

} // namespace

IteratedProgram::IteratedProgram(const trace::MemorySource& iteration, std::uint64_t iterations)
    : run_(iteration.run()), iterations_(iterations), ranks_(static_cast<std::size_t>(run_.size)) {
  for (trace::RankRecord& record : run_.ranks) {
    trace::ActionBlock& all = ranks_[static_cast<std::size_t>(record.rank)];
    trace::ActionBlock block;
    for (const auto stream = iteration.open(record.rank); stream->next(block);)
      trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
        if (trace::has_volume(action.kind))
          all.append_volume(action.kind, action.kernel, volume);
        else if (action.kind != trace::ActionKind::finalize)
          all.append(action);
      });
    record.actions = all.size() * iterations + 1;
  }
}

std::unique_ptr<trace::RankStream> IteratedProgram::open(trace::Rank rank) const {
  return std::make_unique<IteratedStream>(ranks_[static_cast<std::size_t>(rank)], iterations_);
}

} // namespace timeless::bench
