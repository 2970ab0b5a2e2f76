#include "replay/engine/steady/loop_walk.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

LoopWalk::LoopWalk(const trace::Source& source, std::vector<CutLoop> loops)
    : source_(&source), loops_(std::move(loops)), refused_(loops_.size()), replaced_(loops_.size()) {}

bool LoopWalk::look(bool parts) {
  if (inner_) {
    volumes_->find_changes(inner_->here);
    if (!changes_often(inner_->here)) return true;
    constexpr std::uint64_t often = 4;
    if (++inner_->of_next().changed == often) refuse(number(), "volumes change in most iterations of inner loops");
    advance();
    return false;
  }
  CutLoop& loop = loops_[current_];
  find_changes(*source_, ranks(), loop);
  if (!parts) return true;
  take_periods_as_one(*source_, ranks(), loop);
  return !changes_often(loop) || !take_inner();
}

/// Lets the loops within the present one's iterations take its place; false where there are none.
bool LoopWalk::take_inner() {
  std::vector<CutLoop> inner = plan_inner_cuts(*source_, ranks(), loops_[current_]);
  if (inner.empty()) return false;
  inner_.emplace();
  inner_->past.resize(inner.size());
  inner_->loops = std::move(inner);
  inner_->first_number = refused_.size();
  refused_.resize(refused_.size() + inner_->loops.size());
  replaced_.resize(refused_.size());
  replaced_[current_] = true;
  if (!volumes_) volumes_.emplace(*source_, ranks());
  settle();
  return true;
}

bool LoopWalk::begin_late() {
  if (!inner_) return loops_[current_].begin_late();
  if (!inner_->loops[inner_->next].begin_late()) return false;
  settle();
  return true;
}

void LoopWalk::next() {
  if (inner_) ++inner_->of_next().searched;
  advance();
}

void LoopWalk::note_proof() {
  if (inner_) inner_->of_next().proved = true;
}

bool LoopWalk::hopeless() const {
  constexpr std::uint64_t most_searches = 4;
  return inner_ && !inner_->of_next().proved && inner_->of_next().searched >= most_searches;
}

void LoopWalk::advance() {
  if (!inner_) {
    ++current_;
    return;
  }
  ++inner_->next;
  settle();
}

/// Goes on to the next inner loop that is not refused, the present one if it is not.
void LoopWalk::settle() {
  const CutLoop& outer = loops_[current_];
  for (; inner_->iteration < outer.iterations; ++inner_->iteration, inner_->next = 0)
    for (; inner_->next < inner_->loops.size(); ++inner_->next)
      if (refused_[number()].empty()) {
        inner_->here = inner_loop_at(outer, inner_->iteration, inner_->loops[inner_->next]);
        return;
      }
  inner_.reset();
  ++current_;
}

void LoopWalk::refuse(std::size_t number, std::string why) {
  if (refused_[number].empty()) refused_[number] = std::move(why);
}

std::uint64_t repeated_actions(const trace::Source& source) {
  // Of an inner loop, in iterations: it is sought anew each time, and its volumes are read once more.
  constexpr std::uint64_t search_costs = 32;
  std::uint64_t repeated = 0;
  const auto unchanged = [](const CutLoop& loop) { return (loop.iterations - loop.changes.size()) * loop.actions(); };
  const RankRange ranks{0, source.run().size};
  for (CutLoop& loop : plan_cuts(source, ranks, false)) {
    find_changes(source, ranks, loop);
    take_periods_as_one(source, ranks, loop);
    const auto inner = changes_often(loop) ? plan_inner_cuts(source, ranks, loop) : std::vector<CutLoop>();
    if (inner.empty()) {
      repeated += unchanged(loop);
      continue;
    }
    InnerVolumes volumes(source, ranks);
    for (const CutLoop& one : inner) {
      CutLoop here = inner_loop_at(loop, 1, one);
      volumes.find_changes(here);
      const std::uint64_t sought = std::min(search_costs * here.actions(), unchanged(here));
      repeated += loop.iterations * (unchanged(here) - sought);
    }
  }
  return repeated;
}

} // namespace timeless::replay
