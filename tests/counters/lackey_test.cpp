// Valgrind's own tool lackey counts by calling a function at every instruction: slow, simple and independent.
#include "tests/counters/counted.h"
#include "tests/temporary_directory.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

namespace timeless::test {
namespace {

namespace fs = std::filesystem;

/// Both tools in one directory, so that the program's environment is the same under either.
class Lackey : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    const fs::path core = fs::canonical(fs::path(ICOUNT_DIRECTORY) / "vgpreload_core-amd64-linux.so");
    const fs::path lackey = core.parent_path() / "lackey-amd64-linux";
    if (!fs::exists(lackey)) GTEST_SKIP() << "this Valgrind came without lackey";
    for (const fs::path& file : {core, lackey, core.parent_path() / "default.supp", fs::path(ICOUNT_TOOL)})
      fs::create_symlink(file, directory_ / file.filename().string());
  }

  /// Returns what the tool says it counted; `before` is the text before the number, in its line.
  std::uint64_t counted_by(const std::string& tool, const std::string& options, const std::string& before) {
    const std::string place = directory_.path().string();
    const Counted run = run_command("env -i PATH=/usr/bin:/bin VALGRIND_LIB=" + place + " VALGRIND_LAUNCHER=" + place +
                                    "/valgrind " + place + "/" + tool + "-amd64-linux --tool=" + tool +
                                    " --command-line-only=yes --vgdb=no " + options + " " + GetParam() + " </dev/null");
    EXPECT_EQ(run.status, 0) << run.all;
    const std::size_t found = run.all.find(before);
    if (found == std::string::npos) throw std::runtime_error("no '" + before + "' in:\n" + run.all);
    std::string number = run.all.substr(found + before.size(), run.all.find('\n', found) - found - before.size());
    std::erase(number, ',');
    return std::stoull(number);
  }

  TemporaryDirectory directory_;
};

TEST_P(Lackey, counts_the_same_when_icount_counts_every_repetition) {
  const std::uint64_t lackey = counted_by("lackey", "--basic-counts=yes", "guest instrs:");
  const std::uint64_t every = counted_by("icount", "--summary=yes --rep-once=no", "icount: ");
  const std::uint64_t once = counted_by("icount", "--summary=yes", "icount: ");
  EXPECT_GT(lackey, 50'000U);
  EXPECT_EQ(every, lackey);
  EXPECT_LE(once, lackey);
}

INSTANTIATE_TEST_SUITE_P(Programs, Lackey,
                         testing::Values("/bin/true", SUMS_PROGRAM, "/usr/bin/sort /etc/passwd",
                                         "/usr/bin/awk '{ n += length($0) } END { print n, sin(n) }' /etc/passwd",
                                         "/bin/sh -c 'i=0; while [ $i -lt 500 ]; do i=$((i + 1)); done'",
                                         COUNT_PROGRAM " none alone"));

} // namespace
} // namespace timeless::test
