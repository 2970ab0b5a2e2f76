#include "replay/network/compute_costs.h"

#include "base/error.h"
#include "replay/network/description.h"
#include "trace/model/memory_events.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace timeless::replay {

namespace {

constexpr std::string_view machine_format = "timeless.machine/1";

ComputeCosts read_costs(const Description& costs) {
  ComputeCosts seconds{};
  for (const std::string& key : costs.keys())
    if (std::ranges::find(compute_cost_names, key) == compute_cost_names.end())
      costs.refuse(key, "costs of an unknown thing", fmt::format("write {}", fmt::join(compute_cost_names, ", ")));
  for (std::size_t cost = 0; cost < seconds.size(); ++cost) {
    seconds[cost] = costs.number(compute_cost_names[cost]);
    if (seconds[cost] > 1e6)
      costs.refuse(compute_cost_names[cost], fmt::format("{:g} s are longer than any of these takes", seconds[cost]),
                   "write seconds for one of them, up to 1e6");
  }
  if (std::ranges::all_of(seconds, [](double each) { return each == 0; }))
    costs.refuse("", "nothing costs anything", "measure with `timeless calibrate machine`");
  return seconds;
}

} // namespace

ComputeCosts compute_quantities(std::span<const double> events, const CacheSizes& caches) {
  ComputeCosts quantities{};
  std::copy_n(events.begin(), trace::memory_first_class, quantities.begin());
  constexpr std::size_t orders = 3;
  for (std::size_t order = 0; order < orders; ++order) {
    const auto behind = [&](double bytes) {
      return lines_beyond(events, static_cast<trace::FetchOrder>(order), bytes);
    };
    const double behind_first = behind(caches.first);
    const double behind_second = behind(std::max(caches.first, caches.second));
    const double behind_last = behind(std::max({caches.first, caches.second, caches.last}));
    const std::size_t at = trace::memory_first_class + order;
    quantities[at] = behind_first - behind_second;
    quantities[at + orders] = behind_second - behind_last;
    quantities[at + 2 * orders] = behind_last;
  }
  quantities.back() = trace::new_lines(events);
  return quantities;
}

ComputeCosts MachineCosts::costs(std::uint32_t ranks) const {
  const double others = processors > 1 ? std::min(1.0, static_cast<double>(ranks - 1) / (processors - 1)) : 0;
  ComputeCosts between{};
  for (std::size_t cost = 0; cost < between.size(); ++cost)
    between[cost] = alone[cost] + others * (busy[cost] - alone[cost]);
  return between;
}

CacheSizes MachineCosts::caches_of(std::uint32_t ranks) const {
  CacheSizes own = caches;
  own.last /= std::max(1.0, static_cast<double>(ranks) * last_shared_by / processors);
  return own;
}

double MachineCosts::seconds(std::span<const double> events, std::uint32_t ranks) const {
  const ComputeCosts quantities = compute_quantities(events, caches_of(ranks));
  const ComputeCosts each = costs(ranks);
  return std::inner_product(each.begin(), each.end(), quantities.begin(), 0.0);
}

MachineCosts read_machine(const std::filesystem::path& file) {
  const Description whole = Description::read(file);
  whole.demand_format(machine_format);
  whole.allow_only(
      {"format", "source", "caches", "processors", "alone", "busy", "measurement", "intervals", "kernels"});
  MachineCosts machine{.file = file, .source = whole.word_or("source", {})};
  const Description caches = whole.object("caches");
  caches.allow_only({"first_bytes", "second_bytes", "last_bytes", "last_shared_by"});
  machine.caches = {.first = caches.positive("first_bytes"),
                    .second = caches.positive("second_bytes"),
                    .last = caches.positive("last_bytes")};
  const std::uint64_t processors = whole.whole_number("processors");
  if (processors == 0 || processors > 1'000'000)
    whole.refuse("processors", "no number of processors", "write 1 or more");
  machine.processors = static_cast<std::uint32_t>(processors);
  const std::uint64_t sharing = caches.has("last_shared_by") ? caches.whole_number("last_shared_by") : processors;
  if (sharing == 0 || sharing > processors)
    caches.refuse("last_shared_by", "no number of these processors", fmt::format("write 1 to {}", processors));
  machine.last_shared_by = static_cast<std::uint32_t>(sharing);
  machine.alone = read_costs(whole.object("alone"));
  machine.busy = whole.has("busy") ? read_costs(whole.object("busy")) : machine.alone;
  return machine;
}

std::vector<std::vector<double>> counted_of_memory(const trace::Run& run) {
  if (run.profile_events != trace::memory_events()) return {};
  std::vector<std::vector<double>> counted(run.kernels.size());
  for (const trace::RankRecord& record : run.ranks)
    for (const trace::KernelProfile& profile : record.profile) {
      std::vector<double>& sums = counted.at(profile.kernel);
      sums.resize(run.profile_events.size());
      std::ranges::transform(profile.sums, sums, sums.begin(),
                             [](std::uint64_t more, double sum) { return sum + static_cast<double>(more); });
    }
  return counted;
}

ComputedSpeeds computed_speeds(const MachineCosts& machine, const trace::Run& run, std::uint32_t ranks) {
  const std::vector<std::vector<double>> counted = counted_of_memory(run);
  if (run.profile_events != trace::memory_events())
    throw Error(Failure::usage, "the trace has no profile of memory, so nothing says what its kernels cost",
                machine.file.string(),
                "record with `timeless record --profile memory`, or give --compute-rate or --rates instead");
  double instructions = 0;
  double seconds = 0;
  std::vector<double> each(run.kernels.size());
  for (std::size_t kernel = 0; kernel < counted.size(); ++kernel) {
    if (counted[kernel].empty()) continue;
    each[kernel] = machine.seconds(counted[kernel], ranks);
    instructions += counted[kernel][trace::memory_instructions];
    seconds += each[kernel];
  }
  ComputedSpeeds speeds{.units_per_second = seconds > 0 ? instructions / seconds : 1 / machine.costs(ranks)[0],
                        .kernel_factors = {}};
  if (!(speeds.units_per_second > 0) || !std::isfinite(speeds.units_per_second))
    throw Error(Failure::usage, "the profile of memory counts no instructions", run.provenance.program,
                "record the program to its end");
  for (std::size_t kernel = 0; kernel < counted.size(); ++kernel) {
    const double counts = counted[kernel].empty() ? 0 : counted[kernel][trace::memory_instructions];
    speeds.kernel_factors.push_back(counts > 0 && each[kernel] > 0 ? each[kernel] / counts * speeds.units_per_second
                                                                   : 1);
  }
  return speeds;
}

} // namespace timeless::replay
