#include "base/error.h"
#include "tests/temporary_directory.h"
#include "trace/archive/reader.h"
#include "trace/archive/writer.h"
#include "trace/journal/owner.h"
#include "trace/journal/segment_log.h"
#include "tracer/storage/block_queue.h"
#include "tracer/storage/journal.h"

#include <gmock/gmock.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>

/// The journal as the recorder writes it and as a reader of the rank's file sees it.
namespace timeless::tracer {

namespace {

using test::TemporaryDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string text(const Action& action, std::uint64_t volume) {
  std::string text = mpi_name(action) + " " + std::to_string(action.peer) + " " + std::to_string(action.bytes) + " " +
                     std::to_string(action.communicator) + " " + std::to_string(static_cast<int>(action.kernel)) + " " +
                     std::to_string(volume);
  for (const trace::Bytes count : action.counts)
    text += " " + std::to_string(count);
  return text;
}

constexpr std::uint64_t run_identity = 77;
constexpr std::size_t blocks_held = 2;

/// A rank's file being recorded beside its journal, without MPI, and what should be read from the two.
class Recording {
public:
  explicit Recording(const std::filesystem::path& directory, std::size_t actions_per_block = 16, bool times = false)
      : path(directory / "rank-000000.tia"), writer(path),
        queue(actions_per_block, blocks_held, [this](const trace::ActionBlock& block) { write(block); }) {
    trace::Definitions definitions;
    definitions.size = 2;
    definitions.provenance = trace::Provenance{.run_identity = run_identity};
    definitions.hosts.push_back({.name = "here"});
    definitions.communicators.push_back({.members = {0, 1}, .identity = 1});
    definitions.ranks.push_back({.rank = 0});
    writer.define(definitions);
    journal.emplace(trace::journal_beside(path), Journal::Setup{.run_identity = run_identity,
                                                                .rank = 0,
                                                                .world = 1000,
                                                                .calls = {"MPI_Send", "MPI_Recv"},
                                                                .blocks = blocks_held + 1,
                                                                .actions_per_block = actions_per_block,
                                                                .times = times});
    queue.keep(*journal, [] {});
    if (times) queue.stamp({});
  }

  ActionPosition append(const Action& action, bool unsettled = false) {
    expected.push_back(text(action, 0));
    return queue.append(action, unsettled);
  }
  void compute(trace::KernelId kernel, std::uint64_t volume) {
    expected.push_back(text({.kind = ActionKind::compute, .kernel = kernel}, volume));
    queue.append_volume(ActionKind::compute, kernel, volume);
  }
  /// Defines another kernel, as the recorder does.
  trace::KernelId kernel() {
    trace::JournalDefinitions more;
    more.first_communicator = 1;
    more.first_kernel = kernels;
    if (kernels == 0) more.definitions.modules = {{.path = "/bin/program"}};
    more.first_module = kernels == 0 ? 0 : 1;
    more.definitions.kernels = {{{0, kernels}, {0, kernels + 1}}};
    undefined.modules.insert(undefined.modules.end(), more.definitions.modules.begin(), more.definitions.modules.end());
    undefined.kernels.push_back(more.definitions.kernels.front());
    if (!queue.define(encode(more))) define();
    return kernels++;
  }
  void define() {
    if (!undefined.empty()) writer.define(undefined);
    undefined = {};
  }
  void write(const trace::ActionBlock& block) {
    define();
    writer.write(0, block);
  }

