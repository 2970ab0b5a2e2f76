#include "tracer/thread_points.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace timeless::tracer {

namespace {

struct Barrier {
  Point points[2] = {no_point, no_point};
  std::uint32_t participants = 0;
  std::uint32_t arrived = 0;
  std::uint32_t waits = 0;
};

/// What all threads share; never destroyed, because threads may end after everything else.
struct Registry {
  std::mutex lock;
  Point next = 0;
  std::vector<Point> free;
  std::map<const void*, Barrier> barriers;
  std::map<const void*, Point> objects;
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

bool takes_points() noexcept {
  return thread_state.recorded != nullptr && thread_state.depth == 0 && points_recorded();
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

void begin_after(Point point) noexcept {
  auto& points = thread_state.begins_after;
  if (point == no_point || std::ranges::find(points, point) != points.end()) return;
  auto room = std::ranges::find(points.begin() + 1, points.end(), no_point);
  if (room == points.end()) {
    std::shift_left(points.begin() + 1, points.end(), 1);
    room = points.end() - 1;
  }
  *room = point;
}

Point point_of(const void* object) noexcept {
  return or_nothing(no_point, [=](Registry& all) {
    const auto [found, is_new] = all.objects.try_emplace(object, no_point);
    if (is_new) found->second = take(all);
    return found->second;
  });
}

Point signalled_point(const void* object) noexcept {
  return or_nothing(no_point, [=](Registry& all) {
    const auto found = all.objects.find(object);
    return found != all.objects.end() ? found->second : no_point;
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

ThreadLife* begin_life(const void* site) noexcept {
  ThreadLife* const life = new (std::nothrow) ThreadLife;
  if (life == nullptr) return nullptr;
  if (takes_points()) {
    CallScope call(CallId::pthread_create, site);
    life->birth = take_point();
    life->own_birth = true;
    signal_at(call, life->birth);
  } else {
    life->birth = thread_state.begins_after[0];
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

void end_life(ThreadLife& life, CallScope& call) noexcept {
  const Point end = take_point();
  signal_at(call, end);
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
