#include "trace/formats/dumpi/call_kinds.h"
#include "trace/formats/dumpi/translation.h"

#include <algorithm>

namespace timeless::trace::formats::dumpi {

bool Translation::file_call(const Record& record) {
  const auto kind = file_kind(record.call);
  if (!kind) return false;
  Action action{.kind = *kind};
  const auto id = known(objects_.file(record.half(Field::file)));
  if (!id) return true;
  action.communicator = *id;
  const auto has = [&](Field field) {
    return std::ranges::any_of(layout(record.call).fields, [field](const LaidOut& one) { return one.field == field; });
  };
  if (*kind == ActionKind::file_set_size || *kind == ActionKind::file_preallocate) {
    action.bytes = static_cast<Bytes>(std::max<std::int64_t>(0, record.wide(Field::extent)));
  } else if (has(Field::count)) {
    const Status* const status = only_status();
    const Bytes moved =
        status != nullptr ? static_cast<Bytes>(std::max(0, status->bytes)) : bytes(Field::count, Field::datatype);
    (traits(*kind).received != Sizes::none ? action.receive_bytes : action.bytes) = moved;
  }
  if (has(Field::request)) {
    begin(record.word(Field::request), action);
    return true;
  }
  append(action);
  return true;
}

} // namespace timeless::trace::formats::dumpi
