#include "trace/formats/ti/ti_rank.h"

#include "base/error.h"
#include "trace/formats/common/open_requests.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace timeless::trace::formats {

namespace {

/// SimGrid's numbers of the datatypes used.
enum Datatype : int {
  type_double = 0,
  type_int = 1,
  type_short = 3,
  type_byte = 6,
  type_long_double = 14,
  type_complex = 26
};

constexpr Bytes largest_count = std::numeric_limits<int>::max();

struct Payload {
  Bytes count = 0;
  int type = type_byte;
};

[[noreturn]] void too_large(const Action& action, Rank rank) {
  throw Error(Failure::missing_capability, "a " + mpi_name(action) + " of more than 32 GiB: SimGrid's text has none",
              "rank " + std::to_string(rank));
}

/// Returns elements large enough for SimGrid to count them in an int, which it does not check.
std::optional<Payload> payload(Bytes bytes) {
  if (bytes <= largest_count) return Payload{bytes, type_byte};
  if (bytes <= 8 * largest_count) return Payload{(bytes + 7) / 8, type_double};
  if (bytes <= 16 * largest_count) return Payload{(bytes + 15) / 16, type_long_double};
  return std::nullopt;
}

std::optional<int> type_of_size(std::uint32_t bytes) {
  switch (bytes) {
  case 1:
    return type_byte;
  case 2:
    return type_short;
  case 4:
    return type_int;
  case 8:
    return type_double;
  case 16:
    return type_complex;
  default:
    return std::nullopt;
  }
}

/// Writes one rank as lines of SimGrid's text. SimGrid names a request by source, destination and tag, so what is under
/// way is kept by these (`open_`); counts are ints, so large messages are counted in larger elements (payload()).
class TiRank : public ExportedRank {
public:
  TiRank(ExportJob& job, Rank rank, const TiTags& tags, TextOutput& out)
      : ExportedRank(job, rank), tags_(tags), out_(out) {
    line("init", {});
  }

private:
  struct Message {
    Rank source;
    Rank destination;
    Tag tag;
  };

  void line(std::string_view action, std::initializer_list<std::int64_t> values) {
    begin(action);
    for (const std::int64_t value : values)
      out_.number(value);
    out_.end_line();
  }
  void begin(std::string_view action) {
    out_.begin_line(rank());
    out_.word(action);
  }

  void say_end() override { line("finalize", {}); }
  void say_freed(RequestId request) override { freed_ += open_.forget(request); }

  void say_window(const Action& action) override {
    if (!covers_world(action.communicator)) return lost(action);
    lowered(action, "barrier");
    line("barrier", {});
  }

  void say_computation(std::uint64_t volume) override {
    line("compute", {static_cast<std::int64_t>(std::min<std::uint64_t>(volume, 1ULL << 62U))});
  }

  Payload fitting(const Action& action, Bytes bytes) const {
    const auto fits = payload(bytes);
    if (!fits) too_large(action, rank());
    return *fits;
  }

  void transfer(const char* name, const Action& action, Rank peer, Tag tag, Bytes bytes) {
    const Payload sent = fitting(action, bytes);
    line(name, {peer, tag, static_cast<std::int64_t>(sent.count), sent.type});
  }

  void say_send(const Action& action) override {
    if (action.mode == SendMode::synchronous) lowered(action, "one that need not wait for its receive");
    const Rank to = world(action, action.peer);
    const Tag tag = tags_.message(action.communicator, action.tag);
    transfer(action.request == no_request ? "send" : "isend", action, to, tag, action.bytes);
    if (action.request != no_request) open_.begin(action.request, {{rank(), to, tag}});
  }

  void say_receive(const Action& action) override {
    const Rank from = world(action, action.peer);
    const Tag tag = tags_.message(action.communicator, action.tag);
    transfer(action.request == no_request ? "recv" : "irecv", action, from, tag, action.bytes);
    if (action.request != no_request) open_.begin(action.request, {{from, rank(), tag}});
  }

