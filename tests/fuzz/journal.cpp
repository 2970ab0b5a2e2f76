// A journal beside a rank's file: whatever it holds, what it says is read or left out, and nothing is thrown.
#include "tests/fuzz/fuzz.h"
#include "trace/codec/layout.h"
#include "trace/journal/image.h"
#include "trace/journal/tail.h"

#include <cstring>

namespace timeless::fuzz {
namespace {

using namespace trace;

void read_journal(const std::string& bytes) {
  const std::optional<JournalImage> journal = JournalImage::of(bytes);
  if (!journal) return;
  (void)journal->host();
  (void)journal->signal();
  (void)journal->unrecorded_calls();
  for (const JournalThread& thread : journal->threads()) {
    (void)journal->call_of(thread);
    (void)journal->communicator(thread.communicator);
  }
  for (const std::uint64_t actions : {0U, 5U}) {
    Run run;
    run.size = 4;
    run.communicators.resize(1);
    const JournalTail tail = continue_with(*journal, run, actions);
    demand(tail.actions >= actions, "what the file has is not taken away");
    demand(tail.actions == actions || !tail.bytes.empty(), "actions stand in blocks");
  }
}

/// The header's checksum made right.
std::string repaired_journal(std::string bytes) {
  if (bytes.size() < journal_header_bytes) return bytes;
  JournalHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.checksum = checksum(std::string_view(bytes).substr(0, sizeof header - sizeof header.checksum));
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

} // namespace
} // namespace timeless::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless::fuzz;
  const std::string bytes(text(data, size));
  read_journal(bytes);
  if (const std::string whole = repaired_journal(bytes); whole != bytes) read_journal(whole);
  // Definitions records stand in it as they are.
  reads([&] { (void)timeless::trace::decode_journal_definitions(bytes); });
  return 0;
}
