#pragma once

#include "base/bytes.h"
#include "trace/model/action.h"

#include <cstdint>
#include <string>
#include <vector>

/// Dictionary entries as bytes (docs/archive-format.md, "Entry").
namespace timeless::trace {

/// Which of an entry's ranks are differences from the rank's own one in the communicator, or-ed together.
enum RelativeRanks : std::uint8_t {
  relative_peer = 1U << 0,
  relative_receive_peer = 1U << 1,
  relative_ranks = 1U << 2,
};

/// Appends an entry.
void encode_entry(const Action& action, std::string& bytes, std::uint8_t relative = 0);

/// An entry, and which of its ranks are relative.
struct Entry {
  Action action = {};
  std::uint8_t relative = 0;
};

/// Reads entries; keeps its working memory from one to the next.
class EntryDecoder {
public:
  /// Returns the next entry; its lists stay until the one after it is read. Throws Error(invalid_input) on an unknown
  /// kind, field or mode, and on lists longer than the bytes.
  Entry decode(ByteReader& reader);

private:
  std::vector<RequestId> requests_;
  std::vector<Bytes> counts_;
  std::vector<Bytes> receive_counts_;
  std::vector<Rank> ranks_;
};

} // namespace timeless::trace
