#pragma once

#include "trace/formats/common/reading.h"
#include "trace/formats/common/text_output.h"
#include "trace/formats/goal/schedule.h"

#include <filesystem>

namespace timeless::trace::formats::goal {

/// Reads schedules as text. Throws Error(invalid_input) naming the line.
Schedules read_text(const std::filesystem::path& path, Reading& reading);

/// Writes one operation, labelled by its number, and one dependency, of operations written before.
void write_operation(TextOutput& out, std::uint32_t number, const Operation& operation);
void write_dependency(TextOutput& out, const Dependency& dependency);

} // namespace timeless::trace::formats::goal
