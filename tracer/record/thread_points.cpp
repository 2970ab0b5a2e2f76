#include "tracer/record/thread_points.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace timeless::tracer {

namespace {

struct Registry;

struct Barrier {
  Point points[2] = {no_point, no_point};
  std::uint32_t participants = 0;
  std::uint32_t arrived = 0;
  std::uint32_t waits = 0;
};

/// A signal that waits have not all taken yet.
struct Signal {
  Point point = no_point;
  std::uint32_t waits = 1; ///< that will take it
};

/// A semaphore or a condition.
struct Object {
  std::deque<Signal> signals;          ///< by age
  std::map<Point, std::uint32_t> held; ///< how many waits of each are not recorded yet
  std::vector<Point> free;
  bool shared = false;         ///< by processes
  std::uint64_t value = 0;     ///< of a semaphore: waits that need none of the signals
  std::uint32_t waiting = 0;   ///< threads, for a condition
  std::uint32_t signalled = 0; ///< of those

  Point put(Registry& all, std::uint32_t waits);
  Point take();
  void give_back(Point point);
};

/// What all threads share; never destroyed, because threads may end after everything else.
struct Registry {
  std::mutex lock;
  Point next = 0;
  std::vector<Point> free;
  std::map<const void*, Barrier> barriers;
  std::map<const void*, Object> objects;
  std::map<pthread_t, std::unique_ptr<ThreadLife>> lives;
};

Registry& registry() {
  static Registry& the_one = *new Registry;
  return the_one;
}

Point take(Registry& all) {
  if (all.free.empty()) return all.next++;
  const Point point = all.free.back();
  all.free.pop_back();
  return point;
}

Point Object::put(Registry& all, std::uint32_t waits) {
  // Of a semaphore that other processes wait for, though it does not say so.
  constexpr std::size_t most = 65536;
  if (signals.size() >= most) give_back(take());
  Point point = no_point;
  if (free.empty()) {
    point = timeless::tracer::take(all);
  } else {
    point = free.back();
    free.pop_back();
  }
  signals.push_back({point, waits});
  held[point] = waits;
  return point;
}

Point Object::take() {
  if (signals.empty()) return no_point;
  Signal& oldest = signals.front();
  const Point point = oldest.point;
  if (--oldest.waits == 0) signals.pop_front();
  return point;
}

void Object::give_back(Point point) {
  const auto found = held.find(point);
  if (found == held.end() || --found->second > 0) return;
  held.erase(found);
  free.push_back(point);
}

/// Posts of a semaphore by handlers of signals, which take no lock, that no wait has taken yet.
struct PostsInHandlers {
  std::atomic<const void*> semaphore = nullptr;
  std::atomic<std::uint64_t> number = 0;
};
constinit std::array<PostsInHandlers, 16> posts_in_handlers;

/// Takes the posts of this semaphore.
std::uint64_t take_posts_in_handlers(const void* semaphore) {
  for (PostsInHandlers& posts : posts_in_handlers)
    if (posts.semaphore.load() == semaphore) return posts.number.exchange(0);
  return 0;
}

/// Does something with what is shared, or nothing when there is no memory for it.
template <typename Value, typename Action>
Value or_nothing(Value nothing, Action&& action) noexcept {
  try {
    Registry& all = registry();
    const std::lock_guard held(all.lock);
    return action(all);
  } catch (const std::exception&) {
    return nothing;
  }
}

void put_mark(CallScope& call, trace::ActionKind kind, Point point) noexcept {
  if (point == no_point) return;
  call.record([=](Recorder& recorder) { recorder.append({.kind = kind, .peer = static_cast<trace::Rank>(point)}); });
}

} // namespace

bool points_recorded() noexcept {
  const Recorder* const recorder = active_recorder.load(std::memory_order_acquire);
  return recorder != nullptr && recorder->threads_at_once();
}

bool may_take_points() noexcept {
  return thread_state.depth == 0 && !thread_state.of_mpi && !thread_state.in_handler && points_recorded();
}

bool takes_points() noexcept {
  return thread_state.recorded != nullptr && may_take_points();
}

void signal_at(CallScope& call, Point point) noexcept {
  put_mark(call, trace::ActionKind::thread_signal, point);
}

