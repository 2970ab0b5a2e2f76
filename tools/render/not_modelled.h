#pragma once

#include "replay/result/result.h"

#include <nlohmann/json.hpp>

#include <string>

namespace timeless::tools {

/// What a replay left out, a line each: "left out  2 calls of 2 ranks: exclusive locks do not wait for each other".
std::string not_modelled_text(const replay::Result& result);

/// The same as a list of {what, calls, ranks}.
nlohmann::ordered_json not_modelled_json(const replay::Result& result);

/// For --strict: throws Error(partial) when a replay left something out.
void require_all_modelled(const replay::Result& result);

} // namespace timeless::tools
