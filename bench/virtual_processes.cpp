#include "virtual_processes.h"

#include "replay/distributed/participant.h"
#include "replay/engine/bus/bus.h"

#include <algorithm>
#include <ctime>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace timeless::bench {

namespace {

using replay::Batch;
using replay::Participant;

// As MpiBus has them.
constexpr std::size_t most_batches_on_their_way = 64;
constexpr std::uint32_t idle_before_sleep = 200;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns what two looks at the clock are apart.
double clock_cost() {
  std::vector<double> apart;
  for (int look = 0; look < 1001; ++look) {
    const double begin = thread_seconds();
    apart.push_back(thread_seconds() - begin);
  }
  std::ranges::nth_element(apart, apart.begin() + 500);
  return apart[500];
}

class VirtualProcess;

struct Travelling {
  double arrives = 0;
  Batch batch;
};

/// One process: its clock, its bus, its part of the replay.
class VirtualProcess : public replay::Bus {
public:
  VirtualProcess(std::deque<VirtualProcess>& all, int process, int processes, const BatchCosts& costs)
      : all_(all), process_(process), costs_(costs), inbox_(static_cast<std::size_t>(processes)) {}

  int process() const override { return process_; }
  int processes() const override { return static_cast<int>(inbox_.size()); }

  void send(int to, Batch batch) override {
    const double bytes = static_cast<double>(batch.size());
    ++work.batches;
    work.bytes += batch.size();
    charge(costs_.send + bytes * costs_.send_byte);
    port_free_ = std::max(now(), port_free_) + bytes * costs_.byte_time;
    ++on_their_way_;
    VirtualProcess& other = all_[static_cast<std::size_t>(to)];
    other.inbox_[static_cast<std::size_t>(process_)].push_back({port_free_ + costs_.latency, std::move(batch)});
  }

  std::optional<Arrival> receive() override {
    const std::size_t from = first();
    if (from == inbox_.size() || inbox_[from].front().arrives > now()) return std::nullopt;
    Arrival arrival{static_cast<int>(from), std::move(inbox_[from].front().batch)};
    inbox_[from].pop_front();
    --all_[from].on_their_way_;
    charge(costs_.receive + static_cast<double>(arrival.batch.size()) * costs_.receive_byte);
    idle_ = 0;
    return arrival;
  }

  bool congested() override { return on_their_way_ > most_batches_on_their_way; }
  void idle() override {}

  void begin(const trace::Source& source, const replay::Network& network, const replay::ReplayOptions& options,
             double clock_costs) {
    clock_costs_ = clock_costs;
    begin_ = thread_seconds();
    part_ = std::make_unique<Participant>(source, network, options, *this);
    end_part();
  }

  /// Returns false when the process is done.
  bool step() {
    begin_ = thread_seconds();
    const Participant::Next next = part_->step();
    if (next == Participant::Next::wait) {
      charged_ = 0;
      // Until it looks again, which finds nothing before something has arrived.
      const double look = ++idle_ < idle_before_sleep ? costs_.poll : costs_.sleep;
      clock += look;
      work.waited += look;
      return true;
    }
    end_part();
    return next != Participant::Next::done;
  }

  replay::ProcessWork done() {
    replay::ProcessWork all = part_->work_done();
    all.batches = work.batches;
    all.bytes = work.bytes;
    all.waited = work.waited;
    all.seconds = clock;
    all.cpu_seconds = clock - work.waited;
    return all;
  }

  double clock = 0;
  replay::ProcessWork work;

private:
  /// Returns the time within a step.
  double now() const { return clock + std::max(thread_seconds() - begin_ - clock_costs_, 0.0) + charged_; }
  void charge(double seconds) { charged_ += seconds; }
  void end_part() {
    clock = now();
    charged_ = 0;
  }

  /// Returns the process whose batch arrives first; the number of processes when none is on its way.
  std::size_t first() const {
    std::size_t from = inbox_.size();
    double arrives = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < inbox_.size(); ++other)
      if (!inbox_[other].empty() && inbox_[other].front().arrives < arrives) {
        from = other;
        arrives = inbox_[other].front().arrives;
      }
    return from;
  }

  std::deque<VirtualProcess>& all_;
  int process_;
  const BatchCosts& costs_;
  std::vector<std::deque<Travelling>> inbox_; ///< by sender
  std::unique_ptr<Participant> part_;
  double begin_ = 0;
  double charged_ = 0;
  double clock_costs_ = 0;
  double port_free_ = 0;
  std::size_t on_their_way_ = 0;
  std::uint32_t idle_ = 0;
};

} // namespace

VirtualRun run_virtually(const trace::Source& source, const replay::Network& network,
                         const replay::ReplayOptions& options, int processes, const BatchCosts& costs) {
  const double clock_costs = clock_cost();
  std::deque<VirtualProcess> all;
  for (int process = 0; process < processes; ++process)
    all.emplace_back(all, process, processes, costs);
  std::vector<VirtualProcess*> running;
  for (VirtualProcess& process : all) {
    process.begin(source, network, options, clock_costs);
    running.push_back(&process);
  }
  // The one whose clock is behind all others': nothing can arrive any more before its time.
  while (!running.empty()) {
    const auto next = std::ranges::min_element(running, {}, &VirtualProcess::clock);
    if (!(*next)->step()) running.erase(next);
  }
  VirtualRun run;
  for (VirtualProcess& process : all) {
    run.work.push_back(process.done());
    run.seconds = std::max(run.seconds, process.clock);
    run.most_busy = std::max(run.most_busy, run.work.back().cpu_seconds);
    run.busy += run.work.back().cpu_seconds;
  }
  return run;
}

} // namespace timeless::bench
