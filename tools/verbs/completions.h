#pragma once

#include <string_view>

namespace timeless::tools {

/// Prints what bash, zsh or fish needs to complete the command's verbs, options and the options' words, all from the
/// verbs themselves. Throws Error(usage) for another shell.
void print_completions(std::string_view shell);

} // namespace timeless::tools
