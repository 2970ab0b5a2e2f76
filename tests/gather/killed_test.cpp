// Gathering while processes die and calls on files fail: every process at every one of its steps. What must hold each
// time: the archive is whole under its name, or the sources are as they were; and a second run finishes, with the same
// bytes, and leaves nothing behind.
#include "tests/gather/forked_processes.h"
#include "tests/gather/synthetic_run.h"

#include "gather/gather.h"
#include "gather/merge/conversion.h"
#include "gather/merge/merge.h"
#include "gather/parts/rank_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace timeless::gather {
namespace {

namespace fs = std::filesystem;
using test::Fault;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class GatheringThatFails : public testing::Test {
protected:
  const test::TemporaryDirectory directory;
  const fs::path output = directory / "run.tia";
  const test::SyntheticRun run{.size = 4, .rounds = 3};

  fs::path node(int process) const { return directory / "current" / ("n" + std::to_string(process)); }

  /// The rank files of each process in a directory of its own, and what gathering them gives.
  void write_nodes(int nodes) {
    for (int rank = 0; rank < run.size; ++rank) {
      const fs::path place = directory / "original" / ("n" + std::to_string(rank % nodes));
      fs::create_directories(place);
      test::write_rank_file(run, rank, place);
    }
    fs::create_directories(directory / "all");
    const auto files = test::write_rank_files(run, directory / "all");
    merge(files, directory / "expected.tia");
    expected_ = content(directory / "expected.tia");
    fs::remove_all(directory / "all");
    reset();
    sources_ = test::contents(directory / "current");
  }

  void reset() const {
    fs::remove_all(directory / "current");
    fs::remove(output);
    fs::copy(directory / "original", directory / "current", fs::copy_options::recursive);
  }

  bool gathered() const { return fs::exists(output); }

  void expect_nothing_lost() const {
    if (gathered())
      EXPECT_TRUE(content(output) == expected_) << "what has the name is not the archive";
    else
      EXPECT_TRUE(test::contents(directory / "current") == sources_) << "sources were changed, and there is no archive";
  }

  void expect_finished() const {
    EXPECT_TRUE(content(output) == expected_) << "not the archive";
    for (const auto& entry : fs::directory_iterator(directory.path()))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".timeless")) << entry.path() << " is left";
  }

  std::string expected_;
  std::vector<std::pair<std::string, std::string>> sources_;
};

/// Every how manieth step is tried: all, as TIMELESS_TEST_STRIDE=1 asks for, take minutes.
std::uint64_t stride() {
  const char* given = std::getenv("TIMELESS_TEST_STRIDE");
  return given == nullptr ? 3 : std::strtoull(given, nullptr, 10);
}

class GatheringAcrossProcesses : public GatheringThatFails {
protected:
  static constexpr int nodes = 4;

  std::vector<test::ProcessEnd> gather_all(const test::PlannedFault& fault, bool remove) const {
    return test::run_processes(nodes, fault, [&](int process) {
      gather(MPI_COMM_WORLD, {.directory = node(process),
                              .output = output,
                              .arity = 1,
                              .remove = remove,
                              .node_name = "node" + std::to_string(process)});
    });
  }

  /// Each process at each step. With arity 1, process 0 is the root, 2 has 3 below it, 1 and 3 have nobody.
  void play(Fault fault, const std::function<void(const std::vector<test::ProcessEnd>&)>& look) {
    write_nodes(nodes);
    reset();
    const auto without = gather_all({}, true);
    for (const test::ProcessEnd& end : without)
      ASSERT_EQ(end.status, 0) << end.message;
    expect_finished();
    int played = 0;
    for (int process = 0; process < nodes; ++process) {
      // Whether a receive is asked for before or after another differs from run to run: until no more come.
      for (std::uint64_t step = 1 + static_cast<std::uint64_t>(process) % stride();; step += stride()) {
        SCOPED_TRACE("process " + std::to_string(process) + ", step " + std::to_string(step));
        reset();
        const auto ends = gather_all({.fault = fault, .process = process, .step = step}, true);
        const test::ProcessEnd& end = ends[static_cast<std::size_t>(process)];
        if (!end.fault_came && end.steps < step) break;
        if (!end.fault_came) continue;
        ++played;
        look(ends);
        expect_nothing_lost();
        // Where the archive is whole its sources may be gone already, and what could not be removed is left.
        if (gathered()) continue;
        for (const test::ProcessEnd& again : gather_all({}, false))
          ASSERT_EQ(again.status, 0) << again.message;
        expect_finished();
        if (HasFailure()) return;
      }
      ASSERT_GT(without[static_cast<std::size_t>(process)].steps, 60U);
    }
    RecordProperty("steps", played);
    std::printf("%d steps\n", played);
  }
};

