#include "analysis/remedy.h"

#include <fmt/format.h>

#include <algorithm>

namespace timeless::analysis {

namespace {

/// Less than this is not worth buying anything for.
constexpr double worthwhile = 1.02;
constexpr double clearly_uneven = 1.25;

/// Of the two parts of a network that does more for the program than processors would.
Remedy::Kind part_of_network(double latency, double bandwidth) {
  const double larger = std::max(latency, bandwidth) - 1;
  const double smaller = std::min(latency, bandwidth) - 1;
  if (2 * smaller > larger) return Remedy::Kind::network;
  return latency > bandwidth ? Remedy::Kind::latency : Remedy::Kind::bandwidth;
}

double evened_out(const Efficiencies& efficiencies) {
  const double even = efficiencies.load_balance.value_or(1) * efficiencies.serialisation.value_or(1);
  return even > 0 ? 1 / even : 1;
}

const char* verdict(Remedy::Kind kind) {
  switch (kind) {
  case Remedy::Kind::latency:
    return "latency is what to buy";
  case Remedy::Kind::bandwidth:
    return "bandwidth is what to buy";
  case Remedy::Kind::network:
    return "a network with more of both is what to buy";
  case Remedy::Kind::processors:
    return "processors are what to buy";
  case Remedy::Kind::balance:
    return "the work is to be shared out more evenly";
  case Remedy::Kind::none:
    break;
  }
  return "nothing of these helps: copies and overheads of messages are most of it";
}

} // namespace

Remedy remedy(const Evidence& evidence, const Efficiencies& efficiencies, const replay::Sensitivity& path) {
  const double left = evidence.total - path.compute / 2;
  Remedy found{.latency = evidence.latency_speedup,
               .bandwidth = evidence.bandwidth_speedup,
               .network = evidence.both_speedup,
               .processors = left > 0 ? evidence.total / left : 1,
               .balance = evened_out(efficiencies)};
  const double network = std::max({evidence.latency_twice, evidence.bandwidth_twice, evidence.both_twice});
  if (network >= worthwhile && network >= found.processors)
    found.kind = part_of_network(evidence.latency_twice, evidence.bandwidth_twice);
  else if (found.balance >= clearly_uneven && found.balance > found.network)
    found.kind = Remedy::Kind::balance;
  else if (found.processors >= worthwhile)
    found.kind = Remedy::Kind::processors;
  return found;
}

const char* name(Remedy::Kind kind) {
  switch (kind) {
  case Remedy::Kind::latency:
    return "latency";
  case Remedy::Kind::bandwidth:
    return "bandwidth";
  case Remedy::Kind::network:
    return "network";
  case Remedy::Kind::processors:
    return "processors";
  case Remedy::Kind::balance:
    return "balance";
  case Remedy::Kind::none:
    break;
  }
  return "none";
}

std::string sentence(const Remedy& remedy) {
  std::string text =
      fmt::format("{:.2f}x from an eighth of the latency, {:.2f}x from eight times the bandwidth, at most "
                  "{:.2f}x from processors twice as fast",
                  remedy.latency, remedy.bandwidth, remedy.processors);
  if (remedy.kind == Remedy::Kind::network) text += fmt::format(", {:.2f}x from both of the first", remedy.network);
  if (remedy.kind == Remedy::Kind::balance) text += fmt::format(", about {:.2f}x from even work", remedy.balance);
  return text + ": " + verdict(remedy.kind);
}

} // namespace timeless::analysis
