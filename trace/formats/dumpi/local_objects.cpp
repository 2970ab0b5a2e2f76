#include "trace/formats/dumpi/local_objects.h"

#include <utility>

namespace timeless::trace::formats::dumpi {

namespace {

constexpr std::uint16_t world_number = 2;
constexpr std::uint16_t self_number = 3;
constexpr std::uint16_t first_user_communicator = 4;
constexpr std::uint16_t empty_group = 2;

/// Returns the ranks that triples (first, last, stride) stand for.
std::vector<std::int32_t> spelled_out(const std::vector<std::vector<std::int32_t>>& ranges) {
  constexpr std::size_t most = std::size_t{1} << 20;
  std::vector<std::int32_t> ranks;
  for (const auto& range : ranges) {
    if (range.size() < 3 || range[2] == 0) continue;
    const std::int64_t stride = range[2];
    for (std::int64_t rank = range[0]; stride > 0 ? rank <= range[1] : rank >= range[1]; rank += stride) {
      if (ranks.size() == most) return ranks;
      ranks.push_back(static_cast<std::int32_t>(rank));
    }
  }
  return ranks;
}

} // namespace

LocalObjects::LocalObjects() {
  communicators_ = {{world_number, world_ordinal}, {self_number, self_ordinal}};
}

Ordinal LocalObjects::find(const Numbers& numbers, std::uint16_t number) {
  const auto found = numbers.find(number);
  return found == numbers.end() ? no_ordinal : found->second;
}

std::shared_ptr<const Group> LocalObjects::group(std::uint16_t number) const {
  if (number == empty_group) return std::make_shared<Group>(Group{.kind = Group::Kind::empty});
  const auto found = groups_.find(number);
  return found == groups_.end() ? std::make_shared<const Group>() : found->second;
}

Creation LocalObjects::make(Making how, std::uint16_t parent, Numbers& where, std::uint16_t number) {
  Creation made{.how = how, .parent = communicator(parent), .made = next_++};
  // Windows and files have numbers from 1 on, 0 being none; communicators' first three are MPI's own.
  made.member = &where == &communicators_ ? number >= first_user_communicator : number != 0;
  if (made.member) where[number] = made.made;
  return made;
}

void LocalObjects::derive(const Record& record, Group::Kind kind, Field first, std::optional<Field> second,
                          std::vector<std::int32_t> ranks) {
  Group made{.kind = kind,
             .communicator = no_ordinal,
             .first = group(record.half(first)),
             .second = {},
             .ranks = std::move(ranks)};
  if (second) made.second = group(record.half(*second));
  made.weight = made.first->weight + (made.second ? made.second->weight : 0) + 1;
  constexpr std::size_t most = 1000;
  if (made.weight > most) made = Group();
  groups_[record.half(Field::newgroup)] = std::make_shared<const Group>(std::move(made));
}

void LocalObjects::follow_group(const Record& record) {
  switch (static_cast<Call>(record.call)) {
  case Call::Comm_group:
  case Call::Comm_remote_group:
    groups_[record.half(Field::group)] = std::make_shared<Group>(
        Group{.kind = record.is(Call::Comm_group) ? Group::Kind::communicator : Group::Kind::remote,
              .communicator = communicator(record.half(Field::comm))});
    return;
  case Call::Win_get_group:
    groups_[record.half(Field::group)] = std::make_shared<Group>(
        Group{.kind = Group::Kind::communicator, .communicator = window(record.half(Field::win))});
    return;
  case Call::File_get_group:
    groups_[record.half(Field::group)] = std::make_shared<Group>(
        Group{.kind = Group::Kind::communicator, .communicator = file(record.half(Field::file))});
    return;
  case Call::Group_union:
    return derive(record, Group::Kind::unite, Field::group1, Field::group2, {});
  case Call::Group_intersection:
    return derive(record, Group::Kind::intersect, Field::group1, Field::group2, {});
  case Call::Group_difference:
    return derive(record, Group::Kind::subtract, Field::group1, Field::group2, {});
  case Call::Group_incl:
    return derive(record, Group::Kind::include, Field::group, {}, record.list(Field::ranks));
  case Call::Group_excl:
    return derive(record, Group::Kind::exclude, Field::group, {}, record.list(Field::ranks));
  case Call::Group_range_incl:
    return derive(record, Group::Kind::include, Field::group, {}, spelled_out(record.table));
  case Call::Group_range_excl:
    return derive(record, Group::Kind::exclude, Field::group, {}, spelled_out(record.table));
  default:
    return;
  }
}

std::optional<Creation> LocalObjects::follow(const Record& record) {
  const auto communicator_made = [&](Making how, Field parent) {
    return make(how, record.half(parent), communicators_, record.half(Field::newcomm));
  };
  switch (static_cast<Call>(record.call)) {
  case Call::Comm_dup:
    return communicator_made(Making::duplicate, Field::oldcomm);
  case Call::Comm_split: {
    Creation made = communicator_made(Making::split, Field::oldcomm);
    made.color = record.word(Field::color);
    made.key = record.word(Field::key);
    return made;
  }
  case Call::Comm_create: {
    Creation made = communicator_made(Making::create, Field::oldcomm);
    made.group = group(record.half(Field::group));
    return made;
  }
  case Call::Cart_create: {
    Creation made = communicator_made(Making::cart_create, Field::oldcomm);
    made.dimensions = record.list(Field::dims);
    made.periods = record.list(Field::periods);
    return made;
  }
  case Call::Cart_sub: {
    Creation made = communicator_made(Making::cart_sub, Field::oldcomm);
    made.dimensions = record.list(Field::remain);
    return made;
  }
  case Call::Graph_create: {
    Creation made = communicator_made(Making::graph_create, Field::oldcomm);
    made.size = record.word(Field::count);
    return made;
  }
  case Call::Intercomm_create: {
    Creation made = communicator_made(Making::intercomm_create, Field::localcomm);
    made.bridge = communicator(record.half(Field::remotecomm));
    made.local_leader = record.word(Field::localleader);
    made.remote_leader = record.word(Field::remoteleader);
    made.tag = record.word(Field::tag);
    return made;
  }
  case Call::Intercomm_merge: {
    Creation made = communicator_made(Making::intercomm_merge, Field::comm);
    made.high = record.word(Field::high) != 0;
    return made;
  }
  case Call::Win_create:
    return make(Making::window, record.half(Field::comm), windows_, record.half(Field::win));
  case Call::File_open:
    return make(Making::file, record.half(Field::comm), files_, record.half(Field::file));
  default:
    follow_group(record);
    return std::nullopt;
  }
}

} // namespace timeless::trace::formats::dumpi
