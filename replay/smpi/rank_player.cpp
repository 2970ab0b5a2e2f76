#include "replay/smpi/rank_player.h"

#include "base/error.h"
#include "replay/smpi/elements.h"
#include "replay/smpi/smpi_internals.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace timeless::replay::smpi {

namespace {

using trace::Action;
using trace::ActionKind;

int message_tag(trace::Tag tag) {
  return tag == trace::any_tag ? MPI_ANY_TAG : tag;
}

std::string who(trace::Rank rank) {
  return rank == trace::any_rank ? "any rank" : std::to_string(rank);
}

/// The action in words, as far as it helps to find it in the program.
std::string described(const Action& action) {
  std::string text = trace::mpi_name(action);
  switch (action.kind) {
  case ActionKind::send:
    text += " to " + who(action.peer) + " with tag " + std::to_string(action.tag);
    break;
  case ActionKind::receive:
  case ActionKind::probe:
  case ActionKind::poll:
    text += " from " + who(action.peer) + " with tag " + std::to_string(action.tag);
    break;
  case ActionKind::exchange:
  case ActionKind::exchange_replace:
    text += " to " + who(action.peer) + ", from " + who(action.receive_peer);
    break;
  default:
    break;
  }
  if (action.communicator != trace::world_communicator)
    text += " in communicator " + std::to_string(action.communicator);
  return text;
}

} // namespace

std::string RankPlayer::own_position() const {
  std::string text = "rank " + std::to_string(rank_);
  if (of_ != nullptr) text += ", thread " + std::to_string(of_->number(thread_));
  text += ", action " + std::to_string(ordinal_);
  if (current_ != nullptr) text += ": " + described(*current_);
  return text;
}

std::string RankPlayer::position() const {
  std::string text;
  for (const RankPlayer* player : all_threads())
    if (team_ == nullptr || player->current_ != nullptr) text += (text.empty() ? "" : "; ") + player->own_position();
  return text.empty() ? own_position() : text;
}

std::vector<const RankPlayer*> RankPlayer::all_threads() const {
  return team_ ? team_->players() : std::vector<const RankPlayer*>{this};
}

std::uint64_t RankPlayer::actions() const {
  std::uint64_t actions = 0;
  for (const RankPlayer* player : all_threads())
    actions += player->actions_;
  return actions;
}

double RankPlayer::end() const {
  double end = 0;
  for (const RankPlayer* player : all_threads())
    end = std::max(end, player->end_);
  return end;
}

void RankPlayer::check(int code, const Action& action) const {
  if (code == MPI_SUCCESS) return;
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, words, &length);
  fail({Failure::invalid_input, "SMPI refuses MPI_" + trace::mpi_name(action) + ": " + words, position(),
        "timeless check finds what is wrong with a trace"});
}

void RankPlayer::play() {
  prepare();
  start_ = simgrid::s4u::Engine::get_clock();
  stream_ = stage_.source->open(rank_);
  if (stage_.scan->ranks_with_threads.contains(rank_))
    play_in_team();
  else
    play_alone();
  finished_ = true;
  // An actor that left would take its messages along, and others may still send to it.
  stage_.start_barrier->wait();
  if (team_) team_->dismiss();
}

void RankPlayer::play_alone() {
  while (stream_->next(block_)) {
    trace::for_each_action(block_, [&](const Action& action, std::uint64_t volume) {
      const double before = end_;
      play_one(action, volume);
      ++ordinal_;
      if (stage_.observe) stage_.observe(rank_, before, end_);
    });
    current_ = nullptr;
  }
  stream_.reset();
  block_ = {};
}

void RankPlayer::play_one(const Action& action, std::uint64_t volume) {
  current_ = &action;
  perform(action, volume);
  const double now = simgrid::s4u::Engine::get_clock() - start_;
  attribute(action, now - end_);
  end_ = now;
  ++actions_;
  stage_.action_done();
}

// ---- several threads

void RankPlayer::play_in_team() {
  if (stage_.cores_per_rank > 0) own_->cores = simgrid::s4u::Semaphore::create(stage_.cores_per_rank);
  team_ = std::make_unique<ThreadTeam>(stage_, *this, std::move(stream_));
  of_ = team_.get();
  follow(*team_);
}

