#pragma once

#include "trace/formats/common/text_lines.h"
#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace timeless::trace::formats::ti {

/// The values behind an action's name. What is no such value as is asked for is an Error(invalid_input) that names the
/// line.
class Values {
public:
  /// Takes the parts of a line: a rank, a name and the values.
  Values(const TextLines& lines, std::span<const std::string_view> parts) : lines_(lines), parts_(parts) {}

  std::size_t count() const { return parts_.size() - 2; }
  bool has(std::size_t index) const { return index < count(); }

  [[noreturn]] void refuse(const std::string& what) const;

  double number(std::size_t index) const;
  int integer(std::size_t index) const;
  /// Returns the file and the line.
  std::string place() const;
  /// Returns a rank of a run of `size`.
  Rank peer(std::size_t index, Rank size) const;
  /// Returns the same, or no_rank for what SimGrid's tracer writes where a message has no partner, or may have any.
  Rank peer_or_none(std::size_t index, Rank size) const;
  /// Returns how many bytes a value says, of elements of this size.
  Bytes bytes(std::size_t index, std::uint64_t element) const;
  std::uint64_t volume(std::size_t index) const;
  /// Returns the size of the datatype at this place, else the default's.
  std::uint64_t element(std::size_t index, std::uint64_t otherwise) const;

private:
  std::string_view text(std::size_t index) const;

  const TextLines& lines_;
  std::span<const std::string_view> parts_;
};

} // namespace timeless::trace::formats::ti
