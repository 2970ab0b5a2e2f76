#include "tracer/mpi/mpi_modules.h"

#include "tracer/mpi/mpi_library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tracer {

namespace {

/// What programs are linked with: of Open MPI, Spectrum, Cray and the standard interface; of MPICH as it installs
/// itself, on Debian, and as its relatives do.
constexpr std::string_view mpi_libraries[] = {"libmpi.", "libmpi_", "libmpich", "libmpifort", "libmpicxx", "libpmpi"};

/// What those consist of. Open MPI's components are a file each.
constexpr std::string_view parts_of_mpi[] = {"libopen_mpi.", "libopen-pal.", "libopen-rte.",
                                             "libompi",      "libmca_",      "mca_"};

bool begins_with_one(std::string_view file, std::span<const std::string_view> starts) noexcept {
  return std::ranges::any_of(starts, [&](std::string_view start) { return file.starts_with(start); });
}

bool look_up(const void* code) noexcept {
  Dl_info of_code;
  Dl_info of_mpi;
  if (dladdr(code, &of_code) == 0 || of_code.dli_fname == nullptr) return false;
  if (is_mpi_library(of_code.dli_fname) || begins_with_one(file_name(of_code.dli_fname), parts_of_mpi)) return true;
  return dladdr(reinterpret_cast<const void*>(mpi().Send), &of_mpi) != 0 && of_code.dli_fbase == of_mpi.dli_fbase;
}

struct KnownCode {
  const void* code;
  bool of_mpi;
};

/// The places asked for last: MPI calls itself from few, and often.
constinit thread_local std::array<KnownCode, 64> asked_before{};

} // namespace

std::string_view path_of_code(const void* code) noexcept {
  Dl_info found;
  return dladdr(code, &found) == 0 || found.dli_fname == nullptr ? std::string_view{} : found.dli_fname;
}

std::string_view file_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

bool is_mpi_library(std::string_view path) noexcept {
  return begins_with_one(file_name(path), mpi_libraries);
}

std::vector<std::string> loaded_mpi_libraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
          static_cast<std::vector<std::string>*>(found)->emplace_back(info->dlpi_name);
        return 0;
      },
      &paths);
  const auto others = std::ranges::stable_partition(paths, is_mpi_library);
  if (others.begin() != paths.begin()) paths.erase(others.begin(), paths.end());
  return paths;
}

bool is_of_mpi(const void* code) noexcept {
  constexpr std::uint64_t mixer = 0x9e3779b97f4a7c15U;
  KnownCode& place = asked_before[static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(code) * mixer) >> 58U)];
  if (place.code != code) place = {code, look_up(code)};
  return place.of_mpi;
}

} // namespace timeless::tracer
