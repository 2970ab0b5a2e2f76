#include "trace/formats/dumpi/rank_file.h"

#include "base/error.h"

#include <algorithm>

namespace timeless::trace::formats::dumpi {

namespace {

constexpr std::uint64_t file_magic = 0xffaadd44554d5049;
constexpr std::uint64_t footer_magic = 0xf007fee7;
constexpr std::size_t chunk = std::size_t{1} << 18;

constexpr Version statuses_have_tags{0, 6, 3};
constexpr Version arguments_counted_once{0, 6, 2};

enum MaskBit : std::uint8_t {
  has_statuses = 3, ///< either bit
  has_cpu_times = 4,
  has_wall_times = 8,
  has_thread = 0x40,
  has_counters = 0x80,
};

} // namespace

void FileReader::refuse(const std::string& what) const {
  throw Error(Failure::invalid_input, what, file_->path().string() + ", offset " + std::to_string(offset()),
              "it is damaged, or no DUMPI file");
}

void FileReader::run_out(const std::string& what) {
  exhausted_ = true;
  refuse(what);
}

void FileReader::need(std::uint64_t bytes) {
  if (buffer_.size() - position_ >= bytes) return;
  if (left() < bytes) run_out("the records end in the middle of one");
  buffer_.erase(0, position_);
  offset_ += position_;
  position_ = 0;
  const std::uint64_t wanted = std::min<std::uint64_t>(std::max<std::uint64_t>(bytes, chunk), end_ - offset_);
  buffer_ = file_->read(offset_, static_cast<std::size_t>(wanted));
  if (buffer_.size() < bytes) run_out("the file ends in the middle of a record");
}

std::uint64_t FileReader::unsigned_integer(unsigned bytes) {
  need(bytes);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value = value << 8U | static_cast<unsigned char>(buffer_[position_++]);
  return value;
}

std::string FileReader::text(std::size_t bytes) {
  need(bytes);
  std::string words = buffer_.substr(position_, bytes);
  position_ += bytes;
  return words;
}

void FileReader::skip(std::uint64_t bytes) {
  if (left() < bytes) run_out("the records end in the middle of one");
  const std::size_t here = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, buffer_.size() - position_));
  position_ += here;
  if (here == bytes) return;
  offset_ += position_ + (bytes - here);
  buffer_.clear();
  position_ = 0;
}

std::size_t FileReader::count(std::size_t bytes_each) {
  const std::int32_t value = word();
  if (value <= 0) return 0;
  if (static_cast<std::uint64_t>(value) * bytes_each > left())
    run_out("a list of " + std::to_string(value) + " that is longer than the file");
  return static_cast<std::size_t>(value);
}

RankFile::RankFile(const std::filesystem::path& path) : file_(path), body_end_(file_.size()) {
  FileReader beginning(file_, 0, file_.size());
  if (file_.size() < 8 || beginning.unsigned_integer(8) != file_magic) beginning.refuse("no DUMPI file");
  whole_ = find_index();
}

/// The index stands at the very end; older files have fewer entries.
bool RankFile::find_index() {
  constexpr std::uint64_t most_entries = 8;
  constexpr std::uint64_t least_entries = 5;
  for (std::uint64_t entries = most_entries; entries >= least_entries; --entries) {
    if (file_.size() < 8 * (entries + 1)) continue;
    FileReader index(file_, file_.size() - 8 * entries, file_.size());
    if (index.unsigned_integer(8) != file_magic) continue;
    std::vector<std::uint64_t> places;
    for (std::uint64_t i = 1; i < entries; ++i)
      places.push_back(index.unsigned_integer(8));
    for (const std::uint64_t place : places)
      if (place > file_.size()) index.refuse("an index that points behind the file's end");
    // Of all: (type sizes, address labels, performance labels,) header, body, footer, keyval.
    const std::size_t header = places.size() - 4;
    body_ = places[header + 1];
    body_end_ = places[header] > body_ ? places[header] : file_.size() - 8 * entries;
    read_header(places[header]);
    read_footer(places[header + 2]);
    if (entries == most_entries && places[0] != 0) read_type_sizes(places[0]);
    return true;
  }
  return false;
}

void RankFile::read_header(std::uint64_t offset) {
  FileReader bytes(file_, offset, file_.size());
  version_.major = bytes.byte();
  version_.minor = bytes.byte();
  version_.patch = bytes.byte();
  started_ = bytes.unsigned_integer(8);
  host_ = bytes.text(bytes.half());
}

void RankFile::read_footer(std::uint64_t offset) {
  FileReader bytes(file_, offset, file_.size());
  if (bytes.unsigned_integer(8) != footer_magic) bytes.refuse("no footer where the index has one");
  // Counts of all functions, then of those ignored. Their number has grown with the versions: the last ones are 0.
  std::vector<std::int32_t> counts;
  const std::uint64_t numbers = std::min<std::uint64_t>(bytes.left() / 8, 291);
  bytes.skip(4 * numbers);
  for (std::uint64_t i = 0; i < numbers; ++i)
    counts.push_back(bytes.word());
  ignored_ = std::move(counts);
}

void RankFile::read_type_sizes(std::uint64_t offset) {
  FileReader bytes(file_, offset, file_.size());
  const std::size_t types = bytes.count(4);
  for (std::size_t i = 0; i < types; ++i)
    type_sizes_.push_back(bytes.word());
}

RecordReader::RecordReader(const RankFile& file)
    : file_(file), bytes_(file.file(), file.body(), std::max(file.body(), file.body_end())) {
  if (bytes_.left() < 8) return;
  bytes_.skip(4); // the seconds that times of the processor are counted from
  constexpr std::uint64_t second = 1'000'000'000;
  wall_origin_ = bytes_.unsigned_integer(4) * second;
}