TEST_F(GatheringAcrossProcesses, loses_nothing_whichever_process_is_killed_at_whichever_step) {
  play(Fault::killed, [](const auto& ends) {
    EXPECT_TRUE(std::ranges::all_of(ends, [](const auto& end) { return end.signal != SIGALRM; })) << "hangs";
  });
}

TEST_F(GatheringAcrossProcesses, ends_with_one_and_the_same_error_whichever_call_on_a_file_fails) {
  play(Fault::input_output_error, [this](const auto& ends) {
    for (const test::ProcessEnd& end : ends) {
      EXPECT_EQ(end.signal, 0) << "hangs";
      EXPECT_EQ(end.message, ends.front().message);
    }
    EXPECT_TRUE(gathered() || !ends.front().message.empty()) << "no archive, and not a word";
  });
}

/// Of one process: `act` writes the output.
class GatheringInOneProcess : public GatheringThatFails {
protected:
  void play(Fault fault, const std::function<void(bool again)>& act) {
    const auto run_once = [&](const test::PlannedFault& planned, bool again) {
      return test::run_processes(1, planned, [&](int) { act(again); }).front();
    };
    reset();
    const test::ProcessEnd without = run_once({}, false);
    ASSERT_EQ(without.status, 0) << without.message;
    expect_finished();
    ASSERT_GT(without.steps, 30U);
    int played = 0;
    for (std::uint64_t step = 1; step <= without.steps; step += stride()) {
      SCOPED_TRACE("step " + std::to_string(step) + " of " + std::to_string(without.steps));
      reset();
      const test::ProcessEnd end = run_once({.fault = fault, .step = step}, false);
      EXPECT_TRUE(end.fault_came);
      EXPECT_EQ(end.signal, fault == Fault::killed ? SIGKILL : 0);
      EXPECT_TRUE(fault == Fault::killed || gathered() || !end.message.empty()) << "no archive, and not a word";
      expect_nothing_lost();
      ++played;
      if (gathered()) continue;
      const test::ProcessEnd second = run_once({}, true);
      ASSERT_EQ(second.status, 0) << second.message;
      expect_finished();
      if (HasFailure()) return;
    }
    std::printf("%d steps\n", played);
  }

  std::function<void(bool)> gathering() {
    write_nodes(1);
    return [this](bool again) {
      std::vector<fs::path> files;
      for (const RankFile& file : list_rank_files(node(0)))
        files.push_back(file.path);
      merge(files, output, {.remove = !again});
    };
  }
};

TEST_F(GatheringInOneProcess, loses_nothing_at_whichever_call_it_is_killed) {
  play(Fault::killed, gathering());
}
TEST_F(GatheringInOneProcess, loses_nothing_whichever_call_meets_an_input_or_output_error) {
  play(Fault::input_output_error, gathering());
}
TEST_F(GatheringInOneProcess, loses_nothing_at_whichever_call_the_disk_is_full) {
  play(Fault::disk_full, gathering());
}

TEST_F(GatheringInOneProcess, conversion_leaves_nothing_behind_for_long_at_whichever_call_it_is_killed) {
  write_nodes(1);
  convert(directory / "original" / "n0", directory / "expected.tia", {.force = true});
  expected_ = content(directory / "expected.tia");
  play(Fault::killed, [this](bool) { convert(node(0), output); });
}

} // namespace
} // namespace timeless::gather