void RankPlayer::follow(ThreadTeam& team) {
  while (ThreadAction* const next = team.next(thread_)) {
    const double before = end_;
    current_ = next->action;
    ordinal_ = next->ordinal;
    ties_ = next->ties.get();
    if (ties_ != nullptr && !ties_->needs.empty()) {
      team.await(thread_, ties_->needs);
      take_over(ties_->needs, before);
    }
    play_one(*next->action, next->volume);
    if (ties_ != nullptr && ties_->passed && ties_->passed.use_count() > 1)
      *ties_->passed = {.when = end_, .kernels = kernels_, .calls = calls_};
    ties_ = nullptr;
    current_ = nullptr;
    team.done(thread_, before, end_);
  }
}

/// The time until the last signal that the thread has waited for is the other's who gave it.
void RankPlayer::take_over(const std::vector<Need>& needs, double before) {
  const Passed* last = nullptr;
  for (const Need& need : needs)
    if (need.since && need.since->when > (last != nullptr ? last->when : before)) last = need.since.get();
  if (last == nullptr) return;
  const auto seconds_of = [](auto& own, const auto& other) {
    for (auto& [subject, timed] : own)
      timed.seconds = 0;
    for (const auto& [subject, timed] : other)
      own[subject].seconds = timed.seconds;
  };
  seconds_of(kernels_, last->kernels);
  seconds_of(calls_, last->calls);
  end_ = last->when;
}

void RankPlayer::prepare() {
  auto* self = simgrid::s4u::Actor::self();
  self->set_property("instance_id", stage_.instance);
  self->set_property("rank", std::to_string(rank_));
  PMPI_Init(nullptr, nullptr);
  // Of several jobs, any one's: communicators of our own stand for their worlds.
  MPI_COMM_WORLD = self->extension<simgrid::smpi::ActorExt>()->comm_world();
  make_communicators();
  PMPI_Buffer_attach(stage_.send_area, std::numeric_limits<int>::max());
  self->extension<simgrid::smpi::ActorExt>()->set_replaying(true);
  lend_buffers();
  stage_.start_barrier->wait();
}

/// What SMPI's collectives set aside while replaying are two buffers for all ranks. Some take a buffer without an
/// address for a lack of memory, so each gets one: this collective of one rank sends nothing, and asks for both.
void RankPlayer::lend_buffers() {
  const int one = 1;
  simgrid::smpi::reduce_scatter__mpich_noncomm(stage_.send_area, stage_.receive_area, &one, MPI_BYTE, MPI_BAND,
                                               MPI_COMM_SELF);
}

/// Communicators must be made before SMPI replays: making them moves real data, which a replay does not. The same
/// holds for windows.
void RankPlayer::make_communicators() {
  MPI_Comm everyone = simgrid::s4u::Actor::self()->extension<simgrid::smpi::ActorExt>()->comm_world();
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(everyone, &world);
  const auto made_of = [&](const std::vector<int>& ranks) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group);
    PMPI_Comm_create(everyone, group, &made);
    if (stage_.prepare_collectives_for_nodes && ranks.size() > 1 && made->get_leaders_comm() == MPI_COMM_NULL)
      made->init_smp();
    return made;
  };
  const trace::Run& run = stage_.source->run();
  for (const trace::CommunicatorId id : stage_.communicators_of[static_cast<std::size_t>(rank_)]) {
    const trace::Communicator& communicator = run.communicators[id];
    const CommunicatorUse& use = stage_.scan->communicators[id];
    Circle& made = own_->communicators[id];
    std::vector<int> all(communicator.members.begin(), communicator.members.end());
    all.insert(all.end(), communicator.remote_members.begin(), communicator.remote_members.end());
    made.size = static_cast<int>(all.size());
    made.whole = made_of(all);
    made.self = rank_in(made.whole);
    if (use.aside) made.aside = made_of(all);
    if (use.window) make_window(id, made);
    if (communicator.remote_members.empty()) continue;
    const auto first = static_cast<std::ptrdiff_t>(communicator.members.size());
    const bool in_first = std::ranges::find(communicator.members, rank_) != communicator.members.end();
    made.group = in_first ? made_of({all.begin(), all.begin() + first}) : made_of({all.begin() + first, all.end()});
    made.remote.resize(in_first ? communicator.remote_members.size() : communicator.members.size());
    std::iota(made.remote.begin(), made.remote.end(), in_first ? static_cast<int>(first) : 0);
  }
}

