#pragma once

#include "trace/model/run.h"
#include "tracer/common/flat_map.h"
#include "tracer/sites/call_path.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace timeless::tracer {

/// Numbers the places the program calls MPI from, and the kernels between them.
///
/// A call site is the return address of the call, as an offset into the module (executable or shared library) it is in;
/// with a deeper stack, the same call from other callers is another site. Sites, callers and kernels are numbered in
/// the order of their first use, which is the order of their definitions in the rank's file.
///
/// Not safe to share: where several threads call MPI at once, the recorder's mutex is held around each member but
/// version(). Threads remember sites by their path as long as version() stays, and kernels by their sites for good:
/// numbers are never given again.
class KernelTable {
public:
  /// Returns the number of the call site with this path; one table lookup once it is known.
  std::uint32_t site(const CallPath& path);
  /// Returns the kernel from one call site to another.
  trace::KernelId kernel(std::uint32_t begin, std::uint32_t end);

  /// Returns another number whenever an address may have come to mean another place; for threads that remember some.
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  /// Returns how many are known.
  std::size_t modules() const { return modules_.size(); }
  std::size_t callers() const { return callers_.size(); }
  std::size_t kernels() const { return kernels_; }
  /// Returns those from this number on, of the ones not yet taken.
  std::vector<trace::Module> new_modules(std::size_t first) const;
  std::vector<trace::Caller> new_callers(std::size_t first) const;
  std::vector<trace::Kernel> new_kernels(std::size_t first) const;
  /// Returns the modules, callers and kernels found since the last time.
  std::vector<trace::Module> take_new_modules();
  std::vector<trace::Caller> take_new_callers();
  std::vector<trace::Kernel> take_new_kernels();

private:
  /// A call site with its caller has the form of a caller.
  using Site = trace::Caller;

  Site resolve(const CallPath& path);
  trace::CallSite place(const void* return_address);
  trace::CallerId caller(const trace::Caller& caller);
  std::uint32_t module(const trace::Module& module);
  void forget_if_unloaded();

  FlatMap<std::uint32_t> site_numbers_;       ///< by CallPath::key
  FlatMap<trace::CallSite> places_;           ///< by address
  std::map<Site, std::uint32_t> known_sites_; ///< the same place may come by another address
  std::vector<Site> sites_;
  std::vector<trace::Module> modules_;
  std::map<trace::Caller, trace::CallerId> callers_;
  FlatMap<trace::KernelId> kernel_numbers_;
  trace::KernelId kernels_ = 0;
  unsigned long long unloads_ = 0;
  std::atomic<std::uint64_t> version_{0};
  std::size_t modules_taken_ = 0;
  std::vector<trace::Caller> new_callers_;
  std::vector<trace::Kernel> new_kernels_;
};

} // namespace timeless::tracer
