#pragma once

#include "tests/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace timeless::tools::test {

/// A platform file of a test's own.
class WrittenPlatform {
public:
  explicit WrittenPlatform(const std::string& text, const std::string& name = "platform.xml")
      : path_(directory_ / name) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  const std::filesystem::path& path() const { return path_; }

private:
  timeless::test::TemporaryDirectory directory_;
  std::filesystem::path path_;
};

/// Lines 1 to 3 of every good file.
inline const std::string good_head = "<?xml version='1.0'?>\n"
                                     "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                                     "<platform version=\"4.1\">\n";

/// Returns a file whose zone, from line 5 on, holds this.
inline std::string zone_of(const std::string& inside) {
  return good_head + "<zone id=\"w\" routing=\"Full\">\n" + inside + "\n</zone>\n</platform>\n";
}

/// Returns a cluster with all that it needs, and these attributes in addition or instead.
inline std::string cluster_with(const std::string& attributes, const std::string& bandwidth = "1GBps") {
  return "<cluster id=\"c\" prefix=\"n\" suffix=\"\" speed=\"1Gf\" bw=\"" + bandwidth +
         "\" lat=\"1us\" loopback_bw=\"1GBps\" loopback_lat=\"1us\" " + attributes + "/>";
}

/// Returns a file with these settings, the first in line 5.
inline std::string settings_of(const std::string& props) {
  return good_head + "<config>\n" + props + "\n</config>\n<zone id=\"w\" routing=\"Full\">" +
         cluster_with("radical=\"0-3\"") + "</zone></platform>\n";
}

inline std::string prop(const std::string& id, const std::string& value) {
  return "<prop id=\"" + id + "\" value=\"" + value + "\"/>";
}

} // namespace timeless::tools::test
