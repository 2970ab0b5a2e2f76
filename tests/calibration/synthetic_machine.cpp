#include "tests/calibration/synthetic_machine.h"

#include "ping/ping_plan.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace timeless::test {

namespace {

using ping::Experiment;
using ping::Order;

bool eager(const replay::NetworkDescription& truth, std::uint64_t bytes) {
  return !truth.eager_limit || bytes <= *truth.eager_limit;
}

double seconds_of(const replay::Seconds& end, std::uint64_t bytes) {
  return end.fixed + end.per_byte * static_cast<double>(bytes);
}

double seconds_of(const replay::NetworkDescription& truth, const Order& order) {
  const replay::MessageCosts& costs = truth.between_nodes.of(order.bytes);
  const double half = half_round_trip(truth, order.bytes);
  const double send = seconds_of(costs.send, order.bytes);
  const bool waits = !eager(truth, order.bytes);
  switch (order.experiment) {
  case Experiment::round_trip:
    return 2 * half;
  case Experiment::send:
    return waits ? half : send;
  case Experiment::isend:
    return seconds_of(costs.nonblocking_send, order.bytes);
  case Experiment::receive:
    return waits ? half : seconds_of(costs.receive, order.bytes);
  case Experiment::train: {
    const double each = waits ? half : std::max(send + order.gap, seconds_of(costs.receive, order.bytes));
    return (order.messages - 1) * each + half + half_round_trip(truth, 0);
  }
  case Experiment::delayed_send:
  case Experiment::delayed_isend:
    return waits ? order.gap + half : send;
  case Experiment::overlap:
    return waits ? half : 1e-7;
  case Experiment::copy:
    return 1e-8 + static_cast<double>(order.bytes) / 2e10;
  case Experiment::reduction:
    return 1e-8 + static_cast<double>(order.bytes) / 5e9;
  case Experiment::exchanges:
    return half; // its directions have nothing to do with each other
  default:
    return 2 * half;
  }
}

} // namespace

double half_round_trip(const replay::NetworkDescription& truth, std::uint64_t bytes) {
  const replay::MessageCosts& costs = truth.between_nodes.of(bytes);
  const double wire = costs.latency + costs.transfer + costs.byte_time * static_cast<double>(bytes);
  const double agreement = eager(truth, bytes) ? 0 : truth.handshake_latencies * costs.latency + costs.handshake;
  return seconds_of(costs.send, bytes) + agreement + wire + seconds_of(costs.receive, bytes);
}

ping::Raw measured_on(const replay::NetworkDescription& truth, std::uint64_t most_bytes, double seconds,
                      std::uint32_t launches, const Disturbance& disturbance) {
  ping::Raw raw;
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, disturbance.noise);
  std::bernoulli_distribution wild(disturbance.outliers);
  for (std::uint32_t launch = 0; launch < launches; ++launch) {
    raw.launches.push_back({.date = "2026-11-23T01:30:00Z",
                            .library = "Synthetic MPI 1.0, of tests",
                            .hosts = {"a", "b"},
                            .nodes = {0, 1},
                            .seed = launch + 1});
    ping::PingPlan plan({.most_bytes = most_bytes, .budget = seconds, .seed = launch + 1}, {0, 1});
    std::vector<ping::Measurement> last;
    double now = 0;
    while (const auto order = plan.next(last, now)) {
      last.clear();
      for (std::uint32_t repetition = 0; repetition < order->repetitions; ++repetition) {
        double taken = seconds_of(truth, *order);
        if (disturbance.noise > 0) taken *= std::exp(noise(random));
        if (wild(random)) taken *= 10;
        last.push_back({.order = *order, .repetition = repetition, .start = now, .seconds = taken});
        raw.lines.push_back({launch, last.back()});
        now += taken + 1e-5;
      }
    }
  }
  return raw;
}

} // namespace timeless::test
