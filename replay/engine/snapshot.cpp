#include "replay/engine/snapshot.h"

#include <algorithm>

namespace timeless::replay {

void SnapshotPool::grow() {
  constexpr std::size_t slab_values = 8192;
  const std::size_t count = std::max<std::size_t>(slab_values / lanes_, 1);
  values_.emplace_back(
      static_cast<double*>(::operator new[](count* lanes_ * sizeof(double), std::align_val_t{alignment})));
  std::fill_n(values_.back().get(), count * lanes_, 0.0);
  bodies_.push_back(std::make_unique<Snapshot::Body[]>(count));
  for (std::size_t index = count; index-- > 0;) {
    Snapshot::Body& body = bodies_.back()[index];
    body.values = values_.back().get() + index * lanes_;
    body.pool = this;
    put(&body);
  }
}

} // namespace timeless::replay
