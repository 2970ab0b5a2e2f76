#include "trace/archive/compression.h"
#include "trace/archive/format.h"
#include "trace/encoding/bytes.h"
#include "trace/encoding/rice.h"
#include "trace/encoding/rice_width.h"
#include "trace/encoding/volume_codec.h"
#include "trace/encoding/volume_levels.h"
#include "trace/encoding/volume_model.h"
#include "trace/encoding/volume_scale.h"

#include <algorithm>
#include <utility>

namespace timeless::trace {

namespace {

using Values = std::span<const std::uint64_t>;

constexpr int symbols_level = 3;

void put_model_byte(std::string& bytes, ModelClass kind, unsigned low) {
  bytes.push_back(static_cast<char>(static_cast<unsigned>(kind) << 6U | low));
}

void put_model_byte(std::string& bytes, OtherModel other) {
  put_model_byte(bytes, ModelClass::other, static_cast<unsigned>(other));
}

/// Writes numbers as Rice codes: their low bits to `bytes`, the codes of the rest to `codes`.
class RiceWriter {
public:
  RiceWriter(std::string& bytes, std::string& codes, unsigned width) : low_(bytes), codes_(codes), width_(width) {}

  void put(std::uint64_t number) {
    low_.put(number & low_bits(width_), width_);
    codes_.put(number >> width_);
  }

  void finish() {
    low_.finish();
    codes_.finish();
  }

private:
  BitWriter low_;
  CodeWriter codes_;
  unsigned width_;
};

} // namespace

struct VolumeEncoder::Memory {
  std::vector<std::uint32_t> borders;
  DistinctValues distinct;
  VolumeLevels levels;
  VolumeScale scale;
  DistinctValues distinct_quotients; ///< as `distinct`, of the quotients of the scale
  VolumeLevels quotient_levels;
  std::string low;     ///< bits of one stream's Rice codes
  std::string codes;   ///< the codes of what is above them
  std::string symbols; ///< of all streams
  std::string packed_symbols;

  void put_stream(Values values, std::string& bytes);
  bool may_have_a_factor(const VolumeModel& model, std::size_t values) const;
  void put_scale(std::string& bytes) const;
  void put_model(const VolumeModel& model, Values values, std::string& bytes);
  void put_around(const VolumeModel& model, Values values, std::string& bytes);
  void put_changes(const VolumeModel& model, Values values, std::string& bytes);
  void put_other(const VolumeModel& model, Values values, std::string& bytes);
  void put_above(const VolumeModel& model, Values values, std::string& bytes);
  void put_ranked(unsigned width, std::string& bytes);
  void put_list(std::string& bytes) const;
  void put_levels(bool ranked, Values values, std::string& bytes);
  void add_symbols(std::span<const std::uint8_t> places);
  void put_codes(std::string& bytes) const;
  void put_symbols(std::string& bytes);