  const std::filesystem::path path;
  trace::ArchiveWriter writer;
  BlockQueue queue;
  std::optional<Journal> journal;
  std::vector<std::string> expected;
  trace::KernelId kernels = 0;
  trace::Definitions undefined; ///< in the file
};

struct Read {
  std::vector<std::string> actions;
  trace::RankRecord record;
  std::string damage;
};

Read read(const std::filesystem::path& path) {
  const trace::ArchiveReader reader(path);
  Read read{.actions = {}, .record = reader.run().ranks.at(0), .damage = {}};
  for (const trace::Damage& damage : reader.damage())
    read.damage += damage.what;
  const auto stream = reader.open(0);
  trace::ActionBlock block;
  while (stream->next(block))
    trace::for_each_action(
        block, [&](const Action& action, std::uint64_t volume) { read.actions.push_back(text(action, volume)); });
  EXPECT_EQ(read.record.actions, read.actions.size());
  return read;
}

Action send(trace::Rank peer, trace::Bytes bytes = 8) {
  return {.kind = ActionKind::send, .peer = peer, .bytes = bytes};
}

Action receive(trace::Rank peer) {
  return {.kind = ActionKind::receive, .peer = peer, .request = 0};
}

TEST(Journal, holds_every_action_from_the_moment_it_is_recorded) {
  const TemporaryDirectory directory;
  Recording recording(directory.path());
  EXPECT_THAT(read(recording.path).actions, ElementsAre());
  for (int i = 0; i < 100; ++i) {
    recording.append(send(i % 2, static_cast<trace::Bytes>(i / 7)));
    const Read now = read(recording.path);
    ASSERT_EQ(now.actions, recording.expected);
    ASSERT_EQ(now.damage, "");
    EXPECT_EQ(now.record.ending, trace::Ending::unknown);
    EXPECT_THAT(now.record.ending_reason, HasSubstr("still running: process " + std::to_string(::getpid())));
  }
}

TEST(Journal, shows_what_a_receive_has_learnt_since_it_was_recorded) {
  const TemporaryDirectory directory;
  Recording recording(directory.path());
  const ActionPosition first = recording.append(receive(trace::any_rank), true);
  for (int i = 0; i < 20; ++i)
    recording.append(send(0));
  const ActionPosition second = recording.append(receive(trace::any_rank), true);
  for (const auto& [place, position] : {std::pair(first, 0), std::pair(second, 21)}) {
    recording.queue.replace(place, receive(1));
    recording.expected[static_cast<std::size_t>(position)] = text(receive(1), 0);
    EXPECT_EQ(read(recording.path).actions, recording.expected);
    recording.queue.settle(place);
    EXPECT_EQ(read(recording.path).actions, recording.expected);
  }
}

TEST(Journal, holds_the_definitions_that_its_actions_use) {
  const TemporaryDirectory directory;
  Recording recording(directory.path());
  for (std::uint64_t i = 0; i < 10; ++i) {
    recording.compute(recording.kernel(), 1000000 * i);
    const trace::ArchiveReader reader(recording.path);
    ASSERT_EQ(reader.run().kernels.size(), i + 1);
    EXPECT_EQ(reader.run().kernels.back().begin.offset, i);
    EXPECT_THAT(reader.run().modules, ElementsAre(trace::Module{.path = "/bin/program"}));
  }
  EXPECT_EQ(read(recording.path).actions, recording.expected);
}

/// Does something a program might do; `open` are receives whose source is not known.
void do_something(Recording& recording, std::mt19937& random, std::vector<std::pair<ActionPosition, std::size_t>>& open,
                  std::size_t most_counts = 200) {
  const auto peer = static_cast<trace::Rank>(random() % 2);
  switch (random() % 8) {
  case 0:
    return recording.compute(recording.kernels == 0 || random() % 9 == 0
                                 ? recording.kernel()
                                 : static_cast<trace::KernelId>(random() % recording.kernels),
                             random() % 3 == 0 ? std::uint64_t{random()} << 32U : random() % 1000);
  case 1:
    open.emplace_back(recording.append(receive(trace::any_rank), true), 0);
    open.back().second = recording.expected.size() - 1;
    return;
  case 2: {
    if (open.empty()) return;
    const auto [place, position] = open.back();
    open.pop_back();
    if (!recording.queue.holds(place)) return;
    recording.queue.replace(place, receive(peer));
    recording.expected[position] = text(receive(peer), 0);
    return recording.queue.settle(place);
  }
  case 3: {
    std::vector<trace::Bytes> counts(random() % most_counts);
    for (trace::Bytes& count : counts)
      count = random();
    recording.append({.kind = ActionKind::alltoallv, .counts = counts});
    return;
  }
  default:
    recording.append(send(peer, random() % 50));
  }
}

TEST(Journal, agrees_with_what_was_recorded_through_a_random_program) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const TemporaryDirectory directory;
    Recording recording(directory.path(), 64);
    std::mt19937 random(seed);
    std::vector<std::pair<ActionPosition, std::size_t>> open;
    for (int step = 0; step < 600; ++step) {
      do_something(recording, random, open);
      if (step % 7 != 0) continue;
      const Read now = read(recording.path);
      ASSERT_EQ(now.damage, "");
      ASSERT_EQ(now.actions, recording.expected) << seed << ' ' << step;
    }
  }
}

