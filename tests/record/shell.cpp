#include "tests/record/shell.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace timeless::test {

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What lets Open MPI start more ranks than there are cores, as root too.
constexpr const char* environment =
    "export PATH=" RECORD_PROGRAMS ":" TIMELESS_BIN ":$PATH "
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
    "OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none "
    "HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio; "
    "unset LD_PRELOAD TIMELESS_DIR TIMELESS_COUNTER; ";

#ifdef TIMELESS_SANITIZED
/// A process that is found at fault ends with this status, but dies of signals as ever. `timeless record` knows of no
/// sanitizer whose runtime must come before the recorder; here the programs have it anyway, and what starts them can do
/// without. Open MPI leaks.
constexpr const char* sanitizer_settings =
    "export ASAN_OPTIONS=detect_leaks=0:exitcode=99:handle_segv=0:use_sigaltstack=0:verify_asan_link_order=0 "
    "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:exitcode=99; ";
#else
constexpr const char* sanitizer_settings = "";
#endif

} // namespace

Workplace::Workplace() {
  std::string name = (std::filesystem::temp_directory_path() / "timeless-record-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
  path_ = name;
}

Workplace::~Workplace() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

Ran Workplace::run(const std::string& command) const {
  const std::filesystem::path output = path_ / ".output";
  const std::filesystem::path errors = path_ / ".errors";
  const std::string whole = std::string(environment) + sanitizer_settings + "cd '" + path_.string() + "' && { " +
                            command + "\n} >'" + output.string() + "' 2>'" + errors.string() + "'";
  const int status = std::system(whole.c_str());
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .output = text_of(output),
          .errors = text_of(errors)};
}

void Workplace::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name) << text;
}

std::string Workplace::read(const std::string& name) const {
  return text_of(path_ / name);
}

} // namespace timeless::test
