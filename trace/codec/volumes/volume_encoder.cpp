#include "base/bytes.h"
#include "trace/codec/compression.h"
#include "trace/codec/format.h"
#include "trace/codec/volumes/rice.h"
#include "trace/codec/volumes/rice_width.h"
#include "trace/codec/volumes/volume_codec.h"
#include "trace/codec/volumes/volume_model.h"

#include <algorithm>

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
  std::string low;     ///< bits of one stream's Rice codes
  std::string codes;   ///< the codes of what is above them
  std::string symbols; ///< of all streams
  std::string packed_symbols;

  void put_stream(Values values, std::string& bytes);
  void put_model(const VolumeModel& model, Values values, std::string& bytes);
  void put_around(const VolumeModel& model, Values values, std::string& bytes);
  void put_changes(const VolumeModel& model, Values values, std::string& bytes);
  void put_other(const VolumeModel& model, Values values, std::string& bytes);
  void put_above(const VolumeModel& model, Values values, std::string& bytes);
  void put_ranked(unsigned width, std::string& bytes);
  void put_list(std::string& bytes) const;
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
  put_model(choose_model(values, distinct), values, bytes);
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
  case OtherModel::periodic:
    break; // stands before a model
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
