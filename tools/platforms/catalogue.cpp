#include "tools/platforms/catalogue.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace timeless::tools::platforms {

namespace {

/// Line breaks and runs of blanks as one blank.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (blank && (line.empty() || line.back() == ' ')) continue;
    line += blank ? ' ' : c;
  }
  while (line.ends_with(' '))
    line.pop_back();
  return line;
}

/// The word behind a mark such as "Trust:"; empty without one.
std::string word_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  std::string_view rest = text.substr(at + mark.size());
  while (rest.starts_with(' '))
    rest.remove_prefix(1);
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  return {rest.begin(), std::ranges::find_if_not(rest, is_letter)};
}

} // namespace

Head head_of(const std::filesystem::path& file) {
  constexpr std::size_t read = 16384;
  std::ifstream in(file, std::ios::binary);
  std::string text(read, '\0');
  in.read(text.data(), read);
  text.resize(static_cast<std::size_t>(in.gcount()));
  text = text.substr(0, text.find("<platform"));
  Head head;
  constexpr std::string_view open = "<!--";
  const std::size_t begin = text.find(open);
  if (begin == std::string::npos) return head;
  text = text.substr(begin + open.size());
  text = text.substr(0, text.find("-->"));
  head.description = one_line(text.substr(0, text.find("\n\n")));
  head.trust = word_behind(text, "Trust:");
  head.overheads = word_behind(text, "Overheads:");
  return head;
}

std::vector<HostKind> kinds_of(const replay::Platform& platform) {
  std::vector<HostKind> kinds;
  std::map<std::pair<double, int>, std::size_t> index;
  for (const replay::PlatformHost& host : platform.hosts()) {
    const auto [at, fresh] = index.try_emplace({host.speed, host.cores}, kinds.size());
    if (fresh) kinds.push_back({.speed = host.speed, .cores = host.cores, .hosts = 0, .first = host.name});
    ++kinds[at->second].hosts;
  }
  return kinds;
}

Distances distances_of(const replay::Platform& platform, std::size_t most_sources) {
  const std::size_t hosts = platform.hosts().size();
  const std::size_t step = std::max<std::size_t>(1, (hosts + most_sources - 1) / most_sources);
  std::map<std::tuple<bool, std::string, std::string>, Distance> kinds;
  Distances all;
  for (std::size_t from = 0; from < hosts; from += step, ++all.sources)
    for (std::size_t to = 0; to < hosts; ++to) {
      const replay::Route route = platform.route(from, to);
      // Sums in another order differ in their last bits.
      Distance& kind =
          kinds[{from == to, fmt::format("{:.6e}", route.latency), fmt::format("{:.6e}", route.bandwidth)}];
      if (kind.pairs++ == 0)
        kind = {.latency = route.latency,
                .bandwidth = route.bandwidth,
                .loopback = from == to,
                .pairs = 1,
                .from = from,
                .to = to};
    }
  for (const auto& [key, kind] : kinds)
    all.kinds.push_back(kind);
  std::ranges::stable_sort(
      all.kinds, {}, [](const Distance& kind) { return std::tuple(!kind.loopback, kind.latency, -kind.bandwidth); });
  return all;
}

} // namespace timeless::tools::platforms
