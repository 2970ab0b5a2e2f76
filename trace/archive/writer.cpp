#include "trace/archive/writer.h"

#include "trace/archive/compression.h"
#include "trace/archive/layout.h"
#include "trace/encoding/block_codec.h"
#include "trace/encoding/bytes.h"
#include "trace/encoding/times_codec.h"
#include "trace/error.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace timeless::trace {

namespace {

/// The largest a file of this process may grow: writing beyond is not only an error but a signal that kills.
std::uint64_t most_file_bytes() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/// Rows of the index per index block.
constexpr std::size_t index_rows_per_block = std::size_t{1} << 18U;
/// The index of some ten million actions fits without asking for more memory.
constexpr std::size_t first_index_bytes = std::size_t{32} << 10U;

} // namespace

struct ArchiveWriter::State {
  std::filesystem::path path;
  WriterOptions options;
  int file = -1;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  BlockHeader last; ///< of the block written last
  /// Of the index, as it will be written: a dozen bytes a block is all that grows with the archive.
  std::vector<std::string> rows;
  std::map<Rank, std::uint64_t> actions; ///< written so far, by rank
  // Kept from one block to the next.
  BlockEncoder encoder;
  std::string plain;
  std::string times;
  std::string compressed;
  std::string whole_block;

  ~State() {
    if (file >= 0) ::close(file);
  }

  [[noreturn]] void fail(const char* what, int code) const {
    throw Error(Failure::runtime, std::string(what) + ": " + std::strerror(code), path.string(),
                code == ENOSPC || code == EDQUOT ? "free some space or choose another directory" : "");
  }

  /// What the last definitions, the index and the footer may take, so that the limit on a file's size leaves it an end.
  std::uint64_t end_bytes() const {
    constexpr std::size_t last_definitions = 512;
    constexpr std::size_t index_row = 16;
    return last_definitions + 2 * block_header_bytes + footer_bytes + index_row * (blocks + 1);
  }

