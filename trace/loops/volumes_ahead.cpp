#include "trace/loops/volumes_ahead.h"

#include "base/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

namespace timeless::trace {

namespace {

VolumesDigest digest(const void* bytes, std::size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, size);
  return {hash.low64, hash.high64};
}

} // namespace

void VolumesDigest::add(const VolumesDigest& next) {
  const std::array<std::uint64_t, 4> both{low, high, next.low, next.high};
  *this = digest(both.data(), sizeof both);
}

std::vector<VolumesDigest> VolumesAhead::of(const Loop& loop) {
  go_to(loop.first);
  std::vector<VolumesDigest> all;
  all.reserve(loop.iterations);
  while (all.size() < loop.iterations) {
    of_iteration_.clear();
    pass(loop.actions, [&](std::uint64_t volume) { of_iteration_.push_back(volume); });
    all.push_back(digest(of_iteration_.data(), of_iteration_.size() * sizeof(std::uint64_t)));
  }
  return all;
}

void VolumesAhead::go_to(std::uint64_t action) {
  const std::uint64_t end = next_ + (block_.size() - at_);
  if (action >= end) {
    next_ = stream_->skip_to(action) ? action : end;
    at_ = block_.size();
  }
  pass(action - next_, [](std::uint64_t) {});
}

/// Goes on by so many actions; calls visit(volume) for those that have one.
template <typename Visit>
void VolumesAhead::pass(std::uint64_t actions, Visit&& visit) {
  for (const std::uint64_t end = next_ + actions; next_ < end; ++next_, ++at_) {
    if (at_ == block_.size()) read_block();
    if (has_volume(block_.dictionary()[block_.sequence()[at_]].kind)) visit(block_.volumes()[volumes_++]);
  }
}

void VolumesAhead::read_block() {
  if (!stream_->next(block_)) throw Error(Failure::invalid_input, "a loop beyond the end of a rank's actions");
  at_ = 0;
  volumes_ = 0;
}

} // namespace timeless::trace
