#include "tools/cli/locate.h"

#include <unistd.h>

namespace timeless::tools {

namespace fs = std::filesystem;

namespace {

/// Returns a path given relative to the command's directory.
fs::path beside_command(const char* relative) {
  return (this_command().parent_path() / relative).lexically_normal();
}

} // namespace

fs::path this_command() {
  return fs::read_symlink("/proc/self/exe");
}
fs::path preloaded_library() {
  return beside_command(TIMELESS_COMMAND_TO_LIBEXEC) / "libtimeless.so";
}
fs::path icount_directory() {
  return beside_command(TIMELESS_COMMAND_TO_LIBEXEC) / "valgrind";
}
fs::path icount_probe() {
  return beside_command(TIMELESS_COMMAND_TO_LIBEXEC) / "icount-probe";
}
fs::path platforms_directory() {
  return beside_command(TIMELESS_COMMAND_TO_DATA) / "platforms";
}
fs::path advisor_model() {
  return beside_command(TIMELESS_COMMAND_TO_DATA) / "advisor" / "model.json";
}
fs::path platform_server() {
  return beside_command(TIMELESS_COMMAND_TO_LIBEXEC) / "platform-server";
}
fs::path micro_kernels() {
  return beside_command(TIMELESS_COMMAND_TO_LIBEXEC) / "microkernels";
}

fs::path mpi_command() {
  return this_command().parent_path() / "timeless-mpi";
}

fs::path icount_tool() {
  fs::path tool = icount_directory() / "icount-amd64-linux";
  return access(tool.c_str(), X_OK) == 0 ? tool : fs::path{};
}

} // namespace timeless::tools
