#pragma once

#include "tools/symbols/kernel_places.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace timeless::tools {

/// Adds "from" and "to" of a kernel whose ends are known, null where one is not.
void add_ends(nlohmann::ordered_json& json, const symbols::KernelEndsById& kernels, std::uint32_t kernel);
/// Writes two lines below one of a kernel; none of one whose ends are not known.
std::string ends_below(const symbols::KernelEndsById& kernels, std::uint32_t kernel);

} // namespace timeless::tools
