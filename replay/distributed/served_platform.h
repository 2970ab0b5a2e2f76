#pragma once

#include "replay/simgrid/platform.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace timeless::replay {

/// A platform that another program has loaded and answers for: for programs that cannot link SimGrid.
class ServedPlatform : public Platform {
public:
  /// Starts the program, which has to call serve_platform() with its standard input and output; it ends when this
  /// object does, or this process. Throws what the program could not load, and Error(runtime) when it cannot be
  /// started, or ends.
  explicit ServedPlatform(const std::vector<std::string>& command);
  ~ServedPlatform() override;
  ServedPlatform(const ServedPlatform&) = delete;
  ServedPlatform& operator=(const ServedPlatform&) = delete;

  const std::filesystem::path& file() const override { return file_; }
  std::span<const PlatformHost> hosts() const override { return hosts_; }
  const SmpiSettings& settings() const override { return settings_; }
  /// Asks the program.
  Route route(std::size_t from, std::size_t to) const override;
  const std::vector<std::string>& notes() const override { return notes_; }

private:
  class Server;

  std::unique_ptr<Server> server_;
  std::filesystem::path file_;
  std::vector<PlatformHost> hosts_;
  SmpiSettings settings_;
  std::vector<std::string> notes_;
};

/// Loads a platform and answers on `out` what is asked on `in`, until that ends. What loading throws is told, too.
void serve_platform(const std::function<std::unique_ptr<Platform>()>& load, int in, int out);

} // namespace timeless::replay
