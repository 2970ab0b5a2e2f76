// The times of DUMPI's traces: what of them is computation, and when ranks began.
#include "tests/formats/dumpi_writer.h"
#include "tests/formats/told.h"
#include "tests/temporary_directory.h"
#include "tests/tools/command.h"
#include "trace/check/check.h"
#include "trace/formats/dumpi/dumpi.h"
#include "trace/model/clocks.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace timeless::trace::formats {
namespace {

using dumpi::Call;
using test::DumpiWriter;
using test::self;
using test::told;
using test::type_byte;
using test::world;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tools::test::Outcome;
using tools::test::timeless_command;

constexpr std::uint64_t one_second = 1'000'000'000;

class DumpiTimes : public testing::Test {
protected:
  std::unique_ptr<ImportedRun> read(const std::vector<DumpiWriter>& ranks, CallsAsComputation counted = {}) {
    return open_dumpi(write(ranks), {.counted = counted});
  }
  std::string write(const std::vector<DumpiWriter>& ranks) { return write_dumpi(directory_.path(), ranks).string(); }
  /// Returns when each rank's first action began, ns.
  static std::vector<std::uint64_t> starts(const Source& source) {
    std::vector<std::uint64_t> starts;
    for (Rank rank = 0; rank < source.run().size; ++rank) {
      ActionBlock block;
      const auto stream = source.open(rank);
      stream->next(block);
      stream->read_times(block);
      starts.push_back(block.times().front().entry);
    }
    return starts;
  }
  std::filesystem::path operator/(const char* name) const { return directory_ / name; }

private:
  timeless::test::TemporaryDirectory directory_;
};

/// Calls take 400 ns each, 600 ns apart.
DumpiWriter program() {
  DumpiWriter rank;
  rank.init().call(Call::Comm_rank, {world, 0});
  rank.call(Call::Irecv, {10, type_byte, 0, 4, self, 5}).call(Call::Test, {5, 0});
  rank.call(Call::Isend, {10, type_byte, 0, 4, self, 6}).call(Call::Function_enter, {4096});
  rank.call(Call::Waitall, {2, {5, 6}}, {{.bytes = 10, .source = 0, .tag = 4}, {}});
  rank.call(Call::Wtime, {}).finalize();
  return rank;
}

TEST_F(DumpiTimes, between_calls_and_in_local_ones_are_computation) {
  EXPECT_THAT(told(*read({program()}), 0),
              ElementsAre("compute 1600", "Irecv on 1 0 tag 4 10 B", "compute 600", "compute 600",
                          "Isend on 1 0 tag 4 10 B", "compute 1600", "Waitall #0 #1", "compute 1600", "Finalize"));
}

TEST_F(DumpiTimes, in_local_calls_are_nobodys_where_that_is_asked_for) {
  EXPECT_THAT(told(*read({program()}, {.local = false}), 0),
              ElementsAre("compute 1200", "Irecv on 1 0 tag 4 10 B", "compute 600", "compute 600",
                          "Isend on 1 0 tag 4 10 B", "compute 1600", "Waitall #0 #1", "compute 1200", "Finalize"));
}

TEST_F(DumpiTimes, in_nonblocking_calls_are_computation_after_them_where_that_is_asked_for) {
  const auto run = read({program()}, {.nonblocking = true});
  EXPECT_THAT(told(*run, 0),
              ElementsAre("compute 1600", "Irecv on 1 0 tag 4 10 B", "compute 1000", "compute 1000",
                          "Isend on 1 0 tag 4 10 B", "compute 2000", "Waitall #0 #1", "compute 1600", "Finalize"));
  EXPECT_THAT(check(*run).findings, IsEmpty()) << "times follow each other";
}

TEST_F(DumpiTimes, are_counted_as_the_commands_option_says) {
  DumpiWriter rank = program();
  const std::string trace = write({rank});
  const auto volume = [&](const std::string& calls) {
    const Outcome outcome = timeless_command({"info", "--from", "dumpi", trace, "--as-computation", calls, "--json"});
    return outcome.status == 0 ? nlohmann::json::parse(outcome.out).at("volume").dump() : outcome.err;
  };
  EXPECT_EQ(volume("local"), "6000.0");
  EXPECT_EQ(volume("nonblocking"), "6400.0");
  EXPECT_EQ(volume("local,nonblocking"), "7200.0");
  EXPECT_EQ(volume("none"), "5200.0");
  EXPECT_THAT(volume("none,local"), HasSubstr("give one or the other"));
  EXPECT_THAT(volume("blocking"), HasSubstr("nonblocking"));
  const std::string archive = (*this / "run.tia").string();
  ASSERT_EQ(timeless_command({"convert", "--from", "dumpi", trace, "-o", archive}).status, 0);
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"info", archive}, {"info", "--from", "ti", trace}}) {
    std::vector<std::string> words = other;
    words.insert(words.end(), {"--as-computation", "local"});
    EXPECT_EQ(timeless_command(words).status, 2);
  }
}

