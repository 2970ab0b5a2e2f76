#include "tools/advising/named_parts.h"

#include "analysis/trace/function_parts.h"
#include "analysis/trace/phase_parts.h"
#include "base/error.h"
#include "tools/cli/joined_words.h"
#include "tools/symbols/calling_function.h"
#include "tools/symbols/names.h"
#include "tools/symbols/symboliser.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace timeless::tools {

namespace {

constexpr std::size_t longest_function = 40;
constexpr std::size_t most_functions = 3; // named of one part
constexpr std::size_t most_phases = 8;

/// The functions of a run, by number: 0 is what no place is known of.
struct CallingFunctions {
  std::vector<std::string> names{"outside of known functions"};
  std::vector<std::uint32_t> of_kernel;
};

CallingFunctions calling_functions(const trace::Run& run, symbols::Symboliser& symboliser) {
  CallingFunctions functions;
  std::map<std::string, std::uint32_t> numbers;
  for (const trace::Kernel& kernel : run.kernels) {
    const std::string name = symbols::calling_function(run, kernel, symboliser);
    const auto next = static_cast<std::uint32_t>(functions.names.size());
    const std::uint32_t number = name.empty() ? 0 : numbers.try_emplace(name, next).first->second;
    if (number == next) functions.names.push_back(symbols::shortened_name(name, longest_function));
    functions.of_kernel.push_back(number);
  }
  return functions;
}

std::string part_name(const std::vector<std::uint32_t>& functions, const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::uint32_t function : functions)
    words.push_back(names[function]);
  return joined_words(words, most_functions);
}

} // namespace

NamedParts parts_by_region(const trace::Source& source, const std::string& trace) {
  NamedParts named{.parts = {}, .division = analysis::by_region, .notices = {}};
  for (const trace::RegionId region : analysis::outermost_regions(source))
    named.parts.push_back({region, source.run().regions.at(region)});
  if (named.parts.empty())
    throw Error(Failure::invalid_input, "no region was recorded", trace,
                "mark some in the program (timeless.h), or ask --by function");
  named.parts.push_back({trace::no_region, {}});
  return named;
}

NamedParts parts_by_phase(const trace::Source& source, const std::string& trace) {
  if (!source.run().complete())
    throw Error(Failure::partial, "the recording is not whole: which phases all ranks went through is not known", trace,
                "ask --by function");
  analysis::PhaseParts parts = analysis::phase_parts(source, most_phases);
  if (parts.phases.size() < 2)
    throw Error(Failure::invalid_input, "no collective of all ranks divides the run", trace, "ask --by function");
  NamedParts named{.parts = {}, .division = std::move(parts.division), .notices = {}};
  for (const analysis::Phase& phase : parts.phases) {
    const bool last = named.parts.size() + 1 == parts.phases.size();
    std::string name = fmt::format("collectives {} to {}", phase.first, phase.last);
    // A single one ends the phase, or begins the last: most of the phase is not in it.
    if (phase.first == phase.last)
      name =
          last ? fmt::format("after collective {}", phase.first - 1) : fmt::format("up to collective {}", phase.last);
    named.parts.push_back({static_cast<std::uint32_t>(named.parts.size()), std::move(name)});
  }
  return named;
}

NamedParts parts_by_function(const trace::Source& source, const std::string& trace,
                             const std::vector<std::string>& symbols) {
  if (source.run().counter.unit == trace::VolumeUnit::none)
    throw Error(Failure::invalid_input,
                "the recording has no computation (--counter none), which is what knows where calls were made", trace,
                "record with another counter, or ask without --by");
  symbols::Symboliser symboliser(source.run(), {symbols.begin(), symbols.end()});
  const CallingFunctions functions = calling_functions(source.run(), symboliser);
  if (functions.names.size() < 2)
    throw Error(Failure::invalid_input, "the trace does not know where its calls were made", trace,
                "record the program with timeless, or ask without --by");
  analysis::FunctionParts parts = analysis::function_parts(source, functions.of_kernel);
  NamedParts named{.parts = {}, .division = std::move(parts.division), .notices = symboliser.notices()};
  for (const std::vector<std::uint32_t>& together : parts.functions)
    named.parts.push_back({static_cast<std::uint32_t>(named.parts.size()), part_name(together, functions.names)});
  return named;
}

} // namespace timeless::tools
