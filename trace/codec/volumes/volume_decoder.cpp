#include "base/bytes.h"
#include "trace/codec/compression.h"
#include "trace/codec/format.h"
#include "trace/codec/volumes/rice.h"
#include "trace/codec/volumes/volume_codec.h"
#include "trace/codec/volumes/volume_model.h"

#include <algorithm>
#include <utility>

namespace timeless::trace {

/// A model as it stands in the payload, and where its parts are.
struct VolumeDecoder::WrittenModel {
  VolumeModel model;
  std::uint32_t values = 0; ///< of the stream, or of its period
  unsigned entry_bytes = 0; ///< of a listed value
  unsigned listed = 0;      ///< how many
  std::string_view list;    ///< the listed values
  std::string_view low;     ///< bits of packed values or of Rice codes
  std::string_view codes;   ///< the rest of the Rice codes

  bool uses_symbols() const { return model.kind == ModelClass::other && model.other == OtherModel::listed; }
};

namespace {

using WrittenModel = VolumeDecoder::WrittenModel;

std::uint64_t shifted_base(ByteReader& reader, unsigned width) {
  const unsigned shift = centre_shift(width);
  const std::uint64_t base = reader.varint();
  if (base > low_bits(64 - shift)) reader.fail("a centre out of range");
  return base << shift;
}

std::string_view bits_of(ByteReader& reader, std::uint64_t values, unsigned width) {
  return reader.take((values * width + 7) / 8);
}

void take_codes(ByteReader& reader, WrittenModel& written) {
  const std::size_t bytes = reader.count();
  written.low = bits_of(reader, written.values, written.model.width);
  written.codes = reader.take(bytes);
}

unsigned low_width(ByteReader& reader) {
  const unsigned width = reader.byte();
  if (width > 63) reader.fail("low bits of more than 63 bits");
  return width;
}

void take_list(ByteReader& reader, WrittenModel& written) {
  written.listed = reader.byte() + 1U;
  written.entry_bytes = reader.byte();
  if (written.entry_bytes > sizeof(std::uint64_t)) reader.fail("listed values of more than eight bytes");
  written.model.base = reader.varint();
  written.list = reader.take(std::size_t{written.listed} * written.entry_bytes);
}

void take_other(ByteReader& reader, OtherModel other, WrittenModel& written) {
  written.model.other = other;
  switch (other) {
  case OtherModel::constant:
    written.model.base = reader.varint();
    return;
  case OtherModel::ramp:
    written.model.base = reader.varint();
    written.model.step = static_cast<std::uint64_t>(reader.signed_varint());
    return;
  case OtherModel::listed:
    return take_list(reader, written);
  case OtherModel::ranked:
    written.model.width = low_width(reader);
    take_list(reader, written);
    return take_codes(reader, written);
  case OtherModel::above:
    written.model.width = low_width(reader);
    written.model.base = shifted_base(reader, written.model.width);
    return take_codes(reader, written);
  case OtherModel::periodic:
    reader.fail("a model of volumes within another that cannot be there");
  }
  reader.fail("a model of volumes that this version does not know");
}

constexpr std::uint8_t first_byte(OtherModel other) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(ModelClass::other) << 6U | static_cast<unsigned>(other));
}

WrittenModel take_model(ByteReader& reader, std::uint32_t values) {
  WrittenModel written;
  std::uint8_t first = reader.byte();
  if (first == first_byte(OtherModel::periodic)) {
    const std::uint64_t period = reader.varint();
    if (period == 0 || period > values) reader.fail("a period that does not suit its stream");
    values = static_cast<std::uint32_t>(period);
    first = reader.byte();
  }
  written.model.kind = static_cast<ModelClass>(first >> 6U);
  written.model.width = first & 63U;
  written.values = values;
  switch (written.model.kind) {
  case ModelClass::around:
    written.model.base = shifted_base(reader, written.model.width);
    take_codes(reader, written);
    break;
  case ModelClass::changes:
    written.model.base = shifted_base(reader, written.model.width);
    written.model.step = static_cast<std::uint64_t>(reader.signed_varint());
    take_codes(reader, written);
    break;
  case ModelClass::packed:
    written.model.base = reader.varint();
    written.low = bits_of(reader, values, written.model.width);
    break;
  case ModelClass::other:
    take_other(reader, static_cast<OtherModel>(first & 63U), written);
  }
  return written;
}

