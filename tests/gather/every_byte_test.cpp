// Small archives with each byte changed, and cut short at each byte: what is read is right, or said to be damaged.
#include "base/error.h"
#include "gather/merge/merge.h"
#include "tests/gather/synthetic_run.h"
#include "tests/temporary_directory.h"
#include "tests/trace/samples.h"
#include "trace/archive/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace timeless::gather {
namespace {

using trace::test::OwnedAction;

struct RankContent {
  std::vector<OwnedAction> actions;
  std::vector<trace::ActionTimes> times; ///< as many, or none
  bool whole = true;                     ///< no error has ended it
};

RankContent content_of(const trace::ArchiveReader& archive, trace::Rank rank) {
  RankContent content;
  trace::ActionBlock block;
  try {
    for (const auto stream = archive.open(rank); stream->next(block);) {
      stream->read_times(block);
      content.times.insert(content.times.end(), block.times().begin(), block.times().end());
      for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
        content.actions.emplace_back(action, volume);
      });
    }
  } catch (const Error& problem) {
    EXPECT_EQ(problem.failure(), Failure::invalid_input) << problem.what();
    content.whole = false;
  }
  return content;
}

/// Makes an archive at a path.
struct Sample {
  const char* name;
  std::function<void(const std::filesystem::path&)> make;
};

void PrintTo(const Sample& sample, std::ostream* out) {
  *out << sample.name;
}

class EveryByte : public testing::TestWithParam<Sample> {
protected:
  EveryByte() {
    GetParam().make(path());
    bytes_ = trace::test::file_bytes(path());
    const trace::ArchiveReader archive(path());
    run_ = definitions_of(archive.run());
    for (const trace::RankRecord& record : archive.run().ranks)
      ranks_.push_back(content_of(archive, record.rank));
  }

  std::filesystem::path path() const { return directory_ / "damaged.tia"; }

  /// Reads these bytes; says what is wrong about what is read, or nothing.
  std::string verdict(const std::string& bytes) {
    trace::test::write_bytes(path(), bytes);
    try {
      const trace::ArchiveReader archive(path());
      const bool silent = archive.damage().empty() && archive.finished();
      if (silent && definitions_of(archive.run()) != run_) return "the run differs, and nothing is said";
      for (const trace::RankRecord& original : run_.ranks) {
        if (archive.run().find(original.rank) == nullptr) {
          if (silent) return "a rank is gone, and nothing is said";
          continue;
        }
        const std::string found = compare(content_of(archive, original.rank),
                                          ranks_[static_cast<std::size_t>(&original - run_.ranks.data())], silent);
        if (!found.empty()) return found;
      }
    } catch (const Error& problem) {
      if (problem.failure() != Failure::invalid_input) return problem.what();
    }
    return "";
  }

  static std::string compare(const RankContent& found, const RankContent& original, bool silent) {
    if (found.actions.size() > original.actions.size()) return "more actions than there were";
    const std::span<const OwnedAction> actions = original.actions;
    if (!same_actions(found.actions, actions.first(found.actions.size()))) return "an action differs";
    const std::size_t times = std::min(found.times.size(), original.times.size());
    if (!std::equal(found.times.begin(), found.times.begin() + static_cast<std::ptrdiff_t>(times),
                    original.times.begin()))
      return "a time differs";
    const bool complete =
        found.actions.size() == original.actions.size() && found.times.size() == original.times.size();
    return silent && found.whole && !complete ? "something is missing, and nothing is said" : "";
  }

  timeless::test::TemporaryDirectory directory_;
  std::string bytes_;
  trace::Definitions run_;
  std::vector<RankContent> ranks_;
};

TEST_P(EveryByte, changed_is_never_taken_for_right) {
  ASSERT_EQ(verdict(bytes_), "");
  for (const int change : {0x01, 0xff})
    for (std::size_t place = 0; place < bytes_.size(); ++place) {
      std::string bytes = bytes_;
      bytes[place] = static_cast<char>(bytes[place] ^ change);
      const std::string wrong = verdict(bytes);
      ASSERT_EQ(wrong, "") << "byte " << place << " of " << bytes_.size() << ", changed by " << change;
    }
}

TEST_P(EveryByte, that_is_the_last_leaves_what_stands_before_it) {
  for (std::size_t size = 0; size < bytes_.size(); ++size)
    ASSERT_EQ(verdict(bytes_.substr(0, size)), "") << "cut to " << size << " of " << bytes_.size() << " bytes";
}

void copy_fixture(const char* name, const std::filesystem::path& path) {
  std::filesystem::copy_file(std::filesystem::path(TIMELESS_FIXTURES) / name, path);
}

void gather_synthetic(timeless::test::SyntheticRun run, const std::filesystem::path& path) {
  const timeless::test::TemporaryDirectory directory;
  merge(write_rank_files(run, directory.path()), path);
}

const Sample samples[] = {
    {"regions", [](const auto& path) { copy_fixture("v2-regions.tia", path); }},
    {"one_sided", [](const auto& path) { copy_fixture("v2-windows.tia", path); }},
    {"gathered", [](const auto& path) { gather_synthetic({.size = 3, .rounds = 6, .actions_per_block = 40}, path); }},
    {"gathered_with_times",
     [](const auto& path) {
       gather_synthetic({.size = 2, .rounds = 4, .actions_per_block = 40, .timed = true}, path);
     }},
};
INSTANTIATE_TEST_SUITE_P(Archives, EveryByte, testing::ValuesIn(samples),
                         [](const auto& parameter) { return parameter.param.name; });

} // namespace
} // namespace timeless::gather
