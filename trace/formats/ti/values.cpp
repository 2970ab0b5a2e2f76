#include "trace/formats/ti/values.h"

#include "base/error.h"
#include "base/escaping.h"
#include "trace/formats/ti/ti_datatypes.h"
#include "trace/formats/ti/words.h"

#include <cmath>
#include <limits>

namespace timeless::trace::formats::ti {

namespace {

constexpr int any_source_in_text = -555;
/// MPI_UNDEFINED: SimGrid's tracer has no better word for MPI_PROC_NULL, nor for MPI_ANY_SOURCE.
constexpr int undefined_in_text = -333;
/// Beyond it no number of bytes or operations is meant.
constexpr double most = 0x1p60;

} // namespace

void Values::refuse(const std::string& what) const {
  throw Error(Failure::invalid_input,
              what + " in '" + std::string(parts_[0].substr(0, 20)) + " " + std::string(parts_[1].substr(0, 40)) + "'",
              place());
}

std::string Values::place() const {
  return lines_.path().string() + ", line " + std::to_string(lines_.number());
}

double Values::number(std::size_t index) const {
  const auto value = number_word(text(index));
  if (!value) refuse("no number: " + in_quotes(text(index)));
  return *value;
}

int Values::integer(std::size_t index) const {
  const double value = number(index);
  if (value != std::trunc(value) || std::abs(value) > std::numeric_limits<int>::max())
    refuse("no such number here: " + in_quotes(text(index)));
  return static_cast<int>(value);
}

Rank Values::peer(std::size_t index, Rank size) const {
  if (const auto rank = rank_word(text(index)); rank && *rank < size) return *rank;
  if (integer(index) == any_source_in_text)
    refuse("a receive from any rank, which no replay but that of the program itself can place,");
  refuse("no rank of the run, which has " + std::to_string(size) + ": " + in_quotes(text(index)));
}

Rank Values::peer_or_none(std::size_t index, Rank size) const {
  if (const auto rank = rank_word(text(index)); rank && *rank < size) return *rank;
  return number(index) == undefined_in_text ? no_rank : peer(index, size);
}

Bytes Values::bytes(std::size_t index, std::uint64_t element) const {
  const double value = std::trunc(number(index)) * static_cast<double>(element);
  if (value < 0 || value > most) refuse("no number of elements: " + in_quotes(text(index)));
  return static_cast<Bytes>(value);
}

std::uint64_t Values::volume(std::size_t index) const {
  const double value = number(index);
  if (value < 0 || value > most) refuse("no volume: " + in_quotes(text(index)));
  return static_cast<std::uint64_t>(std::llround(value));
}

std::uint64_t Values::element(std::size_t index, std::uint64_t otherwise) const {
  if (!has(index)) return otherwise;
  const int id = integer(index);
  const auto size = ti_datatype_bytes(id);
  if (!size) refuse("no datatype: " + in_quotes(text(index)));
  return *size;
}

std::string_view Values::text(std::size_t index) const {
  if (!has(index)) refuse("too few values");
  return parts_[index + 2];
}

} // namespace timeless::trace::formats::ti
