#include "tracer/mpi/abi.h"

#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/mpi_modules.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace timeless::tracer {

namespace {

/// Returns that of an interface's three values which counts.
template <typename Value>
Value value_in(Abi abi, Value open_mpi, Value mpich, Value standard) noexcept {
  if (abi == Abi::standard) return standard;
  return abi == Abi::mpich ? mpich : open_mpi;
}

void* special_address(std::intptr_t value) noexcept {
  return reinterpret_cast<void*>(value);
}

/// Returns true for libmpi_abi.so: MPICH 4.3 has one without MPI_Abi_get_version.
bool is_standard_by_name(void* function) noexcept {
  return file_name(path_of_code(function)).starts_with("libmpi_abi.");
}

/// Asks MPI itself, which may be asked before MPI_Init. Libraries of MPI 5 with an interface of their own answer -1.
bool says_standard(void* abi_get_version) noexcept {
  int major = -1;
  int minor = -1;
  const auto ask = reinterpret_cast<int (*)(int*, int*)>(abi_get_version);
  return ask != nullptr && ask(&major, &minor) == 0 && major > 0;
}

/// Returns true for the code of a library that LD_PRELOAD names.
bool is_preloaded(const void* code) noexcept {
  const char* const list = std::getenv("LD_PRELOAD");
  if (list == nullptr) return false;
  const std::string_view sought = file_name(path_of_code(code));
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = rest.find_first_of(": ");
    if (file_name(rest.substr(0, end)) == sought) return true;
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return false;
}

/// Returns what starts an MPI that has no profiling interface, as the stubs have with which programs run serially; null
/// where there is none. A profiling layer that is preloaded into all programs is no MPI.
template <typename Find>
void* init_without_profiling(const Find& find) noexcept {
  for (const char* const name : {"MPI_Init", "mpi_init_"})
    if (void* const init = find(name); init != nullptr && !is_preloaded(init)) return init;
  return nullptr;
}

/// Tells the interface by what `find` returns for the names of symbols.
template <typename Find>
Abi abi_by(const Find& find) noexcept {
  void* const init = find("PMPI_Init");
  if (init == nullptr) return init_without_profiling(find) == nullptr ? Abi::none : Abi::unknown;
  // Open MPI 6 has its own data under both interfaces.
  if (is_standard_by_name(init) || says_standard(find("PMPI_Abi_get_version"))) return Abi::standard;
  if (find("ompi_mpi_comm_world") != nullptr) return Abi::open_mpi;
  // The mpi.h of MPICH and its relatives has programs read this datum; MPIs with handles of their own have none.
  return find("MPI_UNWEIGHTED") != nullptr ? Abi::mpich : Abi::unknown;
}

} // namespace

AbiConstants constants_of(Abi abi) noexcept {
  AbiConstants constants{};
#define ABI_INTEGER(member, expression, open_mpi, mpich, standard)                                                     \
  constants.member = value_in(abi, open_mpi, mpich, standard);
#define ABI_ADDRESS(member, name, open_mpi, mpich, standard)                                                           \
  constants.member = special_address(value_in(abi, open_mpi, mpich, standard));
#define ABI_WEIGHTS(member, name, open_mpi, standard)                                                                  \
  constants.member = static_cast<int*>(special_address(value_in(abi, open_mpi, 0, standard)));
#include "tracer/mpi/abi.def"
#undef ABI_INTEGER
#undef ABI_ADDRESS
#undef ABI_WEIGHTS
  return constants;
}

Abi abi_of_process() noexcept {
  return abi_by(find_symbol);
}

std::string_view mpi_of_process() noexcept {
  void* const init = find_symbol("PMPI_Init");
  return path_of_code(init != nullptr ? init : init_without_profiling(find_symbol));
}

Abi abi_of_library(std::string_view path) noexcept {
  void* const library = dlopen(std::string(path).c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return Abi::none;
  const Abi abi = abi_by([library](const char* name) { return dlsym(library, name); });
  dlclose(library);
  return abi;
}

std::vector<LoadedMpi> loaded_interfaces() {
  std::vector<LoadedMpi> found;
  for (const std::string& path : loaded_mpi_libraries()) {
    void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    const auto in_library = [library](const char* name) { return dlsym(library, name); };
    const Abi abi = abi_by(in_library);
    // That of Fortran's functions names the one it is built on.
    const std::string_view file = path_of_code(in_library("PMPI_Init"));
    dlclose(library);
    if (!file.empty() && std::ranges::find(found, abi, &LoadedMpi::abi) == found.end())
      found.push_back({abi, std::string(file)});
  }
  return found;
}

const char* name_of(Abi abi) noexcept {
  switch (abi) {
  case Abi::open_mpi:
    return "Open MPI";
  case Abi::mpich:
    return "MPICH or a relative of it";
  case Abi::standard:
    return "MPI 5's standard";
  case Abi::none:
  case Abi::unknown:
    break;
  }
  return "one that is not known";
}

} // namespace timeless::tracer
