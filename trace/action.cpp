#include "trace/action.h"

#include <algorithm>
#include <cstring>

namespace timeless::trace {

namespace {

struct KindRow {
  std::uint8_t code;
  ActionKind kind;
  ActionFamily family;
  std::string_view name;
  std::string_view mpi_name;
};

constexpr KindRow kind_rows[] = {
#define ACTION_KIND(code, name, family, mpi_name) {code, ActionKind::name, ActionFamily::family, #name, mpi_name},
#include "trace/action_kinds.def"
#undef ACTION_KIND
};

const KindRow& row_of(ActionKind kind) {
  const auto code = static_cast<std::uint8_t>(kind);
  return *std::lower_bound(std::begin(kind_rows), std::end(kind_rows), code,
                           [](const KindRow& row, std::uint8_t wanted) { return row.code < wanted; });
}

std::string lowered(std::string_view name) {
  std::string text{name};
  text.front() = static_cast<char>(text.front() | 0x20); // every call's name starts with an ASCII letter
  return text;
}

/// The name of a call's form that returns a request.
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
  for (const KindRow& row : kind_rows)
    if (row.code == code) return row.kind;
  return std::nullopt;
}

ActionFamily family(ActionKind kind) {
  return row_of(kind).family;
}

std::string_view name(ActionKind kind) {
  return row_of(kind).name;
}

std::string mpi_name(const Action& action) {
  std::string base{row_of(action.kind).mpi_name};
  const bool matched = (action.flags & flag_matched) != 0;
  if (action.kind == ActionKind::poll) return matched ? "Improbe" : base;
  if (matched) base = action.kind == ActionKind::probe ? "Mprobe" : "Mrecv";
  if (action.kind == ActionKind::send && action.mode != SendMode::standard)
    base = std::string(mode_letter(action.mode)) + "send";
  return nonblocking(action) ? nonblocking_name(action.kind, base) : base;
}

} // namespace timeless::trace
