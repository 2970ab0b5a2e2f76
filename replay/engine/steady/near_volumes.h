#pragma once

#include "replay/network/network.h"
#include "trace/loops/loops.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace timeless::replay {

struct PlacedVolume;

/// A run in which iterations that nearly repeat do repeat: some volumes are not those recorded, but the usual ones at
/// their place of the loop, and how far that can move an end is known.
///
/// A replay is a monotone and non-expansive function of the durations of its bursts: when one of them grows by d,
/// every end grows by 0 to d (Baccelli, Cohen, Olsder, Quadrat, Synchronization and Linearity, 1992, ch. 3). So the
/// ends with the recorded volumes are at most the sum of what usual volumes are above them earlier, and at most the sum
/// of what they are below them later. The usual volume is the median over the iterations, which makes these sums least.
/// Which iterations are replaced depends on the run and the placement alone, not on lanes: those that cost least, until
/// the sums come to the share asked for of the longest computation of a rank whose volumes change, in these loops: no
/// makespan is below that.
class NearVolumes : public trace::ReplacedVolumes {
public:
  /// Replaces volumes of the source, which has to outlive this. `apart`: no iterations are taken as one
  /// (ReplayOptions::iterations).
  NearVolumes(const trace::Source& source, const Network& network, double within, bool apart);

  const trace::Run& run() const override { return source_.run(); }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;
  const trace::Source& original() const override { return source_; }
  std::optional<std::vector<std::uint64_t>> known_changes(trace::Rank rank, const trace::Loop& loop) const override;

  /// Returns in how many iterations volumes are replaced.
  std::uint64_t iterations() const { return iterations_; }
  // Seconds by which an end may come earlier and later with the recorded volumes, at a compute scale of 1.
  double earlier() const { return earlier_; }
  double later() const { return later_; }

private:
  /// Iterations begin <= i < end whose volumes are the same, and not the usual ones.
  struct Unusual {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    // Seconds of one of them that the usual volumes are above, and below; infinite where it cannot be replaced.
    double above = 0;
    double below = 0;
  };
  /// A loop on one rank.
  struct RankLoop {
    trace::Loop loop;
    std::vector<std::uint64_t> changes; ///< of what was recorded
    std::vector<Unusual> unusual;       ///< by iteration
    std::vector<std::uint32_t> places;  ///< of volumes within an iteration, where there are unusual ones
    std::vector<std::uint64_t> usual;   ///< likewise
    double seconds = 0;                 ///< of the recorded volumes, where they change
    bool replaces = false;              ///< some of them
  };
  /// A loop that all ranks share.
  struct SharedLoop {
    std::uint64_t iterations = 0;
    std::vector<RankLoop> ranks;
    std::vector<bool> replaced; ///< by iteration
  };
  class Stream;

  RankLoop described(trace::Rank rank, const trace::Loop& loop) const;
  void note_iterations(RankLoop& one, trace::Rank rank, Unusual found, std::span<const PlacedVolume> volumes) const;
  void choose(double budget);
  void add_up();

  const trace::Source& source_;
  const Network& network_;
  std::vector<SharedLoop> loops_;
  std::uint64_t iterations_ = 0;
  double earlier_ = 0;
  double later_ = 0;
};

} // namespace timeless::replay
