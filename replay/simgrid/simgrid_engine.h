#pragma once

#include "replay/simgrid/platform.h"
#include "replay/simgrid/platform_text.h"

#include <simgrid/s4u.hpp>

#include <filesystem>
#include <string>
#include <vector>

/// SimGrid's engine, of which a process has one at most, and its settings.
namespace timeless::replay {

/// Returns true once the process has had an engine.
bool engine_exists();

/// Creates the process's engine with a platform and the caller's settings ("KEY:VALUE"); whatever SimGrid throws passes
/// through, and where it aborts, the process ends.
simgrid::s4u::Engine& start_engine(const PlatformText& text, const std::vector<std::string>& settings);

/// Throws Error(usage) for what is no setting, what a replay sets itself, and what SimGrid does not take.
void check_settings(const std::vector<std::string>& settings);

/// Returns the settings of the engine that the model knows, too. Throws Error(invalid_input), naming `file`.
SmpiSettings read_settings(const std::filesystem::path& file);

/// Returns true for two hosts of a zone without routing, or one and itself, and for those of two zones that no route
/// joins: SimGrid may abort when asked for a way between them.
bool nothing_joins(const simgrid::s4u::Host& source, const simgrid::s4u::Host& destination);

} // namespace timeless::replay
