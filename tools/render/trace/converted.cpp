#include "tools/render/trace/converted.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

double size_ratio(const gather::Merged& merged) {
  if (merged.input_bytes == 0) return 0;
  return static_cast<double>(merged.output_bytes) / static_cast<double>(merged.input_bytes);
}

/// Returns "small.tia: 8 of 8 ranks from run.tia".
template <typename Converted>
std::string head_line(const Converted& answer, const trace::Run& run) {
  return text_line("{}: {} of {} ranks from {}", answer.output, run.ranks.size(), run.size, answer.trace);
}

std::string changes_text(const char* what, const std::map<std::string, std::uint64_t>& changes) {
  std::string text;
  for (const auto& [words, count] : changes)
    text += text_fact(10, what, "{}: {}", words, count);
  return text;
}

} // namespace

std::string to_text(const ConvertedArchive& answer) {
  const gather::Merged& merged = answer.conversion.merged;
  std::string text = head_line(answer, merged.run);
  text += text_fact(10, "bytes", "{} before, {} now ({:.1f} %)", bytes_text(merged.input_bytes),
                    bytes_text(merged.output_bytes), 100 * size_ratio(merged));
  if (answer.rounded)
    text +=
        text_fact(10, "volumes", "{} of {} rounded, by at most {:.3g} %; the sum of each kernel of each rank is exact",
                  count_text(answer.conversion.rounded), count_text(answer.conversion.volumes),
                  100 * answer.conversion.largest_error);
  return text;
}

ordered_json to_json(const ConvertedArchive& answer) {
  const gather::Merged& merged = answer.conversion.merged;
  return {{"trace", answer.trace},
          {"output", answer.output},
          {"ranks", merged.run.size},
          {"ranks_present", merged.run.ranks.size()},
          {"complete", merged.run.complete()},
          {"incomplete_because", incompleteness(merged.run)},
          {"actions", total_actions(merged.run)},
          {"input_bytes", merged.input_bytes},
          {"output_bytes", merged.output_bytes},
          {"volumes", answer.conversion.volumes},
          {"volumes_rounded", answer.conversion.rounded},
          {"largest_error", answer.conversion.largest_error},
          {"volume_error", volume_error(merged.run)}};
}

std::string to_text(const ExportedTrace& answer) {
  const trace::formats::ExportReport& report = answer.report;
  return head_line(answer, answer.run) +
         text_fact(10, "bytes", "{} in {} file{}", bytes_text(report.bytes), report.files.size(),
                   plural(report.files.size())) +
         changes_text("lowered", report.lowered) + changes_text("lost", report.lost);
}

ordered_json to_json(const ExportedTrace& answer) {
  ordered_json files = ordered_json::array();
  for (const std::filesystem::path& file : answer.report.files)
    files.push_back(file.string());
  return {{"trace", answer.trace},
          {"output", answer.output},
          {"format", answer.format},
          {"ranks", answer.run.size},
          {"ranks_present", answer.run.ranks.size()},
          {"complete", answer.run.complete()},
          {"incomplete_because", incompleteness(answer.run)},
          {"actions", answer.report.actions},
          {"files", std::move(files)},
          {"output_bytes", answer.report.bytes},
          {"lowered", answer.report.lowered},
          {"lost", answer.report.lost}};
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

} // namespace timeless::tools