std::vector<trace::ActionTimes> times_in(const std::filesystem::path& path) {
  const trace::ArchiveReader reader(path);
  const auto stream = reader.open(0);
  std::vector<trace::ActionTimes> times;
  trace::ActionBlock block;
  while (stream->next(block)) {
    stream->read_times(block);
    EXPECT_EQ(block.times().size(), block.size());
    times.insert(times.end(), block.times().begin(), block.times().end());
  }
  return times;
}

TEST(Journal, holds_the_times_of_every_action) {
  const TemporaryDirectory directory;
  Recording recording(directory.path(), 16, true);
  const trace::KernelId kernel = recording.kernel();
  std::vector<trace::ActionTimes> expected;
  for (std::uint64_t i = 0; i < 100; ++i) {
    // Threads follow each other: now and then one begins before another has ended.
    const std::uint64_t entry = 1'000'000'000'000 + 100 * i - (i % 9 == 0 ? 5000 : 0);
    expected.push_back({entry, entry + i * i});
    recording.queue.stamp(expected.back());
    if (i % 3 == 0)
      recording.compute(kernel, i);
    else
      recording.append(i % 5 == 0 ? receive(trace::any_rank) : send(1, i / 7));
    ASSERT_EQ(times_in(recording.path), expected) << i;
  }
  EXPECT_GT(recording.writer.actions_written(0), 0U);
  EXPECT_EQ(read(recording.path).actions, recording.expected);
}

TEST(Journal, older_than_the_file_adds_only_what_the_file_lacks) {
  const TemporaryDirectory directory;
  const TemporaryDirectory copy;
  Recording recording(directory.path(), 32);
  std::mt19937 random(5);
  std::vector<std::pair<ActionPosition, std::size_t>> none;
  const auto do_it = [&](std::size_t times) {
    for (std::size_t i = 0; i < times; ++i)
      recording.append(send(static_cast<trace::Rank>(random() % 2), random() % 20));
  };
  for (std::size_t later = 0; later < 100; later += 9) {
    do_it(13);
    const std::string journal = bytes_of(trace::journal_beside(recording.path));
    const std::size_t then = recording.expected.size();
    do_it(later);
    write_bytes(copy / "rank-000000.tia", bytes_of(recording.path));
    write_bytes(copy / "rank-000000.journal", journal);
    const Read seen = read(copy / "rank-000000.tia");
    ASSERT_GE(seen.actions.size(), then);
    ASSERT_TRUE(std::equal(seen.actions.begin(), seen.actions.end(), recording.expected.begin()));
    EXPECT_EQ(seen.damage, "");
  }
}

TEST(Journal, has_no_room_for_a_huge_action_which_is_in_the_file_at_once) {
  const TemporaryDirectory directory;
  Recording recording(directory.path());
  const std::vector<trace::Bytes> counts(100000, 1U << 30U);
  recording.append(receive(trace::any_rank), true);
  recording.append({.kind = ActionKind::alltoallv, .counts = counts});
  EXPECT_EQ(recording.writer.actions_written(0), 2U);
  EXPECT_EQ(read(recording.path).actions, recording.expected);
  recording.append(send(1));
  EXPECT_EQ(read(recording.path).actions, recording.expected);
}

TEST(Journal, ends_a_block_early_when_its_log_is_full) {
  const TemporaryDirectory directory;
  Recording recording(directory.path(), 4096);
  std::vector<trace::Bytes> counts(1000);
  for (trace::Bytes i = 0; i < 200; ++i) {
    counts[0] = i;
    recording.append({.kind = ActionKind::alltoallv, .counts = counts});
  }
  EXPECT_GT(recording.writer.actions_written(0), 0U);
  EXPECT_EQ(read(recording.path).actions, recording.expected);
}

