#include "replay/simgrid/simgrid_remarks.h"

#include "base/error.h"
#include "replay/simgrid/platform_text.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/simgrid/simgrid_versions.h"

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>
#include <xbt/config.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace timeless::replay {

namespace {

/// Everything that this process prints, on both streams, into a file in memory.
class CapturedOutput {
public:
  CapturedOutput() : file_(::memfd_create("overheard", MFD_CLOEXEC)) {
    if (file_ < 0) throw Error(Failure::runtime, "cannot make a file in memory", {}, std::strerror(errno));
    ::dup2(file_, STDOUT_FILENO);
    ::dup2(file_, STDERR_FILENO);
  }
  std::string text() const {
    std::fflush(nullptr);
    const off_t size = ::lseek(file_, 0, SEEK_END);
    std::string text(static_cast<std::size_t>(size > 0 ? size : 0), '\0');
    const ssize_t count = ::pread(file_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(count > 0 ? count : 0));
    return text;
  }

private:
  int file_;
};

simgrid::s4u::Engine& new_engine() {
  smpi_init_options();
  static std::string name = "timeless";
  static std::string model = "--cfg=network/model:SMPI";
  static char* arguments[] = {name.data(), model.data(), nullptr};
  static int count = 2;
  // Never destroyed: SimGrid holds pointers to it until the process ends.
  return *new simgrid::s4u::Engine(&count, arguments);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

bool is_remark(const std::string& line) {
  for (const char* level : {"/WARNING]", "/ERROR]", "/CRITICAL]"})
    if (line.find(level) != std::string::npos) return true;
  return false;
}

[[maybe_unused]] rlim_t mapped_bytes() {
  std::ifstream in("/proc/self/statm");
  rlim_t pages = 0;
  in >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace

void limit_this_process() {
  // Seconds of work, not of waiting: a large platform on a busy machine takes its time.
  constexpr rlim_t seconds = 60;
  const rlimit work{.rlim_cur = seconds, .rlim_max = seconds + 1};
  ::setrlimit(RLIMIT_CPU, &work);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Beside what the parent has mapped, a whole archive perhaps.
  const rlim_t bytes = mapped_bytes() + (rlim_t{4} << 30U);
  const rlimit memory{.rlim_cur = bytes, .rlim_max = bytes};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  const rlimit core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &core);
}

std::vector<std::string> simgrid_warnings(const std::filesystem::path& file) {
  const ChildDeath death{Failure::invalid_input, "the platform file is invalid", file.string()};
  const PlatformText text = PlatformText::read(file);
  const std::string answer = run_simgrid(
      [&](const ChildReport&) {
        limit_this_process();
        const CapturedOutput captured;
        try {
          simgrid::s4u::Engine& engine = new_engine();
          simgrid::config::set_value<std::string>("path", text.directory().string());
          engine.load_platform(text.path_for_simgrid());
          engine.seal_platform();
        } catch (const std::exception& error) {
          throw Error(Failure::invalid_input, error.what(), file.string());
        }
        std::string remarks;
        for (const std::string& line : lines_of(captured.text()))
          if (is_remark(line)) remarks += line + "\n";
        return remarks;
      },
      death);
  return lines_of(answer);
}

std::vector<std::string> simgrid_settings() {
  const std::string answer = run_simgrid(
      [](const ChildReport&) {
        const CapturedOutput captured;
        new_engine();
        simgrid::config::help();
        // "   network/model: what it does", then lines that are indented further.
        std::string names;
        for (const std::string& line : lines_of(captured.text())) {
          constexpr std::string_view indent = "   ";
          const std::size_t colon = line.find(':');
          if (!line.starts_with(indent) || line[indent.size()] == ' ' || colon == std::string::npos) continue;
          names += line.substr(indent.size(), colon - indent.size()) + "\n";
        }
        return names;
      },
      {Failure::runtime, "SimGrid died while it listed its settings"});
  std::vector<std::string> settings = lines_of(answer);
  add_earlier_names(settings);
  return settings;
}

} // namespace timeless::replay
