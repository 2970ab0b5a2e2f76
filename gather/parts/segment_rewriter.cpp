#include "gather/parts/segment_rewriter.h"

#include <limits>
#include <utility>

namespace timeless::gather {

namespace {

constexpr std::size_t segment_actions = 16384;
constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

} // namespace

void SegmentRewriter::add(const trace::ActionBlock& block) {
  // The last segment of a killed rank may lack the times that those before it have.
  if (times_.empty() != block.times().empty()) finish();
  std::vector<std::uint32_t> entries(block.dictionary().size(), unknown); // of the segment
  auto volume = block.volumes().begin();
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (sequence_.size() == segment_actions) {
      finish();
      std::ranges::fill(entries, unknown);
    }
    const std::uint32_t number = block.sequence()[i];
    const trace::Action& action = block.dictionary()[number];
    if (entries[number] == unknown) entries[number] = segment_.intern(action);
    sequence_.push_back(entries[number]);
    if (has_volume(action.kind)) {
      volumes_.push_back(*volume++);
      owners_.push_back({action.kind, action.kernel});
    }
    if (!block.times().empty()) times_.push_back(block.times()[i]);
  }
}

void SegmentRewriter::finish() {
  if (sequence_.empty()) return;
  if (change_) change_(owners_, volumes_);
  segment_.assign(std::exchange(sequence_, {}), std::exchange(volumes_, {}));
  segment_.assign_times(std::exchange(times_, {}));
  writer_.write(rank_, segment_);
  segment_.clear();
  owners_.clear();
}

} // namespace timeless::gather
