#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Facts of the machine that a trace's header or a diagnosis states.
namespace timeless::tracer {

/// Returns the processor's name as /proc/cpuinfo gives it; "unknown" where it gives none.
std::string cpu_model();

/// Returns the name in the text of a /proc/cpuinfo, whatever the architecture calls it.
std::string cpu_model_in(std::string_view cpuinfo);

/// Returns true when the processor has this feature flag ("avx512f").
bool cpu_has(std::string_view flag);

/// Returns kernel.perf_event_paranoid; nothing where the kernel has no performance events.
std::optional<int> perf_event_paranoid();

} // namespace timeless::tracer
