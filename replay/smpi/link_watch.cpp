#include "replay/smpi/link_watch.h"

#include "replay/simgrid/simgrid_versions.h"

#include <algorithm>
#include <functional>
#include <utility>

// What SimGrid keeps for a message, as far as it is read here: no header shows it. Same in SimGrid 3.32 to 4.x.
namespace simgrid::kernel::resource {
class NetworkAction : public Action {
  s4u::Host& source_;
  s4u::Host& destination_;
  NetworkAction() = delete;

public:
  s4u::Host& source() const { return source_; }
  s4u::Host& destination() const { return destination_; }
};
} // namespace simgrid::kernel::resource

namespace timeless::replay::smpi {

namespace sg4 = simgrid::s4u;

namespace resource = simgrid::kernel::resource;

namespace {

/// Rates are sums and quotients of doubles.
constexpr double as_good_as = 1 - 1e-6;

const resource::NetworkAction& message(const resource::Action& action) {
  return static_cast<const resource::NetworkAction&>(action);
}

} // namespace

LinkWatch::LinkWatch(const SimgridPlatform& platform, std::span<const std::uint32_t> hosts, KernelOf kernel_of)
    : platform_(platform), kernel_of_(std::move(kernel_of)) {
  for (const std::uint32_t host : hosts)
    hosts_.emplace(sg4::Host::by_name(platform.hosts()[host].name), host);
  model_ = model_of(sg4::Engine::get_instance()->get_netzone_root()->get_network_model());
  if (model_ != nullptr) sg4::Engine::on_time_advance_cb([this](double seconds) { advance(seconds); });
}

void LinkWatch::begin() {
  if (begin_ < 0) begin_ = sg4::Engine::get_clock();
}

/// Is called after each step of the clock, with rates and messages as they were during it.
void LinkWatch::advance(double seconds) {
  if (begin_ < 0 || seconds <= 0) return;
  ++event_;
  slow_.clear();
  for (const resource::Action& action : *model_->get_started_action_set())
    collect(message(action), seconds);
  for (const resource::Action& action : *model_->get_finished_action_set())
    collect(message(action), seconds);
  const double end = sg4::Engine::get_clock() - begin_;
  for (const SlowFlow& slow : slow_)
    for (WatchedLink* link : slow.flow->links)
      count(*link);
  for (const SlowFlow& slow : slow_)
    charge(slow, end - seconds, end);
  for (const resource::Action& action : *model_->get_finished_action_set())
    flows_.erase(&action);
}

LinkWatch::Flow& LinkWatch::flow_of(const resource::NetworkAction& action) {
  Flow& flow = flows_[&action];
  if (flow.started == action.get_start_time()) return flow;
  flow = {.started = action.get_start_time()}; // another message where one was
  const auto from = hosts_.find(&action.source());
  const auto to = hosts_.find(&action.destination());
  if (from == hosts_.end() || to == hosts_.end()) return flow;
  const SmpiSettings& settings = platform_.settings();
  flow.alone = std::min(platform_.route(from->second, to->second).bandwidth, action.get_bound()) *
               settings.bandwidth_factor.factor(action.get_cost());
  flow.kernel = kernel_of_(from->second);
  const auto add_route = [&](const sg4::Host& source, const sg4::Host& destination) {
    std::vector<sg4::Link*> links;
    double latency = 0;
    source.route_to(&destination, links, &latency);
    for (const sg4::Link* link : links) {
      if (!link->is_shared()) continue;
      WatchedLink* const watched = &links_.try_emplace(link, WatchedLink{.link = link}).first->second;
      if (std::ranges::find(flow.links, watched) == flow.links.end()) flow.links.push_back(watched);
    }
  };
  add_route(action.source(), action.destination());
  if (settings.cross_traffic > 0) add_route(action.destination(), action.source());
  return flow;
}

void LinkWatch::collect(const resource::NetworkAction& action, double seconds) {
  Flow& flow = flow_of(action);
  const double rate = action.get_rate();
  if (rate > 0 && rate < flow.alone * as_good_as) // 0: its latency is not over
    slow_.push_back({&flow, seconds * (1 - rate / flow.alone)});
}

void LinkWatch::count(WatchedLink& link) const {
  if (link.event != event_) {
    link.event = event_;
    link.slowed = 0;
    link.slows = false;
    link.fullness = WatchedLink::Fullness::unknown;
  }
  ++link.slowed;
}

bool LinkWatch::is_full(WatchedLink& link) {
  using enum WatchedLink::Fullness;
  if (link.fullness == unknown) // SimGrid sums over all messages on it
    link.fullness = load_of(*link.link) >= link.link->get_bandwidth() * as_good_as ? full : free;
  return link.fullness == full;
}

void LinkWatch::charge(const SlowFlow& slow, double begin, double end) {
  WatchedLink* by = nullptr;
  for (WatchedLink* link : slow.flow->links)
    if ((by == nullptr || link->slowed > by->slowed) && is_full(*link)) by = link;
  if (by == nullptr) return;
  FullLink& full = by->full;
  SlowedMessages& of_kernel = full.kernels[slow.flow->kernel];
  const bool first = std::ranges::find(slow.flow->slowed_by, by) == slow.flow->slowed_by.end();
  if (first) slow.flow->slowed_by.push_back(by);
  for (SlowedMessages* slowed : {&full.slowed, &of_kernel}) {
    slowed->messages += first ? 1 : 0;
    slowed->seconds += slow.seconds;
  }
  full.most_at_once = std::max(full.most_at_once, by->slowed);
  if (std::exchange(by->slows, true)) return;
  full.seconds += end - begin;
  by->periods.add(begin, end);
}

std::vector<FullLink> LinkWatch::full_links() const {
  constexpr std::size_t most_periods = 16;
  std::vector<FullLink> links;
  for (const auto& [link, watched] : links_) {
    if (watched.full.seconds <= 0) continue;
    FullLink& full = links.emplace_back(watched.full);
    full.name = link->get_name();
    full.bandwidth = link->get_bandwidth();
    full.periods = watched.periods.at_most(most_periods);
  }
  std::ranges::sort(links, [](const FullLink& left, const FullLink& right) {
    return std::pair(-left.slowed.seconds, left.name) < std::pair(-right.slowed.seconds, right.name);
  });
  return links;
}

// ---- from the simulation's process

namespace {

void write_slowed(ByteWriter& words, const SlowedMessages& slowed) {
  words.put(slowed.messages);
  words.put(slowed.seconds);
}

SlowedMessages read_slowed(ByteReader& words) {
  const std::uint64_t messages = words.number();
  return {.messages = messages, .seconds = words.real()};
}

} // namespace

void write(ByteWriter& words, const std::vector<FullLink>& links) {
  words.put(std::uint64_t{links.size()});
  for (const FullLink& link : links) {
    words.put(std::string_view(link.name));
    words.put(link.bandwidth);
    words.put(link.seconds);
    write_slowed(words, link.slowed);
    words.put(link.most_at_once);
    words.put(std::uint64_t{link.periods.size()});
    for (const Period& period : link.periods) {
      words.put(period.begin);
      words.put(period.end);
    }
    words.put(std::uint64_t{link.kernels.size()});
    for (const auto& [kernel, slowed] : link.kernels) {
      words.put(std::uint64_t{kernel});
      write_slowed(words, slowed);
    }
  }
}

std::vector<FullLink> read_full_links(ByteReader& words) {
  std::vector<FullLink> links;
  for (std::uint64_t left = words.number(); left > 0; --left) {
    FullLink& link = links.emplace_back();
    link.name = words.text();
    link.bandwidth = words.real();
    link.seconds = words.real();
    link.slowed = read_slowed(words);
    link.most_at_once = words.number();
    for (std::uint64_t periods = words.number(); periods > 0; --periods) {
      const double begin = words.real();
      link.periods.push_back({begin, words.real()});
    }
    for (std::uint64_t kernels = words.number(); kernels > 0; --kernels) {
      const auto kernel = static_cast<std::uint32_t>(words.number());
      link.kernels[kernel] = read_slowed(words);
    }
  }
  return links;
}

} // namespace timeless::replay::smpi
