#pragma once

#include "replay/simgrid/platform.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

/// A link that a message crosses, and that other messages share with it.
struct SharedLink {
  std::size_t number = 0; ///< the same for the same link
  std::string name = {};
  double bandwidth = 0; ///< bytes per second
};

/// A machine read from a SimGrid platform file, by SimGrid itself.
///
/// SimGrid's engine is global to the process, so there can be one platform per process: a second load() throws. It
/// stays loaded until the process ends, even when the object does not. Not for use by several threads at a time.
class SimgridPlatform : public Platform {
public:
  /// Loads a file. Whatever is wrong with it is an Error(invalid_input) that names file and line; SimGrid is tried on
  /// it in a child process first, because it aborts on some mistakes. Of the file's settings those are taken that
  /// may_be_set_by_a_file(); the notes name the others. A file that does not choose a network model gets
  /// SMPI's, as smpirun does. `settings` are SimGrid's own, "network/TCP-gamma:65536", and go before those of the
  /// file; one that SimGrid does not know or take is an Error(usage).
  static SimgridPlatform load(const std::filesystem::path& file, const std::vector<std::string>& settings = {});
  SimgridPlatform(SimgridPlatform&&) noexcept;
  SimgridPlatform& operator=(SimgridPlatform&&) noexcept;
  ~SimgridPlatform() override;

  const std::filesystem::path& file() const override;
  std::span<const PlatformHost> hosts() const override;
  const SmpiSettings& settings() const override;
  Route route(std::size_t from, std::size_t to) const override;
  /// Returns the links of a route that messages share: all but those that hold any number of messages at once
  /// (FATPIPE). Throws as route().
  std::vector<SharedLink> shared_links(std::size_t from, std::size_t to) const;
  /// Multiplies latency and bandwidth of every link but the loopbacks of these hosts, for the rest of the process;
  /// meant for a child of run_simgrid().
  void scale_links(double latency, double bandwidth, std::span<const std::uint32_t> hosts) const;
  /// Lets every link hold any number of messages at once (FATPIPE), for the rest of the process; as scale_links().
  void unshare_links() const;
  const std::vector<std::string>& notes() const override;

  struct State;

private:
  explicit SimgridPlatform(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace timeless::replay
