#include "trace/model/action.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace timeless::trace {

namespace {

struct KindNames {
  std::string_view own;
  std::string_view mpi;
};

constexpr auto names_by_code = [] {
  std::array<KindNames, 256> by_code{};
#define ACTION_KIND(code, name, family, mpi_name, ...) by_code[code] = {#name, mpi_name};
#include "trace/model/action_kinds.def"
#undef ACTION_KIND
  return by_code;
}();

const KindNames& names_of(ActionKind kind) {
  return names_by_code[static_cast<std::uint8_t>(kind)];
}

std::string lowered(std::string_view name) {
  std::string text{name};
  text.front() = static_cast<char>(text.front() | 0x20); // every call's name starts with an ASCII letter
  return text;
}

/// Returns the name of a call's form that returns a request.
std::string nonblocking_name(ActionKind kind, std::string_view base) {
  constexpr std::string_view of_file = "File_";
  switch (family(kind)) {
  case ActionFamily::generalized:
    return std::string(base);
  case ActionFamily::one_sided:
    return "R" + lowered(base);
  case ActionFamily::file:
  case ActionFamily::file_collective:
    return std::string(of_file) + "i" + std::string(base.substr(of_file.size()));
  default:
    return kind == ActionKind::comm_dup ? "Comm_idup" : "I" + lowered(base);
  }
}

std::string_view mode_letter(SendMode mode) {
  switch (mode) {
  case SendMode::buffered:
    return "B";
  case SendMode::synchronous:
    return "S";
  case SendMode::ready:
    return "R";
  case SendMode::standard:
    break;
  }
  return "";
}

} // namespace

bool operator==(const Action& left, const Action& right) {
  if (std::memcmp(&left, &right, plain_action_bytes) != 0) return false;
  const std::size_t elements =
      left.requests.size() | left.counts.size() | left.receive_counts.size() | left.ranks.size();
  const std::size_t others =
      right.requests.size() | right.counts.size() | right.receive_counts.size() | right.ranks.size();
  if ((elements | others) == 0) return true;
  return std::ranges::equal(left.requests, right.requests) && std::ranges::equal(left.counts, right.counts) &&
         std::ranges::equal(left.receive_counts, right.receive_counts) && std::ranges::equal(left.ranks, right.ranks);
}

std::optional<ActionKind> action_kind(std::uint8_t code) {
  if (names_by_code[code].own.empty()) return std::nullopt;
  return static_cast<ActionKind>(code);
}

std::string_view name(ActionKind kind) {
  return names_of(kind).own;
}

std::string mpi_name(const Action& action) {
  std::string base{names_of(action.kind).mpi};
  const bool matched = (action.flags & flag_matched) != 0;
  if (action.kind == ActionKind::poll) return matched ? "Improbe" : base;
  if (matched) base = action.kind == ActionKind::probe ? "Mprobe" : "Mrecv";
  if (action.kind == ActionKind::send && action.mode != SendMode::standard)
    base = std::string(mode_letter(action.mode)) + "send";
  return nonblocking(action) ? nonblocking_name(action.kind, base) : base;
}

} // namespace timeless::trace
