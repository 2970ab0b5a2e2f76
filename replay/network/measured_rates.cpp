#include "replay/network/measured_rates.h"
#include "base/files/temporary_file.h"
#include "replay/network/description.h"

#include "trace/model/memory_events.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace timeless::replay {

namespace {

using trace::CallSite;
using trace::Run;

constexpr double same_size = 1.1; // visits of sizes within this factor are of one size

RelativeTimes relative_times(const Description& kernel) {
  RelativeTimes times{};
  const std::vector<double> numbers = kernel.numbers("relative_times");
  if (numbers.size() != times.size() || !std::ranges::is_sorted(numbers))
    kernel.refuse("relative_times", "not 11 numbers that rise", "leave the file as it was written");
  std::ranges::copy(numbers, times.begin());
  return times;
}

/// Events that are not named were not counted.
std::vector<double> memory_of(const Description& kernel) {
  if (!kernel.has("memory")) return {};
  const std::vector<std::string>& events = trace::memory_events();
  const Description counted = kernel.object("memory");
  std::vector<double> memory(events.size());
  for (const std::string& name : counted.keys()) {
    const auto event = std::ranges::find(events, name);
    if (event == events.end()) counted.refuse(name, "no event of memory", "leave the file as it was written");
    memory[static_cast<std::size_t>(event - events.begin())] = counted.number(name);
  }
  if (!(memory[trace::memory_instructions] > 0))
    counted.refuse(events[trace::memory_instructions], "no instructions", "leave the file as it was written");
  return memory;
}

MeasuredKernel read_kernel(const Description& item) {
  item.allow_only({"kernel", "places", "units_per_second", "fixed_seconds", "interval", "launches", "visits",
                   "units_per_visit", "share", "seconds", "explained", "weight", "own", "spread", "relative_times",
                   "clock", "memory"});
  MeasuredKernel kernel{.name = item.word("kernel"),
                        .places = item.word_or("places", {}),
                        .units_per_second = item.rate("units_per_second"),
                        .fixed_seconds = item.number_or("fixed_seconds", 0),
                        .launches = {},
                        .units_per_visit = item.positive("units_per_visit"),
                        .own = item.flag("own"),
                        .relative_times = relative_times(item),
                        .memory = memory_of(item)};
  if (item.has("launches")) kernel.launches = item.rates("launches");
  item.demand_interval("interval");
  if (item.has("visits")) (void)item.counted("visits");
  return kernel;
}

/// What is said of an instance and of one rate for everything alike: what was measured, when and where.
constexpr std::string_view said_of_both[] = {
    "name",  "program",        "date",     "timeless",       "mpi",    "counter", "unit",       "hosts", "cpu",
    "ranks", "ranks_per_node", "launches", "units_per_rank", "builds", "noise",   "not_reached"};

MeasuredInstance read_said_of_both(const Description& item, std::initializer_list<std::string_view> beside) {
  std::vector<std::string_view> keys(std::begin(said_of_both), std::end(said_of_both));
  keys.insert(keys.end(), beside);
  item.allow_only(keys);
  return {.name = item.word("name"),
          .program = item.word_or("program", {}),
          .date = item.word_or("date", {}),
          .cpu = item.word_or("cpu", {}),
          .counter = item.word_or("counter", {}),
          .hosts = item.has("hosts") ? item.words("hosts") : std::vector<std::string>{},
          .ranks = item.counted("ranks"),
          .ranks_per_node = item.counted("ranks_per_node"),
          .launches = item.counted("launches"),
          .units_per_rank = item.positive("units_per_rank"),
          .builds = item.has("builds") ? item.words("builds") : std::vector<std::string>{}};
}

MeasuredInstance read_instance(const Description& item) {
  MeasuredInstance instance = read_said_of_both(
      item, {"clocks", "units_per_second", "interval", "whole", "whole_spread", "coverage", "explained", "kernels"});
  instance.units_per_second = item.rate("units_per_second");
  item.demand_interval("interval");
  instance.explained = item.number_or("explained", 1);
  if (item.has("clocks")) {
    const Description clocks = item.object("clocks");
    instance.walltime_launches = clocks.whole_number("walltime");
    instance.cputime_launches = clocks.whole_number("cputime");
  }
  for (const Description& kernel : item.objects("kernels"))
    instance.kernels.push_back(read_kernel(kernel));
  return instance;
}

/// Returns whether the instance may have had this module; not known is taken for the same.
bool has_build(const MeasuredInstance& instance, const Run& run, std::uint32_t module) {
  const std::string build = module < run.modules.size() ? build_name(run.modules[module]) : "";
  return build.empty() || instance.builds.empty() || std::ranges::find(instance.builds, build) != instance.builds.end();
}

/// An instance by the names of its kernels, as they are in one run.
class Index {
public:
  Index(const MeasuredInstance& instance, const Run& run) : run_(run) {
    for (std::uint32_t module = 0; module < run.modules.size(); ++module)
      same_build_.push_back(has_build(instance, run, module));
    for (const MeasuredKernel& kernel : instance.kernels) {
      by_name_.emplace(kernel.name, &kernel);
      if (!kernel.places.empty()) by_places_.emplace(kernel.places, &kernel);
    }
  }