const Circle& RankPlayer::circle(trace::CommunicatorId id) const {
  const auto found = own_->communicators.find(stage_.scan->same_as[id]);
  if (found == own_->communicators.end())
    fail({Failure::invalid_input, "the rank is no member of communicator " + std::to_string(id), position()});
  return found->second;
}

int RankPlayer::place(const Action& action, trace::Rank rank) const {
  if (rank == trace::no_rank) return MPI_PROC_NULL;
  if (rank == trace::any_rank) return MPI_ANY_SOURCE;
  const Circle& in = circle(action.communicator);
  const auto peers = in.inter() ? static_cast<int>(in.remote.size()) : in.size;
  if (rank < 0 || rank >= peers)
    fail({Failure::invalid_input,
          "rank " + std::to_string(rank) + " is none of communicator " + std::to_string(action.communicator) +
              ", which has " + std::to_string(peers),
          position(), "timeless check finds what is wrong with a trace"});
  return in.inter() ? in.remote[static_cast<std::size_t>(rank)] : rank;
}

int RankPlayer::rank_in(MPI_Comm communicator) const {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  return rank;
}

Pending& RankPlayer::slot(trace::RequestId id) {
  if (ties_ != nullptr) return *ties_->pending.back();
  forget(id);
  return own_->requests[id] = {};
}

/// Those that are under way.
void RankPlayer::find_pending(std::span<const trace::RequestId> ids) {
  pending_.clear();
  if (ties_ != nullptr) {
    for (const auto& pending : ties_->pending)
      pending_.push_back(pending.get());
    return;
  }
  for (const trace::RequestId id : ids)
    if (const auto known = own_->requests.find(id); known != own_->requests.end()) pending_.push_back(&known->second);
}

/// MPI counts are ints, and SMPI multiplies them by numbers of ranks, as ints again: elements large enough for both.
Elements RankPlayer::elements(trace::Bytes bytes, trace::Bytes times) {
  const trace::Bytes unit = unit_for(bytes * std::max<trace::Bytes>(times, 1));
  return {count_of(bytes, unit), stage_.types.of(unit)};
}

Elements RankPlayer::elements_without_room(trace::Bytes bytes, trace::Bytes times) {
  if (bytes * times < worth_sparing) return elements(bytes, times);
  const trace::Bytes unit = unit_for(bytes * times);
  return {count_of(bytes, unit), stage_.types.without_room(unit)};
}

/// SMPI has receives of small messages wait in one place and those of large ones in another, by sizes that it takes for
/// ints (so 2 to 4 GiB are small). Small messages look into both, large ones into theirs alone. So a receive of a large
/// message may be taken by a small one, though a small receive came before it, and the large message finds none. Where
/// all receives count as large, they are taken in their order. What a message costs depends on its sender's size.
Elements RankPlayer::room_for(trace::Bytes bytes) {
  bytes = std::max(bytes, stage_.smallest_large);
  if (bytes <= largest_count) return elements(bytes);
  constexpr trace::Bytes turn = trace::Bytes{1} << 32U;
  constexpr trace::Bytes widest = 0x7fff0000; // as an int; a multiple of all units
  trace::Bytes room = bytes / turn * turn + widest;
  if (room < bytes) room += turn;
  return elements(room);
}

const trace::RequestOutcome* RankPlayer::request_outcome() const {
  return stage_.scan->request_outcomes[static_cast<std::size_t>(rank_)].of(ordinal_);
}

/// The calling thread waits for its workers: a burst takes as long as the longest of them.
void RankPlayer::compute(ActionKind kind, trace::KernelId kernel, std::uint64_t volume) {
  std::uint64_t more = volume;
  if (kind == ActionKind::workers_sum) return;
  if (kind == ActionKind::workers_maximum)
    more = volume > last_computation_ ? volume - last_computation_ : 0;
  else
    last_computation_ = volume;
  const double factor = kernel < stage_.kernel_factors.size() ? stage_.kernel_factors[kernel] : 1;
  const double flops = factor * static_cast<double>(more) * stage_.flops_per_unit[static_cast<std::size_t>(rank_)];
  if (flops <= 0) return;
  if (own_->cores) own_->cores->acquire();
  smpi_execute_flops(flops);
  if (own_->cores) own_->cores->release();
}

