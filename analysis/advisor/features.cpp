#include "analysis/advisor/features.h"

#include "analysis/efficiencies.h"
#include "base/error.h"
#include "trace/model/action_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

namespace timeless::analysis {

namespace {

/// What a feature asks of an MPI call.
enum class CallFamily : std::uint8_t {
  other,
  send,
  isend,
  receive,
  ireceive,
  exchange,
  blocking_probe,
  completion,
  barrier,
  collective
};

bool is_collective(std::string_view call) {
  std::string blocking(call);
  if (call.size() > 1 && call.front() == 'I' && std::islower(static_cast<unsigned char>(call[1])) != 0) {
    blocking.erase(0, 1);
    blocking.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(blocking.front())));
  }
#define ACTION_KIND(code, kind, of, mpi_name, ...)                                                                     \
  if (trace::family(trace::ActionKind::kind) == trace::ActionFamily::collective && blocking == (mpi_name)) return true;
#include "trace/model/action_kinds.def"
#undef ACTION_KIND
  return false;
}

CallFamily group_of(std::string_view call) {
  const auto any = [&](auto... names) { return ((call == names) || ...); };
  if (any("Barrier", "Ibarrier")) return CallFamily::barrier;
  if (any("Send", "Ssend", "Bsend", "Rsend")) return CallFamily::send;
  if (any("Isend", "Issend", "Ibsend", "Irsend")) return CallFamily::isend;
  if (any("Recv", "Mrecv")) return CallFamily::receive;
  if (any("Irecv", "Imrecv")) return CallFamily::ireceive;
  if (any("Sendrecv", "Sendrecv_replace")) return CallFamily::exchange;
  if (any("Probe", "Mprobe")) return CallFamily::blocking_probe;
  if (call.starts_with("Wait") || call.starts_with("Test") || any("Iprobe", "Improbe")) return CallFamily::completion;
  return is_collective(call) ? CallFamily::collective : CallFamily::other;
}

/// The calls of a run by group: seconds in the first lane, and how many; means over the ranks.
struct Calls {
  double seconds(std::initializer_list<CallFamily> some) const { return sum(some, &Group::seconds); }
  double count(std::initializer_list<CallFamily> some) const { return sum(some, &Group::count); }

  struct Group {
    double seconds = 0;
    double count = 0;
  };
  std::array<Group, 10> groups = {};
  double all = 0;
  double alltoall_seconds = 0;

private:
  double sum(std::initializer_list<CallFamily> some, double Group::*figure) const {
    double total = 0;
    for (const CallFamily group : some)
      total += groups[static_cast<std::size_t>(group)].*figure;
    return total;
  }
};

Calls calls_of(const replay::Result& result) {
  Calls calls;
  const double ranks = static_cast<double>(result.lanes.front().ranks.size());
  for (const replay::AttributedTimes& part : replay::mean_parts(result)) {
    if (part.subject == 0 || part.subject >= result.attribution.calls.size()) continue; // computation
    const std::string& call = result.attribution.calls[part.subject];
    Calls::Group& group = calls.groups[static_cast<std::size_t>(group_of(call))];
    group.seconds += part.lanes.front().end;
    group.count += static_cast<double>(part.count) / ranks;
    calls.all += static_cast<double>(part.count) / ranks;
    if (call.find("lltoall") != std::string::npos) calls.alltoall_seconds += part.lanes.front().end;
  }
  return calls;
}