[[noreturn]] void malformed(const char* what) {
  throw Error(Failure::invalid_input, what, "a stream of volumes");
}

/// The fixed number of low bits of each value, one after the other; `wide` when they may stretch over more than eight
/// bytes. Held by value, so that no store to a list of values makes the compiler load it again.
template <bool wide>
class LowBits {
public:
  LowBits(const WrittenModel& written, std::size_t place)
      : bytes_(written.low.data()), bit_(place * written.model.width), width_(written.model.width),
        mask_(low_bits(written.model.width)) {}

  std::uint64_t next() {
    const char* const bytes = bytes_ + bit_ / 8;
    const unsigned skipped = bit_ % 8;
    std::uint64_t word = load_fixed<std::uint64_t>(bytes) >> skipped;
    if (wide && skipped + width_ > 64) word |= load_fixed<std::uint64_t>(bytes + 8) << (64 - skipped);
    bit_ += width_;
    return word & mask_;
  }

private:
  const char* bytes_;
  std::size_t bit_;
  unsigned width_;
  std::uint64_t mask_;
};

// More than so many bits, and those before them in their first byte, do not fit into eight bytes.
constexpr unsigned narrow = 57;

template <bool wide, typename Value>
void read_plain(const WrittenModel& written, std::size_t place, std::span<std::uint64_t> values, Value value) {
  LowBits<wide> low(written, place);
  for (std::uint64_t& each : values)
    each = value(low.next());
}

template <typename Value>
void read_packed(const WrittenModel& written, std::size_t place, std::span<std::uint64_t> values, Value value) {
  if (written.model.width <= narrow) return read_plain<false>(written, place, values, value);
  read_plain<true>(written, place, values, value);
}

template <bool wide, typename Value>
void read_rice(const WrittenModel& written, std::size_t place, std::uint32_t& bit, std::span<std::uint64_t> values,
               Value value) {
  CodeReader codes(written.codes, bit);
  LowBits<wide> low(written, place);
  const unsigned width = written.model.width;
  for (std::uint64_t& each : values)
    each = value(low.next() | codes.next() << width);
  codes.check();
  bit = static_cast<std::uint32_t>(codes.bit());
}

/// Sets each number to what `value` makes of it.
template <typename Value>
void read_codes(const WrittenModel& written, std::size_t place, std::uint32_t& bit, std::span<std::uint64_t> values,
                Value value) {
  if (written.model.width <= narrow) return read_rice<false>(written, place, bit, values, value);
  read_rice<true>(written, place, bit, values, value);
}

std::uint64_t listed_value(const WrittenModel& written, std::uint64_t place) {
  if (place >= written.listed) malformed("a volume beyond the listed ones");
  return written.model.base + (load_fixed<std::uint64_t>(written.list.data() + place * written.entry_bytes) &
                               low_bits(8 * written.entry_bytes));
}

} // namespace

void VolumeDecoder::open(std::string_view payload) {
  cursors_.clear();
  if (payload.size() > max_block_bytes) malformed("a payload larger than payloads can be");
  ByteReader reader(payload);
  const std::uint32_t symbols = take_streams(reader, payload.size());
  const std::size_t models_end = payload.size() - reader.remaining();
  take_symbols(reader, symbols);
  std::string kept; // of no more capacity than it needs
  kept.reserve(models_end + read_ahead);
  kept.append(payload.substr(0, models_end)).append(read_ahead, '\0');
  payload_ = std::move(kept);
}

std::uint32_t VolumeDecoder::take_streams(ByteReader& reader, std::size_t payload_bytes) {
  const std::size_t streams = reader.count();
  if (streams > max_block_actions) reader.fail("more streams of volumes than any block has");
  cursors_.reserve(streams);
  std::uint64_t size = 0;
  std::size_t values = 0;
  std::uint32_t symbols = 0;
  for (std::size_t stream = 0; stream < streams; ++stream) {
    size += static_cast<std::uint64_t>(reader.signed_varint());
    if (size > max_block_actions - values) reader.fail("more volumes than any block has");
    values += size;
    Cursor cursor{.model = static_cast<std::uint32_t>(payload_bytes - reader.remaining()),
                  .symbols = symbols,
                  .size = static_cast<std::uint32_t>(size)};
    if (size > 0) {
      const WrittenModel written = take_model(reader, cursor.size);
      if (written.uses_symbols()) symbols += written.values;
    }
    cursors_.push_back(cursor);
  }
  return symbols;
}

