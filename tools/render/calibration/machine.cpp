#include "tools/render/calibration/machine.h"

#include "tools/calibrating/machine_text.h"
#include "tools/cli/console.h"

#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace timeless::tools {

namespace {

std::string nanoseconds(double seconds) {
  return fmt::format("{:.4g} ns", 1e9 * seconds);
}

std::string range(double low, double high) {
  return fmt::format("{:.4g} to {:.4g}", 1e9 * low, 1e9 * high);
}

std::string costs_table(const analysis::MachineFit& fit) {
  Table table({"what", "alone", "without one kernel", "all at once", "without one kernel"});
  for (std::size_t cost = 0; cost < fit.machine.alone.size(); ++cost)
    table.add({std::string(replay::compute_cost_names[cost]), nanoseconds(fit.machine.alone[cost]),
               range(fit.alone_low[cost], fit.alone_high[cost]), nanoseconds(fit.machine.busy[cost]),
               range(fit.busy_low[cost], fit.busy_high[cost])});
  return table.text();
}

/// The errors of each kernel, of all sizes and both ways.
std::string errors_table(const analysis::MachineFit& fit) {
  std::map<std::string, std::vector<const analysis::CaseError*>> kernels;
  for (const analysis::CaseError& error : fit.errors)
    kernels[error.kernel].push_back(&error);
  Table table({"micro-kernel", "sizes", "spread", "residual", "held out"});
  for (const auto& [kernel, errors] : kernels) {
    const auto mean = [&](double analysis::CaseError::*of) {
      double sum = 0;
      for (const analysis::CaseError* error : errors)
        sum += std::abs(error->*of);
      return fmt::format("{:.0f} %", 100 * sum / static_cast<double>(errors.size()));
    };
    table.add({kernel, std::to_string(errors.size()), mean(&analysis::CaseError::spread),
               mean(&analysis::CaseError::residual), mean(&analysis::CaseError::held_out)});
  }
  return table.text();
}

} // namespace

nlohmann::ordered_json to_json(const MachineAnswer& answer) {
  nlohmann::ordered_json json{{"file", answer.file}, {"raw", answer.raw_file}};
  json["machine"] = nlohmann::ordered_json::parse(machine_text(answer.fit, answer.raw));
  return json;
}

std::string to_text(const MachineAnswer& answer) {
  std::string text = costs_table(answer.fit) + "\n" + errors_table(answer.fit) + "\n";
  const std::uint32_t sharing = answer.fit.machine.last_shared_by;
  const auto size = [&](double replay::CacheSizes::*cache) {
    const double low = answer.fit.caches_low.*cache;
    const double high = answer.fit.caches_high.*cache;
    return human_bytes(answer.fit.machine.caches.*cache) +
           (low < high ? " (" + human_bytes(low) + " to " + human_bytes(high) + ")" : "");
  };
  const std::string last = size(&replay::CacheSizes::last);
  text += text_line("caches       {}{}: {}", size(&replay::CacheSizes::second),
                    sharing == 1 ? " and " + last + " of each core"
                                 : fmt::format(" of each core, {} shared by {}", last, sharing),
                    answer.fit.caches_given ? "given"
                                            : "those that explain the times best, where the model has two behind the "
                                              "first; --caches gives others");
  text +=
      fmt::format("error        {:.0f} % median; {:.0f} % for a micro-kernel left out of the fit, {:.0f} % at worst\n",
                  100 * answer.fit.median_residual, 100 * answer.fit.median_held_out, 100 * answer.fit.worst_held_out);
  if (answer.raw.drifts)
    text += "note         times rose or fell while they were measured: the machine was not at rest\n";
  if (answer.raw.noise)
    if (const std::string warning = noise_warning(*answer.raw.noise); !warning.empty())
      text += text_line("note         {}", warning);
  for (const std::string& note : answer.raw.not_reached)
    text += text_line("not reached  {}", note);
  return text +
         fmt::format("machine      {} ({} times in {})\n", answer.file, answer.raw.measurements, answer.raw_file);
}

} // namespace timeless::tools
