// Bytes that ask for much work: each of these takes a moment, or is never done.
#include "base/error.h"
#include "trace/codec/definitions/definitions.h"
#include "trace/codec/format.h"
#include "trace/codec/layout.h"
#include "trace/journal/image.h"

#include <gtest/gtest.h>

#include <cstring>

namespace timeless::trace {
namespace {

TEST(HostileDefinitions, of_a_huge_run_with_many_tiny_communicators_cost_what_they_hold) {
  Definitions definitions;
  definitions.size = max_ranks - 1;
  definitions.communicators.resize(500'000);
  for (Communicator& communicator : definitions.communicators)
    communicator.members = {max_ranks - 2, 0};
  trace::Run run;
  apply(definitions, run);
  EXPECT_EQ(run.communicators.size(), 500'000U);
}

TEST(HostileDefinitions, with_records_of_many_ranks_in_falling_order_cost_what_they_hold) {
  constexpr Rank ranks = 300'000;
  Definitions definitions;
  definitions.size = ranks;
  definitions.hosts.resize(1);
  for (Rank rank = ranks; rank-- > 0;)
    definitions.ranks.push_back({.rank = rank});
  definitions.ranks.push_back({.rank = 7, .actions = 1});
  definitions.ranks.push_back({.rank = 7, .actions = 2});
  trace::Run run;
  apply(definitions, run);
  ASSERT_EQ(run.ranks.size(), static_cast<std::size_t>(ranks));
  EXPECT_TRUE(run.missing_ranks().empty());
  EXPECT_EQ(run.find(7)->actions, 2U) << "the last record of a rank counts";
}

TEST(HostileJournal, with_many_uncounted_calls_costs_what_it_holds) {
  constexpr std::uint32_t calls = 400'000;
  const std::string names = [] {
    std::string text;
    for (std::uint32_t call = 0; call < calls; ++call)
      text += std::string("a") + static_cast<char>('a' + call % 26) + '\0';
    return text;
  }();
  JournalHeader header;
  std::memcpy(header.magic, journal_magic.data(), sizeof header.magic);
  header.calls = calls;
  header.names_offset = journal_header_bytes;
  header.names_bytes = static_cast<std::uint32_t>(names.size());
  header.counts_offset = static_cast<std::uint32_t>(journal_header_bytes + names.size());
  header.segment_bytes = 64;
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum = checksum(std::string_view(bytes).substr(0, sizeof header - sizeof header.checksum));
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.resize(journal_header_bytes);
  bytes += names + std::string(calls * sizeof(std::uint64_t), '\1');
  const auto journal = JournalImage::of(bytes);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->unrecorded_calls().size(), 26U);
}

} // namespace
} // namespace timeless::trace