  void wait(const Message& message) { line("wait", {message.source, message.destination, message.tag}); }

  /// SimGrid's own exchange has no tags.
  void say_exchange(const Action& action) override {
    const bool sends = action.peer != no_rank;
    const bool receives = action.receive_peer != no_rank;
    const Rank to = sends ? world(action, action.peer) : no_rank;
    const Rank from = receives ? world(action, action.receive_peer) : no_rank;
    const Tag out = sends ? tags_.message(action.communicator, action.tag) : 0;
    const Tag in = receives ? tags_.message(action.communicator, action.receive_tag) : 0;
    if (sends && receives && out == 0 && in == 0) {
      const Payload sent = fitting(action, action.bytes);
      const Payload got = fitting(action, action.receive_bytes);
      return line("sendRecv", {static_cast<std::int64_t>(sent.count), to, static_cast<std::int64_t>(got.count), from,
                               sent.type, got.type});
    }
    if (sends && receives) lowered(action, "isend, irecv and waits");
    step(action, {.to = to, .bytes = action.bytes, .from = from, .receive_bytes = action.receive_bytes}, out, in);
  }

  /// Sends while it receives, and waits for both.
  void step(const Action& action, const LoweredStep& both, Tag out, Tag in) {
    const bool sends = both.to != no_rank;
    const bool receives = both.from != no_rank;
    if (sends) transfer(receives ? "isend" : "send", action, both.to, out, both.bytes);
    if (receives) transfer(sends ? "irecv" : "recv", action, both.from, in, both.receive_bytes);
    if (!sends || !receives) return;
    wait({rank(), both.to, out});
    wait({both.from, rank(), in});
  }

  /// "waitall" waits for whatever is open, also for what was freed and for what another call will wait for.
  void say_completion(const Action& action) override {
    std::vector<Message> done;
    open_.complete(action, [&](const Message& message) { done.push_back(message); });
    if (action.kind != ActionKind::wait && action.kind != ActionKind::wait_all)
      lowered(action, "wait for what it completed");
    if (done.empty()) return;
    if (done.size() > 1 && open_.empty() && freed_ == 0) return line("waitall", {});
    for (const Message& message : done)
      wait(message);
  }

  bool covers_world(CommunicatorId id) const {
    if (id >= run().communicators.size()) return false;
    const Communicator& communicator = run().communicators[id];
    if (!communicator.remote_members.empty() || communicator.members.size() != static_cast<std::size_t>(run().size))
      return false;
    for (std::size_t i = 0; i < communicator.members.size(); ++i)
      if (communicator.members[i] != static_cast<Rank>(i)) return false;
    return true;
  }

  /// Writes the messages of a collective that the text has no word for.
  void as_messages(const Action& action, CommunicatorId where) {
    // What neighbours send each other crosses: it must not wait.
    const bool at_once = nonblocking(action) || neighbourhood(action.kind);
    const Tag tag = tags_.collective(where);
    std::vector<Message> begun;
    const auto say_step = [&](const LoweredStep& one) {
      if (!at_once) return step(action, one, tag, tag);
      if (one.from != no_rank) {
        transfer("irecv", action, one.from, tag, one.receive_bytes);
        begun.push_back({one.from, rank(), tag});
      }
      if (one.to != no_rank) {
        transfer("isend", action, one.to, tag, one.bytes);
        begun.push_back({rank(), one.to, tag});
      }
    };
    if (!lower(action, say_step)) return;
    lowered(action, at_once ? "messages that all start at once" : "messages");
    if (nonblocking(action)) return open_.begin(action.request, std::move(begun));
    for (const Message& message : begun)
      wait(message);
  }

  /// Who makes a communicator agrees on it: an allreduce of two integers.
  void say_creation(const Action& action, CommunicatorId where) override {
    if (nonblocking(action) || !covers_world(where)) return as_messages(action, where);
    lowered(action, "an allreduce of two integers");
    line("allreduce", {2, 0, type_int});
  }

