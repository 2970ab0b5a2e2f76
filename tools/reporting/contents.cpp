#include "tools/reporting/contents.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"

#include "analysis/trace/traffic.h"

#include <algorithm>
#include <map>

namespace timeless::tools {

namespace {

/// So many are within the size of a page, packed, with the figures of all groups of ranks.
constexpr std::size_t most_kernels = 1000;

/// Seconds that each kernel computes on the base machine, over all ranks.
std::map<trace::KernelId, double> computing(const Report& report) {
  std::map<trace::KernelId, double> seconds;
  for (const replay::AttributedTimes& part : report.prediction.result.attribution.parts)
    if (report.base < part.lanes.size()) seconds[part.subject] += part.lanes[report.base].compute;
  return seconds;
}

/// Seconds that a rank computes in each kernel on the base machine, as means of consecutive ranks.
std::map<trace::KernelId, std::vector<double>> computing_by_ranks(const Report& report) {
  std::map<trace::KernelId, std::vector<double>> seconds;
  const auto ranks = static_cast<std::size_t>(report.run().size);
  const std::size_t groups = std::min(ranks, most_rank_groups);
  const auto first = [&](std::size_t group) { return (group * ranks + groups - 1) / groups; };
  for (const replay::AttributedTimes& part : report.prediction.result.attribution.parts) {
    if (report.base >= part.lanes.size() || part.rank < 0 || part.rank >= report.run().size) continue;
    std::vector<double>& of_kernel = seconds[part.subject];
    of_kernel.resize(groups);
    const std::size_t group = static_cast<std::size_t>(part.rank) * groups / ranks;
    of_kernel[group] += part.lanes[report.base].compute / static_cast<double>(first(group + 1) - first(group));
  }
  return seconds;
}

/// The matrix by node of the base machine, where ranks share nodes and there is more than one.
void add_node_matrix(Report& report, const analysis::Traffic& traffic) {
  const std::vector<std::string>& node_of_rank = report.prediction.bases[report.base].nodes;
  std::map<std::string, trace::Rank> numbers;
  ReportedMessages& messages = report.messages;
  for (const std::string& node : node_of_rank)
    if (numbers.emplace(node, static_cast<trace::Rank>(messages.nodes.size())).second) messages.nodes.push_back(node);
  if (numbers.size() < 2 || numbers.size() >= node_of_rank.size()) {
    messages.nodes.clear();
    return;
  }
  const auto number = [&](trace::Rank rank) {
    const bool known = rank >= 0 && static_cast<std::size_t>(rank) < node_of_rank.size();
    return known ? numbers.at(node_of_rank[static_cast<std::size_t>(rank)]) : rank;
  };
  analysis::Traffic by_node;
  for (const auto& [path, figures] : traffic) {
    analysis::TrafficFigures& sum =
        by_node[{path.communicator, number(path.source), number(path.destination), path.kind}];
    sum.messages += figures.messages;
    sum.bytes += figures.bytes;
  }
  messages.node_matrix = analysis::traffic_blocks(by_node, static_cast<trace::Rank>(messages.nodes.size()));
}

void read_kernels(Report& report, const trace::Source& source, const std::function<void(std::uint64_t)>& progress) {
  symbols::Symboliser symboliser(source.run(), {report.asked.symbols.begin(), report.asked.symbols.end()});
  const std::vector<analysis::KernelFigures> figures = analysis::kernel_figures(source, progress);
  const std::map<trace::KernelId, double> seconds = computing(report);
  std::vector<double> weights(figures.size());
  for (const auto& [kernel, taken] : seconds)
    if (kernel < weights.size()) weights[kernel] = taken;
  symbols::KernelListing listing = symbols::list_kernels(source.run(), figures, most_kernels, symboliser, weights);
  const std::map<trace::KernelId, std::vector<double>> by_ranks = computing_by_ranks(report);
  const auto& path = report.prediction.critical_path;
  for (symbols::ListedKernel& kernel : listing.kernels) {
    ReportedKernel one{.kernel = std::move(kernel), .by_ranks = {}};
    if (const auto found = seconds.find(one.kernel.kernel); found != seconds.end()) one.seconds = found->second;
    if (const auto found = by_ranks.find(one.kernel.kernel); found != by_ranks.end()) one.by_ranks = found->second;
    if (path)
      if (const auto found = path->by_kernel.find(one.kernel.kernel); found != path->by_kernel.end())
        one.path_seconds = found->second;
    if (one.seconds > 0) one.rate = one.kernel.figures.volume / one.seconds;
    report.kernels.push_back(std::move(one));
  }
  report.kernel_count = listing.visited;
  report.symbol_notices = std::move(listing.notices);
}

} // namespace

void read_contents(Report& report, const trace::Source& source) {
  Progress bar("reading " + report.asked.traces.front(), 4 * total_actions(source.run()));
  std::uint64_t before = 0;
  const auto progress = [&](std::uint64_t done) { bar.update(before + done); };
  const auto next = [&] { before += total_actions(source.run()); };
  report.summary = analysis::summarise(source, progress);
  next();
  report.messages.sizes = analysis::size_histogram(source, progress);
  next();
  const analysis::Traffic traffic = analysis::traffic(source, {}, progress);
  report.messages.matrix = analysis::traffic_blocks(traffic, source.run().size);
  add_node_matrix(report, traffic);
  next();
  read_kernels(report, source, progress);
  if (report.asked.platforms.empty())
    report.messages.eager_limit = named_network(report.asked.machine.networks[report.base]).eager_limit;
}

} // namespace timeless::tools
