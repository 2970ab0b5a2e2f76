#pragma once

#include "replay/simgrid/xml_file.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::replay {

/// Returns whether a platform file may set this setting of SimGrid's: a figure of its models or of SMPI's. Settings
/// that open a file or a port, load a plugin or start a process are not among them; nor is what is unknown.
bool may_be_set_by_a_file(std::string_view setting);

/// A setting of a platform file that is not taken from it.
struct IgnoredSetting {
  std::string name;
  std::size_t line = 0; ///< of the file
};

/// A platform file as SimGrid is given it: the same elements and attributes in the same lines, without the settings
/// that a file may not set.
///
/// SimGrid reads what is written here, not the file: nothing that its parser takes otherwise than ours gets past.
class PlatformText {
public:
  /// Throws Error(invalid_input), with the line: where the file cannot be read, is no XML or no platform of SimGrid's
  /// present format, has a setting with a value that SimGrid would take for several settings, or makes more than a
  /// million hosts.
  static PlatformText read(const std::filesystem::path& file);
  PlatformText(PlatformText&& other) noexcept;
  PlatformText& operator=(PlatformText&&) = delete;
  ~PlatformText();

  /// Returns what SimGrid is to open, in this process or a child of it.
  std::string path_for_simgrid() const;
  /// Returns where SimGrid is to look for the files that it names.
  std::filesystem::path directory() const;
  const std::vector<IgnoredSetting>& ignored() const { return ignored_; }
  const pugi::xml_document& document() const { return xml_.document(); }

private:
  explicit PlatformText(XmlFile xml) : xml_(std::move(xml)) {}

  XmlFile xml_;
  std::vector<IgnoredSetting> ignored_;
  int file_ = -1; ///< in memory
};

/// Returns how many hosts a document makes; throws Error(invalid_input) where they are more than a million, or a
/// cluster's numbers make no sense.
std::uint64_t count_hosts(const XmlFile& file);

} // namespace timeless::replay
