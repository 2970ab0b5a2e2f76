#pragma once

#include "trace/archive/reader.h"
#include "trace/codec/definitions/definitions.h"

#include <string>
#include <string_view>
#include <vector>

namespace timeless::gather {

/// What one file, or several together, say of a run and some of its ranks, apart from the actions. Ranks that ended
/// without saying so have their reason, and the number of their whole actions, filled in.
struct RunPart {
  trace::Run run;
  /// For each of run.ranks: its own numbers in terms of the part's; empty lists where they are the same.
  std::vector<trace::RankNumbers> numbers;
  /// For each of run.ranks: the file it stands in, for errors.
  std::vector<std::string> labels;
};

/// Returns what an archive says. `label` names it in errors. Throws Error(invalid_input) when it is damaged elsewhere
/// than at the end of a file that was not closed, or has lost actions in the middle.
RunPart part_of(const trace::ArchiveReader& archive, const std::string& label);

/// Encodes a part, for messages between processes of one program.
std::string encode(const RunPart& part);
/// Throws Error on bytes that encode() did not make.
RunPart decode_run_part(std::string_view bytes);

} // namespace timeless::gather
