#include "tools/render/replay/wavefront.h"

#include "tools/cli/console.h"
#include "tools/machines/named_networks.h"
#include "tools/render/figures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

std::string seconds_text(const std::optional<double>& seconds) {
  return seconds ? human_seconds(*seconds) : "-";
}

/// Nothing where it is what others are compared with.
std::optional<double> program_error(const WavefrontRow& row) {
  if (!row.measured && !row.comparable_recording()) return std::nullopt;
  return row.error_of(row.program);
}

std::optional<double> recording_error(const WavefrontRow& row) {
  if (!row.measured || !row.comparable_recording()) return std::nullopt;
  return row.error_of(*row.recording);
}

ordered_json row_json(const WavefrontRow& row) {
  const analysis::Wavefront& wavefront = row.wavefront;
  const analysis::WavefrontTimes& times = row.equations;
  return {{"ranks", wavefront.columns * wavefront.rows},
          {"columns", wavefront.columns},
          {"rows", wavefront.rows},
          {"equations",
           {{"lower_start_seconds", times.lower_start},
            {"upper_start_seconds", times.upper_start},
            {"lower_seconds", times.lower},
            {"upper_seconds", times.upper},
            {"ssor_seconds", times.ssor},
            {"total_seconds", times.total}}},
          {"program_seconds", row.program},
          {"recording_seconds", known(row.recording)},
          {"measured_seconds", known(row.measured)},
          {"error", row.error_of(row.equations.total)},
          {"program_error", known(program_error(row))},
          {"recording_error", known(recording_error(row))}};
}

/// Without the sign of what rounds to nothing.
std::string error_text(double error) {
  const std::string text = fmt::format("{:+.1f}", 100 * error);
  return text == "-0.0" || text == "+0.0" ? "0.0" : text;
}

std::string error_text(const std::optional<double>& error) {
  return error ? error_text(*error) : "-";
}

const char* compared_with(const WavefrontRow& row) {
  return row.measured ? "measured" : row.comparable_recording() ? "recording" : "their program";
}

} // namespace

ordered_json to_json(const WavefrontRows& answer) {
  ordered_json json;
  const analysis::Wavefront& wavefront = answer.rows.front().wavefront;
  json["model"] = "wavefront";
  json["network"] = {{"name", answer.network.name}, {"source", answer.network.source}};
  json["grid"] = wavefront.points;
  json["iterations"] = wavefront.iterations;
  json["ranks_per_node"] = wavefront.ranks_per_node;
  json["bytes_of_point"] = wavefront.bytes_of_point;
  json["work_seconds"] = {{"blts", wavefront.work.lower},
                          {"buts", wavefront.work.upper},
                          {"jacld", wavefront.work.lower_jacobian},
                          {"jacu", wavefront.work.upper_jacobian}};
  json["work_assumed"] = answer.assumed_work;
  json["initialisation_seconds"] = wavefront.initialisation;
  json["verification_seconds"] = wavefront.verification;
  json["compute_of_recordings"] = answer.compute.empty() ? ordered_json() : ordered_json(answer.compute);
  json["notes"] = answer.notes;
  json["configurations"] = ordered_json::array();
  for (const WavefrontRow& row : answer.rows)
    json["configurations"].push_back(row_json(row));
  return json;
}

std::string to_text(const WavefrontRows& answer) {
  Table table({"ranks", "columns x rows", "equations", "error %", "their program", "error %", "recording", "error %",
               "measured", "against"});
  for (const WavefrontRow& row : answer.rows) {
    const std::uint32_t ranks = row.wavefront.columns * row.wavefront.rows;
    table.add({std::to_string(ranks), fmt::format("{} x {}", row.wavefront.columns, row.wavefront.rows),
               human_seconds(row.equations.total), error_text(row.error_of(row.equations.total)),
               human_seconds(row.program), error_text(program_error(row)), seconds_text(row.recording),
               error_text(recording_error(row)), seconds_text(row.measured), compared_with(row)});
  }
  const analysis::Wavefront& wavefront = answer.rows.front().wavefront;
  const analysis::WavefrontWork& work = wavefront.work;
  std::string text = table.text() + "\n";
  text += text_line("grid      {} x {} x {} points, {} iterations, {} bytes of a boundary's point", wavefront.points[0],
                    wavefront.points[1], wavefront.points[2], wavefront.iterations, wavefront.bytes_of_point);
  text += text_line("work      of a point: blts {}, buts {}, jacld {}, jacu {}", human_seconds(work.lower),
                    human_seconds(work.upper), human_seconds(work.lower_jacobian), human_seconds(work.upper_jacobian));
  if (!answer.assumed_work.empty())
    text += text_line("          ASSUMED: {} as the paper measured on machines of its time; give --work",
                      fmt::join(answer.assumed_work, ", "));
  text += text_line("network   {}", described(answer.network));
  text += text_line("mapping   {} rank{} per node", wavefront.ranks_per_node, plural(wavefront.ranks_per_node));
  if (!answer.compute.empty()) text += text_line("compute   of recordings: {}", answer.compute);
  for (const std::string& note : answer.notes)
    text += text_line("note      {}", note);
  text += text_line("model     M. J. Brim's equations (1) to (8); \"their program\" is a replay of what they describe");
  return text;
}

} // namespace timeless::tools
