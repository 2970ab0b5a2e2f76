#include "replay/engine/clocks/snapshot.h"

#include <algorithm>

namespace timeless::replay {

void SnapshotPool::grow() {
  constexpr std::size_t slab_bytes = 65536;
  const std::size_t bytes = size_ * sizeof(double);
  // One lane's value shares a line with its body; more begin on a line of their own.
  const bool together = sizeof(Snapshot::Body) + bytes <= alignment;
  body_at_ = together ? 0 : alignment - sizeof(Snapshot::Body);
  stride_ = (body_at_ + sizeof(Snapshot::Body) + bytes + alignment - 1) / alignment * alignment;
  per_slab_ = std::max<std::size_t>(slab_bytes / stride_, 1);
  slabs_.emplace_back(static_cast<std::byte*>(::operator new[](per_slab_* stride_, std::align_val_t{alignment})));
  for (std::size_t index = per_slab_; index-- > 0;) {
    std::byte* const place = slabs_.back().get() + body_at_ + index * stride_;
    std::uninitialized_fill_n(reinterpret_cast<double*>(place + sizeof(Snapshot::Body)), size_, 0.0);
    put(new (place) Snapshot::Body{.pool = this});
  }
}

} // namespace timeless::replay
