#include "replay/network/network_file.h"

#include "base/error.h"
#include "replay/network/description.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace timeless::replay {

namespace {

constexpr std::string_view network_format = "timeless.network/1";
constexpr std::string_view measured_key = "measured_up_to_bytes";
constexpr std::string_view limit_key = "eager_limit_bytes";

double seconds(const Description& from, std::string_view key) {
  const double value = from.number(key);
  if (value > longest_network_seconds)
    from.refuse(key, fmt::format("{:g} seconds", value), "write seconds, at most 1e9");
  return value < shortest_network_seconds ? 0 : value; // rounding in a fit: it stands for 0
}

double seconds_or(const Description& from, std::string_view key, double absent) {
  return from.has(key) ? seconds(from, key) : absent;
}

double byte_time(const Description& from, std::string_view bandwidth) {
  const double value = 1 / from.positive(bandwidth);
  if (value > longest_network_seconds) from.refuse(bandwidth, "too slow", "write bytes per second");
  if (value < shortest_network_seconds)
    from.refuse(bandwidth, "no link is so fast", "write bytes per second, at most 1e18");
  return value;
}

/// Allows the keys of a link, and what any has.
void allow_only(const Description& link, std::vector<std::string_view> keys) {
  keys.insert(keys.end(), {measured_key, limit_key});
  link.allow_only(keys);
}

LinkCosts hockney_link(const Description& link) {
  allow_only(link, {"model", "latency_seconds", "bandwidth_bytes_per_second"});
  const double latency = seconds(link, "latency_seconds");
  return hockney_costs(latency, byte_time(link, "bandwidth_bytes_per_second"));
}

LinkCosts max_rate_link(const Description& link) {
  allow_only(link, {"model", "latency_seconds", "bandwidth_bytes_per_second", "further_ranks_bytes_per_second",
                    "node_bandwidth_bytes_per_second"});
  NodeRate node{.first = 1 / byte_time(link, "bandwidth_bytes_per_second"),
                .most = 1 / byte_time(link, "node_bandwidth_bytes_per_second")};
  node.further =
      link.has("further_ranks_bytes_per_second") ? link.number("further_ranks_bytes_per_second") : node.first;
  if (node.most < node.first)
    link.refuse("node_bandwidth_bytes_per_second", "less than what one rank alone sends",
                "write what all ranks of a node send together; bandwidth_bytes_per_second is of one");
  return max_rate_costs(seconds(link, "latency_seconds"), node);
}

/// Returns the seconds of one end of a message: its own keys, else what is said of both ends.
Seconds end_seconds(const Description& segment, const std::string& own, const Seconds& both) {
  return {seconds_or(segment, own, both.fixed), seconds_or(segment, own + "_per_byte", both.per_byte)};
}

MessageCosts loggp_segment(const Description& segment, double latency) {
  segment.allow_only({"up_to_bytes", "latency_seconds", "overhead_seconds", "send_overhead_seconds",
                      "nonblocking_send_overhead_seconds", "receive_overhead_seconds", "overhead_seconds_per_byte",
                      "send_overhead_seconds_per_byte", "nonblocking_send_overhead_seconds_per_byte",
                      "receive_overhead_seconds_per_byte", "seconds_per_byte", "gap_seconds", "handshake_seconds"});
  MessageCosts costs{.latency = seconds_or(segment, "latency_seconds", latency),
                     .byte_time = seconds(segment, "seconds_per_byte"),
                     .handshake = seconds_or(segment, "handshake_seconds", 0)};
  if (segment.has("up_to_bytes")) costs.up_to = segment.whole_number("up_to_bytes");
  const Seconds both{seconds_or(segment, "overhead_seconds", 0), seconds_or(segment, "overhead_seconds_per_byte", 0)};
  costs.send = end_seconds(segment, "send_overhead_seconds", both);
  costs.nonblocking_send = end_seconds(segment, "nonblocking_send_overhead_seconds", costs.send);
  costs.receive = end_seconds(segment, "receive_overhead_seconds", both);
  if (segment.has("gap_seconds")) costs.port = Seconds{seconds(segment, "gap_seconds"), costs.byte_time};
  return costs;
}

LinkCosts loggp_link(const Description& link) {
  allow_only(link, {"model", "latency_seconds", "segments"});
  const double latency = seconds(link, "latency_seconds");
  LinkCosts costs{{}};
  for (const Description& segment : link.objects("segments")) {
    if (!costs.sizes.empty()) {
      const Bytes before = costs.sizes.back().up_to;
      if (before == MessageCosts::any_size)
        segment.refuse("up_to_bytes", "the segment before this one has no end", "give all but the last an up_to_bytes");
      if (segment.has("up_to_bytes") && segment.whole_number("up_to_bytes") <= before)
        segment.refuse("up_to_bytes", fmt::format("not above the {} of the segment before", before),
                       "give segments by rising size");
    }
    costs.sizes.push_back(loggp_segment(segment, latency));
  }
  if (costs.sizes.back().up_to != MessageCosts::any_size)
    link.refuse("segments", fmt::format("nothing is said of messages above {} bytes", costs.sizes.back().up_to),
                "leave up_to_bytes out of the last segment");
  return costs;
}

LinkCosts table_link(const Description& link) {
  allow_only(link, {"model", "bytes_and_seconds"});
  std::vector<MeasuredTime> times;
  for (const Description::Pair& pair : link.pairs("bytes_and_seconds"))
    times.push_back({pair.first, pair.second});
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i].seconds > longest_network_seconds)
      link.refuse(fmt::format("bytes_and_seconds[{}]", i), fmt::format("{:g} seconds", times[i].seconds),
                  "write seconds, at most 1e9");
  try {
    return measured_costs(times);
  } catch (const Error& error) {
    link.refuse("bytes_and_seconds", error.description(), error.advice());
  }
}

