#include "replay/smpi/ranks/rank_player.h"

#include "replay/smpi/calls/smpi_internals.h"

#include <algorithm>
#include <limits>

namespace timeless::replay::smpi {

namespace {

using trace::Action;

std::string who(trace::Rank rank) {
  return rank == trace::any_rank ? "any rank" : std::to_string(rank);
}

/// Returns the action in words, as far as it helps to find it in the program.
std::string described(const Action& action) {
  std::string text = trace::mpi_name(action);
  if (trace::exchanges_messages(action.kind))
    text += " to " + who(action.peer) + ", from " + who(action.receive_peer);
  else if (trace::family(action.kind) == trace::ActionFamily::point_to_point)
    text += (trace::sends_message(action.kind) ? " to " : " from ") + who(action.peer) + " with tag " +
            std::to_string(action.tag);
  if (action.communicator != trace::world_communicator)
    text += " in communicator " + std::to_string(action.communicator);
  return text;
}

/// What SMPI's collectives set aside while replaying are two buffers for all ranks. Some take a buffer without an
/// address for a lack of memory, so each gets one: this collective of one rank sends nothing, and asks for both.
void lend_buffers(const JobContext& context) {
  const int one = 1;
  simgrid::smpi::reduce_scatter__mpich_noncomm(context.send_area, context.receive_area, &one, MPI_BYTE, MPI_BAND,
                                               MPI_COMM_SELF);
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

TimeBySubject RankPlayer::times() const {
  TimeBySubject all;
  const RankPlayer* last = this;
  for (const RankPlayer* player : all_threads()) {
    if (player->end_ > last->end_) last = player;
    all.add_counts(player->times_);
  }
  all.take_seconds(last->times_);
  return all;
}

void RankPlayer::play() {
  prepare();
  start_ = simgrid::s4u::Engine::get_clock();
  if (context_.begun) context_.begun();
  stream_ = context_.source->open(rank_);
  if (context_.scan->ranks_with_threads.contains(rank_))
    play_in_team();
  else
    play_alone();
  finished_ = true;
  // An actor that left would take its messages along, and others may still send to it.
  context_.start_barrier->wait();
  if (team_) team_->dismiss();
}

void RankPlayer::play_alone() {
  while (stream_->next(block_)) {
    trace::for_each_action(block_, [&](const Action& action, std::uint64_t volume) {
      const double before = end_;
      play_one(action, volume);
      ++ordinal_;
      if (context_.observe) context_.observe(rank_, before, end_);
    });
    current_ = nullptr;
  }
  stream_.reset();
  block_ = {};
}

void RankPlayer::play_one(const Action& action, std::uint64_t volume, const Dependences* dependences) {
  current_ = &action;
  if (!trace::has_volume(action.kind)) computation_.end_burst();
  if (trace::family(action.kind) == trace::ActionFamily::computation)
    computation_.play(action, volume, cores_.get());
  else
    calls_->play({action, ordinal_, *this, thread_, dependences});
  const double now = simgrid::s4u::Engine::get_clock() - start_;
  times_.add(action, now - end_, context_);
  end_ = now;
  ++actions_;
  context_.action_done();
}

// ---- several threads

void RankPlayer::play_in_team() {
  if (context_.cores_per_rank > 0) cores_ = simgrid::s4u::Semaphore::create(context_.cores_per_rank);
  team_ = std::make_unique<ThreadTeam>(context_, *this, std::move(stream_));
  of_ = team_.get();
  follow(*team_);
}

void RankPlayer::follow(ThreadTeam& team) {
  while (ThreadAction* const next = team.next(thread_)) {
    const double before = end_;
    current_ = next->action;
    ordinal_ = next->ordinal;
    const Dependences* const dependences = next->dependences.get();
    if (dependences != nullptr && !dependences->on.empty()) {
      team.await(thread_, dependences->on);
      take_over(dependences->on, before);
    }
    play_one(*next->action, next->volume, dependences);
    if (dependences != nullptr && dependences->ended_at && dependences->ended_at.use_count() > 1)
      *dependences->ended_at = {.when = end_, .times = times_};
    current_ = nullptr;
    team.done(thread_, before, end_);
  }
}

/// The time until the last signal that the thread has waited for is the other's who gave it.
void RankPlayer::take_over(const std::vector<Dependence>& dependences, double before) {
  const ThreadTime* last = nullptr;
  for (const Dependence& on : dependences)
    if (on.since && on.since->when > (last != nullptr ? last->when : before)) last = on.since.get();
  if (last == nullptr) return;
  times_.take_seconds(last->times);
  end_ = last->when;
}

void RankPlayer::prepare() {
  auto* self = simgrid::s4u::Actor::self();
  self->set_property("instance_id", context_.instance);
  self->set_property("rank", std::to_string(rank_));
  PMPI_Init(nullptr, nullptr);
  // Of several jobs, any one's: communicators of our own stand for their worlds.
  MPI_COMM_WORLD = self->extension<simgrid::smpi::ActorExt>()->comm_world();
  calls_->prepare();
  PMPI_Buffer_attach(context_.send_area, std::numeric_limits<int>::max());
  self->extension<simgrid::smpi::ActorExt>()->set_replaying(true);
  lend_buffers(context_);
  context_.start_barrier->wait();
}

} // namespace timeless::replay::smpi
