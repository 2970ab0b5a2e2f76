#pragma once

#include "tools/scaling/scaling_request.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace timeless::tools {

/// Returns which part of the time is largest at the last target, where its trace was replayed: a kernel with most of
/// the computation bounds nothing where ranks mostly communicate.
std::string largest_part_text(const ScalingAnswer& answer);
/// Returns what runs and targets take on the machine: times, what they go into, and POP's efficiencies.
std::string times_text(const ScalingAnswer& answer);
/// Returns in a sentence, without its end, what the run of more ranks loses and by what most; it must have been asked
/// for. Where a part loses more than is lost in all, since others gain, it says that `lists` them.
std::string growth_words(const ScalingAnswer& answer,
                         const std::string& lists = "`timeless scale --why --to RANKS` lists them");
/// Returns what the run of more ranks loses and by which kernels, or nothing where nobody asked.
std::string growth_text(const ScalingAnswer& answer);

/// Returns the same as values: "time" and "growth" of the schema timeless.scale/1, the latter null where nobody asked.
nlohmann::ordered_json times_json(const ScalingAnswer& answer);
nlohmann::ordered_json growth_json(const ScalingAnswer& answer);

} // namespace timeless::tools
