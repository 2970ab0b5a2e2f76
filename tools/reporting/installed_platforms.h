#pragma once

#include "tools/platforms/listing.h"

#include <string>
#include <vector>

namespace timeless::tools {

/// The platforms that come with Timeless. SimGrid loads each in a process of its own, which takes some tenths of a
/// second for all: they are loaded when somebody asks for them.
class InstalledPlatforms {
public:
  const std::vector<platforms::ListedPlatform>& loaded();
  /// Returns what SimGrid says of those that cannot be loaded here: "flat is not on the map of classes: ...".
  const std::vector<std::string>& notes();

private:
  void load();

  bool known_ = false;
  std::vector<platforms::ListedPlatform> loaded_;
  std::vector<std::string> notes_;
};

} // namespace timeless::tools