TEST(Journal, of_another_run_or_beside_a_finished_file_is_ignored) {
  const TemporaryDirectory directory;
  const TemporaryDirectory other;
  std::string journal;
  {
    Recording recording(directory.path());
    recording.append(send(1));
    journal = bytes_of(trace::journal_beside(recording.path));
    recording.queue.flush();
    trace::Definitions end;
    end.ranks.push_back({.rank = 0, .ending = trace::Ending::finalized, .actions = 1});
    recording.writer.define(end);
    recording.writer.finish();
  }
  write_bytes(directory / "rank-000000.journal", journal);
  EXPECT_EQ(read(directory / "rank-000000.tia").record.ending, trace::Ending::finalized);
  {
    trace::ArchiveWriter writer(other / "rank-000000.tia");
    trace::Definitions definitions;
    definitions.size = 1;
    definitions.provenance = trace::Provenance{.run_identity = run_identity + 1};
    definitions.hosts.push_back({.name = "here"});
    definitions.ranks.push_back({.rank = 0});
    writer.define(definitions);
  }
  write_bytes(other / "rank-000000.journal", journal);
  EXPECT_THAT(read(other / "rank-000000.tia").actions, ElementsAre());
  EXPECT_EQ(read(other / "rank-000000.tia").record.ending_reason, "");
}

TEST(Journal, tells_which_signal_ended_the_process_and_in_which_call) {
  const TemporaryDirectory directory;
  Recording recording(directory.path());
  recording.append(send(1));
  trace::JournalThread* const thread = recording.journal->claim_thread();
  ASSERT_NE(thread, nullptr);
  thread->call = (5U << 16U) | 2U;
  recording.journal->note_signal({.number = SIGTERM, .code = SI_USER, .sender = 4711});
  const Read seen = read(recording.path);
  EXPECT_EQ(seen.record.ending, trace::Ending::stopped);
  EXPECT_EQ(seen.record.ending_reason, "killed by SIGTERM (Terminated), sent by process 4711, in MPI_Recv");
}

TEST(Journal, tells_the_calls_that_were_not_recorded) {
  const TemporaryDirectory directory;
  Recording recording(directory.path());
  recording.journal->count_unrecorded(1);
  recording.journal->count_unrecorded(1);
  EXPECT_EQ(read(recording.path).record.unrecorded_calls, (std::map<std::string, std::uint64_t>{{"MPI_Recv", 2}}));
}

TEST(Journal, finds_out_that_its_process_is_gone) {
  const TemporaryDirectory directory;
  Recording recording(directory.path());
  std::string bytes = bytes_of(trace::journal_beside(recording.path));
  const auto image = trace::JournalImage::of(bytes);
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(find_owner(*image, trace::journal_beside(recording.path)), trace::JournalOwner::running);
  EXPECT_EQ(find_owner(*image, "/elsewhere/rank-000001.journal"), trace::JournalOwner::replaced)
      << "a process that no longer has it";
  EXPECT_EQ(trace::start_of_process(image->header().process), image->header().process_start);
}

TEST(Journal, that_loses_its_file_leaves_a_recording_without) {
  const TemporaryDirectory directory;
  Recording recording(directory.path());
  recording.append(send(1));
  recording.journal->detach();
  for (int i = 0; i < 100; ++i)
    recording.append(send(0));
  EXPECT_EQ(recording.writer.actions_written(0), 96U) << "in whole blocks";
}

TEST(Journal, beyond_the_limit_on_file_sizes_is_an_error_and_no_signal) {
  const TemporaryDirectory directory;
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 10000, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(Journal(directory / "rank-000000.journal", {.blocks = 3, .actions_per_block = 16}), Error);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(std::filesystem::exists(directory / "rank-000000.journal"));
}

/// A file and a journal to be damaged, and the actions they hold together.
class JournalDamage : public testing::Test {
protected:
  JournalDamage() {
    Recording recording(directory_ / "whole", 256);
    std::mt19937 random(11);
    std::vector<std::pair<ActionPosition, std::size_t>> open;
    while (recording.expected.size() < 500)
      do_something(recording, random, open, 3);
    in_file_ = recording.writer.actions_written(0);
    expected_ = recording.expected;
    archive_ = bytes_of(recording.path);
    journal_ = bytes_of(trace::journal_beside(recording.path));
    write_bytes(path(), archive_);
  }

