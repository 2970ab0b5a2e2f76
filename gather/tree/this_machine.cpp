#include "gather/tree/machine.h"

#include "trace/codec/layout.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace timeless::gather {

namespace {

/// A disk's work in a thread of its own, in the order it was submitted.
///
/// `mutex_` guards all members but the thread; the work runs without it. The destructor waits for the work that is
/// running; what has not begun is dropped.
class ThreadQueue : public DiskQueue {
public:
  ThreadQueue() : thread_([this] { run(); }) {}
  ~ThreadQueue() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void submit(std::function<void()> work) override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(work));
    }
    wake_.notify_one();
  }

  bool finished() const override {
    const std::lock_guard lock(mutex_);
    return !finished_.empty();
  }

  std::optional<std::exception_ptr> take_finished() override {
    const std::lock_guard lock(mutex_);
    if (finished_.empty()) return std::nullopt;
    std::exception_ptr oldest = finished_.front();
    finished_.pop_front();
    return oldest;
  }

private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      std::exception_ptr outcome;
      try {
        work();
      } catch (...) {
        outcome = std::current_exception();
      }
      lock.lock();
      finished_.push_back(outcome);
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  std::deque<std::exception_ptr> finished_;
  bool ending_ = false;
  std::thread thread_;
};

/// Gives the processor away, the longer the more often nothing had happened: nodes may run more than this program.
void pause(int times) {
  constexpr int eager = 50;
  if (times < eager) {
    ::sched_yield();
    return;
  }
  constexpr std::chrono::microseconds shortest(10);
  constexpr std::chrono::microseconds longest(100);
  std::this_thread::sleep_for(std::min(longest, shortest * (times - eager + 1)));
}

/// The machine at hand. wait() asks MPI and the queues in turn, since nothing wakes a thread for both.
class ThisMachine : public Machine {
public:
  std::unique_ptr<DiskQueue> disk_queue() override { return std::make_unique<ThreadQueue>(); }
  std::uint64_t checksum(std::string_view bytes) override { return trace::checksum(bytes); }

  std::vector<std::pair<int, MPI_Status>> wait(std::vector<MPI_Request>& requests,
                                               const std::vector<const DiskQueue*>& queues) override {
    std::vector<int> indices(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    const auto any_finished = [&] { return std::ranges::any_of(queues, &DiskQueue::finished); };
    for (int times = 0;; ++times) {
      int count = 0;
      MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, indices.data(), statuses.data());
      if (count == MPI_UNDEFINED) count = 0;
      if (count > 0 || any_finished()) {
        std::vector<std::pair<int, MPI_Status>> completed;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
          completed.emplace_back(indices[i], statuses[i]);
        return completed;
      }
      pause(times);
    }
  }
};

} // namespace

std::unique_ptr<Machine> this_machine() {
  return std::make_unique<ThisMachine>();
}

} // namespace timeless::gather