LinkCosts link_costs(const Description& link) {
  const std::string model = link.word("model");
  if (model == "hockney") return hockney_link(link);
  if (model == "loggp") return loggp_link(link);
  if (model == "table") return table_link(link);
  if (model == "max_rate") return max_rate_link(link);
  link.refuse("model", fmt::format("no model is called '{}'", model), "choose hockney, loggp, table or max_rate");
}

/// Returns the largest message that a link's figures rest on: what it says, or the last row of a table.
std::optional<Bytes> measured_up_to(const Description& link) {
  if (link.has(measured_key)) return link.whole_number(measured_key);
  if (link.word("model") == "table") return link.pairs("bytes_and_seconds").back().first;
  return std::nullopt;
}

/// Returns the limit of messages within a node; nothing: as between nodes.
std::optional<Bytes> limit_within_node(const Description& link) {
  if (!link.has(limit_key)) return std::nullopt;
  if (link.is_word(limit_key, "none")) return no_eager_limit;
  return link.whole_number(limit_key);
}

void read_links(const Description& whole, NetworkDescription& network) {
  const Description between = whole.object("between_nodes");
  network.between_nodes = network.within_node = link_costs(between);
  network.measured_between_nodes = network.measured_within_node = measured_up_to(between);
  if (between.has(limit_key))
    between.refuse(limit_key, "the limit between nodes stands beside between_nodes", "move it out of the object");
  if (!whole.has("within_node")) {
    network.within_node.node.reset();
    return;
  }
  const Description within = whole.object("within_node");
  network.within_node = link_costs(within);
  if (network.within_node.node)
    within.refuse("model", "a node's rate is of what leaves it", "choose hockney, loggp or table within a node");
  network.measured_within_node = measured_up_to(within);
  network.eager_limit_within_node = limit_within_node(within);
}

