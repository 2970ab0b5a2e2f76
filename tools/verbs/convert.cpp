#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/machine_basis.h"
#include "tools/render/gather_answer.h"
#include "tools/verbs/verbs.h"

#include "base/files/new_file.h"
#include "gather/merge/conversion.h"
#include "gather/parts/volume_rounding.h"
#include "replay/lowering.h"
#include "trace/formats/common/format.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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

/// "0.2%" in parts of a billion.
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

double ratio(const gather::Merged& merged) {
  if (merged.input_bytes == 0) return 0;
  return static_cast<double>(merged.output_bytes) / static_cast<double>(merged.input_bytes);
}

void print_text(const ConvertOptions& options, const gather::Conversion& conversion) {
  const gather::Merged& merged = conversion.merged;
  print_line("{}: {} of {} ranks from {}", options.output, merged.run.ranks.size(), merged.run.size, options.trace);
  print_line("{:<10}{} before, {} now ({:.1f} %)", "bytes", human_bytes(static_cast<double>(merged.input_bytes)),
             human_bytes(static_cast<double>(merged.output_bytes)), 100 * ratio(merged));
  if (options.volume_error)
    print_line("{:<10}{} of {} rounded, by at most {:.3g} %; the sum of each kernel of each rank is exact", "volumes",
               human_count(static_cast<double>(conversion.rounded)),
               human_count(static_cast<double>(conversion.volumes)), 100 * conversion.largest_error);
}

void print_answer(const ConvertOptions& options, const gather::Conversion& conversion) {
  const gather::Merged& merged = conversion.merged;
  print_json("convert", 1,
             {{"trace", options.trace},
              {"output", options.output},
              {"ranks", merged.run.size},
              {"ranks_present", merged.run.ranks.size()},
              {"complete", merged.run.complete()},
              {"incomplete_because", incompleteness(merged.run)},
              {"actions", total_actions(merged.run)},
              {"input_bytes", merged.input_bytes},
              {"output_bytes", merged.output_bytes},
              {"volumes", conversion.volumes},
              {"volumes_rounded", conversion.rounded},
              {"largest_error", conversion.largest_error},
              {"volume_error", volume_error(merged.run)}});
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
  if (options.json)
    print_answer(options, conversion);
  else
    print_text(options, conversion);
  if (conversion.merged.run.complete()) return exit_ok;
  print_warning(incompleteness(conversion.merged.run) + " (" + options.output + ")");
  return static_cast<int>(Failure::partial);
}

void print_changes(const char* what, const std::map<std::string, std::uint64_t>& changes) {
  for (const auto& [words, count] : changes)
    print_line("{:<10}{}: {}", what, words, count);
}

void print_export(const ConvertOptions& options, const trace::Run& run, const trace::formats::ExportReport& report) {
  if (options.json) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const std::filesystem::path& file : report.files)
      files.push_back(file.string());
    print_json("convert", 1,
               {{"trace", options.trace},
                {"output", options.output},
                {"format", options.to},
                {"ranks", run.size},
                {"ranks_present", run.ranks.size()},
                {"complete", run.complete()},
                {"incomplete_because", incompleteness(run)},
                {"actions", report.actions},
                {"files", std::move(files)},
                {"output_bytes", report.bytes},
                {"lowered", report.lowered},
                {"lost", report.lost}});
    return;
  }
  print_line("{}: {} of {} ranks from {}", options.output, run.ranks.size(), run.size, options.trace);
  print_line("{:<10}{} in {} file{}", "bytes", human_bytes(static_cast<double>(report.bytes)), report.files.size(),
             report.files.size() == 1 ? "" : "s");
  print_changes("lowered", report.lowered);
  print_changes("lost", report.lost);
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
  print_export(options, source.run(), report);
  if (source.run().complete()) return exit_ok;
  print_warning(incompleteness(source.run()) + " (" + options.output + ")");
  return static_cast<int>(Failure::partial);
}

int convert_trace(const ConvertOptions& options) {
  const auto source = open_trace(options.trace, options.from);
  demand_output_apart(options.output, trace_files(options.trace, *source));
  return options.to.empty() ? convert_to_archive(options, *source) : convert_to_format(options, *source);
}

std::string formats_text() {
  std::string text;
  for (const trace::formats::Format& format : trace::formats::formats())
    text += fmt::format("  {:<12} {:<12} {}\n", format.name,
                        format.open == nullptr    ? "--to"
                        : format.write == nullptr ? "--from"
                                                  : "--from, --to",
                        format.description);
  return text;
}

} // namespace

VerbAction add_convert(CLI::App& command) {
  auto options = std::make_shared<ConvertOptions>();
  add_trace_argument(command, options->trace, options->from);
  std::string written;
  for (const trace::formats::Format& format : trace::formats::formats())
    if (format.write != nullptr) written += fmt::format("{}{}", written.empty() ? "" : ", ", format.name);
  command.add_option("-o,--output", options->output, "What to write")->required();
  command.add_option("--to", options->to, "Write this format: " + written)
      ->type_name("FORMAT")
      ->default_str("an archive");
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
      ->check(positive_number())
      ->capture_default_str();
  command.add_flag("--force", options->force, "Replace an existing output");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.convert/1)");
  command.footer("Example: timeless convert run.tia -o small.tia --volume-error 0.2%\n"
                 "         timeless convert run.tia --to ti -o run.txt\n"
                 "A trace as text: timeless dump run.tia");
  return [options] { return convert_trace(*options); };
}

} // namespace timeless::tools
