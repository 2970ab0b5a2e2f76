#pragma once

#include "trace/formats/common/format.h"
#include "trace/formats/ti/words.h"
#include "trace/model/run.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::trace::formats::ti {

/// What can only be said of the text as a whole.
struct Dialect {
  bool untagged = false; ///< some messages have no tag, so that three values are partner, size and type
  bool unsized = false;  ///< some receives name no size
  bool finalizes = false;

  void look(Word action, std::size_t values) {
    const bool message = action == Word::send || action == Word::isend || action == Word::recv || action == Word::irecv;
    if (message && values <= 2) untagged = true;
    if (message && values <= 1) unsized = true;
    if (action == Word::finalize) finalizes = true;
  }
};

using Channel = std::tuple<Rank, Rank, Tag>; ///< source, destination, tag

/// Sizes of the messages of a channel, equal ones in a row once.
using Sizes = std::vector<std::pair<Bytes, std::uint64_t>>;

/// Where the lines of a rank stand.
struct RankLines {
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t end = 0; ///< behind the rank's last line's beginning
};

/// What is known of a text before its actions are read.
struct Text {
  std::filesystem::path path; ///< as the person gave it
  std::vector<std::filesystem::path> files;
  bool shared = false; ///< one file for all ranks
  Dialect dialect;
  Run run;
  std::vector<RankLines> rank_lines; ///< by rank
  std::map<Channel, Sizes> sizes;
};

/// Reads the text twice: for whose its lines are, and for what they say. Throws Error(invalid_input) where they make no
/// run.
Text scan(const std::filesystem::path& path, const ImportProgress& progress);

} // namespace timeless::trace::formats::ti
