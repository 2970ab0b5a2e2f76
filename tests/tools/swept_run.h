#pragma once

#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace timeless::tools::test {

/// Four ranks that compute unequally, pass large and small messages around, and meet.
class SweptRun : public testing::Test {
protected:
  SweptRun() {
    trace::MemorySource run(4);
    for (int round = 0; round < 5; ++round)
      for (trace::Rank rank = 0; rank < 4; ++rank) {
        run.compute(rank, 1'000'000 + 300'000 * static_cast<std::uint64_t>(rank));
        const trace::Rank next = (rank + 1) % 4;
        const trace::Rank before = (rank + 3) % 4;
        run.add(rank, {.kind = trace::ActionKind::send, .peer = next, .tag = 7, .bytes = 50'000});
        run.add(rank, {.kind = trace::ActionKind::receive, .peer = before, .tag = 7, .bytes = 50'000});
        run.add(rank, {.kind = trace::ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
      }
    run.finalize();
    ::timeless::trace::test::write_archive(run, directory_ / "run.tia");
  }

  std::string path() const { return directory_ / "run.tia"; }

  nlohmann::json answer(const std::string& verb, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {verb, path(), "--json"});
    const Outcome outcome = timeless_command(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }

  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(directory_ / name) << content;
    return directory_ / name;
  }

  ::timeless::trace::test::TemporaryDirectory directory_;
};

} // namespace timeless::tools::test
