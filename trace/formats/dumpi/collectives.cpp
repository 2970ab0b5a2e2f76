#include "trace/formats/dumpi/call_kinds.h"
#include "trace/formats/dumpi/translation.h"

#include <algorithm>

namespace timeless::trace::formats::dumpi {

Rank Translation::root(const Action& action) const {
  const std::int32_t named = record_->word(Field::root);
  if (named >= 0) return named;
  if (!between_groups(action.communicator)) return no_rank;
  return named == shared_.no_process ? no_rank : root_of_remote_group;
}

bool Translation::collective(const Record& record) {
  const auto kind = collective_kind(record.call);
  if (!kind) return false;
  Action action{.kind = *kind};
  if (!set_communicator(action, Field::comm)) return true;
  if (rooted(*kind)) action.peer = root(action);
  set_sizes(action);
  append(action);
  return true;
}

/// Sets how much each member gives and gets, as far as this rank says.
void Translation::set_sizes(Action& action) {
  const ActionTraits& kind = traits(action.kind);
  if (kind.received == Sizes::result) {
    if (kind.sent == Sizes::list)
      action.counts = parts(Field::recvcounts, Field::datatype, out_);
    else
      action.bytes = bytes(Field::count, Field::datatype);
    if (kind.reduces) action.element_bytes = static_cast<std::uint32_t>(type_size(record_->half(Field::datatype)));
    return;
  }
  const bool typed = action.kind == ActionKind::alltoallw; // a datatype for each member
  if (kind.root != Root::sends || at_root()) {
    if (kind.sent == Sizes::one || kind.sent == Sizes::each) action.bytes = bytes(Field::sendcount, Field::sendtype);
    if (kind.sent == Sizes::list)
      action.counts = typed ? typed_parts(Field::sendcounts, Field::sendtypes, out_)
                            : parts(Field::sendcounts, Field::sendtype, out_);
  }
  if (kind.root != Root::receives || at_root()) {
    if (kind.received == Sizes::one || kind.received == Sizes::each)
      action.receive_bytes = bytes(Field::recvcount, Field::recvtype);
    if (kind.received == Sizes::list)
      action.receive_counts = typed ? typed_parts(Field::recvcounts, Field::recvtypes, in_)
                                    : parts(Field::recvcounts, Field::recvtype, in_);
  }
}

bool Translation::at_root() const {
  return record_->word(Field::commrank) == record_->word(Field::root);
}

/// Returns the bytes that a list of counts of one datatype says.
std::span<const Bytes> Translation::parts(Field counts, Field type, std::vector<Bytes>& sizes) {
  sizes.clear();
  const std::uint64_t each = type_size(record_->half(type));
  for (const std::int32_t count : record_->list(counts))
    sizes.push_back(static_cast<Bytes>(std::max(0, count)) * each);
  return sizes;
}

/// Returns the same where each count has a datatype of its own.
std::span<const Bytes> Translation::typed_parts(Field counts, Field types, std::vector<Bytes>& sizes) {
  sizes.clear();
  const auto& numbers = record_->list(counts);
  const auto& kinds = record_->list(types);
  for (std::size_t i = 0; i < std::min(numbers.size(), kinds.size()); ++i)
    sizes.push_back(bytes(numbers[i], static_cast<std::uint16_t>(kinds[i])));
  return sizes;
}

void Translation::creation(const Creation& made) {
  Action action{.kind = made_by(made.how)};
  const auto parent = known(made.parent);
  if (!parent) return;
  action.communicator = *parent;
  const auto& mine = shared_.communicators.of_rank[static_cast<std::size_t>(rank_)];
  if (made.member && made.made < mine.size()) action.new_communicator = mine[made.made];
  if (made.how == Making::window) action.bytes = static_cast<Bytes>(std::max(0, record_->word(Field::size)));
  if (action.new_communicator == no_communicator && made.member) return not_told();
  append(action);
}

} // namespace timeless::trace::formats::dumpi
