#pragma once

#include "replay/result/full_links.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

/// A full link, and the seconds that messages of each kernel took longer on it.
struct FullLinkLine {
  const replay::FullLink* link = nullptr;
  std::vector<std::pair<std::string, double>> kernels = {}; ///< what they are called
};

/// Returns a table below an empty line, of the first `most` links. `seconds` is how long the run took.
std::string full_links_table(const std::string& title, const std::vector<FullLinkLine>& links, double seconds,
                             std::size_t most);

/// Returns all of a link but its kernels.
nlohmann::ordered_json full_link_json(const replay::FullLink& link);
/// Reads the same. Throws what nlohmann::json throws where it is not there.
replay::FullLink read_full_link(const nlohmann::json& json);

} // namespace timeless::tools