bool RecordReader::next(Record& record) {
  try {
    return read(record);
  } catch (const Error&) {
    if (file_.whole() || !bytes_.exhausted()) throw;
    return false;
  }
}

bool RecordReader::read(Record& record) {
  if (ended_ || bytes_.exhausted() || bytes_.left() == 0) return false;
  record.call = bytes_.half();
  if (record.call == end_of_stream) {
    ended_ = true;
    return false;
  }
  const Layout& call = layout(record.call);
  if (!call.written) bytes_.refuse("a record of call " + std::to_string(record.call) + ", whose layout nobody knows,");
  const std::uint8_t mask = bytes_.byte();
  if ((mask & has_thread) != 0) bytes_.skip(2);
  read_times(mask, record);
  if ((mask & has_counters) != 0) bytes_.skip(std::uint64_t{16} * bytes_.byte());
  record.statuses.clear();
  for (const LaidOut& field : call.fields)
    if (!field.root_only || record.word(Field::commrank) == record.word(Field::root)) read_field(field, mask, record);
  return true;
}

/// The file has the seconds' last 16 bits: they begin again after 18.2 hours.
std::uint64_t RecordReader::seconds() {
  constexpr std::uint64_t wrap = 0x10000;
  const std::uint64_t low = bytes_.half();
  if (first_time_) {
    first_time_ = false;
    last_seconds_ = low;
    return low;
  }
  std::uint64_t value = last_seconds_ / wrap * wrap + low;
  if (value + wrap / 2 < last_seconds_) value += wrap;
  if (value > last_seconds_ + wrap / 2 && value >= wrap) value -= wrap;
  last_seconds_ = std::max(last_seconds_, value);
  return value;
}

void RecordReader::read_times(std::uint8_t mask, Record& record) {
  constexpr std::uint64_t second = 1'000'000'000;
  const bool wall = (mask & has_wall_times) != 0;
  const bool cpu = (mask & has_cpu_times) != 0;
  record.timed = wall || cpu;
  record.wall = wall;
  if (cpu && wall) bytes_.skip(12); // the wall's are those that order the ranks' doings
  if (!record.timed) return;
  const std::uint64_t entered = seconds();
  record.entry = entered * second + bytes_.unsigned_integer(4);
  const std::uint64_t left = seconds();
  record.exit = std::max(record.entry, left * second + bytes_.unsigned_integer(4));
}

void RecordReader::read_list(const LaidOut& field, unsigned bytes, Record& record) {
  std::vector<std::int32_t>& list = record.lists[static_cast<std::size_t>(field.field)];
  list.clear();
  const std::size_t length = bytes_.count(bytes);
  for (std::size_t i = 0; i < length; ++i)
    list.push_back(static_cast<std::int32_t>(bytes_.unsigned_integer(bytes)));
}

void RecordReader::read_statuses(Record& record) {
  const bool tags = file_.version() >= statuses_have_tags;
  const std::size_t length = bytes_.count(tags ? 14 : 10);
  for (std::size_t i = 0; i < length; ++i) {
    Status status;
    status.bytes = bytes_.word();
    status.source = bytes_.word();
    status.cancelled = bytes_.byte() != 0;
    bytes_.skip(1); // the error
    if (tags) status.tag = bytes_.word();
    record.statuses.push_back(status);
  }
}

void RecordReader::read_table(Record& record) {
  record.table.clear();
  for (std::size_t rows = bytes_.count(4); rows > 0; --rows) {
    std::vector<std::int32_t>& row = record.table.emplace_back();
    for (std::size_t length = bytes_.count(4); length > 0; --length)
      row.push_back(bytes_.word());
  }
}

void RecordReader::skip_texts() {
  for (std::size_t texts = bytes_.count(4); texts > 0; --texts)
    bytes_.skip(bytes_.count(1));
}

void RecordReader::skip_arguments(const Record& record) {
  std::size_t arguments = bytes_.count(4);
  if (file_.version() < arguments_counted_once && record.is(Call::Init)) bytes_.skip(4);
  for (; arguments > 0; --arguments)
    bytes_.skip(bytes_.count(1));
}

void RecordReader::read_field(const LaidOut& field, std::uint8_t mask, Record& record) {
  std::int64_t& value = record.values[static_cast<std::size_t>(field.field)];
  const auto since = [this, &field, &record](Version version) {
    if (file_.version() >= version) return read_list(field, 4, record);
    record.lists[static_cast<std::size_t>(field.field)] = {bytes_.word()};
  };
  switch (field.form) {
  case Form::byte:
    value = bytes_.byte();
    return;
  case Form::half:
    value = bytes_.half();
    return;
  case Form::word:
    value = bytes_.word();
    return;
  case Form::wide:
    value = static_cast<std::int64_t>(bytes_.unsigned_integer(8));
    return;
  case Form::list8:
    return read_list(field, 1, record);
  case Form::list16:
    return read_list(field, 2, record);
  case Form::list32:
    return read_list(field, 4, record);
  case Form::list68:
    return since({0, 6, 8});
  case Form::list69:
    return since({0, 6, 9});
  case Form::table32:
    return read_table(record);
  case Form::text:
    return bytes_.skip(bytes_.count(1));
  case Form::texts:
    return skip_texts();
  case Form::texttable:
    for (std::size_t rows = bytes_.count(4); rows > 0; --rows)
      skip_texts();
    return;
  case Form::arguments:
    return skip_arguments(record);
  case Form::statuses:
    if ((mask & has_statuses) != 0) read_statuses(record);
    return;
  }
}

} // namespace timeless::trace::formats::dumpi
