#pragma once

#include <filesystem>

/// Where the parts of Timeless are, from where the running command is: the same in the build tree and the installed
/// one.
namespace timeless::tools {

/// Returns the running command's own file.
std::filesystem::path this_command();
/// Returns where libtimeless.so is.
std::filesystem::path preloaded_library();
/// Returns the directory with the icount tool, usable as VALGRIND_LIB. It may not exist: see icount_tool.
std::filesystem::path icount_directory();
/// Returns the icount tool; empty where it was not built.
std::filesystem::path icount_tool();
/// Returns the program that shows whether the tool counts right.
std::filesystem::path icount_probe();
/// Returns the platforms that come with Timeless.
std::filesystem::path platforms_directory();
/// Returns the model of `timeless advise` that comes with Timeless.
std::filesystem::path advisor_model();
/// Returns what reads platform files for programs that cannot link SimGrid.
std::filesystem::path platform_server();
/// Returns where the program is that `timeless calibrate machine` measures with.
std::filesystem::path micro_kernels();
/// Returns where timeless-mpi is.
std::filesystem::path mpi_command();

} // namespace timeless::tools
