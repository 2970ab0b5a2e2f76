#pragma once

#include "replay/network/network_file.h"
#include "replay/options/options.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What options, and changes of a machine, say of collectives and eager limits.
namespace timeless::tools {

/// What an option is given for no eager limit.
inline constexpr const char* no_eager_limit_word = "none";

/// Reads an eager limit: a size, "65536", "64KiB", or "none"; nothing where it is no such.
std::optional<trace::Bytes> eager_limit_in(std::string_view text);
/// Does the same with what `option` was given; nothing for an empty text. Throws Error(usage) for what is no limit.
std::optional<trace::Bytes> parse_eager_limit(const std::string& text, const std::string& option = "--eager-limit");

/// Returns the names of all models of collectives, as options have them.
std::vector<std::string> collective_model_names();
/// Returns the model of that name; nothing where there is none.
std::optional<replay::CollectiveModel> collective_model(std::string_view name);

/// Returns the algorithms that the networks' files name for collectives: one table, since all configurations of a pass
/// have it. Throws Error(usage) where a network names none, or others than the first.
std::vector<replay::MeasuredAlgorithm> measured_collectives(std::span<const replay::NetworkDescription> networks);
/// Throws Error(usage): platforms name no such algorithms.
[[noreturn]] void refuse_measured_collectives_of_platforms(const std::string& where);
/// Says which collectives are replayed by what was measured, and of how many ranks.
std::string collectives_note(const std::vector<replay::MeasuredAlgorithm>& measured);

} // namespace timeless::tools
