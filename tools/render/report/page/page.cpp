#include "tools/cli/json_text.h"
#include "tools/render/report/page/assets.h"
#include "tools/render/report/page/parts.h"
#include "tools/render/report/page/sections.h"
#include "tools/render/report/report.h"
#include "tools/render/report/words.h"

#include "base/error.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace timeless::tools {

namespace {

/// Bytes in base 64, as content policies name digests.
std::string base64(std::string_view bytes) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j <= bytes.size() ? digits[group >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

std::string digest_source(const PageAsset& asset) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < asset.sha256.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(asset.sha256.substr(i, 2)), nullptr, 16));
  return "'sha256-" + base64(bytes) + "'";
}

/// JSON that no name in it can end the element of, and no line end break.
std::string embedded(const nlohmann::ordered_json& json) {
  std::string safe;
  for (const char c : json_text(json)) {
    if (c == '<')
      safe += "\\u003c";
    else if (c == '>')
      safe += "\\u003e";
    else if (c == '&')
      safe += "\\u0026";
    else
      safe += c;
  }
  return safe;
}

/// Bytes as gzip has them. Throws Error(runtime) where memory runs out.
std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  constexpr int gzip = 15 + 16; // the largest window, with gzip's head
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw Error(Failure::runtime, "no memory to compress the figures");
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw Error(Failure::runtime, "the figures cannot be compressed");
  return packed;
}

/// The figures: as JSON that people find words in, or, where they are many, packed.
void figures_element(Html& html, const Report& report) {
  constexpr std::size_t many = 300'000;
  nlohmann::ordered_json figures{{"schema", "timeless.report/1"}};
  figures.update(to_json(report));
  const std::string json = embedded(figures);
  if (json.size() <= many)
    html.open("script", {{"type", "application/json"}, {"id", "report"}}).raw(json).close();
  else
    html.open("script", {{"type", "application/gzip"}, {"id", "report"}}).raw(base64(gzipped(json))).close();
}

/// The rows that tables do not show, which scripts save with the others.
void data_rows_element(Html& html) {
  if (html.data_rows().empty()) return;
  const std::string json = embedded(nlohmann::ordered_json(html.data_rows()));
  html.open("script", {{"type", "application/json"}, {"id", "data-rows"}}).raw(json).close();
}

/// Hatches that tell parts from each other where colours do not.
void patterns(Html& html) {
  html.open("svg", {{"width", "0"}, {"height", "0"}, {"aria-hidden", "true"}, {"class", "patterns"}}).open("defs");
  const auto add = [&](const char* id, const char* style, const char* lines) {
    html.open("pattern", {{"id", id}, {"width", "8"}, {"height", "8"}, {"patternUnits", "userSpaceOnUse"}});
    html.empty("rect", {{"class", style}, {"width", "8"}, {"height", "8"}});
    html.empty("path", {{"class", "hatch"}, {"d", lines}}).close();
  };
  add("hatch-wait", "c-wait", "M0 8L8 0");
  add("hatch-latency", "c-latency", "M0 4H8");
  add("hatch-bandwidth", "c-bandwidth", "M4 0V8");
  html.close().close();
}

void navigation(Html& html, const Report& report) {
  html.open("nav", {{"aria-label", "Sections"}}).open("ul");
  const auto add = [&](const char* id, const char* name) {
    html.open("li").leaf("a", {{"href", std::string("#") + id}}, name).close();
  };
  add("verdict", "Verdict");
  if (report.traces.size() > 1) add("traces", "Runs");
  if (report.scaling) add("scaling", "Scaling");
  add("ground", "What this rests on");
  add("time", "Time");
  add("sweep", "Network");
  add("efficiencies", "Efficiencies");
  add("ranks", "Ranks");
  add("kernels", "Kernels");
  add("messages", "Messages");
  if (report.prediction.critical_path) add("path", "Critical path");
  if (report.smpi) add("smpi", "SMPI");
  if (report.validation) add("accuracy", "Accuracy");
  add("data", "Data");
  add("glossary", "Glossary");
  html.close().close();
}

void page_head(Html& html, const Report& report) {
  html.open("head").empty("meta", {{"charset", "utf-8"}});
  html.empty("meta",
             {{"http-equiv", "Content-Security-Policy"},
              {"content", "default-src 'none'; script-src " + digest_source(page_script) + "; style-src " +
                              digest_source(page_style) + "; img-src data:; base-uri 'none'; form-action 'none'"}});
  html.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  html.leaf("title", trace_words(report.traces[report.about]) + ": Timeless report");
  html.open("style").raw(page_style.bytes).close().close();
}

void sections(Html& html, const Report& report) {
  verdict_section(html, report);
  trace_section(html, report);
  scaling_section(html, report);
  ground_section(html, report);
  time_section(html, report);
  sweep_section(html, report);
  efficiency_section(html, report);
  rank_section(html, report);
  kernel_section(html, report);
  message_section(html, report);
  window_section(html, report);
  smpi_section(html, report);
  accuracy_section(html, report);
  data_section(html, report);
  glossary_section(html, report);
}

} // namespace

std::string to_csv(const Report& report) {
  Html html;
  sections(html, report);
  return html.csv();
}

std::string to_page(const Report& report) {
  Html html;
  html.raw("<!DOCTYPE html>\n").open("html", {{"lang", "en"}});
  page_head(html, report);
  html.open("body");
  html.leaf("a", {{"class", "skip"}, {"href", "#verdict"}}, "To the verdict");
  patterns(html);
  head_section(html, report);
  navigation(html, report);
  html.open("main");
  sections(html, report);
  html.close();
  html.open("footer").leaf("p", "Made by: " + report.asked.command).close();
  html.open("div", {{"id", "live"}, {"role", "status"}, {"aria-live", "polite"}}).close();
  figures_element(html, report);
  data_rows_element(html);
  html.open("script").raw(page_script.bytes).close();
  html.close().close().raw("\n");
  return html.html();
}

} // namespace timeless::tools
