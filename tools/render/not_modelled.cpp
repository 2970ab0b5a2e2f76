#include "tools/render/not_modelled.h"

#include "base/error.h"
#include "base/escaping.h"
#include "tools/cli/console.h"

#include <fmt/format.h>

namespace timeless::tools {

namespace {

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string line(const replay::NotModelled& one) {
  return fmt::format("{} of {}: {}", counted(one.calls, "call"), counted(one.ranks, "rank"), one.what);
}

} // namespace

std::string not_modelled_text(const replay::Result& result) {
  std::string text;
  for (const replay::NotModelled& one : result.not_modelled)
    text += text_line("{:<10}{}", "left out", line(one));
  return text;
}

nlohmann::ordered_json not_modelled_json(const replay::Result& result) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const replay::NotModelled& one : result.not_modelled)
    json.push_back({{"what", one.what}, {"calls", one.calls}, {"ranks", one.ranks}});
  return json;
}

void require_all_modelled(const replay::Result& result) {
  if (result.not_modelled.empty()) return;
  std::string what = "not everything in this run was modelled";
  for (const replay::NotModelled& one : result.not_modelled)
    what += "\n  " + escaped(line(one));
  throw Error(Failure::partial, what, "--strict", "leave --strict out if the result will do without");
}

} // namespace timeless::tools
