#include "tests/replay/scalar_replay.h"

#include "tests/replay/scalar/scalar_class.h"

#include <stdexcept>
#include <utility>

namespace timeless::replay::test {

std::optional<std::vector<ScalarTimes>> scalar_replay_or_deadlock(const trace::Source& source, const Network& network,
                                                                  std::size_t lane, const ReplayOptions& options) {
  return scalar::ScalarReplay(source, network, lane, options).run();
}

std::vector<ScalarTimes> scalar_replay(const trace::Source& source, const Network& network, std::size_t lane,
                                       const ReplayOptions& options) {
  auto times = scalar_replay_or_deadlock(source, network, lane, options);
  if (!times) throw std::logic_error("a rank cannot go on");
  return *std::move(times);
}

std::vector<std::map<std::string, RankTimes>> scalar_attribution(const trace::Source& source, const Network& network,
                                                                 std::size_t lane, const ReplayOptions& options) {
  scalar::ScalarReplay replay(source, network, lane, options);
  replay.run();
  return replay.parts();
}

} // namespace timeless::replay::test
