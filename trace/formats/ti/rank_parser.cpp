#include "trace/formats/ti/rank_parser.h"

#include "base/escaping.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace timeless::trace::formats::ti {

namespace {

constexpr int any_tag_in_text = -444;

} // namespace

void RankParser::parse(const TextLines& lines, std::span<const std::string_view> parts, ActionBlock& block) {
  block_ = &block;
  const auto action = parts.size() > 1 ? word(parts[1]) : std::nullopt;
  if (!action) {
    ++unknown[parts.size() > 1 ? in_quotes(parts[1]) : std::string("''")];
    return;
  }
  carry_out(*action, Values(lines, parts));
}

void RankParser::end(ActionBlock& block) {
  block_ = &block;
  if (!text_.dialect.finalizes) finalize();
}

void RankParser::carry_out(Word action, const Values& values) {
  switch (action) {
  case Word::init:
    default_ = values.has(0) ? 8 : 1;
    return;
  case Word::finalize:
    return finalize();
  case Word::nothing:
    return;
  case Word::compute:
    return compute(values.volume(0));
  case Word::sleep:
    ++unknown["sleep"];
    return;
  case Word::send:
  case Word::isend:
    return send(values, action == Word::isend);
  case Word::recv:
  case Word::irecv:
    return receive(values, action == Word::irecv);
  case Word::wait:
    return wait(values);
  case Word::test: // done or not, nobody knows: a later wait, or the end, completes the request
    return;
  case Word::waitall:
    return wait_all(ActionKind::wait_all);
  case Word::sendrecv:
    return exchange(values);
  default:
    return collective(action, values);
  }
}

void RankParser::compute(std::uint64_t volume) {
  if (volume > 0) block_->append_compute(0, volume);
}

RankParser::Message RankParser::message(const Values& values) const {
  Message read{.peer = values.peer_or_none(0, size_), .tag = 0, .bytes = {}};
  const bool tagged = values.count() >= 4 || (values.count() == 3 && !text_.dialect.untagged);
  std::size_t next = 1;
  if (tagged) {
    read.tag = values.integer(next++);
    if (read.tag == any_tag_in_text) values.refuse("a receive of any tag, which only the program itself can place,");
  }
  if (values.has(next) && values.number(next) >= 0) read.bytes = values.bytes(next, values.element(next + 1, default_));
  return read;
}

void RankParser::count(Rank destination, int messages) {
  if (left_over != nullptr && destination != no_rank) (*left_over)[static_cast<std::size_t>(destination)] += messages;
}

void RankParser::note_source(Rank source, const Values& values) {
  if (source != no_rank)
    count(rank_, -1);
  else if (unnamed_source.empty())
    unnamed_source = values.place();
}

void RankParser::send(const Values& values, bool nonblocking) {
  const Message read = message(values);
  if (!read.bytes) values.refuse("a message of no size");
  if (sent && read.peer != no_rank) sent(read.peer, read.tag, *read.bytes);
  count(read.peer, 1);
  block_->append({.kind = ActionKind::send,
                  .peer = read.peer,
                  .tag = read.tag,
                  .bytes = *read.bytes,
                  .request = nonblocking ? open(rank_, read.peer, read.tag) : no_request});
}

void RankParser::receive(const Values& values, bool nonblocking) {
  const Message read = message(values);
  note_source(read.peer, values);
  const Bytes size = size_of(read);
  block_->append({.kind = ActionKind::receive,
                  .peer = read.peer,
                  .tag = read.tag,
                  .bytes = size,
                  .request = nonblocking ? open(read.peer, rank_, read.tag) : no_request});
}

Bytes RankParser::size_of(const Message& read) {
  if (!text_.dialect.unsized) return read.bytes.value_or(0);
  const Channel channel{read.peer, rank_, read.tag};
  const auto sizes = text_.sizes.find(channel);
  auto& [run, used] = received_[channel];
  if (sizes == text_.sizes.end() || run == sizes->second.size()) return read.bytes.value_or(0);
  const auto [bytes, count] = sizes->second[run];
  if (++used == count) {
    ++run;
    used = 0;
  }
  return read.bytes.value_or(bytes);
}

