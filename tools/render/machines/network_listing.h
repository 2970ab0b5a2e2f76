#pragma once

#include <string>

namespace timeless::tools {

/// Returns the networks that are known by name: what each is, and where its figures come from.
std::string network_listing();

} // namespace timeless::tools
