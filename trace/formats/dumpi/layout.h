#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace timeless::trace::formats::dumpi {

/// The calls that DUMPI has numbers for, as calls.def lists them.
enum class Call : std::uint16_t {
#define DUMPI_CALL(id, name, fields) name = id,
#include "trace/formats/dumpi/calls.def"
#undef DUMPI_CALL
};

inline constexpr std::uint16_t end_of_stream = 293;

/// What a record's fields are called; a field is in a call's layout at most once, but for those that nobody reads.
enum class Field : std::uint8_t {
#define DUMPI_FIELD(name, form) name,
#include "trace/formats/dumpi/fields.def"
#undef DUMPI_FIELD
};

/// How a field of a record stands in the file. list68 and list69 are lists of words from version 0.6.8 and 0.6.9
/// on, and one word before; texts, texttable and arguments are skipped.
enum class Form : std::uint8_t {
  byte,
  half,
  word,
  wide,
  list8,
  list16,
  list32,
  list68,
  list69,
  table32,
  text,
  texts,
  texttable,
  arguments,
  statuses,
};

inline constexpr std::size_t field_count = 0
#define DUMPI_FIELD(name, form) +1
#include "trace/formats/dumpi/fields.def"
#undef DUMPI_FIELD
    ;

/// A field in the layout of a record.
struct LaidOut {
  Field field;
  Form form;
  bool root_only = false;
};

/// A call as the file has it.
struct Layout {
  std::string_view name = {}; ///< without MPI_; empty when there is no such call
  std::vector<LaidOut> fields = {};
  bool written = false; ///< else a record of it cannot be read by anybody
};

/// Returns the layout of the call of this number.
const Layout& layout(std::uint16_t call);

} // namespace timeless::trace::formats::dumpi
