#include "tools/cli/nearest.h"
#include "tools/platforms/findings.h"
#include "tools/platforms/simgrid_schema.h"

#include "base/error.h"
#include "replay/simgrid/platform_text.h"
#include "replay/simgrid/quantities.h"
#include "replay/simgrid/simgrid_factors.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace timeless::tools::platforms {

namespace {

using replay::PiecewiseSetting;

void check_pieces(std::string_view name, const std::string& value, std::size_t line, Findings& findings) {
  PiecewiseSetting setting;
  try {
    setting = PiecewiseSetting::parse(value, name);
  } catch (const Error& error) {
    findings.push_back({.line = line,
                        .what = std::string(name) + ": " + error.description(),
                        .advice = name.ends_with("factor")
                                      ? "write size:factor;size:factor, as in 0:1;65536:0.9"
                                      : "write size:seconds:seconds_per_byte;..., as in 0:1e-6:0"});
    return;
  }
  // The pieces as written: parse() puts them in order.
  std::vector<double> written;
  for (std::string_view rest = value; !rest.empty();) {
    while (rest.starts_with(' '))
      rest.remove_prefix(1);
    double size = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), size);
    written.push_back(size);
    const std::size_t end = rest.find(';');
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (!std::ranges::is_sorted(written) && !std::ranges::is_sorted(written, std::greater()))
    findings.push_back({.severity = Severity::remark,
                        .line = line,
                        .what = std::string(name) + ": its sizes are out of order",
                        .advice = "sort them: SimGrid does, so a size in the wrong place is probably a wrong size"});
  std::ranges::sort(written);
  if (std::ranges::adjacent_find(written) != written.end())
    findings.push_back({.severity = Severity::remark,
                        .line = line,
                        .what = std::string(name) + " gives one size twice",
                        .advice = "keep one of the two"});
  for (const PiecewiseSetting::Piece& piece : setting.pieces()) {
    const bool factor = name.ends_with("factor");
    if (piece.fixed < 0 || piece.per_byte < 0)
      findings.push_back({.line = line,
                          .what = std::string(name) + " is negative from " +
                                  std::to_string(static_cast<long long>(piece.above)) + " bytes on",
                          .advice = "messages cannot take less than no time"});
    else if (factor && name == "smpi/bw-factor" && piece.fixed == 0)
      findings.push_back({.line = line,
                          .what = "smpi/bw-factor is zero: such messages would never arrive",
                          .advice = "write a factor above 0, usually 0.5 to 1"});
  }
}

void check_name(const std::string& name, std::span<const std::string> known, std::size_t line, Findings& findings) {
  if (std::ranges::find(known, name) != known.end()) return;
  const std::string_view now = new_name(renamed_settings(), name);
  std::vector<std::string_view> names;
  for (const std::string& one : known)
    if (replay::may_be_set_by_a_file(one)) names.push_back(one);
  const std::string_view near = now.empty() ? nearest(names, name) : now;
  findings.push_back(
      {.line = line,
       .what = "SimGrid has no setting '" + name.substr(0, 60) + "'" +
               (now.empty() ? "" : ": that is its name in older versions"),
       .advice = near.empty() ? "remove it; settings are listed in SimGrid's manual" : "write " + std::string(near)});
}

bool is_piecewise(std::string_view name) {
  for (const char* one : {"smpi/os", "smpi/ois", "smpi/or", "smpi/bw-factor", "smpi/lat-factor"})
    if (name == one || new_name(renamed_settings(), name) == one) return true;
  return false;
}

/// Checks a property of a host or a zone: SimGrid reads a few, and takes any.
void check_property(const std::string& name, std::string_view owner, std::size_t line, Findings& findings) {
  if (owner == "host" && (name == "smpi/os" || name == "smpi/ois" || name == "smpi/or")) return;
  for (const std::string_view room : {"smpi/", "network/", "host/", "cpu/", "surf/"})
    if (name.starts_with(room))
      findings.push_back({.severity = Severity::remark,
                          .line = line,
                          .what = "'" + name.substr(0, 60) + "' counts for nothing in <" + std::string(owner) + ">",
                          .advice = "settings belong into <config>, in front of all zones"});
}

} // namespace

void check_settings(const XmlFile& file, std::span<const std::string> known, Findings& findings) {
  std::optional<long long> asynchronous;
  long long detached = 65536;
  std::size_t thresholds = 0;
  file.visit([&](const pugi::xml_node& node) {
    if (std::string_view(node.name()) != "prop") return;
    const std::size_t line = file.line_of(node);
    const std::string name = node.attribute("id").value();
    const std::string_view owner = node.parent().name();
    if (owner != "config") return check_property(name, owner, line, findings);
    check_name(name, known, line, findings);
    if (std::ranges::find(known, name) != known.end() && !replay::may_be_set_by_a_file(name))
      findings.push_back({.severity = Severity::remark,
                          .line = line,
                          .what = "'" + name + "' is left out: a file may set the figures of the models and of SMPI",
                          .advice = "give timeless replay --cfg=" + name + ":VALUE where it is wanted"});
    if (is_piecewise(name)) check_pieces(name, node.attribute("value").value(), line, findings);
    if (name != "smpi/async-small-thresh" && name != "smpi/send-is-detached-thresh") return;
    thresholds = line;
    const auto value = whole_number<long long>(node.attribute("value").value());
    if (!value || *value < 0) return; // told among the figures
    if (name == "smpi/async-small-thresh")
      asynchronous = value;
    else
      detached = *value;
  });
  if (asynchronous && *asynchronous > detached)
    findings.push_back({.line = thresholds,
                        .what = "smpi/async-small-thresh (" + std::to_string(*asynchronous) +
                                ") is larger than smpi/send-is-detached-thresh (" + std::to_string(detached) + ")",
                        .advice = "make the second at least as large as the first"});
}

} // namespace timeless::tools::platforms
