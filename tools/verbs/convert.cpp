#include "tools/cli/console.h"
#include "tools/cli/offered_words.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/machine_basis.h"
#include "tools/render/answer.h"
#include "tools/render/trace/converted.h"
#include "tools/verbs/verbs.h"

#include "base/files/new_file.h"
#include "gather/merge/conversion.h"
#include "gather/parts/volume_rounding.h"
#include "replay/lowering.h"
#include "trace/formats/common/format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {

namespace {

struct ConvertOptions {
  std::string trace;
  TraceFormat from;
  std::string to;
  std::string output;
  std::optional<std::string> volume_error;
  double rate = assumed_instruction_rate;
  bool force = false;
  bool json = false;
};

/// Reads "0.2%" in parts of a billion.
std::uint64_t parse_error(std::string_view text) {
  const bool percent = text.ends_with('%');
  std::string_view digits = text.substr(0, text.size() - (percent ? 1 : 0));
  double error = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), error);
  const double parts = std::floor(error * 1e-2 * static_cast<double>(gather::billion) + 1e-3);
  if (problem != std::errc() || end != digits.data() + digits.size() || !(parts >= 1) ||
      parts >= static_cast<double>(gather::billion))
    throw Error(Failure::usage, "no error between 1e-7% and 100%: " + std::string(text), "--volume-error",
                "give one such as 0.2%");
  // 0.2 may mean 0.2 % or a fifth: it is not for us to choose.
  if (!percent)
    throw Error(Failure::usage, "'" + std::string(text) + "' has no %", "--volume-error",
                "write " + std::string(text) + "% if it is per cent");
  return static_cast<std::uint64_t>(parts);
}

int convert_to_archive(const ConvertOptions& options, const trace::Source& source) {
  gather::ConversionOptions how{.force = options.force};
  if (options.volume_error) how.volume_error = parse_error(*options.volume_error);
  gather::Conversion conversion;
  {
    std::optional<Progress> progress;
    how.progress = [&](std::uint64_t done, std::uint64_t total) {
      if (!progress) progress.emplace("converting", total);
      progress->update(done);
    };
    conversion = gather::convert(source, options.trace, options.output, how);
    conversion.merged.input_bytes = trace_bytes(options.trace, source);
  }
  const ConvertedArchive answer{options.trace, options.output, options.volume_error.has_value(), conversion};
  print_answer("convert", 1, answer, options.json);
  return warn_if_incomplete(conversion.merged.run, options.output);
}

int convert_to_format(const ConvertOptions& options, const trace::Source& source) {
  const trace::formats::Format& format = trace::formats::writable_format(options.to);
  if (options.volume_error)
    throw Error(Failure::usage, "volumes are rounded in archives only", "--volume-error", "leave it out with --to");
  trace::formats::ExportReport report;
  {
    std::optional<Progress> progress;
    report = format.write(source, options.output,
                          {.force = options.force,
                           .lower = replay::lowering(source.run()),
                           .rate = options.rate,
                           .progress = [&](std::uint64_t done, std::uint64_t total) {
                             if (!progress) progress.emplace("writing", total);
                             progress->update(done);
                           }});
  }
  print_answer("convert", 1, ExportedTrace{options.trace, options.output, options.to, source.run(), report},
               options.json);
  return warn_if_incomplete(source.run(), options.output);
}

int convert_trace(const ConvertOptions& options) {
  const auto source = open_trace(options.trace, options.from);
  demand_output_apart(options.output, trace_files(options.trace, *source));
  return options.to.empty() ? convert_to_archive(options, *source) : convert_to_format(options, *source);
}

} // namespace

VerbAction add_convert(CLI::App& command) {
  auto options = std::make_shared<ConvertOptions>();
  add_trace_argument(command, options->trace, options->from);
  std::vector<std::string> written;
  for (const trace::formats::Format& format : trace::formats::formats())
    if (format.write != nullptr) written.emplace_back(format.name);
  begin_group(command, "Output");
  command.add_option("-o,--output", options->output, "What to write")->required();
  CLI::Option* const to =
      command.add_option("--to", options->to, fmt::format("Write this format: {}", fmt::join(written, ", ")))
          ->type_name("FORMAT")
          ->default_str("an archive");
  offer_words(*to, written);
  command.add_flag_callback(
      "--list-formats",
      [] {
        fmt::print("{}", formats_text());
        throw CLI::Success();
      },
      "List the formats that can be read and written");
  command
      .add_option("--volume-error", options->volume_error,
                  "Let each volume be this many per cent off what was recorded, such as 0.2%; the sum of each "
                  "kernel of each rank stays exact")
      ->default_str("none");
  command
      .add_option(
          "--rate", options->rate,
          "For formats whose computation is time (goal, dimemas): how many instructions, or whatever the trace counts, "
          "take a second")
      ->transform(rate_per_second())
      ->capture_default_str();
  command.add_flag("--force", options->force, "Replace an existing output");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.convert/1)");
  command.footer("Example: timeless convert run.tia -o small.tia --volume-error 0.2%\n"
                 "         timeless convert run.tia --to ti -o run.txt\n"
                 "A trace as text: timeless dump run.tia");
  return [options] { return convert_trace(*options); };
}

} // namespace timeless::tools
