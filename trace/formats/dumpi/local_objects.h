#pragma once

#include "trace/formats/dumpi/groups.h"
#include "trace/formats/dumpi/rank_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace timeless::trace::formats::dumpi {

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
  std::vector<std::int32_t> periods = {};    ///< of cart_create
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

} // namespace timeless::trace::formats::dumpi
