#pragma once

#include "analysis/sweep/sweep.h"
#include "tools/replaying/sweep/machine_changes.h"

#include <cstddef>
#include <string>
#include <vector>

namespace timeless::tools {

/// Names of machines, each once: those asked for, then those that changes name. Adds to lists that have to stay.
class SweptMachines {
public:
  SweptMachines(std::vector<std::string>& networks, std::vector<std::string>& platforms)
      : networks_(networks), platforms_(platforms), asked_networks_(networks.size()),
        asked_platforms_(platforms.size()) {}

  void add(const MachineChange& change);
  /// Returns those asked for, by their places in PlacedMachines.
  std::vector<std::size_t> asked() const;
  /// Returns a point of the machine as changed.
  analysis::SweepPoint changed(analysis::SweepPoint point, const MachineChange& change) const;

private:
  std::vector<std::string>& networks_;
  std::vector<std::string>& platforms_;
  std::size_t asked_networks_;
  std::size_t asked_platforms_;
};

/// Returns a configuration's name: the one that a replay gives it, "e10g cpu x1.5", and behind that what differs among
/// those of a sweep over `axes` and is not in it, "e10g cpu x1.5, 2 to a node".
std::string swept_name(const analysis::SweptConfiguration& one, const analysis::SweepAxes& axes);

} // namespace timeless::tools
