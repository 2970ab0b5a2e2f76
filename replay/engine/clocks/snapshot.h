#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace timeless::replay {

class SnapshotPool;

/// Returns what is left of a number when an offset is subtracted, without the bits that a rounding drops: one that is
/// added and subtracted again.
inline double shifted(double value, double offset, double rounding) {
  return (value - offset + rounding) - rounding;
}

/// One number per lane (lane_numbers.h), shared by all who hold a copy of this handle: a rank's clock as it was when it
/// sent, say. To change the values, be the only holder.
class Snapshot {
public:
  Snapshot() = default;
  Snapshot(const Snapshot& other) noexcept : body_(other.body_) {
    if (body_) ++body_->holders;
  }
  Snapshot(Snapshot&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  Snapshot& operator=(Snapshot other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~Snapshot() { reset(); }

  inline void reset() noexcept;
  explicit operator bool() const { return body_ != nullptr; }
  double* values() const { return reinterpret_cast<double*>(body_ + 1); }
  bool shared() const { return body_->holders > 1; }

private:
  friend class SnapshotPool;
  /// Stands right before its values: one miss of the caches brings both, or the first of them.
  struct alignas(32) Body {
    Body* next_free = nullptr;
    SnapshotPool* pool = nullptr;
    std::uint32_t holders = 0;
  };
  explicit Snapshot(Body* body) noexcept : body_(body) { body_->holders = 1; }

  Body* body_ = nullptr;
};

/// Keeps the memory of snapshots: they come from it, and go back to it when their last holder goes. Must outlive them.
///
/// Memory grows by slabs and is never given back before the end. Holders are counted without atomics: a pool and its
/// snapshots belong to one thread; each part of a replay that is divided among threads has a pool of its own.
class SnapshotPool {
public:
  /// Makes a pool of snapshots of `values` values each.
  explicit SnapshotPool(std::size_t values) : size_(values) {}
  std::size_t values() const { return size_; }
  SnapshotPool(const SnapshotPool&) = delete;
  SnapshotPool& operator=(const SnapshotPool&) = delete;

  /// Returns a snapshot nobody else holds; its values are left over from before.
  Snapshot take() {
    if (!free_) grow();
    Snapshot::Body* body = free_;
    free_ = body->next_free;
    return Snapshot(body);
  }

  /// Calls visit(values) for every snapshot that somebody holds.
  template <typename Visit>
  void for_each_held(Visit&& visit) const {
    for (const auto& slab : slabs_)
      for (std::size_t index = 0; index < per_slab_; ++index) {
        auto* body = std::launder(reinterpret_cast<Snapshot::Body*>(slab.get() + body_at_ + index * stride_));
        if (body->holders > 0) visit(static_cast<const double*>(reinterpret_cast<double*>(body + 1)));
      }
  }

  /// Shifts each value of every snapshot that somebody holds: see shifted().
  void shift_held(std::span<const double> offsets, std::span<const double> roundings) {
    for_each_held([&](const double* held) {
      auto* const values = const_cast<double*>(held);
      for (std::size_t i = 0; i < offsets.size(); ++i)
        values[i] = shifted(values[i], offsets[i], roundings[i]);
    });
  }

private:
  friend class Snapshot;
  static constexpr std::size_t alignment = 64;
  struct Release {
    void operator()(std::byte* slab) const { ::operator delete[](slab, std::align_val_t{alignment}); }
  };

  void put(Snapshot::Body* body) noexcept {
    body->next_free = free_;
    free_ = body;
  }
  void grow();

  std::size_t size_;
  std::size_t body_at_ = 0; ///< where the first body of a slab stands
  std::size_t stride_ = 0;  ///< bytes from one snapshot to the next
  std::size_t per_slab_ = 0;
  Snapshot::Body* free_ = nullptr;
  std::vector<std::unique_ptr<std::byte[], Release>> slabs_;
};

inline void Snapshot::reset() noexcept {
  if (body_ && --body_->holders == 0) body_->pool->put(body_);
  body_ = nullptr;
}

} // namespace timeless::replay
