#pragma once

#include "trace/formats/common/exported_rank.h"
#include "trace/formats/common/text_output.h"
#include "trace/formats/ti/ti_tags.h"

namespace timeless::trace::formats {

/// Writes a rank's actions as SimGrid's time-independent text; `job` hears what is said in other words or not at all.
/// Throws Error(missing_capability) for messages that the text cannot say, and what reading the rank throws.
void write_ti_rank(ExportJob& job, Rank rank, const TiTags& tags, TextOutput& out);

} // namespace timeless::trace::formats
