#include "tools/machines/machine_basis.h"

#include "tools/cli/console.h"
#include "tools/machines/platform_head.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace timeless::tools {

namespace {

/// Returns "8.00 G", or "2.50 G to 3.68 G" where ranks differ.
std::string rate_text(double least, double most) {
  return least == most ? human_count(least) : human_count(least) + " to " + human_count(most);
}

std::string instructions_sentence(const OwnRate& own) {
  if (own.platform.empty())
    return rate_text(own.least, own.most) +
           " instructions/s per rank, about what a server's core of 2024 does: give yours with --compute-rate";
  return fmt::format(
      "{} instructions/s per rank: the hosts' speed in {}, one instruction for one flop; a guess unless it "
      "was calibrated for this program: give yours with --compute-rate",
      rate_text(own.least, own.most), own.platform);
}

bool charges(const replay::Seconds seconds) {
  return seconds.fixed != 0 || seconds.per_byte != 0;
}

} // namespace

OwnRate rate_of(const replay::Platform& platform, const replay::Mapping& mapping) {
  std::vector<double> speeds;
  for (const std::uint32_t node : mapping.node_of_rank)
    speeds.push_back(platform.hosts()[node].speed);
  const auto [least, most] = std::ranges::minmax(speeds);
  return {.least = least, .most = most, .platform = platform.file().filename().string()};
}

ComputeBasis compute_basis(const trace::Counter& counter, double compute_rate, const OwnRate& own) {
  const bool given = compute_rate > 0;
  ComputeBasis basis;
  switch (counter.unit) {
  case trace::VolumeUnit::none:
    return {.sentence = "no computation was recorded: communication only", .from = "nothing"};
  case trace::VolumeUnit::nanoseconds:
    if (given)
      throw Error(Failure::usage, "--compute-rate needs a trace in instructions", "this one is in nanoseconds",
                  "leave it out");
    return {.sentence = "computation takes the time it took while recording", .from = "recorded times"};
  case trace::VolumeUnit::events:
    if (!given)
      throw Error(Failure::usage, "the trace counts " + counter.name + ", not instructions", "",
                  "say with --compute-rate how many of these a rank does in a second");
    basis.sentence = fmt::format("{} {} per second and rank", human_count(compute_rate), counter.name);
    basis.unit = counter.name;
    break;
  case trace::VolumeUnit::instructions:
    basis.assumed = !given;
    basis.sentence = given ? human_count(compute_rate) + " instructions/s per rank" : instructions_sentence(own);
    break;
  }
  basis.from = given ? "--compute-rate" : own.platform.empty() ? "assumption" : "platform";
  basis.least = given ? compute_rate : own.least;
  basis.most = given ? compute_rate : own.most;
  return basis;
}

bool MachineBasis::network_used() const {
  return std::ranges::any_of(nodes, [&](const std::string& node) { return node != nodes.front(); });
}

std::string overheads_of(const replay::NetworkDescription& network) {
  const auto& sizes = network.between_nodes.sizes;
  const bool any = std::ranges::any_of(sizes, [](const replay::MessageCosts& costs) {
    return charges(costs.send) || charges(costs.nonblocking_send) || charges(costs.receive);
  });
  if (network.measured) return any ? "measured" : "measured within latencies";
  return any ? "its own" : "none";
}

std::string overheads_of(const replay::Platform& platform) {
  if (const std::string said = platforms::head_of(platform.file()).overheads; !said.empty()) return said;
  const replay::SmpiSettings& settings = platform.settings();
  for (const replay::PiecewiseSetting* setting :
       {&settings.send_overhead, &settings.isend_overhead, &settings.receive_overhead})
    for (const replay::PiecewiseSetting::Piece& piece : setting->pieces())
      if (piece.fixed != 0 || piece.per_byte != 0) return "its own";
  return "none";
}

std::string overheads_bases(std::span<const MachineBasis> machines) {
  std::map<std::string, std::string> names;
  for (const MachineBasis& machine : machines) {
    std::string& list = names[machine.overheads];
    list += (list.empty() ? "" : ", ") + machine.name;
  }
  if (names.size() < 2) return {};
  std::string bases;
  for (const auto& [basis, list] : names)
    bases += fmt::format("{}{} ({})", bases.empty() ? "" : "; ", basis, list);
  return bases;
}

std::string overheads_note(std::span<const MachineBasis> machines) {
  const std::string bases = overheads_bases(machines);
  if (bases.empty()) return {};
  return "what processors spend on messages rests on different bases, so that times differ by that, too: " + bases;
}

} // namespace timeless::tools
