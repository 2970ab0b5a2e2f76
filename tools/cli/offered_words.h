#pragma once

#include "tools/cli/cli11_fwd.h"

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::tools {

/// Which words shells complete an option's value with.
struct OfferedWords {
  std::vector<std::string> words; ///< "block:" is the beginning of one
  bool list = false;              ///< several may stand there, separated by commas
  bool files = false;             ///< so may a file
};

/// What an option takes beside one of its words. Options with a delimiter take lists of words without this.
enum class AlsoAccepts : std::uint8_t { nothing, files, files_in_lists };

/// Has shells complete the value of an option with words that it knows. What follows a colon in one of them is for a
/// person to fill in: "block:N". Options with CLI::IsMember offer its words without this.
void offer_words(CLI::Option& option, const std::vector<std::string>& words, AlsoAccepts also = AlsoAccepts::nothing);

/// Returns what an option offers; no words for one that takes anything.
OfferedWords offered_words(CLI::Option& option);

} // namespace timeless::tools