  struct Reduction {
    int type = type_byte;
    Bytes element = 1;
    std::int64_t count(Bytes bytes) const { return static_cast<std::int64_t>((bytes + element - 1) / element); }
  };

  /// Returns elements as large as the program's, where there are such, for SimGrid's algorithms look at their number.
  Reduction reduction(const Action& action) {
    // The text names no operation; SimGrid's prefix sums then wait in order, its other reductions as they like.
    const bool ordered = action.kind == ActionKind::scan || action.kind == ActionKind::exscan;
    const bool commutes = (action.flags & flag_noncommutative) == 0;
    if (ordered && commutes) lowered(action, "one whose operation does not commute");
    if (!ordered && !commutes) lowered(action, "one whose operation commutes");
    const auto fits = [](Bytes bytes, Bytes element) {
      return bytes % element == 0 && bytes / element <= largest_count;
    };
    const auto type = type_of_size(action.element_bytes);
    const auto all_fit = [&](Bytes element) {
      return fits(action.bytes, element) &&
             std::ranges::all_of(action.counts, [&](Bytes count) { return fits(count, element); });
    };
    if (type && all_fit(action.element_bytes)) return {*type, action.element_bytes};
    Bytes largest = action.bytes;
    for (const Bytes count : action.counts)
      largest = std::max(largest, count);
    if (action.element_bytes > 1) lowered(action, "one of elements of another size");
    const Payload whole = fitting(action, largest);
    return {whole.type, whole.type == type_byte ? Bytes{1} : whole.type == type_double ? Bytes{8} : Bytes{16}};
  }

  void say_collective(const Action& action) override {
    if (nonblocking(action) || !covers_world(action.communicator) || neighbourhood(action.kind))
      return as_messages(action, action.communicator);
    const Rank root = action.peer;
    const bool at_root = root == rank();
    switch (action.kind) {
    case ActionKind::barrier:
      return line("barrier", {});
    case ActionKind::broadcast: {
      const Payload data = fitting(action, action.bytes);
      return line("bcast", {static_cast<std::int64_t>(data.count), root, data.type});
    }
    case ActionKind::reduce: {
      const Reduction made = reduction(action);
      return line("reduce", {made.count(action.bytes), 0, root, made.type});
    }
    case ActionKind::allreduce:
    case ActionKind::scan:
    case ActionKind::exscan: {
      const Reduction made = reduction(action);
      return line(action.kind == ActionKind::allreduce ? "allreduce"
                  : action.kind == ActionKind::scan    ? "scan"
                                                       : "exscan",
                  {made.count(action.bytes), 0, made.type});
    }
    case ActionKind::allgather:
    case ActionKind::alltoall: {
      const Payload each = fitting(action, action.receive_bytes);
      const auto count = static_cast<std::int64_t>(each.count);
      return line(action.kind == ActionKind::allgather ? "allgather" : "alltoall",
                  {count, count, each.type, each.type});
    }
    case ActionKind::gather: {
      // The root's own part is as large as the others', even if it passed MPI_IN_PLACE.
      const Payload own = fitting(action, at_root ? action.receive_bytes : action.bytes);
      return line("gather", {static_cast<std::int64_t>(own.count), static_cast<std::int64_t>(own.count), root, own.type,
                             own.type});
    }
    case ActionKind::scatter: {
      const Payload own = fitting(action, at_root ? action.bytes : action.receive_bytes);
      return line("scatter", {static_cast<std::int64_t>(own.count), static_cast<std::int64_t>(own.count), root,
                              own.type, own.type});
    }
    default:
      return with_counts(action);
    }
  }

  /// Returns the datatype that all of these counts fit.
  Payload unit(const Action& action, std::span<const Bytes> sizes) const {
    Bytes largest = 0;
    for (const Bytes size : sizes)
      largest = std::max(largest, size);
    return {0, fitting(action, largest).type};
  }

  static Bytes size_of(int type) { return type == type_byte ? 1 : type == type_double ? 8 : 16; }

