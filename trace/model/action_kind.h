#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace timeless::trace {

/// What one rank did once. The list, with the codes the archive stores, is action_kinds.def.
enum class ActionKind : std::uint8_t {
#define ACTION_KIND(code, name, ...) name = code,
#include "trace/model/action_kinds.def"
#undef ACTION_KIND
};

/// How a replay treats a kind.
enum class ActionFamily : std::uint8_t {
  computation,     ///< instructions (or nanoseconds) between two MPI calls; each carries a volume
  point_to_point,  ///< sends, receives, probes
  completion,      ///< completes the requests it lists
  request,         ///< says something of one request without completing it
  generalized,     ///< starts or completes a generalized request, by the program's own doing
  collective,      ///< all members of the communicator meet
  communicator,    ///< creates or frees a communicator, collectively over its parent
  process,         ///< meets processes of another MPI_COMM_WORLD
  window,          ///< a collective call on a window: all members of its communicator meet
  one_sided,       ///< moves bytes between this rank and the target's window
  epoch,           ///< synchronises one-sided transfers, not collectively
  file_collective, ///< a collective call on a file: all members of its communicator make it
  file,            ///< reads or writes a file, this rank alone
  mark,            ///< says something of the actions around it; takes no time but that of a thread_await
  lifecycle,       ///< the end of the rank's MPI
};

/// How many bytes a rank sends, or receives, by an action, and which fields of the action say so.
enum class Sizes : std::uint8_t {
  none,   ///< none
  said,   ///< none, but `bytes` is the size of something: of a window, a file, a message that was seen or has come
  buffer, ///< `bytes`: a buffer, as large on all members
  one,    ///< `bytes` (received: `receive_bytes`): a message, a transfer, or this rank's part
  each,   ///< as much as that to (received: from) each member or neighbour
  list,   ///< `counts` (received: `receive_counts`): to (from) each member or neighbour a number of its own
  result, ///< received only: this rank's part of what the fields of the sent side say
};

/// The part of a collective's root, which is the action's peer.
enum class Root : std::uint8_t { none, sends, receives };

/// What an action does with the requests it names. One that may begin a request names none when it is blocking.
enum class RequestUse : std::uint8_t { begins, completes, cancels, frees, resolves };

/// The halves of a split collective call on a file.
enum class SplitCall : std::uint8_t { none, begins, ends };

/// What a mark says of the rank's threads: which one goes on, or where they wait for each other.
enum class ThreadMark : std::uint8_t { none, goes_on, meets };

/// What a kind of action is. Its row in action_kinds.def names what differs from the defaults, in this order.
struct ActionTraits {
  ActionFamily family = ActionFamily::computation;
  RequestUse requests = RequestUse::begins;
  Root root = Root::none;
  Sizes sent = Sizes::none;
  Sizes received = Sizes::none;
  SplitCall split = SplitCall::none;
  bool reduces = false;        ///< computes with the bytes it moves: has element_bytes, and the flags of an operation
  bool neighborhood = false;   ///< moves bytes between neighbours in a topology, which `ranks` lists
  bool creates = false;        ///< makes a communicator, or a window or file with one of its own: new_communicator
  bool by_new_members = false; ///< only the members of the new communicator create it
  bool settles = false;        ///< only settles how a file is used
  bool probes = false;         ///< looks for a message without receiving it
  bool by_chance = false;      ///< when and how often it succeeds depends on how ready others are
  bool of_workers = false;     ///< volume of the threads that the calling one had work for it in the burst before
  bool local = false;          ///< unlike others of its family, of no communicator
  ThreadMark thread_mark = ThreadMark::none;
};

namespace detail {

inline constexpr auto traits_by_code = [] {
  std::array<ActionTraits, 256> by_code{};
#define ACTION_KIND(code, name, of, mpi_name, ...)                                                                     \
  by_code[code] = ActionTraits{.family = ActionFamily::of __VA_OPT__(, ) __VA_ARGS__};
#include "trace/model/action_kinds.def"
#undef ACTION_KIND
  return by_code;
}();

} // namespace detail

constexpr const ActionTraits& traits(ActionKind kind) {
  return detail::traits_by_code[static_cast<std::uint8_t>(kind)];
}

constexpr ActionFamily family(ActionKind kind) {
  return traits(kind).family;
}

/// Returns the kind's own name, as in action_kinds.def: "wait_all".
std::string_view name(ActionKind kind);

/// Returns true when an action of this kind carries a volume.
constexpr bool has_volume(ActionKind kind) {
  return family(kind) == ActionFamily::computation;
}

/// Returns true for a volume that belongs to the compute action before it.
constexpr bool of_workers(ActionKind kind) {
  return traits(kind).of_workers;
}

/// Returns true for what says of a receive with a wildcard what it received.
constexpr bool resolves_receive(ActionKind kind) {
  return traits(kind).requests == RequestUse::resolves;
}

/// Returns true for what the program called, MPI_Finalize too: not computations, marks, or what a receive received.
constexpr bool is_call(ActionKind kind) {
  return family(kind) != ActionFamily::computation && family(kind) != ActionFamily::mark && !resolves_receive(kind);
}

/// Returns true for those of point-to-point whose `bytes` go to `peer`.
constexpr bool sends_message(ActionKind kind) {
  return family(kind) == ActionFamily::point_to_point && traits(kind).sent == Sizes::one;
}

/// Returns true for those of point-to-point that receive a message: probes only look for one.
constexpr bool receives_message(ActionKind kind) {
  return family(kind) == ActionFamily::point_to_point && traits(kind).received != Sizes::none;
}

/// Returns true for those that send a message and receive another: Sendrecv and its kin.
constexpr bool exchanges_messages(ActionKind kind) {
  return sends_message(kind) && receives_message(kind);
}

/// Returns true for a collective with a root: the action's peer.
constexpr bool rooted(ActionKind kind) {
  return traits(kind).root != Root::none;
}

/// Returns true for Reduce_scatter, whose `counts` say how much of the result each member gets.
constexpr bool lists_results(ActionKind kind) {
  return traits(kind).sent == Sizes::list && traits(kind).received == Sizes::result;
}

/// Returns true for Neighbor_allgather and its kin.
constexpr bool neighbourhood(ActionKind kind) {
  return traits(kind).neighborhood;
}

/// Returns true for marks that only a rank with several threads has.
constexpr bool names_threads(ActionKind kind) {
  return traits(kind).thread_mark != ThreadMark::none;
}

/// Returns true for a point where threads of a rank signal, or await others.
constexpr bool synchronises_threads(ActionKind kind) {
  return traits(kind).thread_mark == ThreadMark::meets;
}

/// Returns true where the communicator of an action means something.
constexpr bool names_communicator(ActionKind kind) {
  switch (family(kind)) {
  case ActionFamily::computation:
  case ActionFamily::completion:
  case ActionFamily::generalized:
  case ActionFamily::mark:
  case ActionFamily::lifecycle:
    return false;
  case ActionFamily::request:
    return resolves_receive(kind);
  default:
    return !traits(kind).local;
  }
}

} // namespace timeless::trace
