#pragma once

#include "tools/platforms/draft.h"
#include "tools/platforms/findings.h"

#include <filesystem>
#include <string>
#include <vector>

/// What the actions of `timeless platform` print. Each returns the exit code; throws Error.
namespace timeless::tools::platforms {

int answer_list(bool json);
/// `between` is empty or two names of hosts.
int answer_show(const std::filesystem::path& file, const std::vector<std::string>& between, bool json);
int answer_check(const std::filesystem::path& file, bool json);
int answer_upgrade(const std::filesystem::path& file, const std::filesystem::path& output, bool force, bool json);
/// Asks for what the draft lacks where `ask`.
int answer_new(Draft draft, const std::filesystem::path& output, bool ask, bool force, bool json);

/// Throws the first mistake of these; `before` says what it means.
void throw_mistake(const Findings& findings, const std::filesystem::path& file, const std::string& before);
/// All that is known against a file: by its text, and by SimGrid where the text is sound.
Findings judge(const std::filesystem::path& file);

} // namespace timeless::tools::platforms
