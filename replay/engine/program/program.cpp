#include "replay/engine/program/program.h"

#include "replay/engine/matching/trace_error.h"

#include <algorithm>
#include <fmt/format.h>

namespace timeless::replay {

using trace::Action;
using trace::ActionKind;
using trace::CommunicatorId;
using trace::Rank;

namespace {

/// Returns true where the recording has the neighbours: it counts them in the tag, from 1.
bool neighbours_known(const Action& action) {
  return action.tag > 0;
}

void require_neighbours(const Action& action, std::size_t members) {
  if (!neighbours_known(action)) return;
  if (static_cast<std::size_t>(action.tag - 1) > action.ranks.size())
    fail(fmt::format("a collective counts {} neighbours to receive from, but lists {}", action.tag - 1,
                     action.ranks.size()));
  for (const Rank neighbour : action.ranks)
    if (neighbour != trace::no_rank && (neighbour < 0 || static_cast<std::size_t>(neighbour) >= members))
      fail(fmt::format("the neighbour {} is no rank of its communicator, which has {}", neighbour, members));
}

/// Returns the members of the larger group that has something to do among itself.
std::uint32_t working_group(ActionKind kind, const schedules::GroupPosition& place) {
  if (!rooted(kind)) return std::max(place.members, place.remote_members);
  const bool receives = place.root != schedules::nobody && place.root != place.base + place.me;
  return receives ? place.members : place.remote_members;
}

void require_one_per_member(std::span<const trace::Bytes> counts, std::size_t members) {
  if (!counts.empty() && counts.size() != members)
    fail(fmt::format("a collective lists {} counts for {} members", counts.size(), members));
}

} // namespace

Operation nothing_but_request(const Action& action) {
  Operation operation;
  if (trace::nonblocking(action)) operation = {.step = Step::start_nothing, .request = action.request};
  return operation;
}

Compiler::Compiler(const trace::Run& run, const Network& network, const Communicators& communicators,
                   Channels& channels, CostRows& rows, bool rendezvous_path, const ReplayOptions& options)
    : run_(run), network_(network), communicators_(communicators), channels_(channels), rows_(rows),
      rendezvous_path_(rendezvous_path), collectives_(options.collectives), creation_(options.creation) {}

void Compiler::compile(const trace::ActionBlock& block, Rank rank, Program& program) {
  program.operations.clear();
  program.operations.reserve(block.dictionary().size());
  program.calls.clear();
  program.schedules.clear();
  program.one_sided.clear();
  program.files.clear();
  program.unmodelled.clear();
  program.requests.clear();
  program.problems.clear();
  program.workers = std::ranges::any_of(block.dictionary(), trace::of_workers, &Action::kind);
  program.threads = std::ranges::any_of(block.dictionary(), trace::names_threads, &Action::kind);
  for (const Action& action : block.dictionary()) {
    try {
      unmodelled_.clear();
      Operation& operation = program.operations.emplace_back(compile(action, rank, program));
      operation.touches = operation.channel != no_channel           ? operation.channel
                          : operation.receive_channel != no_channel ? operation.receive_channel
                                                                    : 0;
      for (const Unmodelled what : unmodelled_)
        program.unmodelled.emplace_back(static_cast<std::uint32_t>(program.operations.size() - 1), what);
    } catch (const Error& error) {
      // One that says where is the machine's, and of no action.
      if (error.failure() != Failure::invalid_input || !error.where().empty()) throw;
      program.operations.push_back(
          {.step = Step::invalid, .call = static_cast<std::uint32_t>(program.problems.size())});
      program.problems.push_back(error.description());
    }
  }
}

Operation Compiler::compile(const Action& action, Rank rank, Program& program) {
  if (!trace::action_kind(static_cast<std::uint8_t>(action.kind))) fail("an action of no known kind");
  if (communicators_.foreign(action.communicator) && action.kind != ActionKind::resolved) {
    not_modelled(Unmodelled::another_world);
    communicators_.view(action.communicator, rank);
    return nothing_but_request(action);
  }
  switch (action.kind) {
  case ActionKind::compute:
  case ActionKind::workers_sum:
  case ActionKind::workers_maximum:
    if (action.kernel != trace::no_kernel && action.kernel >= run_.kernels.size())
      fail(fmt::format("there is no kernel {} in this run", action.kernel));
    return computation(action, program);
  case ActionKind::send:
    return send(action, rank);
  case ActionKind::receive:
    return receive(action, rank);
  case ActionKind::exchange:
  case ActionKind::exchange_replace:
    return exchange(action, rank);
  case ActionKind::probe:
  case ActionKind::poll:
    return probe(action, rank);
  case ActionKind::cancelled:
    return {.step = Step::cancel, .request = action.request};
  case ActionKind::request_free:
    return {.step = Step::release, .request = action.request};
  case ActionKind::resolved:
    return {.step = Step::resolve};
  case ActionKind::comm_free:
  case ActionKind::comm_disconnect:
    return nothing_but_request(action);
  case ActionKind::finalize:
    return {.step = Step::finalize};
  default:
    return compile_by_family(action, rank, program);
  }
}

Operation Compiler::compile_by_family(const Action& action, Rank rank, Program& program) {
  switch (trace::family(action.kind)) {
  case trace::ActionFamily::completion:
    if (action.requests.empty()) return {};
    if (action.requests.size() == 1) return {.step = Step::complete_one, .request = action.requests.front()};
    return completion(action, program);
  case trace::ActionFamily::communicator:
    return creation(action, rank, program);
  case trace::ActionFamily::process:
    not_modelled(Unmodelled::process_creation);
    if (action.kind == ActionKind::comm_join) return {};
    return synchronisation(action, rank, program);
  case trace::ActionFamily::window:
    if (action.kind == ActionKind::win_fence || action.kind == ActionKind::win_free)
      return one_sided(action, rank, program);
    return synchronisation(action, rank, program);
  case trace::ActionFamily::one_sided:
  case trace::ActionFamily::epoch:
    return one_sided(action, rank, program);
  case trace::ActionFamily::file_collective:
  case trace::ActionFamily::file:
    return file(action, rank, program);
  case trace::ActionFamily::generalized:
    if (action.kind == ActionKind::grequest_start) not_modelled(Unmodelled::generalized_request);
    return nothing_but_request(action);
  case trace::ActionFamily::mark:
    if (trace::names_threads(action.kind) && action.peer < 0)
      fail(fmt::format("a mark '{}' that names nothing", trace::mpi_name(action)));
    return {};
  default:
    return collective(action, rank, program);
  }
}

Operation Compiler::completion(const Action& action, Program& program) {
  const auto first = static_cast<std::uint32_t>(program.requests.size());
  program.requests.insert(program.requests.end(), action.requests.begin(), action.requests.end());
  return {
      .step = Step::complete, .requests = static_cast<std::uint32_t>(action.requests.size()), .first_request = first};
}

Operation Compiler::computation(const Action& action, const Program& program) const {
  if (action.kind == ActionKind::workers_sum) return {.step = Step::skip_volume};
  const double factor = action.kernel == trace::no_kernel ? 1 : network_.kernel_factor(action.kernel);
  if (action.kind == ActionKind::workers_maximum) return {.step = Step::workers, .bytes = factor};
  if (program.workers) return {.step = Step::compute_beside_workers, .bytes = factor};
  if (factor != 1) return {.step = Step::compute_in_kernel, .bytes = factor};
  return {.step = Step::compute, .bytes = 1};
}

Operation Compiler::synchronisation(const Action& action, Rank rank, Program& program) {
  return instance(action, ActionKind::barrier, action.communicator, trace::no_rank, rank, program);
}

std::uint32_t Compiler::incoming_channel(CommunicatorId communicator, Rank from, trace::Tag tag, Rank rank) {
  if (from == trace::any_rank) fail("the source of a message is unknown");
  if (tag == trace::any_tag) fail("the tag of a message is unknown");
  if (communicators_.foreign(communicator)) fail("the source of a message is in another MPI_COMM_WORLD");
  const auto view = communicators_.view(communicator, rank);
  return channels_.number({world_rank(view, from, "source"), rank, view.id, tag});
}

void Compiler::set_send(Operation& operation, const Action& action, Rank rank, bool nonblocking) {
  const auto view = communicators_.view(action.communicator, rank);
  const Rank to = world_rank(view, action.peer, "destination");
  operation.channel = channels_.number({rank, to, view.id, action.tag});
  operation.bytes = static_cast<double>(action.bytes);
  operation.synchronous = action.mode == trace::SendMode::synchronous;
  if (operation.synchronous && !rendezvous_path_) throw NeedsFullPath();
  operation.row = rendezvous_path_ ? rows_.rendezvous(rank, to, operation.bytes, action.mode)
                                   : rows_.message(rank, to, operation.bytes);
  operation.overhead = nonblocking ? Overhead::nonblocking_send : Overhead::send;
  const Overheads& overheads = network_.overheads;
  const SecondsBySize& blocking = operation.synchronous ? overheads.synchronous_send : overheads.send;
  operation.send_overhead = (nonblocking ? overheads.nonblocking_send : blocking)(action.bytes);
  operation.receive_overhead =
      (operation.synchronous ? overheads.synchronous_receive : overheads.receive)(action.bytes);
}

Operation Compiler::send(const Action& action, Rank rank) {
  if (action.peer == trace::no_rank) return nothing_but_request(action);
  Operation operation{.step = rendezvous_path_ ? Step::send_rendezvous : Step::send, .request = action.request};
  set_send(operation, action, rank, trace::nonblocking(action));
  return operation;
}

Operation Compiler::receive(const Action& action, Rank rank) {
  if (action.peer == trace::no_rank) return nothing_but_request(action);
  const bool nonblocking = trace::nonblocking(action);
  if (nonblocking && lacks_source(action)) return {.step = Step::post_wildcard, .request = action.request};
  const Step post = rendezvous_path_ ? Step::post_rendezvous : Step::post;
  const Step wait = rendezvous_path_ ? Step::receive_rendezvous : Step::receive;
  return {.step = nonblocking ? post : wait,
          .receive_channel = incoming_channel(action.communicator, action.peer, action.tag, rank),
          .request = action.request};
}

Operation Compiler::exchange(const Action& action, Rank rank) {
  Operation operation{.step = Step::exchange, .request = action.request};
  if (action.peer != trace::no_rank) set_send(operation, action, rank, true);
  if (action.receive_peer != trace::no_rank)
    operation.receive_channel = incoming_channel(action.communicator, action.receive_peer, action.receive_tag, rank);
  return operation;
}

Operation Compiler::probe(const Action& action, Rank rank) {
  if (action.peer == trace::no_rank) return {};
  return {.step = Step::probe, .receive_channel = incoming_channel(action.communicator, action.peer, action.tag, rank)};
}

Operation Compiler::collective(const Action& action, Rank rank, Program& program) {
  const auto view = communicators_.view(action.communicator, rank);
  const bool inter = communicators_.inter(view.id);
  if (!neighbourhood(action.kind)) {
    // A reduce-scatter lists the results of its own group, in an intercommunicator, too.
    const bool own = lists_results(action.kind);
    require_one_per_member(action.counts, own ? place_of(view, trace::no_rank).members : view.peers.size());
    require_one_per_member(action.receive_counts, view.peers.size());
  }
  if (neighbourhood(action.kind)) {
    require_neighbours(action, view.peers.size());
    if (!neighbours_known(action)) not_modelled(Unmodelled::neighbourhood);
  }
  if (!rooted(action.kind)) return instance(action, action.kind, action.communicator, trace::no_rank, rank, program);
  // The root of an intercommunicator's collective is MPI_ROOT or MPI_PROC_NULL on its own side.
  Rank root = trace::no_rank;
  if (inter && action.peer == trace::root_of_remote_group) {
    root = static_cast<Rank>(view.member);
  } else if (!inter || action.peer != trace::no_rank) {
    world_rank(view, action.peer, "root");
    const bool root_behind = inter && view.member < communicators_.first_group(view.id);
    root = action.peer + static_cast<Rank>(root_behind ? communicators_.first_group(view.id) : 0);
  }
  return instance(action, action.kind, action.communicator, root, rank, program);
}

/// Members of a new group meet on its communicator; all other creations are collective over the parent.
Operation Compiler::creation(const Action& action, Rank rank, Program& program) {
  if (!creation_) return nothing_but_request(action);
  const auto on = trace::creating_communicator(action);
  if (!on) return nothing_but_request(action);
  return instance(action, action.kind, *on, trace::no_rank, rank, program);
}

Operation Compiler::instance(const Action& action, ActionKind costs_as, CommunicatorId on, Rank root, Rank rank,
                             Program& program) {
  const auto view = communicators_.view(on, rank);
  if (communicators_.foreign(view.id)) {
    not_modelled(Unmodelled::another_world);
    return nothing_but_request(action);
  }
  const schedules::GroupPosition place = place_of(view, root);
  const auto peers = static_cast<std::uint32_t>(view.peers.size());
  const bool nonblocking = trace::nonblocking(action);
  const bool inter = communicators_.inter(view.id);
  CollectiveCall made{.communicator = view.id,
                      .member = view.member,
                      .root = root,
                      .nonblocking = nonblocking,
                      .idle = inter && rooted(costs_as) && root == trace::no_rank,
                      .shape = {.kind = costs_as,
                                .members = static_cast<std::uint32_t>(communicators_.members(view.id).size()),
                                .group = inter ? working_group(costs_as, place) : 0,
                                .bytes = costs_as == action.kind ? cost_bytes(action, place.members, peers) : 0,
                                .element_bytes = action.element_bytes,
                                .user_operation = (action.flags & trace::flag_user_operation) != 0,
                                .commutative = (action.flags & trace::flag_noncommutative) == 0,
                                .library = network_.library}};
  if (collectives_ == CollectiveModel::measured && !inter && !nonblocking && costs_as == action.kind)
    made.shape.algorithm = measured_algorithm(
        network_.collectives, costs_as, made.shape.members,
        counted_by_part(costs_as) ? made.shape.bytes / std::max(made.shape.members, 1U) : made.shape.bytes);
  std::shared_ptr<Schedule> schedule;
  // What members tell each other of a file is within the file system's latency.
  const bool of_file = trace::family(costs_as) == trace::ActionFamily::file_collective;
  const bool scheduled = neighbourhood(costs_as) ? neighbours_known(action) : step_by_step(collectives_);
  if (scheduled && !of_file) {
    schedule = std::make_shared<Schedule>(made.shape, action, place);
    made.scheduled = true;
    made.algorithm = schedule->plan().algorithm;
  }
  const auto call = static_cast<std::uint32_t>(program.calls.size());
  program.calls.push_back(made);
  program.schedules.push_back(std::move(schedule));
  if (made.scheduled)
    return {.step = nonblocking ? Step::start_schedule : Step::schedule, .call = call, .request = action.request};
  return {.step = nonblocking ? Step::start_instance : Step::collective, .call = call, .request = action.request};
}

schedules::GroupPosition Compiler::place_of(const Communicators::View& view, Rank root) const {
  const auto members = static_cast<std::uint32_t>(communicators_.members(view.id).size());
  const std::uint32_t first = communicators_.first_group(view.id);
  schedules::GroupPosition place{.members = members, .me = view.member};
  if (root != trace::no_rank) place.root = static_cast<std::uint32_t>(root);
  if (first == 0) return place;
  if (view.member < first) {
    place.members = place.remote_base = first;
    place.remote_members = members - first;
  } else {
    place.base = place.remote_members = first;
    place.members = members - first;
    place.me = view.member - first;
  }
  return place;
}

} // namespace timeless::replay
