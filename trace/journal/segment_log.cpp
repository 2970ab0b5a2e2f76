#include "trace/journal/segment_log.h"

#include "base/bytes.h"
#include "base/error.h"
#include "trace/codec/entry_codec.h"
#include "trace/codec/format.h"
#include "trace/codec/layout.h"
#include "trace/journal/format.h"

#include <limits>
#include <utility>

namespace timeless::trace {

namespace {

/// Communicators, modules, callers and kernels, in this order.
constexpr std::uint64_t lists_with_numbers = 5;

/// Follows a log record by record. What has been read since the last check that held can be undone.
class LogReader {
public:
  LogReader(std::string_view log, std::uint64_t run_identity, std::uint64_t first_action, bool with_times,
            SegmentLog& result)
      : log_(log), reader_(log), check_(run_identity, first_action), with_times_(with_times), result_(result) {}

  void read(std::uint32_t last_check) {
    try {
      while (reader_.remaining() > 0)
        take_record();
      demand(last_check);
    } catch (const Error& problem) {
      undo();
      result_.damage = problem.description();
    }
    sequence_.resize(good_actions_);
    volumes_.resize(good_volumes_);
    result_.definitions.resize(good_definitions_);
    if (with_times_) times_.resize(good_actions_);
    result_.block.assign(std::move(sequence_), std::move(volumes_));
    result_.block.assign_times(std::move(times_));
  }

private:
  void take_record() {
    const std::uint64_t record = reader_.varint();
    if (record == record_check) return demand(reader_.fixed<std::uint32_t>());
    check_.add(record);
    if (record == record_definitions) return take_definitions();
    if (record == record_replacement) return take_replacement();
    const std::uint32_t entry = take_entry(record);
    if (sequence_.size() >= max_block_actions) reader_.fail("more actions than a block can hold");
    sequence_.push_back(entry);
    if (has_volume(result_.block.dictionary()[entry].kind)) volumes_.push_back(value());
    if (with_times_) take_times();
  }

  void take_times() {
    const std::uint64_t entry = last_exit_ + static_cast<std::uint64_t>(unzigzag(value()));
    const std::uint64_t duration = value();
    if (duration > std::numeric_limits<std::uint64_t>::max() - entry) reader_.fail("a time out of range");
    last_exit_ = entry + duration;
    times_.push_back({entry, last_exit_});
  }

  std::uint64_t value() {
    const std::uint64_t value = reader_.varint();
    check_.add(value);
    return value;
  }

  std::uint32_t take_entry(std::uint64_t record) {
    const std::size_t known = result_.block.dictionary().size();
    if (record >= record_entry) {
      if (record - record_entry >= known) reader_.fail("an entry that was not made");
      return static_cast<std::uint32_t>(record - record_entry);
    }
    if (record != record_new_entry) reader_.fail("a record of an unknown kind");
    if (known >= max_block_actions) reader_.fail("more entries than a block can have");
    const std::size_t begin = position();
    const std::uint32_t entry = result_.block.add_entry(decoder_.decode(reader_).action);
    check_.add(checksum(log_.substr(begin, position() - begin)));
    return entry;
  }

  void take_replacement() {
    const std::uint64_t place = value();
    const std::uint64_t record = value();
    const std::uint32_t entry = take_entry(record);
    const auto dictionary = result_.block.dictionary();
    if (place >= sequence_.size() || has_volume(dictionary[entry].kind) ||
        has_volume(dictionary[sequence_[place]].kind))
      reader_.fail("a replacement of an action that was not made");
    replaced_.emplace_back(place, std::exchange(sequence_[place], entry));
  }

  void take_definitions() {
    const std::string_view bytes = reader_.take(reader_.count());
    check_.add(checksum(bytes));
    result_.definitions.emplace_back(bytes);
  }

  void demand(std::uint32_t check) {
    if (check != check_.value()) reader_.fail("records that do not match their check");
    good_actions_ = sequence_.size();
    good_volumes_ = volumes_.size();
    good_definitions_ = result_.definitions.size();
    replaced_.clear();
  }

  void undo() {
    for (; !replaced_.empty(); replaced_.pop_back())
      sequence_[replaced_.back().first] = replaced_.back().second;
  }

  std::size_t position() const { return log_.size() - reader_.remaining(); }

  std::string_view log_;
  ByteReader reader_;
  EntryDecoder decoder_;
  JournalCheck check_;
  bool with_times_;
  SegmentLog& result_;
  std::vector<std::uint32_t> sequence_;
  std::vector<std::uint64_t> volumes_;
  std::vector<ActionTimes> times_;
  std::uint64_t last_exit_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> replaced_; ///< since the last check: where, by what before
  std::size_t good_actions_ = 0;
  std::size_t good_volumes_ = 0;
  std::size_t good_definitions_ = 0;
};

} // namespace

std::string encode(const JournalDefinitions& definitions) {
  std::string bytes;
  put_varint(bytes, lists_with_numbers);
  put_varint(bytes, definitions.first_communicator);
  put_varint(bytes, definitions.first_module);
  put_varint(bytes, definitions.first_caller);
  put_varint(bytes, definitions.first_kernel);
  put_varint(bytes, definitions.first_region);
  return bytes.append(encode(definitions.definitions));
}

JournalDefinitions decode_journal_definitions(std::string_view bytes) {
  ByteReader reader(bytes);
  JournalDefinitions definitions;
  if (reader.varint() != lists_with_numbers) reader.fail("definitions this version does not know");
  definitions.first_communicator = reader.varint();
  definitions.first_module = reader.varint();
  definitions.first_caller = reader.varint();
  definitions.first_kernel = reader.varint();
  definitions.first_region = reader.varint();
  definitions.definitions = decode_definitions(reader.take(reader.remaining()));
  return definitions;
}

SegmentLog read_segment_log(std::string_view log, std::uint64_t run_identity, std::uint64_t first_action,
                            std::uint32_t check, bool times) {
  SegmentLog result;
  LogReader(log, run_identity, first_action, times, result).read(check);
  return result;
}

} // namespace timeless::trace