void RankPlayer::perform(const Action& action, std::uint64_t volume) {
  if (!trace::has_volume(action.kind)) last_computation_ = 0;
  switch (trace::family(action.kind)) {
  case trace::ActionFamily::computation:
    return compute(action.kind, action.kernel, volume);
  case trace::ActionFamily::completion:
    return complete(action.requests);
  case trace::ActionFamily::collective:
    return collective(action);
  case trace::ActionFamily::communicator:
    return create_communicator(action);
  case trace::ActionFamily::request:
    if (action.kind == ActionKind::request_free) forget(action.request);
    return;
  case trace::ActionFamily::point_to_point:
    return point_to_point(action);
  case trace::ActionFamily::window:
    return window(action);
  case trace::ActionFamily::one_sided:
    return one_sided(action);
  case trace::ActionFamily::epoch:
    return epoch(action);
  case trace::ActionFamily::file_collective:
    return file_collective(action);
  case trace::ActionFamily::file:
    return file(action);
  case trace::ActionFamily::mark:
  case trace::ActionFamily::lifecycle:
  case trace::ActionFamily::generalized: // what they stand for was not recorded
  case trace::ActionFamily::process:     // refused by the scan
    return;
  }
}

/// A kernel's time reaches from its computation to the next one, as in the model.
void RankPlayer::attribute(const Action& action, double seconds) {
  const bool computation = trace::family(action.kind) == trace::ActionFamily::computation;
  if (stage_.attribute_kernels) {
    if (action.kind == ActionKind::compute) {
      kernel_ = action.kernel;
      ++kernels_[kernel_].count;
    }
    kernels_[kernel_].seconds += seconds;
  }
  if (stage_.attribute_calls) {
    TimedSubject& timed = calls_[computation ? "computation" : trace::mpi_name(action)];
    ++timed.count;
    timed.seconds += seconds;
  }
}

MessageTags RankPlayer::recorded_tags(const Action& action) const {
  const bool exchanges = trace::exchanges_messages(action.kind);
  return {.send = action.tag, .receive = message_tag(exchanges ? action.receive_tag : action.tag)};
}

MessageTags RankPlayer::number_messages(const Action& action, std::uint64_t ordinal) {
  MessageTags tags = recorded_tags(action);
  tags.numbered = true;
  MessageNumbers& numbers = stage_.numbers;
  const bool started = action.request != trace::no_request;
  const trace::RequestOutcome* late =
      started ? stage_.scan->request_outcomes[static_cast<std::size_t>(rank_)].of(ordinal) : nullptr;
  if (late != nullptr && late->cancelled) return tags;
  const trace::CommunicatorId communicator = stage_.scan->same_as[action.communicator];
  const int self = circle(action.communicator).self;
  const bool exchanges = trace::exchanges_messages(action.kind);
  if (trace::sends_message(action.kind))
    if (const int to = place(action, action.peer); to != MPI_PROC_NULL)
      tags.send = numbers.send({communicator, self, to}, action.tag).number;
  if (action.kind == ActionKind::send) return tags;
  tags.peer = exchanges ? action.receive_peer : action.peer;
  tags.tag = exchanges ? action.receive_tag : action.tag;
  if (late != nullptr && late->resolved) {
    tags.peer = late->peer;
    tags.tag = late->tag;
  }
  const int from = place(action, tags.peer);
  if (from == MPI_PROC_NULL) return tags;
  tags.receive = MessageNumbers::nobodys; // where it was never learnt what it has received
  if (from == MPI_ANY_SOURCE || tags.tag == trace::any_tag) return tags;
  const MessageNumbers::Direction direction{communicator, from, self};
  if (action.kind == ActionKind::probe || action.kind == ActionKind::poll) {
    tags.received = numbers.probe(direction, tags.tag, (action.flags & trace::flag_matched) != 0);
    tags.probed = tags.received.of == nullptr;
  } else {
    tags.received = numbers.receive(direction, tags.tag, tags.probed);
  }
  tags.receive = tags.received.number;
  return tags;
}

