#include "tools/replaying/not_modelled.h"

#include "base/error.h"
#include "base/escaping.h"

#include <fmt/format.h>

#include <cstdint>

namespace timeless::tools {

namespace {

std::string number_of(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

} // namespace

std::string in_words(const replay::NotModelled& one) {
  return fmt::format("{} of {}: {}", number_of(one.calls, "call"), number_of(one.ranks, "rank"), one.what);
}

void require_all_modelled(const std::vector<replay::NotModelled>& left_out) {
  if (left_out.empty()) return;
  std::string what = "not everything in this run was modelled";
  for (const replay::NotModelled& one : left_out)
    what += "\n  " + escaped(in_words(one));
  throw Error(Failure::partial, what, "--strict", "leave --strict out if the result will do without");
}

} // namespace timeless::tools