constexpr std::array feature_table{
    // The paper's 35, in the order of its tables.
    Feature{"R", "", "ranks", true},
    Feature{"RN", "", "ranks per node, mean over the nodes", true},
    Feature{"N", "", "nodes", true},
    Feature{"T", "s", "time by the model", true},
    Feature{"Tcp", "s", "computation", true},
    Feature{"PoCP", "%", "computation, of T", true},
    Feature{"Tc", "s", "communication: all that is no computation and no file", true},
    Feature{"PoC", "%", "communication, of T", true},
    Feature{"Tbr", "s", "barriers", true},
    Feature{"PoBR", "%", "barriers, of T", true},
    Feature{"Tfbr", "s", "the first barrier", true},
    Feature{"PoFBR", "%", "the first barrier, of T", true},
    Feature{"Tcoll", "s", "collectives, barriers too", true},
    Feature{"PoCOLL", "%", "collectives, of T", true},
    Feature{"Tfcoll", "s", "the first alltoall", true},
    Feature{"PoFCOLL", "%", "the first alltoall, of T", true},
    Feature{"Tp2p", "s", "point-to-point calls and completions of requests", true},
    Feature{"PoTp2p", "%", "point-to-point calls and completions, of T", true},
    Feature{"Tsyn", "s", "of these, blocking calls", true},
    Feature{"PoSYN", "%", "blocking calls, of T", true},
    Feature{"Tasyn", "s", "of these, nonblocking calls, waits and tests", true},
    Feature{"PoASYN", "%", "nonblocking calls, waits and tests, of T", true},
    Feature{"TB", "B", "bytes sent, those of collectives by MPICH's algorithms", true},
    Feature{"NoM", "", "messages sent, likewise", true},
    Feature{"TBp2p", "B", "bytes sent point-to-point", true},
    Feature{"CR", "", "ranks that a rank sends to, point-to-point", true},
    Feature{"CRComm", "B", "bytes point-to-point per rank and rank sent to", true},
    Feature{"NoCALL", "", "MPI calls, without MPI_Init and MPI_Finalize", true},
    Feature{"NoS", "", "blocking sends", true},
    Feature{"NoIS", "", "nonblocking sends", true},
    Feature{"NoR", "", "blocking receives", true},
    Feature{"NoIR", "", "nonblocking receives", true},
    Feature{"NoB", "", "barriers", true},
    Feature{"NoC", "", "collectives, without barriers", true},
    Feature{"CL_ncs", "", "1 where an eighth of the bandwidth costs 5 % of T or less, else 0", true},
    // Without a unit of their own, so that they mean the same of any program.
    Feature{"log2_ranks", "", "binary logarithm of the ranks", false},
    Feature{"log2_nodes", "", "binary logarithm of the nodes", false},
    Feature{"log2_ranks_per_node", "", "binary logarithm of ranks per node", false},
    Feature{"communication", "", "communication, share of T", false},
    Feature{"collectives", "", "collectives, share of T", false},
    Feature{"alltoalls", "", "alltoalls, share of T", false},
    Feature{"blocking", "", "blocking point-to-point calls, share of T", false},
    Feature{"nonblocking", "", "nonblocking point-to-point calls, waits and tests, share of T", false},
    Feature{"by_byte_time", "", "growth of T per growth of the byte time: d ln T / d ln G, exact", false},
    Feature{"by_latency", "", "growth of T per growth of the latency: d ln T / d ln L, exact", false},
    Feature{"log_bandwidth_8", "", "logarithm of T at an eighth of the bandwidth over T", false},
    Feature{"load_balance", "", "POP's load balance", false},
    Feature{"transfer", "", "POP's transfer efficiency", false},
    Feature{"serialisation", "", "POP's serialisation efficiency", false},
    Feature{"incast", "", "by how much a rank's port would fall behind, over T", false},
    Feature{"log_utilisation", "",
            "logarithm of the mean use of the nodes' links: bytes that leave a node, over T and bandwidth", false},
    Feature{"log_busiest_link", "",
            "logarithm of the use of the busiest link: its bytes by the routes, over T and bandwidth", false},
    Feature{"log_flows", "", "logarithm of 1 + pairs of nodes whose messages cross that link", false},
    Feature{"log_steps", "", "logarithm of how much T changes with collectives step by step (--collectives schedule)",
            false},
    Feature{"log_ports", "",
            "logarithm of how much T changes where messages enter a node one after the other (--ports node)", false},
    Feature{"log_steps_ports", "", "logarithm of how much T changes with both", false},
    Feature{"log_median_size", "",
            "logarithm of 1 + median size of point-to-point messages, in bytes, each as the mean of its pair of ranks",
            false},
    Feature{"log_destinations", "", "logarithm of 1 + ranks that a rank sends to", false},
    Feature{"log_collectives_or_link", "",
            "logarithm of the sum of collectives' share of T and the use of the busiest link: SMPI differs by the "
            "algorithms of the former, or the sharing of the latter; below a thousandth it counts as one",
            false, true},
};

