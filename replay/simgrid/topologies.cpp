#include "replay/simgrid/topologies.h"

#include "replay/simgrid/quantities.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace timeless::replay {

namespace {

std::optional<std::uint64_t> whole(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  const auto value = whole_number<std::uint32_t>(text);
  if (!value || *value > 0x7fffffffU) return {};
  return *value;
}

/// Returns the numbers of a list, each at least 1; nothing where one is not.
std::optional<std::vector<std::uint64_t>> counts(std::string_view text) {
  std::vector<std::uint64_t> all;
  for (const std::string_view part : split(text, ',')) {
    const auto value = whole(part);
    if (!value || *value == 0) return {};
    all.push_back(*value);
  }
  return all;
}

/// Returns no more than most_hosts + 1.
std::uint64_t product(const std::vector<std::uint64_t>& factors) {
  std::uint64_t all = 1;
  for (const std::uint64_t factor : factors)
    all = factor > most_hosts / all ? most_hosts + 1 : all * factor;
  return all;
}

template <class Value>
Parsed<Value> wrong(std::string mistake, std::string advice) {
  return {.mistake = std::move(mistake), .advice = std::move(advice)};
}

Parsed<std::uint64_t> in_reason(std::uint64_t hosts) {
  if (hosts <= most_hosts) return {.value = hosts};
  return wrong<std::uint64_t>("these are more than a million hosts", "describe a part of the machine");
}

/// Returns the sides above 1, at least one side: SimGrid lays a link from each node to itself along a side of 1, and
/// names both alike where there are two such sides.
std::vector<std::uint64_t> longer_sides(std::vector<std::uint64_t> sides) {
  std::erase(sides, 1U);
  if (sides.empty()) sides.push_back(1);
  return sides;
}

std::string joined(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

Parsed<std::uint64_t> count_torus(std::string_view parameters) {
  const auto sides = counts(parameters);
  if (!sides)
    return wrong<std::uint64_t>("a torus cannot have the sides '" + std::string(parameters) + "'",
                                "write the length of each dimension: topo_parameters=\"4,4,2\"");
  if (std::ranges::count(*sides, 1U) > 1)
    return wrong<std::uint64_t>("a torus with two sides of 1 gives two links one name: SimGrid 3.32 does not load it",
                                "leave the sides of 1 out: topo_parameters=\"" + joined(longer_sides(*sides)) + "\"");
  return in_reason(product(*sides));
}

Parsed<std::uint64_t> count_fat_tree(std::string_view parameters) {
  const std::string advice = "write levels;children of a switch, by level;parents, by level;cables to each parent, by "
                             "level: topo_parameters=\"2;16,8;1,4;1,1\"";
  const auto parts = split(parameters, ';');
  if (parts.size() != 4) return wrong<std::uint64_t>("a fat tree has four groups of parameters, parted by ;", advice);
  const auto levels = whole(parts[0]);
  if (!levels || *levels == 0) return wrong<std::uint64_t>("the number of levels is no positive number", advice);
  std::vector<std::uint64_t> children;
  for (std::size_t part = 1; part < 4; ++part) {
    const auto values = counts(parts[part]);
    if (!values)
      return wrong<std::uint64_t>("'" + std::string(parts[part]) + "' is no list of positive numbers", advice);
    if (values->size() != *levels)
      return wrong<std::uint64_t>("'" + std::string(parts[part]) + "' should have " + std::to_string(*levels) +
                                      " numbers, one for each level",
                                  advice);
    if (part == 1) children = *values;
    if (part == 2 && product(*values) > most_hosts)
      return wrong<std::uint64_t>("the tree has more than a million switches", advice);
  }
  return in_reason(product(children));
}

Parsed<std::uint64_t> count_dragonfly(std::string_view parameters) {
  const std::string advice = "write groups,cables;chassis of a group,cables;routers of a chassis,cables;nodes of a "
                             "router: topo_parameters=\"3,1;2,1;4,1;2\"";
  const auto parts = split(parameters, ';');
  if (parts.size() != 4) return wrong<std::uint64_t>("a dragonfly has four groups of parameters, parted by ;", advice);
  std::vector<std::uint64_t> sizes;
  for (std::size_t part = 0; part < 4; ++part) {
    const auto values = counts(parts[part]);
    if (!values || values->size() != (part < 3 ? 2U : 1U))
      return wrong<std::uint64_t>("'" + std::string(parts[part]) + "' should be " +
                                      (part < 3 ? "two positive numbers" : "one positive number"),
                                  advice);
    sizes.push_back(values->front());
  }
  if (sizes[2] < sizes[0])
    return wrong<std::uint64_t>(
        "a chassis has fewer routers (" + std::to_string(sizes[2]) + ") than there are groups (" +
            std::to_string(sizes[0]) + "): SimGrid 3.32 crashes on its routes",
        "give a chassis at least as many routers as there are groups, perhaps by fewer chassis");
  return in_reason(product(sizes));
}

/// Returns the divisor of `of` nearest to `near` by ratio.
std::uint64_t divisor_near(std::uint64_t of, double near) {
  std::uint64_t best = 1;
  const auto far = [near](std::uint64_t divisor) { return std::abs(std::log(static_cast<double>(divisor) / near)); };
  for (std::uint64_t divisor = 1; divisor * divisor <= of; ++divisor) {
    if (of % divisor != 0) continue;
    for (const std::uint64_t one : {divisor, of / divisor})
      if (far(one) < far(best)) best = one;
  }
  return best;
}

std::string torus_for(std::uint64_t hosts) {
  const std::uint64_t first = divisor_near(hosts, std::cbrt(static_cast<double>(hosts)));
  const std::uint64_t rest = hosts / first;
  const std::uint64_t second = divisor_near(rest, std::sqrt(static_cast<double>(rest)));
  std::vector<std::uint64_t> sides{first, second, rest / second};
  std::ranges::sort(sides, std::greater());
  return joined(longer_sides(std::move(sides)));
}

std::string fat_tree_for(std::uint64_t hosts) {
  const std::uint64_t leaf = divisor_near(hosts, std::sqrt(2.0 * static_cast<double>(hosts)));
  return "2;" + std::to_string(leaf) + "," + std::to_string(hosts / leaf) + ";1," + std::to_string(leaf) + ";1,1";
}

/// Nodes of a router, then groups, so that routers are at least as many as groups.
std::string dragonfly_for(std::uint64_t hosts) {
  const std::uint64_t nodes = divisor_near(hosts, std::max(1.0, std::cbrt(static_cast<double>(hosts) / 2)));
  const std::uint64_t routers = hosts / nodes;
  std::uint64_t groups = 1;
  for (std::uint64_t divisor = 1; divisor * divisor <= routers; ++divisor)
    if (routers % divisor == 0) groups = divisor;
  return std::to_string(groups) + ",1;1,1;" + std::to_string(routers / groups) + ",1;" + std::to_string(nodes);
}

} // namespace

Parsed<std::uint64_t> count_radical(std::string_view radical) {
  const std::string advice = "write numbers and ranges: radical=\"0-15,20\"";
  std::uint64_t hosts = 0;
  for (const std::string_view part : split(radical, ',')) {
    const auto ends = split(part, '-');
    const auto first = whole(ends.front());
    const auto last = whole(ends.back());
    if (ends.size() > 2 || !first || !last)
      return wrong<std::uint64_t>("'" + std::string(part) + "' is no number and no range", advice);
    if (*last < *first)
      return wrong<std::uint64_t>("the range '" + std::string(part) + "' ends before it begins", advice);
    hosts += *last - *first + 1;
    if (hosts > most_hosts) return in_reason(hosts);
  }
  return {.value = hosts};
}

Parsed<std::uint64_t> count_topology(std::string_view topology, std::string_view parameters) {
  if (topology == "TORUS") return count_torus(parameters);
  if (topology == "FAT_TREE") return count_fat_tree(parameters);
  if (topology == "DRAGONFLY") return count_dragonfly(parameters);
  return wrong<std::uint64_t>("SimGrid knows no topology '" + std::string(topology) + "'",
                              "write FLAT, TORUS, FAT_TREE or DRAGONFLY");
}

Parsed<std::string> fitting_parameters(std::string_view topology, std::uint64_t hosts) {
  if (hosts == 0 || hosts > most_hosts) return wrong<std::string>("a platform has 1 to 1000000 hosts", "");
  if (topology == "TORUS") return {.value = torus_for(hosts)};
  if (topology == "FAT_TREE") return {.value = fat_tree_for(hosts)};
  if (topology == "DRAGONFLY") return {.value = dragonfly_for(hosts)};
  return {.value = ""};
}

} // namespace timeless::replay
