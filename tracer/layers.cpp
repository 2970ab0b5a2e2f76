#include "tracer/layers.h"

#include <dlfcn.h>

#include <string>

namespace timeless::tracer {

constinit Layers layers{};
constinit thread_local const void* LayeredCall::of_program = nullptr;

namespace {

/// Where the library begins that has this symbol, after this one; null when none has.
const void* library_of(const void* symbol) {
  Dl_info found;
  return symbol != nullptr && dladdr(symbol, &found) != 0 ? found.dli_fbase : nullptr;
}

template <typename Function>
void find_layer(Function& layer, const char* name, const void* mpi) {
  void* const next = dlsym(RTLD_NEXT, name);
  if (next != nullptr && library_of(next) != mpi) layer = reinterpret_cast<Function>(next);
}

/// Before the program begins: its libraries are there. Processes without MPI have no layers.
__attribute__((constructor)) void find_layers() {
  const void* const mpi = library_of(dlsym(RTLD_NEXT, "PMPI_Initialized"));
  if (mpi == nullptr) return;
#define MPI_CALL(name, family) find_layer(layers.name, "MPI_" #name, mpi);
#include "call_ids.inc"
#undef MPI_CALL
}

} // namespace

void* fortran_layer(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  const void* const mpi = library_of(dlsym(RTLD_NEXT, (std::string("p") + name).c_str()));
  return mpi != nullptr && library_of(next) != mpi ? next : nullptr;
}

} // namespace timeless::tracer