/// A rank that leaves MPI_Init 1 us after this time, and perhaps a barrier 11 us after `world_time`.
DumpiWriter beginning(const char* host, std::uint64_t time, std::optional<std::uint64_t> barrier,
                      dumpi::Version version = {13, 0, 0}) {
  DumpiWriter rank(version);
  rank.host(host).at(time).init();
  if (barrier) rank.at(*barrier + 10'000).call(Call::Barrier, {world});
  rank.finalize();
  return rank;
}

TEST_F(DumpiTimes, of_one_host_count_from_when_the_first_rank_left_init) {
  const auto run = read({beginning("a", one_second + 34'000'000, {}), beginning("a", one_second, {})});
  EXPECT_THAT(starts(*run), ElementsAre(34'000'000, 0));
  EXPECT_TRUE(clocks_agree(run->run()));
}

TEST_F(DumpiTimes, since_1970_are_one_clock_on_all_hosts) {
  const auto run = read({beginning("a", one_second, {}, {1, 0, 0}), beginning("b", one_second + 2000, {}, {1, 0, 0})});
  EXPECT_THAT(starts(*run), ElementsAre(0, 2000));
}

TEST_F(DumpiTimes, of_hosts_with_their_own_clocks_are_set_by_the_first_barrier_of_all) {
  // b's clock is 5 s ahead; there its second rank leaves the barrier later.
  const auto run = read({beginning("a", one_second, one_second), beginning("b", 6 * one_second + 2000, 6 * one_second),
                         beginning("b", 6 * one_second + 3000, 6 * one_second + 700)});
  EXPECT_THAT(starts(*run), ElementsAre(0, 2000, 3000));
  EXPECT_TRUE(clocks_agree(run->run()));
  EXPECT_THAT(run->run().ranks[0].notes, Contains(HasSubstr("set by when ranks left the first MPI_Barrier")));
}

TEST_F(DumpiTimes, that_cannot_be_compared_are_refused_as_a_global_clock) {
  const std::vector<DumpiWriter> ranks{beginning("a", one_second, {}), beginning("b", 6 * one_second + 2000, {})};
  EXPECT_THAT(starts(*read(ranks)), ElementsAre(0, 0));
  const std::string trace = write(ranks);
  const std::string archive = (*this / "run.tia").string();
  ASSERT_EQ(timeless_command({"convert", "--from", "dumpi", trace, "-o", archive}).status, 0);
  for (const char* const verb : {"replay", "classify"}) {
    const Outcome direct = timeless_command({verb, "--from", "dumpi", trace, "--network", "e1g", "--clock", "global"});
    EXPECT_EQ(direct.status, 2);
    EXPECT_THAT(direct.err, HasSubstr("--clock own"));
    EXPECT_EQ(timeless_command({verb, archive, "--network", "e1g", "--clock", "global"}).status, 2);
    EXPECT_EQ(timeless_command({verb, archive, "--network", "e1g", "--clock", "own"}).status, 0);
  }
}

TEST_F(DumpiTimes, begin_the_clocks_of_a_replay_where_that_is_asked_for) {
  const std::string trace = write({beginning("a", one_second, {}), beginning("a", one_second + 34'000'000, {})});
  const auto makespan = [&](const char* clock) {
    const Outcome outcome =
        timeless_command({"replay", "--from", "dumpi", trace, "--network", "e1g", "--clock", clock, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out).at("configurations").at(0).at("makespan_seconds").get<double>();
  };
  EXPECT_NEAR(makespan("own"), 600e-9, 1e-12);
  EXPECT_NEAR(makespan("global"), 34e-3 + 600e-9, 1e-12);
}

} // namespace
} // namespace timeless::trace::formats