RequestId RankParser::open(Rank source, Rank destination, Tag tag) {
  const RequestId id = request_ids_.take();
  open_.push_back({id, source, destination, tag});
  return id;
}

void RankParser::wait(const Values& values) {
  if (open_.empty()) {
    ++unknown["wait for no request"];
    return;
  }
  auto which = std::prev(open_.end()); // one that names no message waits for the newest, as SimGrid did
  if (values.count() >= 3) {
    const Rank source = values.peer_or_none(0, size_);
    const Rank destination = values.peer_or_none(1, size_);
    const Tag tag = values.integer(2);
    which = std::ranges::find_if(open_, [&](const Open& one) {
      return one.source == source && one.destination == destination && one.tag == tag;
    });
    if (which == open_.end()) {
      ++unknown["wait for no request"];
      return;
    }
  }
  const std::array ids{which->id};
  open_.erase(which);
  complete(ActionKind::wait, ids);
}

void RankParser::wait_all(ActionKind kind) {
  if (open_.empty()) return;
  ids_.clear();
  for (const Open& one : open_)
    ids_.push_back(one.id);
  open_.clear();
  complete(kind, ids_);
}

void RankParser::complete(ActionKind kind, std::span<const RequestId> ids) {
  block_->append({.kind = kind, .requests = ids});
  request_ids_.give_back(ids);
}

void RankParser::finalize() {
  if (finalized) return;
  never_waited_for += open_.size();
  wait_all(ActionKind::wait_all);
  block_->append({.kind = ActionKind::finalize});
  finalized = true;
}

void RankParser::exchange(const Values& values) {
  const Rank destination = values.peer_or_none(1, size_);
  const Bytes bytes = values.bytes(0, values.element(4, default_));
  if (sent && destination != no_rank) sent(destination, 0, bytes);
  count(destination, 1);
  const Bytes receive_bytes = values.bytes(2, values.element(5, default_));
  const Rank source = values.peer_or_none(3, size_);
  note_source(source, values);
  size_of({.peer = source, .tag = 0, .bytes = receive_bytes});
  block_->append({.kind = ActionKind::exchange,
                  .peer = destination,
                  .bytes = bytes,
                  .receive_peer = source,
                  .receive_bytes = receive_bytes});
}

void RankParser::counts(const Values& values, std::size_t first, std::uint64_t element,
                        std::vector<Bytes>& list) const {
  list.clear();
  for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i)
    list.push_back(values.bytes(first + i, element));
}

/// SimGrid's replay passes no operation at all: its prefix sums then take the others' parts in order, and everything
/// else is chosen as for one that commutes.
std::uint16_t RankParser::order_of(ActionKind kind) {
  const bool ordered = kind == ActionKind::scan || kind == ActionKind::exscan;
  return ordered ? static_cast<std::uint16_t>(flag_noncommutative) : std::uint16_t{0};
}

void RankParser::reduction(ActionKind kind, const Values& values, Rank root, std::size_t type) {
  const std::uint64_t element = values.element(type, default_);
  const std::uint64_t flops = values.volume(1);
  block_->append({.kind = kind,
                  .flags = order_of(kind),
                  .peer = root,
                  .bytes = values.bytes(0, element),
                  .element_bytes = static_cast<std::uint32_t>(element)});
  compute(flops);
}

