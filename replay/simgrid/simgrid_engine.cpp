#include "replay/simgrid/simgrid_engine.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/simgrid/simgrid_versions.h"

#include <simgrid/Exception.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <smpi/smpi.h>
#include <xbt/config.hpp>
#include <xbt/log.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <string_view>
#include <typeinfo>

namespace timeless::replay {

namespace {

namespace sg4 = simgrid::s4u;

/// Set before the file is read, so that nothing in the file changes them; settings of the caller's come between these
/// and the next.
constexpr std::array engine_arguments{
    "timeless",
    "--log=root.thresh:critical",
    "--log=no_loc",
    "--cfg=network/model:SMPI", // as smpirun does
    "--cfg=debug/verbose-exit:no",
    "--cfg=exception/cutpath:yes",
};

/// What a replay rests on.
constexpr std::array fixed_settings{
    "smpi/simulate-computation:no", // else the time between two calls on this machine is simulated too
    "smpi/errors-are-fatal:no",     // errors come back as return codes
    "smpi/pedantic:no",             // ranks may name one message's elements by types of different sizes
};

std::string_view key_of(std::string_view setting) {
  return setting.substr(0, setting.find(':'));
}

bool created = false;

/// Creates the process's engine, with no platform yet; whatever SimGrid throws passes through.
sg4::Engine& create_engine(const std::vector<std::string>& settings) {
  created = true;
  for (const char* silence : {"root.thresh:critical", "xbt_cfg.thresh:critical"})
    xbt_log_control_set(silence);
  // SMPI's settings exist only after this; a platform file that sets them is refused otherwise.
  smpi_init_options();
  std::vector<std::string> words(engine_arguments.begin(), engine_arguments.end());
  for (const std::string& setting : settings)
    words.push_back("--cfg=" + setting);
  for (const char* setting : fixed_settings)
    words.push_back(std::string("--cfg=") + setting);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  struct sigaction interrupted {};
  ::sigaction(SIGINT, nullptr, &interrupted);
  // Never destroyed: SimGrid holds pointers to it until the process ends.
  sg4::Engine& engine = *new sg4::Engine(&count, arguments.data());
  // Its own handler of Ctrl-C ends the process with status 1.
  ::sigaction(SIGINT, &interrupted, nullptr);
  return engine;
}

/// Returns an overhead that sizes up to the first it is given for do not pay.
PiecewiseSetting free_up_to_first(const PiecewiseSetting& overhead) {
  std::vector<PiecewiseSetting::Piece> pieces(overhead.pieces().begin(), overhead.pieces().end());
  if (!pieces.empty()) pieces.insert(pieces.begin(), {.above = -1});
  return PiecewiseSetting(std::move(pieces));
}

/// Throws Error(invalid_input), also where a message would take less than no time, or for ever.
PiecewiseSetting read_pieces(const char* name, const std::filesystem::path& file) {
  const std::string text = simgrid::config::get_value<std::string>(name);
  const bool factor = std::string_view(name).ends_with("factor");
  try {
    PiecewiseSetting setting = PiecewiseSetting::parse(text, name);
    for (const PiecewiseSetting::Piece& piece : setting.pieces()) {
      const bool zero = piece.fixed == 0 && std::string_view(name) == "smpi/bw-factor";
      if (!(piece.fixed >= 0) || !(piece.per_byte >= 0) || !std::isfinite(piece.fixed + piece.per_byte) || zero)
        throw Error(Failure::invalid_input, "negative, not finite, or a bandwidth's factor of zero: '" + text + "'",
                    name);
    }
    return factor || overheads_hold_up_to_first_size ? setting : free_up_to_first(setting);
  } catch (const Error& error) {
    throw Error(Failure::invalid_input, std::string(name) + ": " + error.description(), file.string(),
                factor ? "write size:factor;size:factor, as in 0:1;65536:0.9"
                       : "write size:seconds:seconds_per_byte;..., as in 0:1e-6:0");
  }
}

} // namespace

bool engine_exists() {
  return created;
}

sg4::Engine& start_engine(const PlatformText& text, const std::vector<std::string>& settings) {
  sg4::Engine& engine = create_engine(settings);
  // Not among the words above, which SimGrid parts at blanks.
  simgrid::config::set_value<std::string>("path", text.directory().string());
  engine.load_platform(text.path_for_simgrid());
  // After the platform, else its choice of collectives goes unseen.
  SMPI_init();
  engine.seal_platform();
  return engine;
}

// SimGrid throws or aborts on a setting it does not know, and says so at length.
void check_settings(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    if (setting.find(':') == std::string::npos || setting.find(':') == 0)
      throw Error(Failure::usage, "'" + setting + "' is no setting", "--cfg",
                  "write KEY:VALUE, such as smpi/coll-selector:mpich");
    for (const std::string_view fixed : fixed_settings)
      if (key_of(fixed) == key_of(setting))
        throw Error(Failure::usage, "a replay sets " + std::string(fixed), "--cfg", "leave " + setting + " out");
    const std::string what = "SimGrid does not take the setting '" + setting + "'";
    const std::string advice = "SimGrid's manual lists them: https://simgrid.org/doc/latest/Configuring_SimGrid.html";
    run_simgrid(
        [&](const ChildReport&) -> std::string {
          try {
            create_engine({setting});
          } catch (const std::exception& error) {
            const std::string_view words = error.what();
            throw Error(Failure::usage, what + ": " + std::string(words.substr(0, words.find('\n'))), "--cfg", advice);
          }
          return "good";
        },
        {Failure::usage, what, "--cfg", advice});
  }
}

SmpiSettings read_settings(const std::filesystem::path& file) {
  const auto setting = [&](const char* name) { return read_pieces(name, file); };
  SmpiSettings settings;
  settings.latency_factor = setting("smpi/lat-factor");
  settings.bandwidth_factor = setting("smpi/bw-factor");
  settings.send_overhead = setting("smpi/os");
  settings.isend_overhead = setting("smpi/ois");
  settings.receive_overhead = setting("smpi/or");
  const auto size = [](const char* name) {
    return static_cast<trace::Bytes>(std::max(simgrid::config::get_value<int>(name), 0));
  };
  settings.asynchronous_below = size("smpi/async-small-thresh");
  settings.detached_below = size("smpi/send-is-detached-thresh");
  settings.tcp_window = simgrid::config::get_value<double>("network/TCP-gamma");
  if (!(settings.tcp_window >= 0) || !std::isfinite(settings.tcp_window))
    throw Error(Failure::invalid_input, "network/TCP-gamma: no size of a window", file.string(),
                "write bytes, or 0 for no window");
  if (!simgrid::config::get_value<bool>("network/crosstraffic")) settings.cross_traffic = 0;
  return settings;
}

bool nothing_joins(const sg4::Host& source, const sg4::Host& destination) {
  const sg4::NetZone* zone = source.get_englobing_zone();
  if (zone != destination.get_englobing_zone()) return !zones_are_joined(source, destination);
  const simgrid::kernel::routing::NetZoneImpl& kind = *zone->get_impl(); // of a class that SimGrid keeps to itself
  return std::string_view(typeid(kind).name()).find("EmptyZone") != std::string_view::npos;
}

} // namespace timeless::replay
