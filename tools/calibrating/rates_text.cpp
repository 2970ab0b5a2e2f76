#include "tools/calibrating/rates_text.h"

#include "tools/calibrating/launches.h"

#include "base/error.h"
#include "base/files/temporary_file.h"
#include "base/files/text_file.h"
#include "replay/network/compute_costs.h"
#include "replay/network/compute_rates.h"
#include "replay/network/measured_rates.h"
#include "trace/model/memory_events.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace timeless::tools {

namespace {

using analysis::KernelSpeed;
using nlohmann::ordered_json;

constexpr const char* rates_format = "timeless.rates/1";
constexpr std::size_t most_listed = 4096; // of a list in such a file
constexpr std::size_t longest_word = 200;

/// Seven digits: more than any measurement has, and a file that can be read.
double rounded_rate(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  return std::stod(fmt::format("{:.6e}", value));
}

ordered_json rounded_rate(const std::vector<double>& values) {
  ordered_json list = ordered_json::array();
  for (const double value : values)
    list.push_back(rounded_rate(value));
  return list;
}

/// Of one launch nobody knows it.
ordered_json of_launches(const analysis::Interval& interval, std::size_t launches) {
  return launches < 2 ? ordered_json() : ordered_json{rounded_rate(interval.low), rounded_rate(interval.high)};
}

/// What the kernel has counted of memory, what is 0 left out; null without a profile.
ordered_json memory_json(const std::vector<double>& memory) {
  ordered_json counted;
  if (memory.empty() || !(memory[trace::memory_instructions] > 0)) return counted;
  for (std::size_t event = 0; event < memory.size(); ++event)
    if (memory[event] > 0) counted[trace::memory_events()[event]] = rounded_rate(memory[event]);
  return counted;
}

ordered_json kernel_json(const CalibratedInstance& instance, trace::KernelId id, double volume) {
  const trace::Run& run = instance.volumes;
  const KernelSpeed& speed = instance.speeds.kernels[id];
  ordered_json item{
      {"kernel", replay::place_name(run, run.kernels[id].begin) + ".." + replay::place_name(run, run.kernels[id].end)}};
  const std::string& places = instance.places[id];
  if (!places.empty() && places.size() <= longest_word) item["places"] = places;
  item["units_per_second"] = rounded_rate(speed.units_per_second);
  if (speed.fixed_seconds > 0) item["fixed_seconds"] = rounded_rate(speed.fixed_seconds);
  item["interval"] = of_launches(speed.interval, speed.launches.size());
  item["launches"] = rounded_rate(speed.launches);
  item["visits"] = speed.visits;
  item["units_per_visit"] = rounded_rate(speed.units_per_visit());
  item["share"] = rounded_rate(speed.volume / volume);
  item["seconds"] = rounded_rate(speed.seconds);
  item["explained"] = rounded_rate(speed.explained);
  item["weight"] = rounded_rate(speed.weight);
  item["own"] = speed.own();
  item["spread"] = speed.spread ? ordered_json(rounded_rate(*speed.spread)) : nullptr;
  item["relative_times"] = rounded_rate({speed.relative_times.begin(), speed.relative_times.end()});
  item["clock"] = speed.processor_time ? "cputime" : "walltime";
  return item;
}

/// The kernels with a rate, those that compute most first; of several between the same places, the one that does.
ordered_json kernels_json(const CalibratedInstance& instance, double volume) {
  std::vector<trace::KernelId> ids;
  for (trace::KernelId id = 0; id < instance.speeds.kernels.size(); ++id)
    if (instance.speeds.kernels[id].units_per_second > 0) ids.push_back(id);
  std::ranges::stable_sort(ids, std::greater{}, [&](trace::KernelId id) { return instance.speeds.kernels[id].volume; });
  ordered_json list = ordered_json::array();
  std::set<std::string> names;
  const std::vector<std::vector<double>> memory = replay::counted_of_memory(instance.volumes);
  for (const trace::KernelId id : ids) {
    if (list.size() == most_listed) break;
    ordered_json item = kernel_json(instance, id, volume);
    if (!memory.empty())
      if (ordered_json counted = memory_json(memory[id]); !counted.is_null()) item["memory"] = std::move(counted);
    const auto name = item["kernel"].get<std::string>();
    if (name.size() <= longest_word && names.insert(name).second) list.push_back(std::move(item));
  }
  return list;
}

ordered_json builds_json(const trace::Run& run) {
  ordered_json list = ordered_json::array();
  for (const trace::Module& module : run.modules) {
    std::string text = replay::build_name(module);
    if (!text.empty() && text.size() <= longest_word) list.push_back(std::move(text));
  }
  return list;
}

std::string shortened(const std::string& text) {
  return text.substr(0, longest_word);
}

void add_hosts(ordered_json& item, const trace::Run& launched) {
  ordered_json hosts = ordered_json::array();
  for (const trace::Host& host : launched.hosts)
    if (!host.name.empty() && hosts.size() < most_listed) hosts.push_back(shortened(host.name));
  if (!hosts.empty()) item["hosts"] = std::move(hosts);
  if (!launched.hosts.empty() && !launched.hosts.front().cpu_model.empty())
    item["cpu"] = shortened(launched.hosts.front().cpu_model);
}

double total_volume(const CalibratedInstance& instance) {
  double volume = 0;
  for (const KernelSpeed& speed : instance.speeds.kernels)
    volume += speed.volume;
  return volume;
}

/// What was measured, when and where.
ordered_json origin_json(const CalibratedInstance& instance) {
  const trace::Run& run = instance.volumes;
  const trace::Run& launched = instance.launched;
  ordered_json item{{"name", instance.name}};
  const auto add_word = [&](const char* key, const std::string& word) {
    if (!word.empty()) item[key] = shortened(word);
  };
  add_word("program", run.provenance.program);
  add_word("date", launched.provenance.date);
  add_word("timeless", launched.provenance.tool_version);
  add_word("mpi", launched.provenance.mpi_library);
  add_word("counter", run.counter.name);
  add_word("unit", name(run.counter.unit));
  add_hosts(item, launched);
  item["ranks"] = run.size;
  item["ranks_per_node"] = ranks_per_host(launched);
  return item;
}

/// Which builds were measured, how quiet the host was, and what the rates do not say as well as they look.
void add_build_and_doubts(ordered_json& item, const CalibratedInstance& instance) {
  if (ordered_json builds = builds_json(instance.volumes); !builds.empty()) item["builds"] = std::move(builds);
  if (instance.noise) item["noise"] = to_json(*instance.noise);
  if (!instance.not_reached.empty()) item["not_reached"] = instance.not_reached;
}

ordered_json instance_json(const CalibratedInstance& instance) {
  const double volume = total_volume(instance);
  ordered_json item = origin_json(instance);
  item["launches"] = instance.walltime_launches + instance.cputime_launches;
  item["clocks"] = {{"walltime", instance.walltime_launches}, {"cputime", instance.cputime_launches}};
  item["units_per_second"] = rounded_rate(instance.speeds.units_per_second);
  item["interval"] = of_launches(instance.speeds.interval, instance.speeds.launches.size());
  item["units_per_rank"] = rounded_rate(volume / instance.volumes.size);
  item["whole"] = rounded_rate(instance.whole.units_per_second);
  item["whole_spread"] =
      instance.whole.launches.size() > 1 ? ordered_json(rounded_rate(instance.whole.spread)) : nullptr;
  item["coverage"] = rounded_rate(instance.speeds.coverage);
  item["explained"] = rounded_rate(instance.speeds.explained());
  add_build_and_doubts(item, instance);
  item["kernels"] = kernels_json(instance, volume);
  return item;
}

std::string source_text(const ordered_json& instances) {
  std::string names;
  for (const ordered_json& instance : instances)
    names += (names.empty() ? "" : ", ") + instance["name"].get<std::string>();
  return shortened("timeless calibrate compute: " + names);
}

ordered_json instances_of(const std::filesystem::path& file) {
  return ordered_json::parse(*read_text(file, std::size_t{1} << 26U)).at("instances");
}

} // namespace

