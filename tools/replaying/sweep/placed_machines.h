#pragma once

#include "analysis/trust.h"
#include "tools/machines/machine_basis.h"
#include "tools/replaying/prediction.h"
#include "tools/replaying/served_platforms.h"

#include "replay/network/network_file.h"
#include "replay/replay.h"
#include "trace/model/source.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::tools {

/// A machine, and what of it is changed.
struct MachineConfiguration {
  std::size_t machine = 0;
  replay::Scaling scaling = {};
  std::optional<trace::Bytes> eager_limit = {}; ///< nothing: the machine's own
};

/// The machines of a command that replays many configurations of them: networks, then platforms, with a run's ranks
/// placed.
class PlacedMachines {
public:
  /// Places the machines of `asked`, whose mapping and rates count; its factors do not. Their latencies and bandwidths
  /// are multiplied by those of `anchor`, which no name says. `platforms` are those of `asked`, loaded already. Throws
  /// as named_networks(), or the loading of platforms, and Error(usage).
  PlacedMachines(const trace::Run& run, const PredictionOptions& asked, const replay::Scaling& anchor = {},
                 std::shared_ptr<const ServedPlatforms> platforms = nullptr);

  std::size_t size() const { return bases_.size(); }
  /// Returns the machines with names, overheads and rates; all machines of a command have the same rate but a single
  /// platform of hosts that differ.
  const std::vector<MachineBasis>& bases() const { return bases_; }
  /// Returns the first machines: those that are no platforms.
  const std::vector<replay::NetworkDescription>& networks() const { return networks_; }
  /// Returns "e1g (1G Ethernet: 50 us, 1 Gb/s)", "graphene (/usr/share/.../graphene.xml, 144 hosts)".
  const std::vector<std::string>& descriptions() const { return descriptions_; }
  const std::string& mapping_sentence() const { return mapping_sentence_; }
  const std::vector<std::string>& notes() const { return notes_; }
  void add_notes(const std::vector<std::string>& notes) { notes_.insert(notes_.end(), notes.begin(), notes.end()); }
  const std::shared_ptr<const ServedPlatforms>& platforms() const { return platforms_; }
  /// Returns where the figures of a machine's network come from.
  analysis::FiguresOf figures_of(std::size_t machine) const;

  /// Returns the algorithms of collectives that were measured on a machine. Throws Error(usage) where none were.
  std::vector<replay::MeasuredAlgorithm> measured_collectives(std::size_t machine) const;

  /// Returns what one pass replays. Throws std::logic_error unless the configurations share_a_network().
  replay::Network network(const trace::Run& run, std::span<const MachineConfiguration> asked) const;
  /// Returns true for configurations of networks, and for those of one platform whose eager limits are all given or all
  /// its own.
  bool share_a_network(const MachineConfiguration& one, const MachineConfiguration& other) const;
  /// Replays all that is asked for, in its order.
  replay::Result replay(const trace::Source& source, std::span<const MachineConfiguration> asked,
                        const replay::ReplayOptions& options) const;

private:
  void place_on_networks(const trace::Run& run, const PredictionOptions& asked);
  void place_on_platforms(const trace::Run& run, const PredictionOptions& asked);

  replay::Scaling anchor_;
  std::vector<MachineBasis> bases_;
  std::vector<std::string> descriptions_;
  std::vector<replay::NetworkDescription> networks_;
  replay::Placement placement_; ///< on networks
  std::shared_ptr<const ServedPlatforms> platforms_;
  std::vector<OnPlatform> on_; ///< by platform
  std::optional<double> memory_copy_byte_time_;
  std::string mapping_sentence_;
  std::vector<std::string> notes_;
};

} // namespace timeless::tools