void await_at(CallScope& call, Point point) noexcept {
  put_mark(call, trace::ActionKind::thread_await, point);
}

void begin_barrier(const void* barrier, std::uint32_t participants) noexcept {
  or_nothing(false, [=](Registry& all) {
    Barrier& known = all.barriers[barrier];
    known.participants = participants;
    known.arrived = 0;
    return true;
  });
}

void end_barrier(const void* barrier) noexcept {
  or_nothing(false, [=](Registry& all) {
    const auto found = all.barriers.find(barrier);
    if (found == all.barriers.end()) return false;
    for (const Point point : found->second.points)
      if (point != no_point) all.free.push_back(point);
    all.barriers.erase(found);
    return true;
  });
}

Point arrive(const void* barrier, std::uint32_t participants) noexcept {
  return or_nothing(no_point, [=](Registry& all) {
    if (participants > 0) all.barriers[barrier].participants = participants;
    const auto found = all.barriers.find(barrier);
    if (found == all.barriers.end()) return no_point;
    Barrier& known = found->second;
    Point& point = known.points[known.waits % 2];
    if (point == no_point) point = take(all);
    if (++known.arrived >= known.participants) {
      known.arrived = 0;
      ++known.waits;
    }
    return point;
  });
}

void begin_after(Point point, const void* object) noexcept {
  auto& points = thread_state.begins_after;
  if (point == no_point || std::ranges::find(points, point, &AwaitedBefore::point) != points.end()) return;
  auto room = std::ranges::find(points.begin() + 1, points.end(), no_point, &AwaitedBefore::point);
  if (room == points.end()) {
    give_back(points[1].point, points[1].object);
    std::shift_left(points.begin() + 1, points.end(), 1);
    room = points.end() - 1;
  }
  *room = {point, object};
}

void begin_semaphore(const void* semaphore, std::uint64_t value, bool shared) noexcept {
  end_semaphore(semaphore);
  or_nothing(false, [=](Registry& all) {
    Object& known = all.objects[semaphore];
    take_posts_in_handlers(semaphore);
    known.value = value;
    known.shared = shared;
    return true;
  });
}

void end_semaphore(const void* semaphore) noexcept {
  or_nothing(false, [=](Registry& all) {
    const auto found = all.objects.find(semaphore);
    if (found == all.objects.end()) return false;
    std::ranges::copy(found->second.free, std::back_inserter(all.free));
    all.objects.erase(found);
    return true;
  });
}

void see_semaphore(const void* semaphore, std::uint64_t (*value)(const void*)) noexcept {
  or_nothing(false, [=](Registry& all) {
    const auto [found, is_new] = all.objects.try_emplace(semaphore);
    if (!is_new) return false;
    take_posts_in_handlers(semaphore);
    found->second.value = value(semaphore);
    return true;
  });
}

Point post(const void* semaphore) noexcept {
  return or_nothing(no_point, [=](Registry& all) {
    Object& known = all.objects[semaphore];
    return known.shared ? no_point : known.put(all, 1);
  });
}

void post_in_handler(const void* semaphore) noexcept {
  if (!points_recorded()) return;
  active_recorder.load(std::memory_order_acquire)->count_unrecorded(CallId::sem_post);
  for (PostsInHandlers& posts : posts_in_handlers) {
    const void* of = nullptr;
    if (!posts.semaphore.compare_exchange_strong(of, semaphore) && of != semaphore) continue;
    ++posts.number;
    return;
  }
}

Point take_post(const void* semaphore) noexcept {
  return or_nothing(no_point, [=](Registry& all) {
    Object& known = all.objects[semaphore];
    known.value += take_posts_in_handlers(semaphore);
    if (known.value == 0) return known.take();
    --known.value;
    return no_point;
  });
}

void begin_wait(const void* condition) noexcept {
  or_nothing(false, [=](Registry& all) {
    ++all.objects[condition].waiting;
    return true;
  });
}