void VolumeDecoder::take_symbols(ByteReader& reader, std::uint32_t symbols) {
  symbols_.clear();
  if (symbols > 0) {
    const std::uint8_t packed = reader.byte();
    if (packed > 1) reader.fail("symbols that are neither plain nor compressed");
    if (packed == 1)
      symbols_ = decompress(reader.take(reader.remaining()), symbols);
    else
      symbols_ = reader.take(symbols);
  }
  if (reader.remaining() > 0) reader.fail("bytes after the end of the payload");
}

std::uint32_t VolumeDecoder::period(std::size_t stream) const {
  const Cursor& cursor = cursors_.at(stream);
  if (cursor.size == 0) return 1;
  ByteReader reader(std::string_view(payload_).substr(cursor.model));
  const WrittenModel written = take_model(reader, cursor.size);
  const VolumeModel& model = written.model;
  const bool constant = model.kind == ModelClass::other && model.other == OtherModel::constant;
  const bool flat = model.kind == ModelClass::other && model.other == OtherModel::ramp && model.step == 0;
  if (constant || flat) return 1;
  return written.values < cursor.size ? written.values : 0;
}

void VolumeDecoder::next(std::size_t stream, std::span<std::uint64_t> values) {
  Cursor& cursor = cursors_.at(stream);
  if (values.size() > cursor.size - cursor.position) malformed("fewer volumes than actions that have one");
  if (values.empty()) return;
  ByteReader reader(std::string_view(payload_).substr(cursor.model));
  const WrittenModel written = take_model(reader, cursor.size);
  const std::size_t period = written.values;
  const std::size_t fresh = std::min(values.size(), period);
  read_some(written, cursor, values.first(fresh));
  const std::size_t repeated = (values.size() - fresh) / period * period;
  for (std::size_t i = fresh; i < fresh + repeated; ++i)
    values[i] = values[i - period];
  cursor.position += static_cast<std::uint32_t>(repeated);
  read_some(written, cursor, values.subspan(fresh + repeated));
}

/// Reads period by period.
void VolumeDecoder::read_some(const WrittenModel& written, Cursor& cursor, std::span<std::uint64_t> values) const {
  while (!values.empty()) {
    const std::size_t place = cursor.position % written.values;
    if (place == 0) {
      cursor.bit = 0;
      cursor.previous = written.model.base - written.model.step;
    }
    const auto some = values.first(std::min(values.size(), written.values - place));
    read_values(written, place, cursor, some);
    cursor.position += static_cast<std::uint32_t>(some.size());
    values = values.subspan(some.size());
  }
}

void VolumeDecoder::read_values(const WrittenModel& written, std::size_t place, Cursor& cursor,
                                std::span<std::uint64_t> values) const {
  const VolumeModel& model = written.model;
  switch (model.kind) {
  case ModelClass::around:
    return read_codes(written, place, cursor.bit, values, [base = model.base](std::uint64_t number) {
      return base + static_cast<std::uint64_t>(unzigzag(number));
    });
  case ModelClass::changes:
    return read_codes(written, place, cursor.bit, values, [&cursor, step = model.step](std::uint64_t number) {
      return cursor.previous += step + static_cast<std::uint64_t>(unzigzag(number));
    });
  case ModelClass::packed:
    return read_packed(written, place, values, [base = model.base](std::uint64_t number) { return base + number; });
  case ModelClass::other:
    break;
  }
  switch (model.other) {
  case OtherModel::constant:
  case OtherModel::ramp:
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = model.base + model.step * (place + i);
    return;
  case OtherModel::above:
    return read_codes(written, place, cursor.bit, values,
                      [base = model.base](std::uint64_t number) { return base + number; });
  case OtherModel::listed:
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = listed_value(written, static_cast<std::uint8_t>(symbols_[cursor.symbols + place + i]));
    return;
  case OtherModel::ranked:
    return read_codes(written, place, cursor.bit, values,
                      [&written](std::uint64_t number) { return listed_value(written, number); });
  case OtherModel::periodic:
    break; // take_model() gives the model behind them
  }
}

} // namespace timeless::trace