  std::filesystem::path path() const { return directory_ / "rank-000000.tia"; }

  /// What is read is a part of what was recorded, from its begin, and no less than the file has.
  std::size_t expect_prefix(std::string_view journal) const {
    write_bytes(trace::journal_beside(path()), journal);
    const Read seen = read(path());
    EXPECT_GE(seen.actions.size(), in_file_);
    EXPECT_LE(seen.actions.size(), expected_.size());
    // A receive whose replacement was damaged is as it was recorded first.
    for (std::size_t i = 0; i < seen.actions.size(); ++i)
      if (seen.actions[i] != expected_[i]) {
        EXPECT_EQ(seen.actions[i], text(receive(trace::any_rank), 0)) << i;
      }
    return seen.actions.size();
  }

  struct WithDirectory : TemporaryDirectory {
    WithDirectory() { std::filesystem::create_directory(path() / "whole"); }
  } directory_;
  std::size_t in_file_ = 0;
  std::vector<std::string> expected_;
  std::string archive_;
  std::string journal_;
};

TEST_F(JournalDamage, is_not_there_when_nothing_is_damaged) {
  EXPECT_EQ(expect_prefix(journal_), expected_.size());
  EXPECT_LT(in_file_, expected_.size());
}

TEST_F(JournalDamage, of_any_one_byte_never_changes_an_action) {
  std::size_t damaged = 0;
  for (std::size_t position = 0; position < journal_.size(); ++position) {
    // Of what was never written, some.
    if (journal_[position] == '\0' && position % 997 != 0) continue;
    std::string bytes = journal_;
    bytes[position] = static_cast<char>(bytes[position] ^ (1 << (position % 8)));
    if (expect_prefix(bytes) < expected_.size()) ++damaged;
    if (HasFailure()) FAIL() << position;
  }
  EXPECT_GT(damaged, 100U);
}

TEST_F(JournalDamage, costs_no_more_than_what_stands_after_the_last_check_before_it) {
  const auto image = trace::JournalImage::of(journal_);
  ASSERT_TRUE(image.has_value());
  const trace::JournalImage::Segment& last = image->segments().back();
  ASSERT_GT(last.bytes, 2 * trace::bytes_per_check);
  std::string bytes = journal_;
  bytes[last.offset + last.bytes - 1] ^= 1;
  const trace::SegmentLog whole = image->log(last);
  const trace::SegmentLog rest = trace::JournalImage::of(bytes)->log(last);
  EXPECT_EQ(whole.damage, "");
  EXPECT_NE(rest.damage, "");
  EXPECT_GT(rest.block.size(), whole.block.size() / 4);
}

TEST_F(JournalDamage, by_a_cut_at_any_place_leaves_what_is_before) {
  for (std::size_t size = 0; size < journal_.size(); size += 151)
    expect_prefix(std::string_view(journal_).substr(0, size));
}

TEST_F(JournalDamage, at_random_never_does_more_than_cost_actions) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string bytes = journal_;
    for (auto change = random() % 20 + 1; change > 0; --change)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    expect_prefix(bytes);
  }
}

/// A log by someone who knows how checks are made.
class Forged {
public:
  void value(std::uint64_t value) {
    check_.add(value);
    for (; value >= 0x80U; value >>= 7U)
      bytes_.push_back(static_cast<char>(value | 0x80U));
    bytes_.push_back(static_cast<char>(value));
  }
  trace::SegmentLog read() const { return trace::read_segment_log(bytes_, 1, 0, check_.value(), false); }

private:
  std::string bytes_;
  trace::JournalCheck check_{1, 0};
};

TEST(ForgedLog, of_entries_that_were_not_made_is_refused) {
  Forged log;
  log.value(trace::record_entry + 3);
  EXPECT_THAT(log.read().damage, HasSubstr("an entry that was not made"));
}

TEST(ForgedLog, of_a_replacement_beyond_its_actions_is_refused) {
  Forged log;
  log.value(trace::record_replacement);
  log.value(1U << 30U);
  log.value(trace::record_entry);
  EXPECT_NE(log.read().damage, "");
}

} // namespace

} // namespace timeless::tracer
