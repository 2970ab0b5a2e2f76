#include "tools/cli/exit_status.h"

#include "tools/cli/console.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

namespace timeless::tools {

namespace {

int told(const Error& error) {
  print_error(error);
  return static_cast<int>(error.failure());
}

Error output_error(const std::error_code& reason) {
  return {Failure::runtime, "standard output cannot be written: " + reason.message(), "",
          "what was printed is not all; make room, or write elsewhere"};
}

Error defect(const std::exception& problem) {
  return {Failure::runtime, problem.what(), "", "this is a defect; please report it"};
}

} // namespace

int exit_status_of(const std::function<int()>& command) {
  try {
    const int status = command();
    if (std::fflush(stdout) != 0) return told(output_error({errno, std::generic_category()}));
    return status;
  } catch (const Error& error) {
    return told(error);
  } catch (const std::bad_alloc&) {
    return told({Failure::runtime, "out of memory", "", "use a machine with more memory"});
  } catch (const std::filesystem::filesystem_error& problem) {
    return told({Failure::runtime, problem.code().message(), problem.path1().string()});
  } catch (const std::system_error& problem) {
    return told(std::ferror(stdout) != 0 ? output_error(problem.code()) : defect(problem));
  } catch (const std::exception& problem) {
    return told(defect(problem));
  }
}

} // namespace timeless::tools
