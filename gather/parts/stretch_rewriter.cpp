#include "gather/parts/stretch_rewriter.h"

#include <limits>
#include <utility>

namespace timeless::gather {

namespace {

constexpr std::size_t stretch_actions = 16384;
constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

} // namespace

void StretchRewriter::add(const trace::ActionBlock& block) {
  // The last stretch of a killed rank may lack the times that those before it have.
  if (times_.empty() != block.times().empty()) finish();
  std::vector<std::uint32_t> entries(block.dictionary().size(), unknown); // of the stretch
  auto volume = block.volumes().begin();
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (sequence_.size() == stretch_actions) {
      finish();
      std::ranges::fill(entries, unknown);
    }
    const std::uint32_t number = block.sequence()[i];
    const trace::Action& action = block.dictionary()[number];
    if (entries[number] == unknown) entries[number] = stretch_.intern(action);
    sequence_.push_back(entries[number]);
    if (has_volume(action.kind)) {
      volumes_.push_back(*volume++);
      owners_.push_back({action.kind, action.kernel});
    }
    if (!block.times().empty()) times_.push_back(block.times()[i]);
  }
}

void StretchRewriter::finish() {
  if (sequence_.empty()) return;
  if (change_) change_(owners_, volumes_);
  stretch_.assign(std::exchange(sequence_, {}), std::exchange(volumes_, {}));
  stretch_.assign_times(std::exchange(times_, {}));
  writer_.write(rank_, stretch_);
  stretch_.clear();
  owners_.clear();
}

} // namespace timeless::gather
