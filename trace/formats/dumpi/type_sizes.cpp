#include "trace/formats/dumpi/type_sizes.h"

#include <algorithm>
#include <array>
#include <span>

namespace timeless::trace::formats::dumpi {

namespace {

constexpr std::uint16_t first_user_type = 28;

/// Of the predefined datatypes, where the file does not say: on 64-bit machines.
constexpr std::array<std::uint8_t, first_user_type> usual_sizes{0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                                                8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

std::uint64_t positive(std::int32_t number) {
  return static_cast<std::uint64_t>(std::max(0, number));
}

std::uint64_t sum_of(std::span<const std::int32_t> lengths) {
  std::uint64_t all = 0;
  for (const std::int32_t length : lengths)
    all += positive(length);
  return all;
}

} // namespace

std::optional<std::uint64_t> TypeSizes::of(std::uint16_t type) const {
  // A number is used again when its datatype is freed, and the file lists one size for it.
  if (const auto learnt = learnt_.find(type); learnt != learnt_.end()) return learnt->second;
  const auto& sizes = file_.type_sizes();
  if (type < sizes.size() && sizes[type] > 0) return static_cast<std::uint64_t>(sizes[type]);
  if (type < first_user_type) return usual_sizes[type];
  return std::nullopt;
}

void TypeSizes::learn(const Record& record) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  std::uint64_t size = 0;
  bool all_known = true;
  const auto known = [&](std::uint16_t type) {
    const auto bytes = of(type);
    all_known = all_known && bytes.has_value();
    return bytes.value_or(0);
  };
  const auto old = [&] { return known(record.half(Field::oldtype)); };
  switch (static_cast<Call>(record.call)) {
  case Call::Type_contiguous:
    size = positive(record.word(Field::count)) * old();
    break;
  case Call::Type_vector:
  case Call::Type_hvector:
  case Call::Type_create_hvector:
  case Call::Type_create_indexed_block:
    size = positive(record.word(Field::count)) * positive(record.word(Field::blocklength));
    size = std::min(size, most) * old();
    break;
  case Call::Type_indexed:
  case Call::Type_hindexed:
  case Call::Type_create_hindexed:
    size = std::min(sum_of(record.list(Field::lengths)), most) * old();
    break;
  case Call::Type_create_subarray: {
    size = old();
    for (const std::int32_t length : record.list(Field::lengths))
      size = std::min(size, most) * positive(length);
    break;
  }
  case Call::Type_struct:
  case Call::Type_create_struct: {
    const auto& lengths = record.list(Field::lengths);
    const auto& types = record.list(Field::oldtypes);
    for (std::size_t i = 0; i < std::min(lengths.size(), types.size()); ++i)
      size += positive(lengths[i]) * known(static_cast<std::uint16_t>(types[i]));
    break;
  }
  case Call::Type_dup:
  case Call::Type_create_resized:
    size = old();
    break;
  case Call::Type_create_darray:
    all_known = false;
    break;
  default:
    return;
  }
  if (all_known)
    learnt_[record.half(Field::newtype)] = std::min(size, most);
  else
    learnt_.erase(record.half(Field::newtype));
}

} // namespace timeless::trace::formats::dumpi
