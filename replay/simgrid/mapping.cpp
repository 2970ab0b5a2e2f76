#include "replay/simgrid/mapping.h"

#include "base/error.h"
#include "base/files/text_file.h"
#include "replay/simgrid/quantities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_map>

namespace timeless::replay {

namespace {

std::string counted(std::size_t count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

std::optional<std::uint32_t> positive(std::string_view text) {
  const auto value = whole_number<std::uint32_t>(text);
  return value == 0U ? std::nullopt : value;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return found;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    found.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

/// What Open MPI's hostfiles say of a host beside its slots, as its 4.1 reads them.
constexpr std::array slot_words{"slots", "cpu", "count"};
constexpr std::array most_slots_words{"slots-max", "slots_max", "max-slots", "max_slots", "cpu-max",   "cpu_max",
                                      "max-cpu",   "max_cpu",   "count-max", "count_max", "max-count", "max_count"};
constexpr std::array other_words{"username",         "user-name",         "user_name",         "boards",
                                 "sockets",          "sockets_per_board", "sockets-per-board", "cores",
                                 "cores_per_socket", "cores-per-socket",  "cpu_set",           "cpu-set"};

/// Returns a line without its comment and without blanks around '='.
std::string dense(std::string_view line) {
  line = line.substr(0, std::min(line.find('#'), line.find("//")));
  std::string text;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (blank && (text.empty() || text.back() == '=')) continue;
    if (c == '=')
      while (text.ends_with(' '))
        text.pop_back();
    text += blank ? ' ' : c;
  }
  return text;
}

/// Takes "user@host:4" apart.
HostSlots parse_name(std::string_view field, std::uint32_t line, const std::string& where, bool& counted) {
  const std::string mistake = "'" + std::string(field.substr(0, 60)) + "' is not a host and its slots";
  constexpr std::size_t longest_name = 255;
  const auto is_control = [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f'; };
  if (field.size() > 2 * longest_name || std::ranges::any_of(field, is_control))
    throw Error(Failure::invalid_input, mistake, where, "write one host a line, as text");
  HostSlots entry{.host = std::string(field), .slots = 1, .line = line};
  if (const std::size_t at = entry.host.find('@'); at != std::string::npos) {
    if (at == 0 || entry.host.find('@', at + 1) != std::string::npos)
      throw Error(Failure::invalid_input, mistake, where, "write user@host");
    entry.host.erase(0, at + 1);
  }
  if (entry.host.starts_with('^') || entry.host.starts_with('+'))
    throw Error(Failure::invalid_input, mistake + ": hosts cannot be left out or counted from others here", where,
                "name the hosts to use");
  if (const std::size_t colon = entry.host.find(':'); colon != std::string::npos) {
    const auto slots = positive(std::string_view(entry.host).substr(colon + 1));
    if (!slots) throw Error(Failure::invalid_input, mistake, where, "write host:N");
    entry.slots = *slots;
    entry.host.resize(colon);
    counted = true;
  }
  if (entry.host.empty() || entry.host.find('=') != std::string::npos)
    throw Error(Failure::invalid_input, mistake, where, "begin the line with a host");
  return entry;
}

HostSlots parse_host(std::string_view line, std::uint32_t number, const std::string& file) {
  const std::string where = file + ":" + std::to_string(number);
  const auto fields = words(line);
  bool counted = false;
  HostSlots entry = parse_name(fields.front(), number, where, counted);
  for (const std::string_view field : std::span(fields).subspan(1)) {
    const std::string_view word = field.substr(0, field.find('='));
    const std::string_view value = word.size() == field.size() ? std::string_view() : field.substr(word.size() + 1);
    const auto slots = positive(value);
    const bool most = std::ranges::find(most_slots_words, word) != most_slots_words.end();
    if (slots && std::ranges::find(slot_words, word) != slot_words.end()) {
      entry.slots = *slots;
      counted = true;
    } else if (slots && most) {
      // As Open MPI does: a host of which only the most slots are known has these.
      if (!counted) entry.slots = *slots;
    } else if (value.empty() || std::ranges::find(other_words, word) == other_words.end()) {
      throw Error(Failure::invalid_input, "cannot understand '" + std::string(field.substr(0, 60)) + "'", where,
                  "write one host a line: host, host:N or host slots=N");
    }
  }
  return entry;
}

using HostIndex = std::unordered_map<std::string, std::uint32_t>;

/// Returns the hosts by name, and by the part before the first dot where that names one host only.
HostIndex index_of(std::span<const PlatformHost> hosts) {
  HostIndex index;
  std::set<std::string> ambiguous;
  for (std::uint32_t host = 0; host < hosts.size(); ++host) {
    const std::string& name = hosts[host].name;
    const std::string brief = name.substr(0, name.find('.'));
    if (brief != name && !index.emplace(brief, host).second) ambiguous.insert(brief);
  }
  for (const std::string& brief : ambiguous)
    index.erase(brief);
  for (std::uint32_t host = 0; host < hosts.size(); ++host)
    index[hosts[host].name] = host;
  return index;
}

std::vector<std::string> names(std::span<const PlatformHost> hosts) {
  std::vector<std::string> all;
  for (const PlatformHost& host : hosts)
    all.push_back(host.name);
  return all;
}

std::vector<std::string> invented_names(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t node = 0; node < count; ++node)
    all.push_back("node-" + std::to_string(node));
  return all;
}

std::size_t ranks_of(const trace::Run& run) {
  return static_cast<std::size_t>(run.size);
}

std::size_t used_nodes(const Mapping& mapping) {
  return std::set<std::uint32_t>(mapping.node_of_rank.begin(), mapping.node_of_rank.end()).size();
}

/// Says where more ranks share a host than it has cores: SMPI shares them out, the model does not.
void note_shared_cores(Mapping& mapping, std::span<const PlatformHost> hosts) {
  std::vector<int> ranks(hosts.size(), 0);
  for (const std::uint32_t node : mapping.node_of_rank)
    ++ranks[node];
  std::size_t crowded = 0;
  std::size_t example = 0;
  for (std::size_t host = 0; host < hosts.size(); ++host)
    if (ranks[host] > hosts[host].cores && crowded++ == 0) example = host;
  if (crowded == 0) return;
  mapping.notes.push_back(counted(crowded, "host") + (crowded == 1 ? " gets" : " get") + " more ranks than cores (" +
                          hosts[example].name + ": " + counted(static_cast<std::size_t>(ranks[example]), "rank") +
                          " on " + counted(static_cast<std::size_t>(hosts[example].cores), "core") +
                          "): SMPI shares the cores among them, the model gives each its own");
}

Mapping by_hostfile(const trace::Run& run, std::span<const PlatformHost> hosts, const std::filesystem::path& file) {
  const std::vector<HostSlots> lines = read_hostfile(file);
  Mapping mapping;
  HostIndex index = index_of(hosts);
  mapping.nodes = names(hosts);
  // The slots that ranks come to: a file may name billions.
  const std::size_t ranks = ranks_of(run);
  std::vector<std::uint32_t> slots;
  for (const HostSlots& line : lines) {
    auto found = index.find(line.host);
    if (found == index.end()) {
      if (!hosts.empty())
        throw Error(Failure::invalid_input, "the platform has no host '" + line.host + "'",
                    file.string() + ":" + std::to_string(line.line), "its first host is '" + hosts.front().name + "'");
      found = index.emplace(line.host, static_cast<std::uint32_t>(mapping.nodes.size())).first;
      mapping.nodes.push_back(line.host);
    }
    slots.insert(slots.end(), std::min<std::size_t>(line.slots, ranks - std::min(ranks, slots.size())), found->second);
  }
  for (std::size_t rank = 0; rank < ranks; ++rank)
    mapping.node_of_rank.push_back(slots[rank % slots.size()]);
  mapping.sentence =
      counted(ranks, "rank") + " on " + counted(used_nodes(mapping), "host") + " of hostfile " + file.string();
  if (ranks > slots.size())
    mapping.notes.push_back("hostfile " + file.string() + " has " + counted(slots.size(), "slot") + " for " +
                            counted(ranks, "rank") + ": ranks start again at its first slot");
  return mapping;
}

/// Returns the recorded host of each rank as an index into Run::hosts.
std::vector<std::uint32_t> recorded_hosts(const trace::Run& run) {
  std::vector<std::uint32_t> hosts(ranks_of(run), 0);
  for (const trace::RankRecord& record : run.ranks)
    if (record.rank >= 0 && record.rank < run.size) hosts[static_cast<std::size_t>(record.rank)] = record.host;
  for (const std::uint32_t host : hosts)
    if (host >= run.hosts.size())
      throw Error(Failure::invalid_input, "the trace does not say where its ranks ran", "host " + std::to_string(host),
                  "choose another mapping: one-per-node, block:N or a hostfile");
  return hosts;
}

std::size_t recorded_host_count(const trace::Run& run) {
  std::set<std::uint32_t> hosts;
  for (const trace::RankRecord& record : run.ranks)
    hosts.insert(record.host);
  return hosts.size();
}

/// Returns the platform's host for each recorded one; nothing, and the name, where one is not there.
std::optional<std::vector<std::uint32_t>> recorded_on(const trace::Run& run, std::span<const PlatformHost> hosts,
                                                      std::string& missing) {
  const HostIndex index = index_of(hosts);
  std::vector<std::uint32_t> nodes;
  for (const std::uint32_t recorded : recorded_hosts(run)) {
    const auto found = index.find(run.hosts[recorded].name);
    if (found == index.end()) {
      missing = run.hosts[recorded].name;
      return std::nullopt;
    }
    nodes.push_back(found->second);
  }
  return nodes;
}

Mapping by_record(const trace::Run& run, std::span<const PlatformHost> hosts) {
  Mapping mapping;
  if (hosts.empty()) {
    mapping.node_of_rank = recorded_hosts(run);
    for (const trace::Host& host : run.hosts)
      mapping.nodes.push_back(host.name);
  } else {
    std::string missing;
    auto nodes = recorded_on(run, hosts, missing);
    if (!nodes)
      throw Error(Failure::invalid_input, "the platform has no host '" + missing + "', on which ranks were recorded",
                  "mapping recorded", "choose another mapping: auto, one-per-node, block:N or a hostfile");
    mapping.node_of_rank = std::move(*nodes);
    mapping.nodes = names(hosts);
  }
  mapping.sentence = counted(ranks_of(run), "rank") + " on " + counted(used_nodes(mapping), "host") + " as recorded";
  return mapping;
}

/// Returns `per_node` consecutive ranks on each of `nodes` nodes, starting again after the last.
std::vector<std::uint32_t> in_blocks(std::size_t ranks, std::size_t per_node, std::size_t nodes) {
  std::vector<std::uint32_t> node_of_rank;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    node_of_rank.push_back(static_cast<std::uint32_t>(rank / per_node % nodes));
  return node_of_rank;
}

Mapping in_order(const trace::Run& run, std::span<const PlatformHost> hosts, std::uint32_t per_node) {
  const std::size_t ranks = ranks_of(run);
  const std::size_t needed = (ranks + per_node - 1) / per_node;
  Mapping mapping;
  mapping.nodes = hosts.empty() ? invented_names(needed) : names(hosts);
  mapping.node_of_rank = in_blocks(ranks, per_node, std::max<std::size_t>(mapping.nodes.size(), 1));
  const std::string each = per_node == 1 ? "one rank" : counted(per_node, "rank");
  mapping.sentence =
      counted(ranks, "rank") + ": " + each + " per " + (hosts.empty() ? "node" : "host, in the platform's order");
  if (!hosts.empty() && needed > hosts.size())
    mapping.notes.push_back("the platform has " + counted(hosts.size(), "host") + " for " + counted(needed, "block") +
                            " of ranks: they start again at its first host");
  return mapping;
}

/// Places ranks on the hosts' cores in order, starting again after the last.
Mapping by_cores(const trace::Run& run, std::span<const PlatformHost> hosts) {
  // The cores that ranks come to: a file may name billions.
  const std::size_t ranks = ranks_of(run);
  std::vector<std::uint32_t> cores;
  for (std::uint32_t host = 0; host < hosts.size(); ++host)
    cores.insert(
        cores.end(),
        std::min(static_cast<std::size_t>(std::max(hosts[host].cores, 1)), ranks - std::min(ranks, cores.size())),
        host);
  Mapping mapping;
  mapping.nodes = names(hosts);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    mapping.node_of_rank.push_back(cores[rank % cores.size()]);
  mapping.sentence = counted(ranks, "rank") + " on " + counted(used_nodes(mapping), "host") +
                     ": one rank per core, because there are more ranks than hosts";
  return mapping;
}

std::string recorded_words(const trace::Run& run) {
  return counted(ranks_of(run), "rank") + " recorded on " + counted(recorded_host_count(run), "host");
}

Mapping automatic_on_platform(const trace::Run& run, std::span<const PlatformHost> hosts) {
  std::string missing;
  if (!run.hosts.empty() && recorded_on(run, hosts, missing)) return by_record(run, hosts);
  Mapping mapping = ranks_of(run) <= hosts.size() ? in_order(run, hosts, 1) : by_cores(run, hosts);
  mapping.sentence += " (the recorded hosts are not on this platform)";
  return mapping;
}

Mapping automatic_on_preset(const trace::Run& run) {
  if (recorded_host_count(run) > 1) return by_record(run, {});
  Mapping mapping = in_order(run, {}, 1);
  mapping.sentence = recorded_words(run) + ": one rank per node; --mapping recorded keeps them together";
  return mapping;
}

Mapping choose(const trace::Run& run, std::span<const PlatformHost> hosts, const MappingRequest& request) {
  switch (request.rule) {
  case MappingRule::hostfile:
    return by_hostfile(run, hosts, request.hostfile);
  case MappingRule::recorded:
    return by_record(run, hosts);
  case MappingRule::one_per_node:
    return in_order(run, hosts, 1);
  case MappingRule::block:
    if (request.block == 0)
      throw Error(Failure::usage, "a block of no ranks", "mapping", "write block:N with N above 0");
    return in_order(run, hosts, request.block);
  case MappingRule::automatic:
    break;
  }
  return hosts.empty() ? automatic_on_preset(run) : automatic_on_platform(run, hosts);
}

} // namespace

std::vector<std::string> mapping_words() {
  return {"auto", "recorded", "one-per-node", "block:N", "hostfile"};
}

MappingRequest parse_mapping(std::string_view text, const std::filesystem::path& hostfile) {
  MappingRequest request{.rule = MappingRule::automatic, .block = 0, .hostfile = hostfile};
  const auto hostfile_beside = [&] {
    if (!hostfile.empty())
      throw Error(Failure::usage, "a hostfile and the mapping '" + std::string(text) + "' contradict each other", {},
                  "give one of them");
  };
  if (text.empty() || text == "auto") {
    if (!hostfile.empty()) request.rule = MappingRule::hostfile;
  } else if (text == "hostfile") {
    if (hostfile.empty())
      throw Error(Failure::usage, "the mapping is 'hostfile' but there is none", {}, "add --hostfile FILE");
    request.rule = MappingRule::hostfile;
  } else if (text == "recorded") {
    hostfile_beside();
    request.rule = MappingRule::recorded;
  } else if (text == "one-per-node") {
    hostfile_beside();
    request.rule = MappingRule::one_per_node;
  } else if (text.starts_with("block:") && positive(text.substr(6))) {
    hostfile_beside();
    request.rule = MappingRule::block;
    request.block = *positive(text.substr(6));
  } else {
    throw Error(Failure::usage, "no mapping is called '" + std::string(text) + "'", {},
                fmt::format("choose one of {}, with N ranks per node", fmt::join(mapping_words(), ", ")));
  }
  return request;
}

std::vector<HostSlots> read_hostfile(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26U;
  const std::optional<std::string> text = read_text(file, most_bytes);
  if (!text || text->size() > most_bytes)
    throw Error(Failure::invalid_input, text ? "a hostfile of more than 64 MiB" : "cannot read the hostfile",
                file.string(), "name a readable file with one host a line");
  std::istringstream in(*text);
  std::vector<HostSlots> lines;
  std::string line;
  for (std::uint32_t number = 1; std::getline(in, line); ++number) {
    const std::string content = dense(line);
    if (words(content).empty()) continue;
    lines.push_back(parse_host(content, number, file.string()));
  }
  if (lines.empty())
    throw Error(Failure::invalid_input, "the hostfile names no host", file.string(), "write one host a line");
  return lines;
}

Mapping map_ranks(const trace::Run& run, std::span<const PlatformHost> hosts, const MappingRequest& request) {
  Mapping mapping = choose(run, hosts, request);
  if (!hosts.empty()) note_shared_cores(mapping, hosts);
  return mapping;
}

} // namespace timeless::replay
