#include "replay/smpi/ranks/thread_team.h"

#include "base/error.h"
#include "replay/smpi/ranks/acting_thread.h"
#include "replay/smpi/ranks/rank_player.h"

#include <algorithm>
#include <utility>

namespace timeless::replay::smpi {

namespace {

namespace sg4 = simgrid::s4u;
using trace::Action;
using trace::ActionKind;

/// Actions of a rank that are read before their threads come to them.
constexpr std::uint64_t ahead = std::uint64_t{1} << 16U;

bool makes_window(ActionKind kind) {
  return trace::family(kind) == trace::ActionFamily::window && trace::traits(kind).creates;
}

} // namespace

ThreadTeam::ThreadTeam(JobContext& context, RankPlayer& first, std::unique_ptr<trace::RankStream> stream)
    : context_(context), first_(first), actor_(sg4::Actor::self()), stream_(std::move(stream)) {
  threads_.push_back({.acting = true, .wake = sg4::Semaphore::create(0), .player = {}});
}

ThreadTeam::~ThreadTeam() = default;

// ---- division

void ThreadTeam::read_ahead() {
  if (!stream_ || waiting_ >= ahead) return;
  while (stream_ && waiting_ < ahead) {
    const auto block = std::make_shared<trace::ActionBlock>();
    if (stream_->next(*block))
      divide(block);
    else
      stream_.reset();
  }
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
    if (!threads_[thread].acting && !threads_[thread].actions.empty()) give_actor(thread);
}

void ThreadTeam::give_actor(std::uint32_t thread) {
  Member& member = threads_[thread];
  member.acting = true;
  if (thread == 0) {
    member.wake->release();
  } else if (!idle_.empty()) {
    Idle& idle = *idle_.back();
    idle_.pop_back();
    idle.ends = false;
    idle.thread = thread;
    idle.wake->release();
  } else {
    context_.start(actor_->get_name() + "-thread-" + std::to_string(number(thread)), *actor_->get_host(), first_,
                   [this, thread] { act(thread); });
  }
}

void ThreadTeam::act(std::uint32_t thread) {
  const ActingThread acting(*actor_);
  if (!ActingThread::works(*actor_))
    throw Error(Failure::missing_capability, "this SimGrid cannot replay ranks with several threads", first_.position(),
                "use --backend model");
  for (;;) {
    threads_[thread].player->follow(*this);
    Idle idle{.wake = sg4::Semaphore::create(0)};
    idle_.push_back(&idle);
    idle.wake->acquire();
    if (idle.ends) return;
    thread = idle.thread;
  }
}

void ThreadTeam::dismiss() {
  for (const std::vector<Idle*> all = std::exchange(idle_, {}); Idle* const idle : all)
    idle->wake->release();
}

void ThreadTeam::divide(const std::shared_ptr<const trace::ActionBlock>& block) {
  trace::for_each_action(*block, [&](const Action& action, std::uint64_t volume) {
    const std::uint32_t thread = uses_.follow(action);
    if (thread == threads_.size())
      threads_.push_back(
          {.wake = sg4::Semaphore::create(0), .player = std::make_unique<RankPlayer>(first_, *this, thread)});
    ThreadAction& given = threads_[thread].actions.emplace_back(
        ThreadAction{.block = block, .action = &action, .volume = volume, .ordinal = ordinal_++});
    ++waiting_;
    find_dependences(given);
  });
}

/// Returns what is to hold a thread's time, where somebody asks where the time went.
std::shared_ptr<ThreadTime> ThreadTeam::time_asked_for() const {
  return context_.attribute_calls || context_.attribute_kernels ? std::make_shared<ThreadTime>() : nullptr;
}

void ThreadTeam::use(Resource resource, trace::CommunicatorId of, Dependences& found) {
  if (of >= context_.scan->same_as.size()) return;
  if (auto before = uses_.use(resource, context_.scan->same_as[of])) found.on.push_back(*std::move(before));
}

void ThreadTeam::begin(trace::RequestId request, Dependences& found) {
  if (request == trace::no_request) return;
  found.ended_at = time_asked_for();
  const Begun& begun = requests_[request] = {uses_.here(true, found.ended_at), std::make_shared<Pending>()};
  found.pending.push_back(begun.pending);
}

void ThreadTeam::end(trace::RequestId request, Dependences& found) {
  const auto begun = requests_.find(request);
  if (begun == requests_.end()) return;
  if (uses_.elsewhere(begun->second.by)) found.on.push_back(std::move(begun->second.by));
  found.pending.push_back(std::move(begun->second.pending));
  requests_.erase(begun);
}

void ThreadTeam::synchronise(const Action& mark, Dependences& found) {
  if (mark.kind == ActionKind::thread_signal) {
    found.ended_at = time_asked_for();
    uses_.signal(mark.peer, found.ended_at);
    return;
  }
  uses_.await(mark.peer, [&](const Dependence& signal) { found.on.push_back(signal); });
}

void ThreadTeam::number_message(const ThreadAction& given, Dependences& found) {
  const Action& action = *given.action;
  found.tags = first_.number_messages(action, given.ordinal);
  const bool probes = trace::traits(action.kind).probes;
  if (!probes && !found.tags.probed) return;
  Dependence& last = probes_[{context_.scan->same_as[action.communicator], found.tags.peer, found.tags.tag}];
  if (found.tags.probed && uses_.elsewhere(last)) found.on.push_back(last);
  if (probes) last = uses_.here();
}

void ThreadTeam::find_dependences(ThreadAction& given) {
  const Action& action = *given.action;
  const trace::ActionFamily family = trace::family(action.kind);
  if (family == trace::ActionFamily::computation || family == trace::ActionFamily::lifecycle) return;
  auto found = std::make_unique<Dependences>();
  switch (family) {
  case trace::ActionFamily::mark:
    if (!trace::synchronises_threads(action.kind)) return;
    synchronise(action, *found);
    break;
  case trace::ActionFamily::completion:
    for (const trace::RequestId request : action.requests)
      end(request, *found);
    break;
  case trace::ActionFamily::request:
    if (action.kind != ActionKind::request_free) return;
    end(action.request, *found);
    break;
  case trace::ActionFamily::point_to_point:
    number_message(given, *found);
    break;
  case trace::ActionFamily::communicator:
    if (const auto on = trace::creating_communicator(action)) use(Resource::collectives, *on, *found);
    break;
  case trace::ActionFamily::collective:
    use(Resource::collectives, action.communicator, *found);
    break;
  case trace::ActionFamily::window:
    if (makes_window(action.kind)) {
      use(Resource::collectives, action.communicator, *found);
      use(Resource::window, action.new_communicator, *found);
      break;
    }
    [[fallthrough]];
  case trace::ActionFamily::one_sided:
  case trace::ActionFamily::epoch:
    use(Resource::window, action.communicator, *found);
    break;
  case trace::ActionFamily::file_collective:
    use(Resource::file, action.communicator, *found);
    break;
  default:
    break;
  }
  if (family != trace::ActionFamily::request) begin(action.request, *found);
  given.dependences = std::move(found);
}

// ---- play

bool ThreadTeam::over() const {
  return !stream_ && std::ranges::all_of(threads_, [](const Member& member) {
    return member.actions.empty() && (member.player == nullptr || !member.acting);
  });
}

ThreadAction* ThreadTeam::next(std::uint32_t thread) {
  for (;;) {
    Member& member = threads_[thread];
    read_ahead();
    if (!member.actions.empty()) {
      --waiting_;
      return &member.actions.front();
    }
    member.acting = false;
    if (over()) {
      if (thread > 0) threads_.front().wake->release();
      return nullptr;
    }
    if (thread > 0) return nullptr;
    member.wake->acquire();
  }
}

void ThreadTeam::await(std::uint32_t thread, const std::vector<Dependence>& dependences) {
  for (const Dependence& dependence : dependences) {
    Member& other = threads_[dependence.thread];
    while (other.done < dependence.actions) {
      other.waiters.push_back({dependence.actions, threads_[thread].wake.get()});
      threads_[thread].wake->acquire();
    }
  }
}

void ThreadTeam::done(std::uint32_t thread, double begin, double end) {
  Member& member = threads_[thread];
  if (context_.observe) {
    const std::uint64_t place = member.actions.front().ordinal - reported_from_;
    if (unreported_.size() <= place) unreported_.resize(place + 1);
    unreported_[place] = {begin, end};
    for (; !unreported_.empty() && unreported_.front().end >= 0; unreported_.pop_front(), ++reported_from_)
      context_.observe(first_.rank(), unreported_.front().begin, unreported_.front().end);
  }
  member.actions.pop_front();
  ++member.done;
  // Other actors go on while this one wakes one of them.
  const auto woken =
      std::ranges::partition(member.waiters, [&](const Waiter& waiter) { return waiter.actions > member.done; });
  const std::vector<Waiter> awake(woken.begin(), woken.end());
  member.waiters.erase(woken.begin(), woken.end());
  for (const Waiter& waiter : awake)
    waiter.wake->release();
}

std::vector<const RankPlayer*> ThreadTeam::players() const {
  std::vector<const RankPlayer*> players;
  for (const Member& member : threads_)
    players.push_back(member.player ? member.player.get() : &first_);
  return players;
}

} // namespace timeless::replay::smpi
