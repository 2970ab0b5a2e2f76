#include "trace/formats/dumpi/layout.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace timeless::trace::formats::dumpi {

namespace {

struct Row {
  std::uint16_t id;
  std::string_view name;
  std::string_view fields;
};

constexpr Row rows[] = {
#define DUMPI_CALL(id, name, fields) {id, #name, fields},
#include "trace/formats/dumpi/calls.def"
#undef DUMPI_CALL
};

struct NamedField {
  std::string_view name;
  LaidOut field;
};

constexpr NamedField fields[] = {
#define DUMPI_FIELD(name, form) {#name, {Field::name, Form::form}},
#include "trace/formats/dumpi/fields.def"
#undef DUMPI_FIELD
};

LaidOut find(std::string_view word) {
  const bool root_only = word.starts_with('@');
  if (root_only) word.remove_prefix(1);
  const auto* const found = std::ranges::find(fields, word, &NamedField::name);
  // The two tables are ours: a test reads every layout.
  if (found == std::end(fields))
    throw std::logic_error("calls.def names a field that fields.def has not: " + std::string(word));
  LaidOut field = found->field;
  field.root_only = root_only;
  return field;
}

std::vector<Layout> all_layouts() {
  std::vector<Layout> all(std::size_t{end_of_stream} + 1);
  for (const Row& row : rows) {
    Layout& made = all[row.id];
    made.name = row.name;
    made.written = row.fields != "-";
    for (std::string_view rest = row.fields; made.written && !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      made.fields.push_back(find(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return all;
}

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = all_layouts();
  return all;
}

} // namespace

const Layout& layout(std::uint16_t call) {
  static const Layout none;
  return call < layouts().size() ? layouts()[call] : none;
}

} // namespace timeless::trace::formats::dumpi
