#pragma once

#include "base/bytes.h"
#include "replay/result/full_links.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/smpi/full_periods.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace simgrid::kernel::resource {
class Action;
class Model;
class NetworkAction;
} // namespace simgrid::kernel::resource

namespace simgrid::s4u {
class Host;
class Link;
} // namespace simgrid::s4u

namespace timeless::replay::smpi {

/// Follows the messages of a simulation, and which full links slow them down.
///
/// SimGrid gives every message a rate that holds until the next event. Where that is less than the message would have
/// alone on its route (SimgridPlatform::route(), as in the model), a link on the way there, or back, where
/// acknowledgements load it, is full; the link with most of the slowed messages counts as the one that slows them down.
class LinkWatch {
public:
  /// Returns the kernel that a host's ranks are in.
  using KernelOf = std::function<std::uint32_t(std::uint32_t host)>;

  /// Watches the messages between these hosts. The platform must outlive it. In the simulation's process only.
  LinkWatch(const SimgridPlatform& platform, std::span<const std::uint32_t> hosts, KernelOf kernel_of);
  LinkWatch(LinkWatch&&) = delete;

  /// Begins, now; later calls change nothing.
  void begin();
  /// Returns the links that were full, those that slowed messages down most first.
  std::vector<FullLink> full_links() const;

private:
  struct WatchedLink {
    const simgrid::s4u::Link* link = nullptr;
    FullLink full = {};
    GrowingPeriods periods = {};
    // At the event under way:
    std::uint64_t event = 0;
    std::uint64_t slowed = 0;
    enum class Fullness : std::uint8_t { unknown, full, free } fullness = Fullness::unknown;
    bool slows = false;
  };
  struct Flow {
    double started = -1;
    double alone = 0; ///< its rate
    std::uint32_t kernel = 0;
    std::vector<WatchedLink*> links = {}; ///< there and back, those that are shared
    std::vector<const WatchedLink*> slowed_by = {};
  };
  struct SlowFlow {
    Flow* flow;
    double seconds; ///< longer than alone
  };

  void advance(double seconds);
  Flow& flow_of(const simgrid::kernel::resource::NetworkAction& action);
  void collect(const simgrid::kernel::resource::NetworkAction& action, double seconds);
  void count(WatchedLink& link) const;
  static bool is_full(WatchedLink& link);
  static void charge(const SlowFlow& slow, double begin, double end);

  const SimgridPlatform& platform_;
  std::unordered_map<const simgrid::s4u::Host*, std::uint32_t> hosts_;
  KernelOf kernel_of_;
  simgrid::kernel::resource::Model* model_ = nullptr; ///< null: of a sort that has no flows
  double begin_ = -1;
  std::uint64_t event_ = 0;
  std::unordered_map<const simgrid::kernel::resource::Action*, Flow> flows_;
  std::vector<SlowFlow> slow_;
  std::unordered_map<const simgrid::s4u::Link*, WatchedLink> links_; ///< its elements stay where they are
};

void write(ByteWriter& words, const std::vector<FullLink>& links);
/// Throws Error(runtime) where the words end too early.
std::vector<FullLink> read_full_links(ByteReader& words);

} // namespace timeless::replay::smpi