  /// Says the counts of all members, 0 for those that are not there; their sum.
  std::int64_t counts(std::span<const Bytes> sizes, int type) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(run().size); ++i) {
      const Bytes bytes = i < sizes.size() ? sizes[i] : 0;
      const auto count = static_cast<std::int64_t>((bytes + size_of(type) - 1) / size_of(type));
      out_.number(count);
      sum += count;
    }
    return sum;
  }

  static std::int64_t sum_of(std::span<const Bytes> sizes, int type) {
    std::int64_t sum = 0;
    for (const Bytes bytes : sizes)
      sum += static_cast<std::int64_t>((bytes + size_of(type) - 1) / size_of(type));
    // SimGrid only makes a buffer of it, and reads the number as an int.
    return std::min<std::int64_t>(sum, std::numeric_limits<int>::max());
  }

  Bytes own_part(std::span<const Bytes> sizes) const {
    const auto self = static_cast<std::size_t>(rank());
    return self < sizes.size() ? sizes[self] : 0;
  }

  /// Writes a collective whose members have counts of their own.
  void with_counts(const Action& action) {
    switch (action.kind) {
    case ActionKind::gatherv:
      return gather_counts(action);
    case ActionKind::scatterv:
      return scatter_counts(action);
    case ActionKind::allgatherv:
      return allgather_counts(action);
    case ActionKind::alltoallw:
      lowered(action, "alltoallv");
      [[fallthrough]];
    case ActionKind::alltoallv:
      return alltoall_counts(action);
    case ActionKind::reduce_scatter_block:
    case ActionKind::reduce_scatter:
      return reduce_scatter_counts(action);
    default:
      return lost(action);
    }
  }

  void gather_counts(const Action& action) {
    const Payload own = fitting(action, action.peer == rank() ? own_part(action.receive_counts) : action.bytes);
    const int in = unit(action, action.receive_counts).type;
    begin("gatherv");
    out_.number(static_cast<std::int64_t>(own.count));
    counts(action.receive_counts, in);
    out_.numbers({action.peer, own.type, in});
    out_.end_line();
  }

  void scatter_counts(const Action& action) {
    const Payload own = fitting(action, action.peer == rank() ? own_part(action.counts) : action.receive_bytes);
    const int out = unit(action, action.counts).type;
    begin("scatterv");
    counts(action.counts, out);
    out_.numbers({static_cast<std::int64_t>(own.count), action.peer, out, own.type});
    out_.end_line();
  }

  void allgather_counts(const Action& action) {
    const Payload own = fitting(action, own_part(action.receive_counts));
    const int in = unit(action, action.receive_counts).type;
    begin("allgatherv");
    out_.number(static_cast<std::int64_t>(own.count));
    counts(action.receive_counts, in);
    out_.numbers({own.type, in});
    out_.end_line();
  }

  void alltoall_counts(const Action& action) {
    const int out = unit(action, action.counts).type;
    const int in = unit(action, action.receive_counts).type;
    begin("alltoallv");
    out_.number(sum_of(action.counts, out));
    counts(action.counts, out);
    out_.number(sum_of(action.receive_counts, in));
    counts(action.receive_counts, in);
    out_.numbers({out, in});
    out_.end_line();
  }

  void reduce_scatter_counts(const Action& action) {
    const Reduction made = reduction(action);
    const bool equal = action.kind == ActionKind::reduce_scatter_block;
    if (equal) lowered(action, "reducescatter");
    begin("reducescatter");
    for (std::size_t i = 0; i < static_cast<std::size_t>(run().size); ++i)
      out_.number(made.count(equal ? action.bytes : i < action.counts.size() ? action.counts[i] : 0));
    out_.numbers({0, made.type});
    out_.end_line();
  }

  const TiTags& tags_;
  TextOutput& out_;
  OpenRequests<Message> open_;
  std::size_t freed_ = 0; ///< messages begun whose request is gone
};

} // namespace

void write_ti_rank(ExportJob& job, Rank rank, const TiTags& tags, TextOutput& out) {
  TiRank(job, rank, tags, out).say_all();
}

} // namespace timeless::trace::formats
