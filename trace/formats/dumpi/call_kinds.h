#pragma once

#include "trace/formats/dumpi/communicators.h"
#include "trace/model/action.h"

#include <cstdint>
#include <optional>

namespace timeless::trace::formats::dumpi {

/// Returns what a call of all members of a communicator becomes; nothing for others, and for those that make
/// communicators.
std::optional<ActionKind> collective_kind(std::uint16_t call);
/// Returns what a call on a window becomes; nothing for others.
std::optional<ActionKind> window_kind(std::uint16_t call);
/// Returns what a call on an open file becomes; nothing for others.
std::optional<ActionKind> file_kind(std::uint16_t call);
/// How a call sends.
struct SendCall {
  SendMode mode = SendMode::standard;
  bool nonblocking = false;
  bool persistent = false; ///< it only prepares a request
};
/// Returns how a call sends; nothing for those that do not, or that receive, too.
std::optional<SendCall> send_call(std::uint16_t call);
/// Returns what makes a communicator, a window's and a file's own among them.
ActionKind made_by(Making how);

/// Returns true where a call becomes an action, or should.
bool matters(std::uint16_t call);
/// Returns true for those of these that start, test or end something, and return whatever others do.
bool nonblocking(std::uint16_t call);

} // namespace timeless::trace::formats::dumpi
