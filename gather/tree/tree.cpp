#include "gather/tree/tree.h"

#include "base/error.h"

#include <cstdint>
#include <string>

namespace timeless::gather {

namespace {

void demand_valid(int processes, int arity) {
  if (arity < 1)
    throw Error(Failure::usage, "a gathering tree of arity " + std::to_string(arity), "",
                "give an arity of at least 1");
  if (processes < 1) throw Error(Failure::usage, "a gathering tree of " + std::to_string(processes) + " processes");
}

} // namespace

int tree_steps(int processes, int arity) {
  demand_valid(processes, arity);
  int steps = 0;
  for (std::int64_t reach = 1; reach < processes; reach *= std::int64_t{arity} + 1)
    ++steps;
  return steps;
}

std::vector<TreeStep> tree_plan(int process, int processes, int arity) {
  const int steps = tree_steps(processes, arity);
  if (process < 0 || process >= processes)
    throw Error(Failure::usage,
                "process " + std::to_string(process) + " of a gathering tree of " + std::to_string(processes));
  std::vector<TreeStep> plan(static_cast<std::size_t>(steps));
  const std::int64_t group = std::int64_t{arity} + 1;
  std::int64_t stride = 1;
  for (TreeStep& step : plan) {
    const std::int64_t place = process / stride % group;
    if (place != 0) {
      step.send_to = static_cast<int>(process - place * stride);
      break;
    }
    for (std::int64_t child = 1; child < group && process + child * stride < processes; ++child)
      step.receive_from.push_back(static_cast<int>(process + child * stride));
    stride *= group;
  }
  return plan;
}

} // namespace timeless::gather
