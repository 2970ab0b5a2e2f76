#include "tracer/mpi/mpi_modules.h"

#include "tracer/mpi/mpi_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace timeless::tracer {

namespace {

/// Open MPI is several libraries, and its components, of which each is a file.
constexpr std::string_view libraries[] = {"libmpi.", "libmpi_", "libopen-pal.", "libopen-rte.",
                                          "libompi", "libmca_", "mca_"};

bool look_up(const void* code) noexcept {
  Dl_info of_code;
  Dl_info of_mpi;
  if (dladdr(code, &of_code) == 0 || of_code.dli_fname == nullptr) return false;
  const std::string_view path(of_code.dli_fname);
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (std::ranges::any_of(libraries, [&](std::string_view start) { return file.starts_with(start); })) return true;
  return dladdr(reinterpret_cast<const void*>(mpi().Send), &of_mpi) != 0 && of_code.dli_fbase == of_mpi.dli_fbase;
}

struct KnownCode {
  const void* code;
  bool of_mpi;
};

/// The places asked for last: MPI calls itself from few, and often.
constinit thread_local std::array<KnownCode, 64> asked_before{};

} // namespace

bool is_of_mpi(const void* code) noexcept {
  constexpr std::uint64_t mixer = 0x9e3779b97f4a7c15U;
  KnownCode& place = asked_before[static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(code) * mixer) >> 58U)];
  if (place.code != code) place = {code, look_up(code)};
  return place.of_mpi;
}

} // namespace timeless::tracer
