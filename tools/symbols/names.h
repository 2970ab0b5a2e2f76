#pragma once

#include <string>
#include <string_view>

namespace timeless::tools::symbols {

/// Returns a linker symbol as its programmer wrote it: "_ZN4grid5sweepEi" -> "grid::sweep(int)", "__grid_MOD_sweep" ->
/// "grid::sweep", "exchange.constprop.0" -> "exchange". `fortran`: the module holds Fortran, so that "sweep_" is sweep.
std::string readable_name(std::string_view symbol, bool fortran);

/// Returns a name no longer than `width`: without the types of its arguments, then without what its templates are made
/// with, at last with its middle left out.
std::string shortened_name(std::string_view name, std::size_t width);

} // namespace timeless::tools::symbols
