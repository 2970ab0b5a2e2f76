#pragma once

#include "analysis/extrapolation/loop_layout.h"
#include "analysis/extrapolation/patterns.h"
#include "trace/model/source.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The actions of ranks that are alike, read from all runs.
namespace timeless::analysis {

/// A run that more ranks are extrapolated from.
struct RecordedRun {
  std::string name = {};
  const trace::Source* source = nullptr;
  RankGrid grid = {};
  std::vector<trace::KernelId> kernels = {}; ///< by its own number: that of the largest run
  std::vector<trace::RegionId> regions = {}; ///< the same of regions
};

/// What the members of a communicator that ranks create are, over all runs: those whose places differ from a rank's in
/// some sides only.
struct CreatedCommunicator {
  unsigned masks = 0;                         ///< bit m: the sides of mask m are free; several while runs do not tell
  std::optional<std::vector<bool>> grid = {}; ///< it has a Cartesian topology of the free sides: which are periodic
};

/// The actions of the ranks of one class.
struct ClassActions {
  LoopLayout layout = {};
  std::vector<std::uint32_t> sequence = {};      ///< by slot: patterns
  std::vector<FigureId> volumes = {};            ///< by slot: no_observations where it has none
  std::vector<CreatedCommunicator> created = {}; ///< by number less created_communicator
  bool uses_own_communicator = false;
};

/// Numbers what actions are but for partners, tags and figures.
class SymbolTable {
public:
  Symbol operator()(const std::string& words) {
    return numbers_.try_emplace(words, static_cast<Symbol>(numbers_.size())).first->second;
  }

private:
  std::map<std::string, Symbol> numbers_;
};

/// Returns how many actions a rank has.
std::size_t count_actions(const RecordedRun& run, trace::Rank rank);

/// Returns the symbols of a rank's actions. Throws NotUnderstood for communicators that no recorded call has created.
std::vector<Symbol> symbols_of(const RecordedRun& run, trace::Rank rank, SymbolTable& table);

/// Reads ranks of a class, a run after the other, and keeps what they have in common.
class ClassReader {
public:
  /// Begins without ranks. `pooled`: all volumes of a kernel are one figure, the mean of a rank's visits.
  ClassReader(PatternTable& patterns, FigureTable& figures, LoopLayout layout, bool pooled);

  /// Adds a rank. Throws NotUnderstood where it does otherwise than those before.
  void add(const RecordedRun& run, std::size_t number, trace::Rank rank);
  ClassActions finish();

private:
  class Rank;

  PatternTable& patterns_;
  FigureTable& figures_;
  bool begun_ = false;
  bool pooled_;
  std::map<std::pair<trace::ActionKind, trace::KernelId>, FigureId> pools_;
  ClassActions actions_;
};

} // namespace timeless::analysis
