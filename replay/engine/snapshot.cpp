#include "replay/engine/snapshot.h"

#include <algorithm>

namespace timeless::replay {

void SnapshotPool::grow() {
  constexpr std::size_t slab_bytes = 65536;
  // One lane's values still fit beside their body; more begin on a line of their own.
  const std::size_t values_at =
      sizeof(Snapshot::Body) + size_ * sizeof(double) <= alignment ? sizeof(Snapshot::Body) : alignment;
  stride_ = (values_at + size_ * sizeof(double) + alignment - 1) / alignment * alignment;
  per_slab_ = std::max<std::size_t>(slab_bytes / stride_, 1);
  slabs_.emplace_back(static_cast<std::byte*>(::operator new[](per_slab_* stride_, std::align_val_t{alignment})));
  for (std::size_t index = per_slab_; index-- > 0;) {
    std::byte* const place = slabs_.back().get() + index * stride_;
    auto* const values = reinterpret_cast<double*>(place + values_at);
    std::uninitialized_fill_n(values, size_, 0.0);
    put(new (place) Snapshot::Body{.values = values, .pool = this});
  }
}

} // namespace timeless::replay