void RankPlayer::point_to_point(const Action& action) {
  if (ties_ != nullptr)
    tags_ = ties_->tags;
  else
    tags_ = stage_.scan->threads ? number_messages(action, ordinal_) : recorded_tags(action);
  switch (action.kind) {
  case ActionKind::send:
    return action.request == trace::no_request ? send(action) : start_send(action);
  case ActionKind::receive:
    return receive(action);
  case ActionKind::exchange:
  case ActionKind::exchange_replace:
    return exchange(action);
  default:
    return await_message(action);
  }
}

void RankPlayer::send(const Action& action) {
  const auto [count, type] = elements(action.bytes);
  MPI_Comm comm = communicator(action.communicator);
  const int peer = place(action, action.peer);
  // SMPI compares sizes as ints: from 2 GiB on a standard send would pass for a small one.
  const bool meets = action.mode == trace::SendMode::synchronous || action.bytes > largest_count;
  if (meets) return check(PMPI_Ssend(stage_.send_area, count, type, peer, tags_.send, comm), action);
  if (action.mode == trace::SendMode::buffered)
    return check(PMPI_Bsend(stage_.send_area, count, type, peer, tags_.send, comm), action);
  check(PMPI_Send(stage_.send_area, count, type, peer, tags_.send, comm), action);
}

void RankPlayer::start_send(const Action& action) {
  Pending& pending = slot(action.request);
  MPI_Request& request = pending.request;
  const trace::RequestOutcome* late = request_outcome();
  if (late != nullptr && late->cancelled) return;
  const auto [count, type] = elements(action.bytes);
  MPI_Comm comm = communicator(action.communicator);
  const int peer = place(action, action.peer);
  const bool meets = action.mode == trace::SendMode::synchronous || action.bytes > largest_count;
  const bool buffered = action.mode == trace::SendMode::buffered;
  if ((action.flags & trace::flag_persistent) != 0) {
    const auto make = meets ? PMPI_Ssend_init : buffered ? PMPI_Bsend_init : PMPI_Send_init;
    check(make(stage_.send_area, count, type, peer, tags_.send, comm, &request), action);
    pending.persistent = true;
    return check(PMPI_Start(&request), action);
  }
  const auto start = meets ? PMPI_Issend : buffered ? PMPI_Ibsend : PMPI_Isend;
  check(start(stage_.send_area, count, type, peer, tags_.send, comm, &request), action);
}

bool RankPlayer::taken_early(const RankState::MessageKey& message) {
  if (tags_.numbered) return tags_.probed;
  const auto found = own_->early.find(message);
  if (found == own_->early.end()) return false;
  if (--found->second == 0) own_->early.erase(found);
  return true;
}

void RankPlayer::receive(Action action) {
  const bool blocking = action.request == trace::no_request;
  Pending* pending = blocking ? nullptr : &slot(action.request);
  if (const trace::RequestOutcome* late = blocking ? nullptr : request_outcome()) {
    if (late->cancelled) return;
    if (late->resolved) {
      action.peer = late->peer;
      action.tag = late->tag;
      action.bytes = std::max(action.bytes, late->bytes);
    }
  }
  if (taken_early({action.communicator, action.peer, action.tag})) return MessageNumbers::give_back(tags_.received);
  const auto [count, type] = room_for(action.bytes);
  MPI_Comm comm = communicator(action.communicator);
  const int peer = place(action, action.peer);
  const int tag = tags_.numbered ? tags_.receive : message_tag(action.tag);
  if (blocking) {
    check(PMPI_Recv(stage_.receive_area, count, type, peer, tag, comm, MPI_STATUS_IGNORE), action);
    return MessageNumbers::give_back(tags_.received);
  }
  pending->number = tags_.received;
  if ((action.flags & trace::flag_persistent) != 0) {
    check(PMPI_Recv_init(stage_.receive_area, count, type, peer, tag, comm, &pending->request), action);
    pending->persistent = true;
    return check(PMPI_Start(&pending->request), action);
  }
  check(PMPI_Irecv(stage_.receive_area, count, type, peer, tag, comm, &pending->request), action);
}

