#include "tracer/kernels.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace timeless::tracer {

namespace {

/// How many modules the loader has taken out of the process so far.
unsigned long long unloads() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<unsigned long long*>(result) = info->dlpi_subs;
        return 1;
      },
      &count);
  return count;
}

/// The module's path; the loader knows the program itself only as it was called.
std::string module_path(const char* name) {
  std::error_code failure;
  const std::filesystem::path path = std::filesystem::canonical(name, failure);
  if (!failure) return path.string();
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  return failure ? std::string(name) : program.string();
}

} // namespace

std::uint32_t KernelTable::site(const void* return_address) {
  if (const std::uint32_t* known = site_numbers_.find(key_of(return_address))) return *known;
  forget_if_unloaded();
  trace::CallSite site;
  Dl_info info;
  if (dladdr(return_address, &info) != 0 && info.dli_fname != nullptr) {
    site.module = module(module_path(info.dli_fname));
    site.offset = key_of(return_address) - key_of(info.dli_fbase);
  } else { // code made at run time: no file to name
    site.module = module("[anonymous]");
    site.offset = key_of(return_address);
  }
  const auto same = std::ranges::find(sites_, site);
  const auto number = static_cast<std::uint32_t>(same - sites_.begin());
  if (same == sites_.end()) sites_.push_back(site);
  site_numbers_.set(key_of(return_address), number);
  return number;
}

trace::KernelId KernelTable::kernel(std::uint32_t begin, std::uint32_t end) {
  const std::uint64_t key = ((std::uint64_t{begin} << 32U) | end) + 1;
  if (const trace::KernelId* known = kernel_numbers_.find(key)) return *known;
  kernel_numbers_.set(key, kernels_);
  new_kernels_.push_back({sites_[begin], sites_[end]});
  return kernels_++;
}

std::vector<std::string> KernelTable::take_new_modules() {
  std::vector<std::string> taken(modules_.begin() + static_cast<std::ptrdiff_t>(modules_taken_), modules_.end());
  modules_taken_ = modules_.size();
  return taken;
}

std::vector<trace::Kernel> KernelTable::take_new_kernels() {
  return std::exchange(new_kernels_, {});
}

std::uint32_t KernelTable::module(const std::string& path) {
  const auto known = std::ranges::find(modules_, path);
  const auto number = static_cast<std::uint32_t>(known - modules_.begin());
  if (known == modules_.end()) modules_.push_back(path);
  return number;
}

/// An address says nothing any more once another module may have taken its place.
void KernelTable::forget_if_unloaded() {
  const unsigned long long now = unloads();
  if (now == unloads_) return;
  unloads_ = now;
  site_numbers_.clear();
  version_.fetch_add(1, std::memory_order_release);
}

} // namespace timeless::tracer
