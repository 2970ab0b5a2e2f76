#pragma once

#include "trace/formats/dumpi/rank_file.h"
#include "trace/model/run.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace timeless::trace::formats::dumpi {

/// DUMPI numbers communicators, windows and files by rank, and may use a number again. Here a rank's are told apart by
/// the order in which it made them: 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF, 2 the first that it made.
using Ordinal = std::uint32_t;
inline constexpr Ordinal no_ordinal = 0xffffffffU;
inline constexpr Ordinal world_ordinal = 0;
inline constexpr Ordinal self_ordinal = 1;
inline constexpr Ordinal first_made = 2;

/// A group as it was made: its ranks are not known before its communicator's members are.
struct Group {
  enum class Kind : std::uint8_t { empty, communicator, remote, include, exclude, unite, intersect, subtract, unknown };
  Kind kind = Kind::unknown;
  Ordinal communicator = no_ordinal;
  std::shared_ptr<const Group> first = {};
  std::shared_ptr<const Group> second = {};
  std::vector<std::int32_t> ranks = {}; ///< of `first`
  std::size_t weight = 1;               ///< groups it is made of, to bound what evaluating it takes
};

/// Members of a communicator of the rank, and those of the other side; null where it is not known.
using MembersOf = std::function<const Communicator*(Ordinal)>;

/// Returns a group's members as world ranks; nothing where that is not known.
std::optional<std::vector<Rank>> evaluate(const Group& group, const MembersOf& members_of);

/// What makes a communicator, or something that has one of its own.
enum class Making : std::uint8_t {
  duplicate,
  split,
  create,
  cart_create,
  cart_sub,
  graph_create,
  intercomm_create,
  intercomm_merge,
  window,
  file,
};

/// One rank's part in the making of a communicator.
struct Creation {
  Making how = Making::duplicate;
  Ordinal parent = no_ordinal;
  Ordinal made = no_ordinal;
  bool member = true; ///< else the rank got none
  std::int32_t color = 0;
  std::int32_t key = 0;
  std::shared_ptr<const Group> group = {};
  std::vector<std::int32_t> dimensions = {}; ///< of cart_create the extents, of cart_sub what remains
  std::int32_t size = 0;                     ///< of graph_create, how many nodes
  Ordinal bridge = no_ordinal;               ///< of intercomm_create, where the leaders meet
  std::int32_t local_leader = 0;
  std::int32_t remote_leader = 0;
  std::int32_t tag = 0;
  bool high = false;
};

/// A rank's communicators, windows, files and groups by their present numbers.
class LocalObjects {
public:
  LocalObjects();

  /// Follows a record; what it makes, if anything.
  std::optional<Creation> follow(const Record& record);

  Ordinal communicator(std::uint16_t number) const { return find(communicators_, number); }
  Ordinal window(std::uint16_t number) const { return find(windows_, number); }
  Ordinal file(std::uint16_t number) const { return find(files_, number); }
  std::shared_ptr<const Group> group(std::uint16_t number) const;

private:
  using Numbers = std::unordered_map<std::uint16_t, Ordinal>;
  static Ordinal find(const Numbers& numbers, std::uint16_t number);
  Creation make(Making how, std::uint16_t parent, Numbers& where, std::uint16_t number);
  void follow_group(const Record& record);
  void derive(const Record& record, Group::Kind kind, Field first, std::optional<Field> second,
              std::vector<std::int32_t> ranks);

  Numbers communicators_;
  Numbers windows_;
  Numbers files_;
  std::unordered_map<std::uint16_t, std::shared_ptr<const Group>> groups_;
  Ordinal next_ = first_made;
};

/// All communicators of a run.
struct Communicators {
  std::vector<Communicator> all;
  /// By rank and ordinal; no_communicator where it could not be found out.
  std::vector<std::vector<CommunicatorId>> of_rank;
  std::vector<std::string> problems; ///< what did not fit together
};

/// Finds out which ranks' communicators are one: by the order of the calls that make them on their parent, in which
/// its members agree. `creations` are by rank, in the order of the calls; `uses_self` by rank.
Communicators resolve(const std::vector<std::vector<Creation>>& creations, const std::vector<bool>& uses_self);

} // namespace timeless::trace::formats::dumpi
