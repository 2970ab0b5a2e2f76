#include "ping/experiments.h"

#include "base/error.h"

#include <algorithm>
#include <array>

namespace timeless::ping {

namespace {

constexpr std::array<const char*, experiments> names{"round_trip",    "send",
                                                     "isend",         "receive",
                                                     "train",         "delayed_send",
                                                     "delayed_isend", "overlap",
                                                     "copy",          "reduction",
                                                     "pairs",         "incast",
                                                     "exchanges",     "barrier",
                                                     "broadcast",     "reduce",
                                                     "allreduce",     "gather",
                                                     "allgather",     "alltoall",
                                                     "scatter",       "reduce_scatter_block",
                                                     "scan"};

} // namespace

const char* name(Experiment experiment) {
  return names[static_cast<std::size_t>(experiment)];
}

Experiment experiment(const std::string& name) {
  const auto found = std::ranges::find(names, name, [](const char* one) { return std::string(one); });
  if (found == names.end()) throw Error(Failure::invalid_input, "there is no experiment of this name", name);
  return static_cast<Experiment>(found - names.begin());
}

} // namespace timeless::ping