/// Returns log(share), of shares that matter: nothing is as little as a hundred-thousandth.
double log_share(double share) {
  constexpr double least = 1e-5;
  return std::log(std::max(share, least));
}

std::vector<double> paper_values(const AdvisorCase& of, const replay::RankTimes& mean, const Calls& calls, double nodes,
                                 bool insensitive) {
  using enum CallFamily;
  const double ranks = static_cast<double>(of.node_of_rank.size());
  const double total = of.replay->lanes[0].makespan;
  const auto percent = [&](double seconds) { return total > 0 ? 100 * seconds / total : 0; };
  const double communication = mean.wait + mean.latency + mean.bandwidth + mean.memory_copy + mean.overhead;
  const double collectives = calls.seconds({barrier, collective});
  const double blocking = calls.seconds({send, receive, exchange, blocking_probe});
  const double nonblocking = calls.seconds({isend, ireceive, completion});
  const MovedBytes& moved = of.moved;
  std::vector<double> values{ranks, ranks / nodes, nodes, total};
  for (const double seconds : {mean.compute, communication, calls.seconds({barrier}), of.first.barrier, collectives,
                               of.first.alltoall, blocking + nonblocking, blocking, nonblocking})
    values.insert(values.end(), {seconds, percent(seconds)});
  values.insert(values.end(),
                {moved.bytes, moved.messages, moved.point_to_point_bytes, moved.destinations,
                 moved.destinations > 0 ? moved.point_to_point_bytes / (ranks * moved.destinations) : 0, calls.all,
                 calls.count({send, exchange}), calls.count({isend}), calls.count({receive, exchange}),
                 calls.count({ireceive}), calls.count({barrier}), calls.count({collective}), insensitive ? 1.0 : 0.0});
  return values;
}

std::vector<double> own_values(const AdvisorCase& of, const replay::RankTimes& mean, const Calls& calls, double nodes,
                               double growth) {
  using enum CallFamily;
  const double ranks = static_cast<double>(of.node_of_rank.size());
  const replay::LaneResult& lane = of.replay->lanes[0];
  const double total = lane.makespan;
  const auto share = [&](double seconds) { return total > 0 ? seconds / total : 0; };
  const auto change = [&](double seconds) { return total > 0 ? std::abs(seconds / total - 1) : 0; };
  const Efficiencies pop = efficiencies(lane);
  double between_nodes = 0;
  for (const auto& [pair, bytes] : of.moved.between_nodes)
    between_nodes += bytes;
  const double node_seconds = of.link_bandwidth > 0 ? between_nodes / nodes / of.link_bandwidth : 0;
  return {std::log2(ranks),
          std::log2(nodes),
          std::log2(ranks / nodes),
          share(mean.wait + mean.latency + mean.bandwidth + mean.memory_copy + mean.overhead),
          share(calls.seconds({barrier, collective})),
          share(calls.alltoall_seconds),
          share(calls.seconds({send, receive, exchange, blocking_probe})),
          share(calls.seconds({isend, ireceive, completion})),
          share(lane.sensitivity.bandwidth),
          share(lane.sensitivity.latency),
          std::log(growth),
          pop.load_balance.value_or(1),
          pop.transfer.value_or(1),
          pop.serialisation.value_or(1),
          of.replay->incast ? share(of.replay->incast->seconds) : 0,
          log_share(share(node_seconds)),
          log_share(of.busiest ? share(of.busiest->seconds) : 0),
          std::log1p(of.busiest ? static_cast<double>(of.busiest->flows) : 0),
          log_share(change(of.stepped_seconds)),
          log_share(change(of.ported_seconds)),
          log_share(change(of.stepped_and_ported_seconds)),
          std::log1p(of.moved.median_size),
          std::log1p(of.moved.destinations)};
}

} // namespace

