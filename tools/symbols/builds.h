#pragma once

#include "trace/model/source.h"

#include <memory>
#include <string>
#include <vector>

namespace timeless::tools::symbols {

/// A recording, and how it is named in messages.
struct NamedSource {
  std::string name;
  std::unique_ptr<trace::Source> source;
};

/// What became of recordings of several executables.
struct JoinedBuilds {
  std::string program = {}; ///< what the executables are called beside each other; empty where nothing was joined
  std::vector<std::string> executables = {}; ///< file names, in the order of the recordings
};

/// Makes recordings of one program whose executables are built for a number of ranks each, as NPB's ft.S.8 and ft.S.16,
/// name places alike: by function, file and line, in the executable of most ranks. Calls on one line are one place
/// then. Leaves recordings of one executable, and of different programs, as they are. Throws Error(invalid_input),
/// naming the recordings, where an executable cannot be read, has no source lines, or has other places than that of
/// most ranks.
JoinedBuilds join_builds(std::vector<NamedSource>& recordings, const std::vector<std::string>& symbols);

/// Returns a sentence that says what was joined; empty where nothing was.
std::string in_words(const JoinedBuilds& joined);

} // namespace timeless::tools::symbols