/// SMPI's own exchange of a rank with itself sends nothing, and others may wait for its message.
void RankPlayer::exchange(const Action& action) {
  const auto [send_count, send_type] = elements(action.bytes);
  const auto [receive_count, receive_type] = room_for(action.receive_bytes);
  MPI_Comm comm = communicator(action.communicator);
  const int to = place(action, action.peer);
  int from = place(action, action.receive_peer);
  if (from != MPI_PROC_NULL && taken_early({action.communicator, action.receive_peer, action.receive_tag}))
    from = MPI_PROC_NULL;
  const bool blocking = action.request == trace::no_request;
  if (const int self = circle(action.communicator).self; blocking && (to != self || from != self)) {
    check(PMPI_Sendrecv(stage_.send_area, send_count, send_type, to, tags_.send, stage_.receive_area, receive_count,
                        receive_type, from, tags_.receive, comm, MPI_STATUS_IGNORE),
          action);
    return MessageNumbers::give_back(tags_.received);
  }
  std::vector<MPI_Request> parts(2, MPI_REQUEST_NULL);
  check(PMPI_Irecv(stage_.receive_area, receive_count, receive_type, from, tags_.receive, comm, &parts[0]), action);
  check(PMPI_Isend(stage_.send_area, send_count, send_type, to, tags_.send, comm, &parts[1]), action);
  if (blocking) {
    wait_for(parts, action);
    return MessageNumbers::give_back(tags_.received);
  }
  Pending& pending = slot(action.request);
  pending.parts = std::move(parts);
  pending.number = tags_.received;
}

/// SMPI's own probes poll in steps of 0.1 ms. Here a probe receives the message it found, and the receive that follows
/// finds it done: the same wait, at the time the message comes.
void RankPlayer::await_message(const Action& action) {
  const RankState::MessageKey key{action.communicator, action.peer, action.tag};
  const bool takes_it_away = (action.flags & trace::flag_matched) != 0;
  if (tags_.numbered ? tags_.probed : !takes_it_away && own_->early.contains(key)) return;
  const auto [count, type] = room_for(action.bytes);
  check(PMPI_Recv(stage_.receive_area, count, type, place(action, action.peer), tags_.receive,
                  communicator(action.communicator), MPI_STATUS_IGNORE),
        action);
  if (!tags_.numbered) ++own_->early[key];
}

void RankPlayer::complete(std::span<const trace::RequestId> ids) {
  find_pending(ids);
  scratch_.clear();
  bool files = false;
  for (const Pending* pending : pending_) {
    if (pending->request != MPI_REQUEST_NULL) scratch_.push_back(pending->request);
    scratch_.insert(scratch_.end(), pending->parts.begin(), pending->parts.end());
    files = files || pending->file.has_value();
  }
  if (!scratch_.empty())
    check(PMPI_Waitall(static_cast<int>(scratch_.size()), scratch_.data(), MPI_STATUSES_IGNORE), *current_);
  else if (!files)
    return;
  for (Pending* const pending : pending_) {
    if (pending->file) finish(*pending->file);
    if (pending->persistent && pending->request != MPI_REQUEST_NULL) PMPI_Request_free(&pending->request);
    pending->request = MPI_REQUEST_NULL;
    pending->parts.clear();
    pending->file.reset();
    MessageNumbers::give_back(pending->number);
  }
}

void RankPlayer::forget(Pending& pending) {
  if (pending.request != MPI_REQUEST_NULL) own_->unfinished.push_back(pending.request);
  own_->unfinished.insert(own_->unfinished.end(), pending.parts.begin(), pending.parts.end());
  pending.request = MPI_REQUEST_NULL;
  pending.parts.clear();
  pending.number = {};
}

void RankPlayer::forget(trace::RequestId id) {
  find_pending({&id, 1});
  for (Pending* const pending : pending_)
    forget(*pending);
}

void RankPlayer::wait_for(std::vector<MPI_Request>& parts, const Action& action) {
  if (!parts.empty()) check(PMPI_Waitall(static_cast<int>(parts.size()), parts.data(), MPI_STATUSES_IGNORE), action);
}

} // namespace timeless::replay::smpi