MovedBytes moved_bytes(const Traffic& traffic, std::span<const std::uint32_t> node_of_rank) {
  MovedBytes moved;
  std::set<std::pair<trace::Rank, trace::Rank>> pairs;
  std::vector<std::pair<double, double>> sizes; // of messages on a path, and how many
  const auto known = [&](trace::Rank rank) {
    return rank >= 0 && static_cast<std::size_t>(rank) < node_of_rank.size();
  };
  for (const auto& [path, figures] : traffic) {
    const double bytes = static_cast<double>(figures.bytes);
    moved.messages += static_cast<double>(figures.messages);
    moved.bytes += bytes;
    if (known(path.source) && known(path.destination)) {
      const std::pair nodes{node_of_rank[static_cast<std::size_t>(path.source)],
                            node_of_rank[static_cast<std::size_t>(path.destination)]};
      if (nodes.first != nodes.second) moved.between_nodes[nodes] += bytes;
    }
    if (path.kind != TrafficKind::message || figures.messages == 0) continue;
    moved.point_to_point_bytes += bytes;
    pairs.emplace(path.source, path.destination);
    sizes.emplace_back(bytes / static_cast<double>(figures.messages), static_cast<double>(figures.messages));
  }
  moved.destinations = static_cast<double>(pairs.size()) / static_cast<double>(node_of_rank.size());
  std::ranges::sort(sizes);
  double messages = 0;
  for (const auto& [size, count] : sizes)
    messages += count;
  double before = 0;
  for (const auto& [size, count] : sizes) {
    before += count;
    if (2 * before < messages) continue;
    moved.median_size = size;
    break;
  }
  return moved;
}

std::span<const Feature> features() {
  return feature_table;
}

std::size_t feature_place(std::string_view name) {
  const auto found = std::ranges::find(feature_table, name, &Feature::name);
  if (found == feature_table.end())
    throw Error(Failure::invalid_input, "no feature is called '" + std::string(name) + "'", {},
                "timeless advise features lists those there are");
  return static_cast<std::size_t>(found - feature_table.begin());
}

std::vector<std::string> feature_names(bool of_paper) {
  std::vector<std::string> names;
  for (const Feature& feature : feature_table)
    if (feature.of_paper == of_paper) names.emplace_back(feature.name);
  return names;
}

void derive_features(std::span<double> values) {
  // What takes less than a thousandth of the time makes no difference that anybody asks for.
  constexpr double least = 1e-3;
  const auto value = [&](std::string_view name) -> double& { return values[feature_place(name)]; };
  value("log_collectives_or_link") =
      std::log(std::max(value("collectives") + std::exp(value("log_busiest_link")), least));
}

std::vector<double> feature_values(const AdvisorCase& of) {
  const std::vector<replay::LaneResult>& lanes = of.replay->lanes;
  for (const replay::LaneResult& lane : lanes)
    if (lane.deadlock)
      throw Error(Failure::invalid_input, "the run does not end on " + lane.name, {}, "its ranks wait for each other");
  const double nodes =
      static_cast<double>(std::set<std::uint32_t>(of.node_of_rank.begin(), of.node_of_rank.end()).size());
  const replay::RankTimes mean = replay::mean(lanes[0]);
  const Calls calls = calls_of(*of.replay);
  const double growth = lanes[0].makespan > 0 ? lanes[1].makespan / lanes[0].makespan : 1;
  constexpr double sensitive = 1.05; // Tong et al., section V.A
  std::vector<double> values = paper_values(of, mean, calls, nodes, growth <= sensitive);
  for (const double value : own_values(of, mean, calls, nodes, growth))
    values.push_back(value);
  values.resize(feature_table.size());
  derive_features(values);
  return values;
}

} // namespace timeless::analysis