void RankParser::collective(Word action, const Values& values) {
  switch (action) {
  case Word::barrier:
    block_->append({.kind = ActionKind::barrier});
    return;
  case Word::bcast:
    block_->append({.kind = ActionKind::broadcast,
                    .peer = root(values, 1),
                    .bytes = values.bytes(0, values.element(2, default_))});
    return;
  case Word::reduce:
    return reduction(ActionKind::reduce, values, root(values, 2), 3);
  case Word::allreduce:
    return reduction(ActionKind::allreduce, values, no_rank, 2);
  case Word::scan:
    return reduction(ActionKind::scan, values, no_rank, 2);
  case Word::exscan:
    return reduction(ActionKind::exscan, values, no_rank, 2);
  case Word::alltoall:
  case Word::allgather:
    block_->append({.kind = action == Word::alltoall ? ActionKind::alltoall : ActionKind::allgather,
                    .bytes = values.bytes(0, values.element(2, default_)),
                    .receive_bytes = values.bytes(1, values.element(3, default_))});
    return;
  case Word::gather:
  case Word::scatter:
    return gather_or_scatter(action, values);
  case Word::gatherv:
  case Word::scatterv:
    return gather_or_scatter_parts(action, values);
  case Word::allgatherv:
    return all_gather_parts(values);
  case Word::alltoallv:
    return all_to_all_parts(values);
  default:
    return reduce_scatter(values);
  }
}

void RankParser::gather_or_scatter(Word action, const Values& values) {
  const Rank at = root(values, 2);
  const bool gathers = action == Word::gather;
  // What only the root says.
  const auto all = [&](std::size_t index, std::size_t type) {
    return at == rank_ ? values.bytes(index, values.element(type, default_)) : 0;
  };
  const auto own = [&](std::size_t index, std::size_t type) {
    return values.bytes(index, values.element(type, default_));
  };
  block_->append({.kind = gathers ? ActionKind::gather : ActionKind::scatter,
                  .peer = at,
                  .bytes = gathers ? own(0, 3) : all(0, 3),
                  .receive_bytes = gathers ? all(1, 4) : own(1, 4)});
}

void RankParser::gather_or_scatter_parts(Word action, const Values& values) {
  const auto members = static_cast<std::size_t>(size_);
  const Rank at = root(values, members + 1);
  const std::uint64_t out = values.element(members + 2, default_);
  const std::uint64_t in = values.element(members + 3, default_);
  Action read{.kind = action == Word::gatherv ? ActionKind::gatherv : ActionKind::scatterv, .peer = at};
  if (action == Word::gatherv) {
    counts(values, 1, in, in_);
    read.bytes = values.bytes(0, out);
    if (at == rank_) read.receive_counts = in_;
  } else {
    counts(values, 0, out, out_);
    read.receive_bytes = values.bytes(members, in);
    if (at == rank_) read.counts = out_;
  }
  block_->append(read);
}

void RankParser::all_gather_parts(const Values& values) {
  const auto members = static_cast<std::size_t>(size_);
  const bool typed = values.count() <= members + 3 || values.count() > 2 * members + 1;
  const std::uint64_t out = typed ? values.element(members + 1, default_) : default_;
  const std::uint64_t in = typed ? values.element(members + 2, default_) : default_;
  counts(values, 1, in, in_);
  block_->append({.kind = ActionKind::allgatherv, .bytes = values.bytes(0, out), .receive_counts = in_});
}

void RankParser::all_to_all_parts(const Values& values) {
  const auto members = static_cast<std::size_t>(size_);
  counts(values, 1, values.element(2 * members + 2, default_), out_);
  counts(values, members + 2, values.element(2 * members + 3, default_), in_);
  block_->append({.kind = ActionKind::alltoallv, .counts = out_, .receive_counts = in_});
}

void RankParser::reduce_scatter(const Values& values) {
  const auto members = static_cast<std::size_t>(size_);
  const std::uint64_t element = values.element(members + 1, default_);
  counts(values, 0, element, out_);
  block_->append(
      {.kind = ActionKind::reduce_scatter, .element_bytes = static_cast<std::uint32_t>(element), .counts = out_});
  compute(values.volume(members));
}

} // namespace timeless::trace::formats::ti
