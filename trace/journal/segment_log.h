#pragma once

#include "trace/codec/definitions/definitions.h"
#include "trace/model/action_block.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace {

/// Definitions a journal holds because the file did not have them yet. They may overlap what the file has by now, so
/// each list says which number its first element has.
struct JournalDefinitions {
  std::uint64_t first_communicator = 0;
  std::uint64_t first_module = 0;
  std::uint64_t first_caller = 0;
  std::uint64_t first_kernel = 0;
  std::uint64_t first_region = 0;
  Definitions definitions; ///< communicators, modules, callers, kernels and regions; nothing else counts
};

/// Returns the payload of a definitions record.
std::string encode(const JournalDefinitions& definitions);
/// Throws Error(invalid_input).
JournalDefinitions decode_journal_definitions(std::string_view bytes);

/// What the log of one block says.
struct SegmentLog {
  ActionBlock block;
  std::vector<std::string> definitions; ///< payloads of definitions records: small here, perhaps large when decoded
  std::string damage;                   ///< why the log could not be read to its end; empty if it could
};

/// Reads a log of whole records that ends with this check. What stands before damage, up to the last check that holds,
/// is kept; never throws on what the bytes hold. `times`: each action is followed by its times.
SegmentLog read_segment_log(std::string_view log, std::uint64_t run_identity, std::uint64_t first_action,
                            std::uint32_t check, bool times);

} // namespace timeless::trace