bool demand_addable(const std::filesystem::path& file, const std::string& name, const trace::Run& volumes) {
  const std::vector<replay::MeasuredInstance> instances = replay::read_rates(file).instances;
  if (instances.empty())
    throw Error(
        Failure::invalid_input, "these rates are not of kernels", file.string(),
        "write to another file: nothing can be added to rates by hand, or to one rate for everything (--whole)");
  for (const replay::MeasuredInstance& instance : instances) {
    if (!instance.counter.empty() && instance.counter != volumes.counter.name)
      throw Error(Failure::usage,
                  fmt::format("these rates are for volumes counted by {}, and the trace is counted by {}",
                              instance.counter, volumes.counter.name),
                  file.string(), "write to another file, or record with that counter");
    const std::string program = file_name(volumes.provenance.program);
    if (instance.name == name && !instance.program.empty() && file_name(instance.program) != program)
      throw Error(Failure::usage,
                  fmt::format("'{}' is an input of {} there, and this one is of {}", name, file_name(instance.program),
                              program),
                  file.string(), "give this one another name, with --name");
  }
  return std::ranges::find(instances, name, &replay::MeasuredInstance::name) != instances.end();
}

ordered_json rates_file(const CalibratedInstance& instance, const std::optional<std::filesystem::path>& before) {
  if (before) demand_addable(*before, instance.name, instance.volumes);
  ordered_json instances = before ? instances_of(*before) : ordered_json::array();
  const ordered_json made = instance_json(instance);
  std::erase_if(instances.get_ref<ordered_json::array_t&>(),
                [&](const ordered_json& other) { return other["name"] == made["name"]; });
  instances.push_back(made);
  return {{"format", rates_format},
          {"source", source_text(instances)},
          {"units_per_second", made["units_per_second"]},
          {"instances", std::move(instances)}};
}

ordered_json whole_rate_file(const CalibratedInstance& instance) {
  const std::size_t launches = instance.whole.launches.size();
  const std::string spread = launches > 1
                                 ? fmt::format("{} launches, spread {:.1f} %", launches, 100 * instance.whole.spread)
                                 : "one launch: no spread is known";
  ordered_json measurement = origin_json(instance);
  measurement["launches"] = launches;
  measurement["units_per_rank"] = rounded_rate(total_volume(instance) / instance.volumes.size);
  add_build_and_doubts(measurement, instance);
  return {{"format", rates_format},
          {"source", shortened(fmt::format("{}: {}, {}, {}", whole_rate_source, instance.name,
                                           instance.launched.provenance.date, spread))},
          {"units_per_second", rounded_rate(instance.whole.units_per_second)},
          {"launches", rounded_rate(instance.whole.launches)},
          {"measurement", std::move(measurement)}};
}

} // namespace timeless::tools
