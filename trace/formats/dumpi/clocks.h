#pragma once

#include "trace/formats/dumpi/rank_file.h"
#include "trace/model/ids.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::trace::formats::dumpi {

/// The ranks' clocks, made one.
///
/// Version 1.0 took the time since 1970, which hosts have in common; later ones take what each host has for itself.
/// Those are set by the first collective call on MPI_COMM_WORLD that nobody leaves before all have come to it: of each
/// host, the first rank to leave it does so at the same time. That is wrong by what the call takes at its end.
class Clocks {
public:
  /// Follows a rank's records; the ranks one after the other. `wall_origin`: as RecordReader has it.
  void see(Rank rank, const Record& record, std::uint64_t wall_origin);
  /// Notes that the rank's records are over.
  void end(Rank rank, const RankFile& file);

  enum class State : std::uint8_t {
    untimed, ///< some ranks have no times by the clock on the wall
    common,  ///< one clock from the beginning
    set,     ///< by a collective call
    differ,  ///< and cannot be set: there is no such call
  };
  State state() const;
  /// Returns the call that clocks are set by: "Barrier".
  std::string call() const;
  /// Returns how much later than the first rank each rank left MPI_Init, or entered the first call recorded, in ns by
  /// rank; zeros where clocks are not one.
  std::vector<std::uint64_t> starts(Rank size) const;

private:
  struct RankClock {
    std::string host = {};
    bool since_1970 = false;
    std::optional<std::uint64_t> start = {};
    bool initialised = false;
    std::uint16_t synchronising_call = 0;
    std::optional<std::uint64_t> left_call = {}; ///< when it left the call that clocks may be set by
  };
  bool on_one_clock() const;
  bool all_synchronised() const;

  std::map<Rank, RankClock> ranks_;
};

} // namespace timeless::trace::formats::dumpi