  const MeasuredKernel* find(trace::KernelId id, const KernelOfRun& kernel) const {
    const trace::Kernel& ends = run_.kernels[id];
    if (same(ends.begin) && same(ends.end)) {
      const auto found = by_name_.find(place_name(run_, ends.begin) + ".." + place_name(run_, ends.end));
      if (found != by_name_.end()) return found->second;
    }
    const auto found = by_places_.find(kernel.places);
    return found == by_places_.end() ? nullptr : found->second;
  }

private:
  bool same(const CallSite& site) const { return site.module < same_build_.size() && same_build_[site.module]; }

  const Run& run_;
  std::vector<bool> same_build_; ///< by module
  std::map<std::string, const MeasuredKernel*> by_name_;
  std::map<std::string, const MeasuredKernel*> by_places_;
};

/// A kernel as one instance has it.
struct Candidate {
  const MeasuredKernel* kernel;
  double units_per_rank; ///< of the instance
  double rescaling = 0;  ///< of its seconds per unit, for the working set of the run; 0: not known
  double size = 0;       ///< that tells the instances apart

  double seconds_per_unit() const { return (rescaling > 0 ? rescaling : 1) / kernel->units_per_second; }
};

KernelTiming timing(const Candidate& candidate) {
  const MeasuredKernel& kernel = *candidate.kernel;
  KernelTiming timing{.fixed_seconds = kernel.fixed_seconds,
                      .seconds_per_unit = candidate.seconds_per_unit(),
                      .own = kernel.own,
                      .rescaling = candidate.rescaling,
                      .relative_times = kernel.relative_times};
  for (const double rate : kernel.launches)
    timing.launches.push_back(timing.seconds_per_unit * kernel.units_per_second / rate);
  return timing;
}

/// Returns what a machine's costs give a unit of the kernel in the run over what they give it where it was measured; 0
/// where nothing was counted.
double rescaling(const MachineCosts& machine, std::uint64_t ranks, const std::vector<double>& measured,
                 const std::vector<double>& predicted) {
  if (measured.empty() || predicted.empty()) return 0;
  const auto per_unit = [&](const std::vector<double>& memory) {
    const double instructions = memory[trace::memory_instructions];
    return instructions > 0 ? machine.seconds(memory, static_cast<std::uint32_t>(ranks)) / instructions : 0;
  };
  const double before = per_unit(measured);
  const double factor = before > 0 ? per_unit(predicted) / before : 0;
  return std::isfinite(factor) ? factor : 0;
}

/// Returns the timing between two sizes.
KernelTiming between(const Candidate& smaller, const Candidate& larger, double size) {
  const double part = std::log(size / smaller.size) / std::log(larger.size / smaller.size);
  const double factor = std::pow(larger.seconds_per_unit() / smaller.seconds_per_unit(), part);
  KernelTiming found = timing(smaller);
  found.own = smaller.kernel->own && larger.kernel->own;
  found.fixed_seconds = (1 - part) * smaller.kernel->fixed_seconds + part * larger.kernel->fixed_seconds;
  found.seconds_per_unit *= factor;
  for (double& seconds : found.launches)
    seconds *= factor;
  const bool both = smaller.rescaling > 0 && larger.rescaling > 0;
  found.rescaling = both ? smaller.rescaling * std::pow(larger.rescaling / smaller.rescaling, part)
                         : std::max(smaller.rescaling, larger.rescaling);
  if (part > 0.5) found.relative_times = larger.kernel->relative_times;
  return found;
}

KernelTiming of_size(std::vector<Candidate> candidates, double size) {
  std::ranges::stable_sort(candidates, {}, &Candidate::size);
  const Candidate& smallest = candidates.front();
  const Candidate& largest = candidates.back();
  const auto larger =
      std::ranges::find_if(candidates, [&](const Candidate& candidate) { return candidate.size >= size; });
  if (larger != candidates.begin() && larger != candidates.end()) {
    const Candidate& below = *std::prev(larger);
    // Sizes that are the same but for rounding say nothing of a slope.
    if (larger->size > below.size * 1.001) return between(below, *larger, size);
    return timing(*larger);
  }
  KernelTiming nearest = timing(larger == candidates.end() ? largest : smallest);
  nearest.outside = size > largest.size * same_size || size * same_size < smallest.size;
  return nearest;
}

/// Returns the timing by the size of visits, or where that is the same in all instances, by what a rank of each
/// computes in all.
KernelTiming chosen(std::vector<Candidate> candidates, double units_per_visit, double units_per_rank) {
  const auto [least, most] =
      std::ranges::minmax(candidates, {}, [](const Candidate& candidate) { return candidate.kernel->units_per_visit; });
  const bool alike = candidates.size() > 1 && most.kernel->units_per_visit < same_size * least.kernel->units_per_visit;
  for (Candidate& candidate : candidates)
    candidate.size = alike ? candidate.units_per_rank : candidate.kernel->units_per_visit;
  return of_size(std::move(candidates), alike ? units_per_rank : units_per_visit);
}

} // namespace