Point end_wait(const void* condition, bool woken) noexcept {
  return or_nothing(no_point, [=](Registry& all) {
    Object& known = all.objects[condition];
    if (known.waiting > 0) --known.waiting;
    if (known.signalled == 0 || (!woken && known.signalled <= known.waiting)) return no_point;
    --known.signalled;
    const Point point = known.take();
    if (!woken) known.give_back(point);
    return woken ? point : no_point;
  });
}

Point signal(const void* condition, bool all_waiting) noexcept {
  return or_nothing(no_point, [=](Registry& all) {
    const auto found = all.objects.find(condition);
    if (found == all.objects.end() || found->second.waiting <= found->second.signalled) return no_point;
    Object& known = found->second;
    const std::uint32_t waits = all_waiting ? known.waiting - known.signalled : 1;
    known.signalled += waits;
    return known.put(all, waits);
  });
}

void give_back(Point point, const void* object) noexcept {
  if (point == no_point || object == nullptr) return;
  or_nothing(false, [=](Registry& all) {
    const auto found = all.objects.find(object);
    if (found != all.objects.end()) found->second.give_back(point);
    return true;
  });
}

Point take_point() noexcept {
  return or_nothing(no_point, [](Registry& all) { return take(all); });
}

void give_back(Point point) noexcept {
  or_nothing(false, [=](Registry& all) {
    if (point != no_point) all.free.push_back(point);
    return true;
  });
}

ThreadLife* begin_life(const void* site, bool joinable) noexcept {
  ThreadLife* const life = new (std::nothrow) ThreadLife;
  if (life == nullptr) return nullptr;
  life->joinable = joinable;
  if (takes_points()) {
    CallScope call(CallId::pthread_create, site);
    life->birth = take_point();
    life->own_birth = true;
    signal_at(call, life->birth);
  } else {
    life->birth = thread_state.begins_after[0].point;
  }
  if (Recorder* const recorder = active_recorder.load(std::memory_order_acquire))
    life->reusable = recorder->threads().take_reusable();
  return life;
}

void enter_life(ThreadLife* life, const pthread_t* thread) noexcept {
  if (life == nullptr) return;
  std::unique_ptr<ThreadLife> owned(life);
  if (thread == nullptr) {
    if (life->own_birth) give_back(life->birth);
    return;
  }
  // An older one by this name was detached, and has ended. Where there is no memory, the thread has its life for good.
  or_nothing(false, [&](Registry& all) {
    std::unique_ptr<ThreadLife>& entry = all.lives[*thread];
    entry = std::move(owned);
    return true;
  });
  (void)owned.release();
}

void detach(pthread_t thread) noexcept {
  // Its creator may not have entered it yet.
  if (pthread_equal(thread, pthread_self()) != 0 && thread_state.life != nullptr) thread_state.life->joinable = false;
  or_nothing(false, [=](Registry& all) {
    const auto found = all.lives.find(thread);
    if (found != all.lives.end()) found->second->joinable = false;
    return true;
  });
}

void end_life(ThreadLife& life, CallScope& call) noexcept {
  const Point end = take_point();
  signal_at(call, end);
  if (thread_state.recorded == nullptr) return;
  or_nothing(false, [&](Registry&) {
    life.end = end;
    life.recorded = thread_state.recorded;
    life.number = thread_state.recorded->number();
    return true;
  });
}

std::unique_ptr<ThreadLife> take_life(pthread_t thread) noexcept {
  auto life = or_nothing(std::unique_ptr<ThreadLife>(), [=](Registry& all) {
    const auto found = all.lives.find(thread);
    if (found == all.lives.end()) return std::unique_ptr<ThreadLife>();
    std::unique_ptr<ThreadLife> taken = std::move(found->second);
    all.lives.erase(found);
    return taken;
  });
  if (life != nullptr && life->own_birth) give_back(life->birth);
  Recorder* const recorder = active_recorder.load(std::memory_order_acquire);
  if (life != nullptr && life->reusable != nullptr && recorder != nullptr)
    recorder->threads().give_back(*life->reusable);
  return life;
}

void joined(CallScope& call, const ThreadLife& life) noexcept {
  if (life.end == no_point) return;
  await_at(call, life.end);
  call.record([&](Recorder& recorder) { recorder.threads().let_be_reused(*life.recorded, life.number); });
  give_back(life.end);
}

} // namespace timeless::tracer