MeasuredAlgorithm read_algorithm(const Description& row) {
  row.allow_only({"collective", "algorithm", "ranks", "above_bytes", "up_to_bytes"});
  constexpr std::array kinds{trace::ActionKind::barrier,   trace::ActionKind::broadcast,
                             trace::ActionKind::reduce,    trace::ActionKind::allreduce,
                             trace::ActionKind::gather,    trace::ActionKind::scatter,
                             trace::ActionKind::allgather, trace::ActionKind::alltoall,
                             trace::ActionKind::scan,      trace::ActionKind::reduce_scatter_block};
  const std::string called = row.word("collective");
  const auto kind = std::ranges::find_if(kinds, [&](trace::ActionKind one) { return trace::name(one) == called; });
  if (kind == kinds.end())
    row.refuse(
        "collective", fmt::format("no collective with algorithms is called '{}'", called),
        "write broadcast, reduce, allreduce, gather, scatter, allgather, alltoall, reduce_scatter_block, scan or "
        "barrier");
  const auto algorithm = algorithm_of(*kind, row.word("algorithm"));
  if (!algorithm)
    row.refuse("algorithm", fmt::format("{} has no algorithm '{}'", called, row.word("algorithm")),
               "docs/networks.md lists them");
  MeasuredAlgorithm measured{.collective = *kind, .algorithm = *algorithm};
  const std::uint64_t ranks = row.whole_number("ranks");
  if (ranks < 2 || ranks > 0xffffffffU) row.refuse("ranks", "not 2 or more", "write how many ranks were measured");
  measured.members = static_cast<std::uint32_t>(ranks);
  if (row.has("above_bytes")) measured.above = row.whole_number("above_bytes");
  if (row.has("up_to_bytes")) measured.up_to = row.whole_number("up_to_bytes");
  if (measured.up_to <= measured.above)
    row.refuse("up_to_bytes", "not above above_bytes", "write the sizes that the algorithm was measured for");
  return measured;
}

/// Returns what a file says its figures rest on; empty where it does not.
std::string trust(const Description& whole) {
  static constexpr std::array<std::string_view, 4> words{"measured", "published", "vendor", "assumed"};
  const std::string word = whole.word_or("trust", {});
  if (whole.has("trust") && std::ranges::find(words, word) == words.end())
    whole.refuse("trust", "no word for that", "write measured, published, vendor or assumed, or leave it out");
  return word;
}

} // namespace

NetworkDescription read_network(const std::filesystem::path& file) {
  const Description whole = Description::read(file);
  whole.demand_format(network_format);
  whole.allow_only({"format", "name", "description", "source", "trust", "between_nodes", "within_node",
                    "memory_copy_bytes_per_second", "reduction_bytes_per_second", "eager_limit_bytes",
                    "handshake_latencies", "collectives", "provenance"});

  NetworkDescription network{.name = whole.word_or("name", file.stem().string()),
                             .description = whole.word_or("description", {}),
                             .source = whole.word_or("source", {}),
                             .trust = trust(whole),
                             .file = file};
  if (whole.has("provenance")) {
    const Description provenance = whole.object("provenance");
    network.measured = provenance.has("measurements");
    network.measured_within_only = provenance.has("within_node") && !provenance.has("between_nodes");
  }
  read_links(whole, network);
  if (whole.has("memory_copy_bytes_per_second"))
    network.memory_copy_byte_time = byte_time(whole, "memory_copy_bytes_per_second");
  if (whole.has("reduction_bytes_per_second"))
    network.reduction_byte_time = byte_time(whole, "reduction_bytes_per_second");
  if (whole.has("eager_limit_bytes")) network.eager_limit = whole.whole_number("eager_limit_bytes");
  network.handshake_latencies = whole.number_or("handshake_latencies", 2);
  if (whole.has("collectives"))
    for (const Description& row : whole.objects("collectives"))
      network.collectives.push_back(read_algorithm(row));
  if (network.handshake_latencies > 1000)
    whole.refuse("handshake_latencies", "more than 1000", "a handshake takes a few latencies");
  return network;
}

NetworkDescription description(const Preset& preset, const MachineDefaults& machine) {
  return {.name = std::string(preset.name),
          .description = std::string(preset.description),
          .source = std::string(preset.source),
          .trust = std::string(preset.trust),
          .file = {},
          .between_nodes = hockney_costs(preset.latency, 8 / preset.bits_per_second),
          .within_node = hockney_costs(machine.within_node.latency, machine.within_node.byte_time),
          .memory_copy_byte_time = machine.memory_copy_byte_time,
          .reduction_byte_time = machine.reduction_byte_time};
}

MachineLane lane(const NetworkDescription& network, const Scaling& scaling) {
  return {.name = scaled_name(network.name, scaling),
          .between_nodes = scaled(network.between_nodes, scaling.bandwidth, scaling.latency),
          .within_node = network.within_node,
          .eager_limit = network.eager_limit,
          .eager_limit_within_node = network.eager_limit_within_node,
          .handshake_latencies = network.handshake_latencies,
          .memory_copy_byte_time = network.memory_copy_byte_time,
          .reduction_byte_time = network.reduction_byte_time,
          .compute_scale = scaling.compute};
}

} // namespace timeless::replay
