#pragma once

#include "tools/platforms/findings.h"

#include <filesystem>
#include <string>

namespace timeless::tools::platforms {

/// All that is known against a file: by its text, and by SimGrid where the text is sound.
struct Judgement {
  std::filesystem::path file;
  Findings findings;

  bool good() const { return !has_mistakes(findings); }
  /// Returns how a replay ends that meets all of the mistakes: what is invalid goes before what no replay can do.
  Failure failure() const;
};

/// Judges a file; `progress` as of check_by_loading().
Judgement judge(const std::filesystem::path& file, const ChildProgress& progress = {});

/// Throws the first mistake, as one of `file`, by whatever name it was judged; `before` says what it means.
void throw_mistake(const Judgement& judgement, const std::filesystem::path& file, const std::string& before);

} // namespace timeless::tools::platforms
