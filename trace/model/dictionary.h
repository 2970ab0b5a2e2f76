#pragma once

#include "trace/model/action.h"
#include "trace/model/list_memory.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace timeless::trace {

/// Rewrites an action's communicators, kernel and region through id maps, as when a rank's numbers become the run's. An
/// empty map changes nothing.
void renumber(Action& action, std::span<const CommunicatorId> communicators, std::span<const KernelId> kernels,
              std::span<const RegionId> regions);

/// Actions by number. It owns what their spans point to, or what that belongs to.
class Dictionary {
public:
  Dictionary();
  /// Makes room for this many entries, some of which may have lists of `lender`: see borrow().
  Dictionary(std::size_t entries, std::shared_ptr<const void> lender);
  Dictionary(Dictionary&&) noexcept;
  Dictionary& operator=(Dictionary&&) noexcept;
  ~Dictionary();

  std::span<const Action> entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  const Action& operator[](std::size_t number) const { return entries_[number]; }

  /// Returns the number of this action, entering it (with its own copy of its lists) if it is new.
  std::uint32_t intern(const Action& action);
  /// Enters an action without looking for an equal one; for decoders.
  std::uint32_t add(const Action& action);
  /// Enters an action likewise, without a copy of its lists: they belong to the lender.
  void borrow(const Action& action) { entries_.push_back(action); }

  /// Rewrites all entries through id maps, as renumber() one action.
  void renumber(std::span<const CommunicatorId> communicators, std::span<const KernelId> kernels,
                std::span<const RegionId> regions);

  /// Empties the dictionary, keeping its memory for what comes next.
  void clear();

private:
  struct Lookup;

  ListMemory lists_;
  std::shared_ptr<const void> lender_;
  std::vector<Action> entries_;
  std::unique_ptr<Lookup> lookup_; ///< made when something is looked for
};

} // namespace timeless::trace
