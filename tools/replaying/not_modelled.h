#pragma once

#include "replay/result/result.h"

#include <string>
#include <vector>

namespace timeless::tools {

/// Returns "2 calls of 2 ranks: exclusive locks do not wait for each other".
std::string in_words(const replay::NotModelled& one);

/// Throws Error(partial), for --strict, when a replay left something out.
void require_all_modelled(const std::vector<replay::NotModelled>& left_out);

} // namespace timeless::tools
