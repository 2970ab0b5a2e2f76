#include "replay/network/compute_rates.h"

#include "base/error.h"
#include "replay/network/description.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace timeless::replay {

namespace {

using trace::CallSite;
using trace::Kernel;
using trace::KernelId;
using trace::Run;

constexpr std::string_view rates_format = "timeless.rates/1";

std::map<std::string, double> rates_by_name(const Description& whole, std::string_view key) {
  std::map<std::string, double> rates;
  if (!whole.has(key)) return rates;
  const Description list = whole.object(key);
  for (const std::string& name : list.keys())
    rates[name] = list.rate(name);
  return rates;
}

[[noreturn]] void refuse(const ComputeRates& rates, const std::string& place, const std::string& what,
                         const std::string& advice) {
  throw Error(Failure::invalid_input, what, rates.file.string() + ": " + place, advice);
}

std::optional<std::uint64_t> number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// "module+offset": a place as a person writes it.
struct WrittenPlace {
  std::string module;
  std::uint64_t offset = 0;

  static std::optional<WrittenPlace> parse(std::string_view text) {
    const std::size_t plus = text.rfind('+');
    if (plus == std::string_view::npos || plus == 0) return std::nullopt;
    const auto offset = number(text.substr(plus + 1));
    if (!offset) return std::nullopt;
    return WrittenPlace{std::string(text.substr(0, plus)), *offset};
  }
  bool names(const Run& run, const CallSite& site) const {
    if (site.offset != offset || site.module >= run.modules.size()) return false;
    const std::string& path = run.modules[site.module].path;
    return path == module || std::filesystem::path(path).filename() == module;
  }
};

/// Returns the kernels that a name means; empty when it is no name of kernels, or of none there are.
std::vector<KernelId> kernels_called(const Run& run, std::string_view name) {
  if (const auto id = number(name)) {
    if (*id >= run.kernels.size()) return {};
    return {static_cast<KernelId>(*id)};
  }
  const std::size_t dots = name.find("..");
  if (dots == std::string_view::npos) return {};
  const auto begin = WrittenPlace::parse(name.substr(0, dots));
  const auto end = WrittenPlace::parse(name.substr(dots + 2));
  std::vector<KernelId> found;
  if (!begin || !end) return found;
  for (KernelId id = 0; id < run.kernels.size(); ++id)
    if (begin->names(run, run.kernels[id].begin) && end->names(run, run.kernels[id].end)) found.push_back(id);
  return found;
}

/// Lists the first of them by name.
std::string listed(std::span<const std::string> nodes) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t node = 0; node < std::min(nodes.size(), most); ++node)
    text += fmt::format("{}'{}'", node == 0 ? "" : ", ", nodes[node]);
  if (nodes.size() > most) text += fmt::format(" and {} more", nodes.size() - most);
  return text;
}

std::string_view brief(std::string_view host) {
  return host.substr(0, host.find('.'));
}

} // namespace

namespace {

void require_one_rate(const Description& whole, std::string_view key) {
  if (!whole.has("units_per_second") || whole.has("hosts") || whole.has("kernels") || whole.has("instances"))
    whole.refuse(key, fmt::format("'{}' belongs to one rate for everything", key),
                 "keep the file as timeless calibrate compute --whole has written it");
}

/// The rates of a list that are all above 0; none where there is no list.
std::vector<double> rates_of_launches(const Description& whole) {
  if (!whole.has("launches")) return {};
  std::vector<double> rates = whole.rates("launches");
  require_one_rate(whole, "launches");
  return rates;
}

} // namespace

ComputeRates read_rates(const std::filesystem::path& file) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26U; // of calibrations
  const Description whole = Description::read(file, most_bytes);
  whole.demand_format(rates_format);
  whole.allow_only(
      {"format", "source", "units_per_second", "launches", "measurement", "hosts", "kernels", "instances"});
  ComputeRates rates{.file = file, .source = whole.word_or("source", {})};
  if (whole.has("units_per_second")) rates.units_per_second = whole.rate("units_per_second");
  rates.hosts = rates_by_name(whole, "hosts");
  rates.kernels = rates_by_name(whole, "kernels");
  rates.launches = rates_of_launches(whole);
  if (whole.has("measurement")) {
    require_one_rate(whole, "measurement");
    rates.measured = read_measurement(whole);
  }
  if (whole.has("instances")) {
    rates.instances = read_instances(whole);
    if (!rates.kernels.empty() || !rates.units_per_second)
      whole.refuse("instances", "measured kernels beside kernels by hand, or without units_per_second",
                   "keep the file as timeless calibrate compute has written it");
  }
  if (!rates.units_per_second && rates.hosts.empty() && rates.kernels.empty())
    whole.refuse("", "no rate at all", "write units_per_second, hosts or kernels");
  return rates;
}

std::vector<double> kernel_factors(const ComputeRates& rates, const Run& run) {
  if (rates.kernels.empty()) return {};
  if (!rates.units_per_second)
    refuse(rates, "kernels", "rates of kernels without the rate of all others",
           "add units_per_second: on a host of another rate, kernels are faster or slower in proportion");
  std::vector<double> factors(run.kernels.size(), 1);
  std::set<KernelId> named;
  for (const auto& [name, rate] : rates.kernels) {
    const std::vector<KernelId> kernels = kernels_called(run, name);
    if (kernels.empty())
      refuse(rates, "kernels." + name, fmt::format("no such kernel among the run's {}", run.kernels.size()),
             "write a kernel's number, or MODULE+OFFSET..MODULE+OFFSET; 'timeless info --kernels' lists them");
    for (const KernelId kernel : kernels) {
      if (!named.insert(kernel).second)
        refuse(rates, "kernels." + name, fmt::format("kernel {} is named twice", kernel), "keep one of its rates");
      factors[kernel] = *rates.units_per_second / rate;
    }
  }
  return factors;
}

std::vector<double> seconds_per_unit(const ComputeRates& rates, std::span<const std::string> nodes,
                                     std::span<const double> otherwise) {
  std::vector<double> seconds;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    if (rates.units_per_second)
      seconds.push_back(1 / *rates.units_per_second);
    else
      seconds.push_back(node < otherwise.size() ? otherwise[node] : 0);
  }
  for (const auto& [host, rate] : rates.hosts) {
    bool found = false;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const bool whole_name = nodes[node] == host;
      if (!whole_name && (brief(nodes[node]) != host || rates.hosts.contains(nodes[node]))) continue;
      seconds[node] = 1 / rate;
      found = true;
    }
    if (!found)
      refuse(rates, "hosts." + host, "the machine has no such host",
             nodes.empty() ? "leave it out" : "there are: " + listed(nodes));
  }
  for (std::size_t node = 0; node < nodes.size(); ++node)
    if (!(seconds[node] > 0))
      refuse(rates, "hosts", fmt::format("no rate for host '{}'", nodes[node]), "add it, or units_per_second");
  return seconds;
}

} // namespace timeless::replay
