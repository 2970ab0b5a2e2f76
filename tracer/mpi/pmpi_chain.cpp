#include "tracer/mpi/pmpi_chain.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace timeless::tracer {

constinit PmpiChain pmpi_chain{};
constinit thread_local const void* ChainedCall::of_program = nullptr;

namespace {

/// What a library has mapped. Found once for all that is asked of it: dladdr() looks through all symbols of a library.
class Mapping {
public:
  /// Finds the library that has this address; nothing when none has.
  explicit Mapping(const void* address) : sought_(address) {
    if (address == nullptr) return;
    dl_iterate_phdr([](dl_phdr_info* info, std::size_t,
                       void* mapping) { return static_cast<Mapping*>(mapping)->look(*info) ? 1 : 0; },
                    this);
  }
  bool exists() const { return !headers_.empty(); }
  bool holds(const void* address) const {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - bias_;
    return std::ranges::any_of(headers_, [&](const ElfW(Phdr) & header) {
      return header.p_type == PT_LOAD && offset - header.p_vaddr < header.p_memsz;
    });
  }

private:
  bool look(const dl_phdr_info& info) {
    bias_ = info.dlpi_addr;
    headers_ = {info.dlpi_phdr, info.dlpi_phnum};
    if (!holds(sought_)) headers_ = {};
    return exists();
  }

  const void* sought_;
  std::uintptr_t bias_ = 0;
  std::span<const ElfW(Phdr)> headers_;
};

template <typename Function>
void find_layer(Function& layer, const char* name, const Mapping& mpi) {
  void* const next = dlsym(RTLD_NEXT, name);
  if (next != nullptr && !mpi.holds(next)) layer = reinterpret_cast<Function>(next);
}

/// Before the program begins: its libraries are there. Processes without MPI have no chain.
__attribute__((constructor)) void find_pmpi_chain() {
  const Mapping mpi(dlsym(RTLD_NEXT, "PMPI_Initialized"));
  if (!mpi.exists()) return;
#define MPI_CALL(name, family) find_layer(pmpi_chain.name, "MPI_" #name, mpi);
#include "call_ids.inc"
#include "large_call_ids.inc"
#undef MPI_CALL
}

} // namespace

void* fortran_layer(const char* name) {
  if ((mpi_library.found ? mpi_library.abi : abi_of_process()) != Abi::open_mpi) return need_symbol(name);
  void* const next = dlsym(RTLD_NEXT, name);
  const Mapping mpi(dlsym(RTLD_NEXT, (std::string("p") + name).c_str()));
  return mpi.exists() && !mpi.holds(next) ? next : nullptr;
}

} // namespace timeless::tracer
