#pragma once

#include "trace/run.h"
#include "tracer/flat_map.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace timeless::tracer {

/// Numbers the places the program calls MPI from, and the kernels between them.
///
/// A call site is the return address of the call, as an offset into the file (module) the loader mapped there. Sites
/// and kernels are numbered in the order of their first use, which is the order of their definitions in the rank's
/// file.
class KernelTable {
public:
  /// The number of the call site with this return address; one table lookup once it is known.
  std::uint32_t site(const void* return_address);
  /// The kernel from one call site to another.
  trace::KernelId kernel(std::uint32_t begin, std::uint32_t end);

  /// Another number whenever an address may have come to mean another place. For threads that remember some.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  /// Modules and kernels found since the last time.
  std::vector<std::string> take_new_modules();
  std::vector<trace::Kernel> take_new_kernels();

private:
  std::uint32_t module(const std::string& path);
  void forget_if_unloaded();

  FlatMap<std::uint32_t> site_numbers_;
  std::vector<trace::CallSite> sites_;
  std::vector<std::string> modules_;
  FlatMap<trace::KernelId> kernel_numbers_;
  trace::KernelId kernels_ = 0;
  unsigned long long unloads_ = 0;
  std::atomic<std::uint64_t> version_{0};
  std::size_t modules_taken_ = 0;
  std::vector<trace::Kernel> new_kernels_;
};

} // namespace timeless::tracer