std::string place_name(const Run& run, const CallSite& site) {
  if (site.module >= run.modules.size()) return {};
  return fmt::format("{}+{:#x}", file_name(run.modules[site.module].path), site.offset);
}

std::string build_name(const trace::Module& module) {
  if (module.build_id.empty()) return {};
  std::string text = file_name(module.path) + " ";
  for (const char byte : module.build_id)
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::vector<MeasuredInstance> read_instances(const Description& whole) {
  std::vector<MeasuredInstance> instances;
  for (const Description& item : whole.objects("instances"))
    instances.push_back(read_instance(item));
  return instances;
}

MeasuredInstance read_measurement(const Description& whole) {
  MeasuredInstance measured = read_said_of_both(whole.object("measurement"), {});
  measured.units_per_second = whole.rate("units_per_second");
  return measured;
}

bool of_another_build(const MeasuredInstance& instance, const Run& run) {
  for (std::uint32_t module = 0; module < run.modules.size(); ++module)
    if (!has_build(instance, run, module)) return true;
  return false;
}

std::vector<KernelTiming> timings(const std::vector<MeasuredInstance>& instances, const Run& run,
                                  std::span<const KernelOfRun> kernels, double units_per_rank,
                                  const MachineCosts* machine) {
  std::vector<Index> indices;
  for (const MeasuredInstance& instance : instances)
    indices.emplace_back(instance, run);
  const auto distance = [&](const MeasuredInstance& instance) {
    return units_per_rank > 0 ? std::abs(std::log(instance.units_per_rank / units_per_rank)) : 0;
  };
  const auto nearest = std::ranges::min_element(instances, {}, distance);
  std::vector<KernelTiming> all;
  for (trace::KernelId id = 0; id < run.kernels.size(); ++id) {
    std::vector<Candidate> found;
    for (std::size_t i = 0; i < instances.size(); ++i)
      if (const MeasuredKernel* kernel = indices[i].find(id, kernels[id]))
        found.push_back(
            {.kernel = kernel,
             .units_per_rank = instances[i].units_per_rank,
             .rescaling =
                 machine ? rescaling(*machine, instances[i].ranks_per_node, kernel->memory, kernels[id].memory) : 0});
    all.push_back(found.empty() ? KernelTiming{.seconds_per_unit = 1 / nearest->units_per_second}
                                : chosen(std::move(found), kernels[id].units_per_visit, units_per_rank));
  }
  return all;
}

} // namespace timeless::replay
