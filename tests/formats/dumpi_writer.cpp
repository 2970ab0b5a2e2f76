#include "tests/formats/dumpi_writer.h"

#include "tests/trace/samples.h"

#include <stdexcept>

namespace timeless::trace::formats::test {

using dumpi::Form;

void DumpiWriter::put(std::string& where, std::uint64_t value, unsigned bytes) {
  for (unsigned i = bytes; i-- > 0;)
    where += static_cast<char>(value >> (8 * i) & 0xffU);
}

DumpiWriter& DumpiWriter::init() {
  const auto mask = mask_;
  call(dumpi::Call::Init, {});
  mask_ = mask;
  return *this;
}

DumpiWriter& DumpiWriter::call(dumpi::Call call, std::initializer_list<Value> fields,
                               std::vector<dumpi::Status> statuses) {
  put(static_cast<std::uint16_t>(call), 2);
  put(mask_, 1);
  if ((mask_ & 0x40) != 0) put(0, 2);
  now_ += 600;
  for (const unsigned bit : {4U, 8U})
    if ((mask_ & bit) != 0)
      for (const std::uint64_t time : {now_, now_ + 400}) {
        put(time / 1'000'000'000, 2);
        put(time % 1'000'000'000, 4);
      }
  now_ += 400;
  const auto* given = fields.begin();
  std::int64_t own = 0;
  std::int64_t root = 0;
  for (const dumpi::LaidOut& field : dumpi::layout(static_cast<std::uint16_t>(call)).fields) {
    if (field.form == Form::arguments) {
      put(0, 4);
      if (version_ < dumpi::Version{0, 6, 2} && call == dumpi::Call::Init) put(0, 4);
      continue;
    }
    if (field.form == Form::statuses) {
      if ((mask_ & 3) == 0) continue;
      put(statuses.size(), 4);
      for (const dumpi::Status& status : statuses) {
        put(static_cast<std::uint32_t>(status.bytes), 4);
        put(static_cast<std::uint32_t>(status.source), 4);
        put(status.cancelled ? 1 : 0, 1);
        put(0, 1);
        if (version_ >= dumpi::Version{0, 6, 3}) put(static_cast<std::uint32_t>(status.tag), 4);
      }
      continue;
    }
    if (field.root_only && own != root) continue;
    if (given == fields.end()) throw std::logic_error("the test gives too few fields");
    const Value& value = *given++;
    if (field.field == dumpi::Field::commrank) own = value.scalar;
    if (field.field == dumpi::Field::root) root = value.scalar;
    switch (field.form) {
    case Form::byte:
      put(static_cast<std::uint64_t>(value.scalar), 1);
      break;
    case Form::half:
      put(static_cast<std::uint64_t>(value.scalar), 2);
      break;
    case Form::word:
      put(static_cast<std::uint64_t>(value.scalar), 4);
      break;
    case Form::wide:
      put(static_cast<std::uint64_t>(value.scalar), 8);
      break;
    default: {
      const unsigned each = field.form == Form::list8 ? 1 : field.form == Form::list16 ? 2 : 4;
      const bool text = field.form == Form::text;
      put(value.list.size(), 4);
      for (const std::int32_t one : value.list)
        put(static_cast<std::uint32_t>(one), text ? 1 : each);
    }
    }
  }
  return *this;
}

std::string DumpiWriter::bytes(unsigned index_entries) const {
  constexpr std::uint64_t magic = 0xffaadd44554d5049;
  std::string file;
  put(file, magic, 8);
  put(file, 0, 8);
  file += body_;
  put(file, dumpi::end_of_stream, 2);
  const std::uint64_t header = file.size();
  put(file, static_cast<std::uint64_t>(version_.major), 1);
  put(file, static_cast<std::uint64_t>(version_.minor), 1);
  put(file, static_cast<std::uint64_t>(version_.patch), 1);
  put(file, 1'296'777'956, 8);
  put(file, host_.size(), 2);
  file += host_;
  put(file, 0, 2);
  put(file, 0, 4);
  put(file, 0, 4);
  const std::uint64_t sizes = sizes_.empty() ? 0 : file.size();
  if (!sizes_.empty()) put(file, sizes_.size(), 4);
  for (const std::int32_t size : sizes_)
    put(file, static_cast<std::uint32_t>(size), 4);
  const std::uint64_t footer = file.size();
  put(file, 0xf007fee7, 8);
  for (int i = 0; i < 291; ++i)
    put(file, 0, 4);
  for (std::size_t i = 0; i < 291; ++i)
    put(file, ignored_.contains(i) ? static_cast<std::uint32_t>(ignored_.at(i)) : 0U, 4);
  const std::uint64_t places[] = {magic, sizes, 0, 0, header, 8, footer, 0};
  put(file, magic, 8);
  for (unsigned i = 9 - index_entries; i < 8; ++i)
    put(file, places[i], 8);
  return file;
}

std::filesystem::path write_dumpi(const std::filesystem::path& directory, const std::vector<DumpiWriter>& ranks) {
  const std::filesystem::path prefix = directory / "run";
  trace::test::write_bytes(prefix.string() + ".meta",
                           "hostname=node\nnumprocs=" + std::to_string(ranks.size()) + "\nfileprefix=run\n");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    trace::test::write_bytes(prefix.string() + "-000" + std::to_string(rank) + ".bin", ranks[rank].bytes());
  return prefix;
}

} // namespace timeless::trace::formats::test
