#include "gather/tree/tree.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace timeless::gather {
namespace {

/// Runs the plans of all processes against one another, as the processes would; returns what process 0 then holds.
std::multiset<int> run_tree(int processes, int arity) {
  std::vector<std::vector<TreeStep>> plans;
  std::vector<std::multiset<int>> held;
  for (int process = 0; process < processes; ++process) {
    plans.push_back(tree_plan(process, processes, arity));
    held.push_back({process});
  }
  for (std::size_t step = 0; step < static_cast<std::size_t>(tree_steps(processes, arity)); ++step) {
    std::map<int, std::set<int>> sent;
    for (int process = 0; process < processes; ++process)
      if (const auto to = plans[static_cast<std::size_t>(process)][step].send_to) sent[*to].insert(process);
    for (int process = 0; process < processes; ++process) {
      const TreeStep& does = plans[static_cast<std::size_t>(process)][step];
      EXPECT_LE(does.receive_from.size(), static_cast<std::size_t>(arity));
      EXPECT_FALSE(does.send_to && !does.receive_from.empty());
      EXPECT_EQ(std::set<int>(does.receive_from.begin(), does.receive_from.end()), sent[process]);
      for (const int from : does.receive_from) {
        held[static_cast<std::size_t>(process)].merge(held[static_cast<std::size_t>(from)]);
      }
    }
  }
  for (std::size_t process = 1; process < held.size(); ++process)
    EXPECT_TRUE(held[process].empty()) << "process " << process << " kept data";
  return held[0];
}

TEST(Tree, everyones_data_reaches_process_0_exactly_once_for_every_size_and_arity) {
  for (int processes = 1; processes <= 300; processes += processes < 70 ? 1 : 23) {
    std::multiset<int> everyone;
    for (int process = 0; process < processes; ++process)
      everyone.insert(process);
    for (int arity = 1; arity <= 32; ++arity)
      ASSERT_EQ(run_tree(processes, arity), everyone) << processes << " processes, arity " << arity;
  }
}

TEST(Tree, takes_the_least_number_of_steps_whose_power_of_arity_plus_one_reaches_all_processes) {
  for (int processes = 1; processes <= 2000; ++processes)
    for (int arity = 1; arity <= 32; ++arity) {
      const int steps = tree_steps(processes, arity);
      EXPECT_GE(std::pow(arity + 1, steps), processes);
      if (steps > 0) {
        EXPECT_LT(std::pow(arity + 1, steps - 1), processes);
      }
    }
}

TEST(Tree, of_778_nodes_and_arity_4_takes_5_steps) {
  EXPECT_EQ(tree_steps(778, 4), 5);
}

TEST(Tree, a_process_sends_once_and_process_0_never) {
  for (int process = 0; process < 100; ++process) {
    int sends = 0;
    for (const TreeStep& step : tree_plan(process, 100, 3))
      sends += step.send_to ? 1 : 0;
    EXPECT_EQ(sends, process == 0 ? 0 : 1);
  }
}

TEST(Tree, refuses_an_arity_or_a_process_that_makes_no_sense) {
  EXPECT_THROW(tree_steps(4, 0), Error);
  EXPECT_THROW(tree_steps(0, 4), Error);
  EXPECT_THROW(tree_plan(4, 4, 2), Error);
  EXPECT_THROW(tree_plan(-1, 4, 2), Error);
}

TEST(Tree, an_arity_beyond_all_processes_takes_one_step) {
  EXPECT_EQ(tree_steps(2000000000, 2000000000), 1);
  EXPECT_EQ(tree_plan(0, 5, 2000000000)[0].receive_from, (std::vector<int>{1, 2, 3, 4}));
}

} // namespace
} // namespace timeless::gather