  /// Appends all of it, or, when that fails, nothing: what is cut back may leave room for the index.
  void put(std::string_view data, std::uint64_t to_be_left = 0) {
    if (file < 0) throw Error(Failure::runtime, "the archive is closed", path.string());
    if (bytes + data.size() + to_be_left > most_file_bytes()) fail("cannot write the archive", EFBIG);
    const std::uint64_t whole = bytes;
    while (!data.empty()) {
      const ssize_t written = ::write(file, data.data(), data.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        const int code = errno;
        if (::ftruncate(file, static_cast<off_t>(whole)) == 0 && ::lseek(file, 0, SEEK_END) >= 0) bytes = whole;
        fail("cannot write the archive", code);
      }
      bytes += static_cast<std::uint64_t>(written);
      data.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void put_stored(BlockHeader header, std::string_view payload) {
    header.stored_bytes = static_cast<std::uint32_t>(payload.size());
    whole_block.clear();
    put_block_header(whole_block, header, payload);
    whole_block.append(payload);
    put(whole_block, header.type == BlockType::actions ? end_bytes() : 0);
    last = header;
    if (header.type != BlockType::index) add_to_index(header);
  }

  void add_to_index(const BlockHeader& header) {
    if (blocks++ % index_rows_per_block == 0) rows.emplace_back().reserve(first_index_bytes);
    put_index_row(rows.back(), header);
  }

  void put_block(BlockHeader header, std::string_view data) {
    header.plain_bytes = static_cast<std::uint32_t>(data.size());
    compress(data, options.compression_level, compressed);
    put_stored(header, compressed);
  }

  /// Writes a list of definitions in halves until each fits a block.
  template <typename Value>
  void define_list(std::span<const Value> list, std::vector<Value> Definitions::*member) {
    if (list.empty()) return;
    Definitions definitions;
    definitions.*member = {list.begin(), list.end()};
    const std::string encoded = encode(definitions);
    if (encoded.size() <= max_block_bytes) return put_block({.type = BlockType::definitions}, encoded);
    if (list.size() == 1)
      throw Error(Failure::runtime, "a single definition is larger than a block can be", path.string());
    define_list(list.first(list.size() / 2), member);
    define_list(list.subspan(list.size() / 2), member);
  }
};

ArchiveWriter::ArchiveWriter(const std::filesystem::path& path, WriterOptions options)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->options = options;
  state_->file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (state_->file < 0) state_->fail("cannot create the archive", errno);
  state_->put(encode_file_header());
}

ArchiveWriter::~ArchiveWriter() = default;
ArchiveWriter::ArchiveWriter(ArchiveWriter&&) noexcept = default;
ArchiveWriter& ArchiveWriter::operator=(ArchiveWriter&&) noexcept = default;

void ArchiveWriter::define(const Definitions& definitions) {
  const std::string plain = encode(definitions);
  if (plain.size() <= max_block_bytes) return state_->put_block({.type = BlockType::definitions}, plain);
  Definitions scalars;
  scalars.size = definitions.size;
  scalars.counter = definitions.counter;
  scalars.provenance = definitions.provenance;
  scalars.profile_events = definitions.profile_events;
  state_->put_block({.type = BlockType::definitions}, encode(scalars));
  // Order matters: what is referred to comes before what refers to it.
  state_->define_list<Host>(definitions.hosts, &Definitions::hosts);
  state_->define_list<Communicator>(definitions.communicators, &Definitions::communicators);
  state_->define_list<Module>(definitions.modules, &Definitions::modules);
  state_->define_list<Caller>(definitions.callers, &Definitions::callers);
  state_->define_list<Kernel>(definitions.kernels, &Definitions::kernels);
  state_->define_list<std::string>(definitions.regions, &Definitions::regions);
  state_->define_list<RankRecord>(definitions.ranks, &Definitions::ranks);
  state_->define_list<RankNumbers>(definitions.numbers, &Definitions::numbers);
}

void ArchiveWriter::write(Rank rank, const ActionBlock& block) {
  if (block.empty()) return;
  if (!block.times().empty() && block.times().size() != block.size())
    throw Error(Failure::runtime, "a block with times for some of its actions only", state_->path.string());
  std::string& plain = state_->plain;
  std::string& times = state_->times;
  plain.clear();
  times.clear();
  if (block.size() <= max_block_actions) {
    state_->encoder.encode(block, plain);
    encode_times(block.times(), times);
  }
  if (block.size() > max_block_actions || std::max(plain.size(), times.size()) > max_block_bytes) {
    if (block.size() == 1)
      throw Error(Failure::runtime, "a single action is larger than a block can be", state_->path.string());
    write(rank, part(block, 0, block.size() / 2));
    write(rank, part(block, block.size() / 2, block.size()));
    return;
  }
  std::uint64_t& written = state_->actions[rank];
  BlockHeader header{.type = BlockType::actions,
                     .rank = rank,
                     .actions = static_cast<std::uint32_t>(block.size()),
                     .first_action = written};
  state_->put_block(header, plain);
  written += block.size();
  header.type = BlockType::times;
  if (!times.empty()) state_->put_block(header, times);
}

void ArchiveWriter::copy(const BlockHeader& header, std::span<const std::byte> payload) {
  std::uint64_t& written = state_->actions[header.rank];
  const bool times = header.type == BlockType::times;
  const std::uint64_t place = header.first_action + (times ? header.actions : 0);
  if ((header.type != BlockType::actions && !times) || place != written)
    throw Error(Failure::invalid_input, "a block out of order", "rank " + std::to_string(header.rank));
  state_->put_stored(header, {reinterpret_cast<const char*>(payload.data()), payload.size()});
  if (!times) written += header.actions;
}

std::uint64_t ArchiveWriter::leave_room(std::uint64_t room) {
  State& state = *state_;
  const std::uint64_t begin = state.bytes;
  const std::uint64_t end = begin + room;
  if (room == 0) return begin;
  if (end + state.end_bytes() > most_file_bytes()) state.fail("cannot write the archive", EFBIG);
  int refused = 0;
  while (::fallocate(state.file, 0, static_cast<off_t>(begin), static_cast<off_t>(room)) != 0)
    if ((refused = errno) != EINTR) break;
  // Other refusals mean that this file system cannot tell beforehand.
  if (refused == ENOSPC || refused == EDQUOT || refused == EFBIG) state.fail("cannot write the archive", refused);
  if (::lseek(state.file, static_cast<off_t>(end), SEEK_SET) < 0) state.fail("cannot write the archive", errno);
  state.bytes = end;
  return begin;
}

void ArchiveWriter::adopt(const BlockHeader& header) {
  state_->add_to_index(header);
}

void ArchiveWriter::finish() {
  const Footer footer{.index_offset = state_->bytes, .blocks = state_->blocks};
  for (std::uint64_t left = footer.blocks; const std::string& part : state_->rows) {
    const std::uint64_t number = std::min<std::uint64_t>(left, index_rows_per_block);
    std::string index;
    put_varint(index, number);
    state_->put_block({.type = BlockType::index}, index.append(part));
    left -= number;
  }
  state_->put(encode_footer(footer));
  struct stat status {};
  const bool removed = ::fstat(state_->file, &status) == 0 && status.st_nlink == 0;
  const int file = std::exchange(state_->file, -1);
  if (::close(file) != 0) state_->fail("cannot close the archive", errno);
  if (removed)
    throw Error(Failure::runtime, "the archive was removed while it was being written", state_->path.string());
}

std::uint64_t ArchiveWriter::actions_written(Rank rank) const {
  const auto found = state_->actions.find(rank);
  return found == state_->actions.end() ? 0 : found->second;
}

const BlockHeader& ArchiveWriter::last_block() const {
  return state_->last;
}

std::uint64_t ArchiveWriter::bytes_written() const {
  return state_->bytes;
}

} // namespace timeless::trace
