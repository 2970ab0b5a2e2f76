#include "tracer/sites/kernels.h"

#include "tracer/sites/loaded_module.h"

#include <algorithm>
#include <utility>

namespace timeless::tracer {

std::uint32_t KernelTable::site(const CallPath& path) {
  if (const std::uint32_t* known = site_numbers_.find(path.key)) return *known;
  forget_if_unloaded();
  const Site site = resolve(path);
  const auto [same, added] = known_sites_.try_emplace(site, static_cast<std::uint32_t>(sites_.size()));
  if (added) sites_.push_back(site);
  site_numbers_.set(path.key, same->second);
  return same->second;
}

trace::KernelId KernelTable::kernel(std::uint32_t begin, std::uint32_t end) {
  const std::uint64_t key = ((std::uint64_t{begin} << 32U) | end) + 1;
  if (const trace::KernelId* known = kernel_numbers_.find(key)) return *known;
  kernel_numbers_.set(key, kernels_);
  new_kernels_.push_back({.begin = sites_[begin].site,
                          .end = sites_[end].site,
                          .begin_caller = sites_[begin].caller,
                          .end_caller = sites_[end].caller});
  return kernels_++;
}

std::vector<trace::Module> KernelTable::new_modules(std::size_t first) const {
  return {modules_.begin() + static_cast<std::ptrdiff_t>(std::max(first, modules_taken_)), modules_.end()};
}

std::vector<trace::Caller> KernelTable::new_callers(std::size_t first) const {
  const std::size_t taken = callers_.size() - new_callers_.size();
  return {new_callers_.begin() + static_cast<std::ptrdiff_t>(std::max(first, taken) - taken), new_callers_.end()};
}

std::vector<trace::Kernel> KernelTable::new_kernels(std::size_t first) const {
  const std::size_t taken = kernels_ - new_kernels_.size();
  return {new_kernels_.begin() + static_cast<std::ptrdiff_t>(std::max(first, taken) - taken), new_kernels_.end()};
}

std::vector<trace::Module> KernelTable::take_new_modules() {
  std::vector<trace::Module> taken(modules_.begin() + static_cast<std::ptrdiff_t>(modules_taken_), modules_.end());
  modules_taken_ = modules_.size();
  return taken;
}

std::vector<trace::Caller> KernelTable::take_new_callers() {
  return std::exchange(new_callers_, {});
}

std::vector<trace::Kernel> KernelTable::take_new_kernels() {
  return std::exchange(new_kernels_, {});
}

/// Numbers a path from the outermost caller to the call itself.
KernelTable::Site KernelTable::resolve(const CallPath& path) {
  trace::CallerId outer = trace::no_caller;
  for (std::size_t i = path.length - 1; i > 0; --i)
    outer = caller({.site = place(path.addresses[i]), .caller = outer});
  return {.site = place(path.addresses[0]), .caller = outer};
}

trace::CallSite KernelTable::place(const void* return_address) {
  const std::uint64_t key = key_of(return_address);
  if (const trace::CallSite* known = places_.find(key)) return *known;
  // Code made at run time has no file to name.
  trace::CallSite place{.module = 0, .offset = key};
  if (const auto loaded = loaded_module(return_address))
    place = {.module = module(loaded->module), .offset = key - loaded->base};
  else
    place.module = module({.path = "[anonymous]"});
  places_.set(key, place);
  return place;
}

trace::CallerId KernelTable::caller(const trace::Caller& caller) {
  const auto [known, added] = callers_.try_emplace(caller, static_cast<trace::CallerId>(callers_.size()));
  if (added) new_callers_.push_back(caller);
  return known->second;
}

std::uint32_t KernelTable::module(const trace::Module& module) {
  const auto known = std::ranges::find(modules_, module);
  const auto number = static_cast<std::uint32_t>(known - modules_.begin());
  if (known == modules_.end()) modules_.push_back(module);
  return number;
}

/// An address says nothing any more once another module may have taken its place.
void KernelTable::forget_if_unloaded() {
  const unsigned long long now = modules_unloaded();
  if (now == unloads_) return;
  unloads_ = now;
  site_numbers_.clear();
  places_.clear();
  version_.fetch_add(1, std::memory_order_release);
}

} // namespace timeless::tracer
