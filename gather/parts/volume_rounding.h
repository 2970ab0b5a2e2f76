#pragma once

#include "trace/model/action.h"

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace timeless::gather {

/// Relative errors are told in parts of this.
inline constexpr std::uint64_t billion = 1'000'000'000;

/// Whose volumes: those of one kernel of one rank, of one kind of action.
struct VolumeOwner {
  trace::ActionKind kind = trace::ActionKind::compute;
  trace::KernelId kernel = trace::no_kernel;
  auto operator<=>(const VolumeOwner&) const = default;
};

/// Rounds the volumes of one rank so that they take less room: each within a relative error, and the sum of every
/// kernel as it was.
///
/// All volumes are seen twice, in the same order: first by expect(), then by round().
///
/// The volumes of a kernel with the same number of bits make a *group*, and each group's sum is kept. A volume v may
/// become any v' with |v' - v| <= b(v) = floor(error * v). Let D be the sum of v' - v over a group's volumes so far,
/// and S the sum of b(v) over those to come. Each v' is chosen such that |D| <= min(S, 8 q) afterwards, where q is the
/// group's quantum, 3/2 of its smallest b. Such a choice always exists: before the volume |D| <= min(S + b(v), 8 q)
/// holds (at the start D is 0), so D brought nearer to 0 by as much as is above S, at most b(v), will do. After the
/// last volume S is 0, so D is 0: the group's sum is exact, and never more than 8 quanta off on the way.
///
/// Among the choices, v' is the nearest to v on a grid around the group's mean with the quantum for its distance; to v
/// - D once |D| reaches a quantum. A grid point within b(v) of v always exists, as q <= 2 b(v): only when D has to come
/// down to S, at the end, a volume can be off the grid.
class VolumeRounding {
public:
  /// Rounds by at most `error`, in parts of a billion, below a billion.
  explicit VolumeRounding(std::uint64_t error) : error_(error) {}

  void expect(VolumeOwner owner, std::uint64_t volume);
  /// Rounds the next volumes of one owner.
  void round(VolumeOwner owner, std::span<std::uint64_t> volumes);
  /// Takes the last round() of an owner back, and leaves these volumes as they are, if the sums can be kept then, too;
  /// false, and nothing done, when not.
  bool keep_instead(VolumeOwner owner, std::span<const std::uint64_t> volumes, std::span<const std::uint64_t> rounded);

private:
  __extension__ using Wide = __int128; // sums of 64-bit numbers

  struct Group {
    std::uint64_t count = 0;
    std::uint64_t least = 0;
    Wide sum = 0;
    Wide room = 0;       ///< S
    Wide difference = 0; ///< D
  };
  struct GroupKey {
    VolumeOwner owner;
    unsigned bits = 0;
    auto operator<=>(const GroupKey&) const = default;
  };

  std::uint64_t bound(std::uint64_t volume) const;
  Group& group(VolumeOwner owner, std::uint64_t volume);
  std::uint64_t rounded(Group& group, std::uint64_t volume) const;

  std::uint64_t error_;
  std::map<GroupKey, Group> groups_;
};

} // namespace timeless::gather