  RiceWriter rice(unsigned width) {
    low.clear();
    codes.clear();
    return {low, codes, width};
  }
};

VolumeEncoder::VolumeEncoder() : memory_(std::make_unique<Memory>()) {}
VolumeEncoder::VolumeEncoder(VolumeEncoder&&) noexcept = default;
VolumeEncoder& VolumeEncoder::operator=(VolumeEncoder&&) noexcept = default;
VolumeEncoder::~VolumeEncoder() = default;

void VolumeEncoder::encode(std::span<const Values> streams, std::string& bytes) {
  memory_->symbols.clear();
  put_varint(bytes, streams.size());
  std::size_t previous_size = 0;
  for (const Values values : streams) {
    put_varint(bytes, zigzag(static_cast<std::int64_t>(values.size()) - static_cast<std::int64_t>(previous_size)));
    previous_size = values.size();
    if (!values.empty()) memory_->put_stream(values, bytes);
  }
  memory_->put_symbols(bytes);
}

void VolumeEncoder::Memory::put_stream(Values values, std::string& bytes) {
  const std::size_t period = period_of(values, borders);
  if (period < values.size() && period > 1) {
    put_model_byte(bytes, OtherModel::periodic);
    put_varint(bytes, period);
    values = values.first(period);
  }
  const VolumeModel model = choose_model(values, distinct, levels);
  if (may_have_a_factor(model, values.size()) && scale.find(values)) {
    const VolumeModel scaled = choose_model(scale.quotients(), distinct_quotients, quotient_levels);
    if (scale.bits() + scaled.bits < model.bits) {
      std::swap(distinct, distinct_quotients);
      std::swap(levels, quotient_levels);
      put_scale(bytes);
      return put_model(scaled, scale.quotients(), bytes);
    }
  }
  put_model(model, values, bytes);
}

/// Whether the model would gain by a factor of the values, so that it is worth looking for.
bool VolumeEncoder::Memory::may_have_a_factor(const VolumeModel& model, std::size_t values) const {
  if (model.kind != ModelClass::other) return true;
  switch (model.other) {
  case OtherModel::constant:
  case OtherModel::ramp:
    return false;
  case OtherModel::listed:
  case OtherModel::ranked:
    return values < 256 * distinct.values().size();
  default:
    return true;
  }
}

void VolumeEncoder::Memory::put_scale(std::string& bytes) const {
  put_model_byte(bytes, OtherModel::scaled);
  put_varint(bytes, scale.factor());
  put_varint(bytes, scale.remainder());
  put_varint(bytes, scale.exceptions().size());
  std::size_t next = 0;
  for (const auto& [place, difference] : scale.exceptions()) {
    put_varint(bytes, place - next);
    put_varint(bytes, zigzag(difference));
    next = place + 1;
  }
}

void VolumeEncoder::Memory::put_model(const VolumeModel& model, Values values, std::string& bytes) {
  switch (model.kind) {
  case ModelClass::around:
    return put_around(model, values, bytes);
  case ModelClass::changes:
    return put_changes(model, values, bytes);
  case ModelClass::packed: {
    put_model_byte(bytes, model.kind, model.width);
    put_varint(bytes, model.base);
    BitWriter bits(bytes);
    for (const std::uint64_t value : values)
      bits.put(value - model.base, model.width);
    return bits.finish();
  }
  case ModelClass::other:
    return put_other(model, values, bytes);
  }
}

void VolumeEncoder::Memory::put_around(const VolumeModel& model, Values values, std::string& bytes) {
  const unsigned shift = centre_shift(model.width);
  const std::uint64_t centre = model.base >> shift << shift;
  put_model_byte(bytes, model.kind, model.width);
  put_varint(bytes, centre >> shift);
  RiceWriter writer = rice(model.width);
  for (const std::uint64_t value : values)
    writer.put(distance_from(centre, value));
  writer.finish();
  put_codes(bytes);
}

void VolumeEncoder::Memory::put_changes(const VolumeModel& model, Values values, std::string& bytes) {
  const unsigned shift = centre_shift(model.width);
  put_model_byte(bytes, model.kind, model.width);
  put_varint(bytes, model.base >> shift);
  put_varint(bytes, zigzag(static_cast<std::int64_t>(model.step)));
  std::uint64_t expected = model.base >> shift << shift;
  RiceWriter writer = rice(model.width);
  for (const std::uint64_t value : values) {
    writer.put(distance_from(expected, value));
    expected = value + model.step;
  }
  writer.finish();
  put_codes(bytes);
}

void VolumeEncoder::Memory::put_other(const VolumeModel& model, Values values, std::string& bytes) {
  put_model_byte(bytes, model.other);
  switch (model.other) {
  case OtherModel::constant:
    return put_varint(bytes, model.base);
  case OtherModel::ramp:
    put_varint(bytes, model.base);
    return put_varint(bytes, zigzag(static_cast<std::int64_t>(model.step)));
  case OtherModel::above:
    return put_above(model, values, bytes);
  case OtherModel::listed:
    put_list(bytes);
    return add_symbols(distinct.places());
  case OtherModel::ranked:
    return put_ranked(model.width, bytes);
  case OtherModel::levels:
    put_levels(false, values, bytes);
    return add_symbols(levels.places());
  case OtherModel::ranked_levels:
    return put_levels(true, values, bytes);
  case OtherModel::periodic:
  case OtherModel::scaled:
    break; // stand before a model
  }
}

void VolumeEncoder::Memory::put_above(const VolumeModel& model, Values values, std::string& bytes) {
  const unsigned shift = centre_shift(model.width);
  const std::uint64_t base = model.base >> shift << shift;
  bytes.push_back(static_cast<char>(model.width));
  put_varint(bytes, base >> shift);
  RiceWriter writer = rice(model.width);
  for (const std::uint64_t value : values)
    writer.put(value - base);
  writer.finish();
  put_codes(bytes);
}

void VolumeEncoder::Memory::put_ranked(unsigned width, std::string& bytes) {
  bytes.push_back(static_cast<char>(width));
  put_list(bytes);
  RiceWriter writer = rice(width);
  for (const std::uint8_t place : distinct.places())
    writer.put(place);
  writer.finish();
  put_codes(bytes);
}

void VolumeEncoder::Memory::put_list(std::string& bytes) const {
  const unsigned width = byte_width(distinct.values());
  const std::uint64_t least = std::ranges::min(distinct.values());
  bytes.push_back(static_cast<char>(distinct.values().size() - 1));
  bytes.push_back(static_cast<char>(width));
  put_varint(bytes, least);
  for (const std::uint64_t value : distinct.values())
    for (unsigned byte = 0; byte < width; ++byte)
      bytes.push_back(static_cast<char>((value - least) >> (8 * byte)));
}

void VolumeEncoder::Memory::put_levels(bool ranked, Values values, std::string& bytes) {
  bytes.push_back(static_cast<char>(levels.levels().size() - 1));
  for (const VolumeLevel& level : levels.levels()) {
    bytes.push_back(static_cast<char>(level.width));
    put_varint(bytes, level.centre >> centre_shift(level.width));
  }
  codes.clear();
  CodeWriter writer(codes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint8_t place = levels.places()[i];
    const VolumeLevel& level = levels.levels()[place];
    const unsigned shift = centre_shift(level.width);
    const std::uint64_t distance = distance_from(level.centre >> shift << shift, values[i]);
    if (ranked) writer.put(place);
    writer.put(distance >> level.width);
    writer.put_plain(distance, level.width);
  }
  writer.finish();
  put_varint(bytes, codes.size());
  bytes += codes;
}

void VolumeEncoder::Memory::add_symbols(std::span<const std::uint8_t> places) {
  symbols.append(reinterpret_cast<const char*>(places.data()), places.size());
}

void VolumeEncoder::Memory::put_codes(std::string& bytes) const {
  put_varint(bytes, codes.size());
  bytes += low;
  bytes += codes;
}

void VolumeEncoder::Memory::put_symbols(std::string& bytes) {
  if (symbols.empty()) return;
  compress(symbols, symbols_level, packed_symbols);
  const bool packs = packed_symbols.size() < symbols.size();
  bytes.push_back(packs ? '\1' : '\0');
  bytes += packs ? packed_symbols : symbols;
}

} // namespace timeless::trace
