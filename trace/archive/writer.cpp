#include "trace/archive/writer.h"

#include "base/bytes.h"
#include "base/descriptors.h"
#include "base/error.h"
#include "base/files/guarded_file.h"
#include "base/files/temporary_file.h"
#include "trace/codec/compression.h"
#include "trace/codec/layout.h"
#include "trace/codec/segment/segment_encoder.h"
#include "trace/codec/times_codec.h"

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

/// Returns the largest a file of this process may grow: writing beyond is not only an error but a signal that kills.
std::uint64_t most_file_bytes() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

/// Rows of the index per index block.
constexpr std::size_t index_rows_per_block = std::size_t{1} << 18U;
/// Shared structures per block, in bytes; those that resemble each other are best together.
constexpr std::size_t shared_bytes_per_block = std::size_t{1} << 20U;
constexpr int shared_compression_level = 19;

} // namespace

struct ArchiveWriter::State {
  std::filesystem::path path;
  WriterOptions options;
  GuardedFile file;
  std::uint64_t bytes = 0;
  std::uint64_t rows = 0; ///< of the index
  /// Of the index, as it will be written: some bytes a rank, or a block of definitions, are all that grows.
  std::vector<std::string> index;
  Rank extent_rank = no_rank; ///< whose blocks are being written
  std::uint64_t extent_bytes = 0;
  std::map<Rank, std::uint64_t> actions; ///< written so far, by rank
  std::uint32_t shared = 0;              ///< structures
  // Kept from one segment to the next.
  SegmentEncoder encoder;
  std::string structure;
  std::string volumes;
  std::string times;
  std::string compressed;
  std::string whole;              ///< blocks, as they will stand in the file
  std::vector<BlockHeader> added; ///< these

  [[noreturn]] void fail(const char* what, int code) const {
    throw Error(Failure::runtime, std::string(what) + ": " + std::strerror(code), output_of(path).string(),
                code == ENOSPC || code == EDQUOT ? "free some space or choose another directory" : "");
  }

  /// Returns what the last definitions, the index and the footer may take, so that the limit on a file's size leaves it
  /// an end.
  std::uint64_t end_bytes() const {
    constexpr std::size_t last_definitions = 512;
    constexpr std::size_t index_row = 16;
    return last_definitions + 2 * block_header_bytes + footer_bytes + index_row * (rows + 2);
  }

  int own_descriptor() {
    if (!file.open()) throw Error(Failure::runtime, "the archive is closed", path.string());
    const int descriptor = file.descriptor();
    if (descriptor < 0) fail("the program has closed the archive, and it cannot be opened again", errno);
    return descriptor;
  }

  /// Appends all of it, or, when that fails, nothing: what is cut back may leave room for the index.
  void put(std::string_view data, std::uint64_t to_be_left = 0) {
    const int descriptor = own_descriptor();
    if (bytes + data.size() + to_be_left > most_file_bytes()) fail("cannot write the archive", EFBIG);
    const std::size_t written = write_at(descriptor, bytes, data);
    if (written < data.size()) {
      const int code = errno;
      if (::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) bytes += written;
      fail("cannot write the archive", code);
    }
    bytes += written;
  }

  /// Adds a block to what is written next.
  void add_stored(BlockHeader header, std::string_view payload) {
    header.stored_bytes = static_cast<std::uint32_t>(payload.size());
    put_block_header(whole, header, payload);
    whole.append(payload);
    added.push_back(header);
  }

  void add_block(BlockHeader header, std::string_view data, int level) {
    header.plain_bytes = static_cast<std::uint32_t>(data.size());
    compress(data, level, compressed);
    add_stored(header, compressed);
  }

  /// Writes what has been added, all or nothing.
  void put_added(std::uint64_t to_be_left = 0) {
    try {
      put(whole, to_be_left);
    } catch (const Error&) {
      whole.clear();
      added.clear();
      throw;
    }
    whole.clear();
    for (const BlockHeader& header : added)
      enter(header);
    added.clear();
  }

  /// Enters a block that has been written into the index.
  void enter(const BlockHeader& header) {
    if (!of_rank(header.type) || header.rank != extent_rank) end_extent();
    if (of_rank(header.type)) {
      extent_rank = header.rank;
      extent_bytes += block_header_bytes + header.stored_bytes;
    } else if (header.type != BlockType::index) {
      put_index_row(next_row(), header);
    }
  }

  void put_block(const BlockHeader& header, std::string_view data) {
    add_block(header, data, options.compression_level);
    put_added();
  }

  std::string& next_row() {
    if (rows++ % index_rows_per_block == 0) index.emplace_back();
    return index.back();
  }

  void end_extent() {
    if (extent_bytes > 0) put_extent_row(next_row(), extent_rank, extent_bytes);
    extent_rank = no_rank;
    extent_bytes = 0;
  }

  /// Writes the segment, in halves where it would not fit blocks.
  void write(Rank rank, const ActionBlock& block) {
    structure.clear();
    volumes.clear();
    times.clear();
    if (block.size() <= max_block_actions) {
      encoder.encode(block, structure, volumes);
      encode_times(block.times(), times);
    }
    if (block.size() > max_block_actions ||
        std::max({structure.size(), volumes.size(), times.size()}) > max_block_bytes) {
      if (block.size() == 1)
        throw Error(Failure::runtime, "a single action is larger than a block can be", path.string());
      write(rank, part(block, 0, block.size() / 2));
      write(rank, part(block, block.size() / 2, block.size()));
      return;
    }
    put_segment(rank, static_cast<std::uint32_t>(block.size()));
  }

  void put_segment(Rank rank, std::uint32_t size) {
    std::uint64_t& written = actions[rank];
    BlockHeader header{.type = BlockType::structure, .rank = rank, .actions = size, .first_action = written};
    add_block(header, structure, options.compression_level);
    header.type = BlockType::volumes;
    header.plain_bytes = static_cast<std::uint32_t>(volumes.size());
    add_stored(header, volumes);
    header.type = BlockType::times;
    if (!times.empty()) add_block(header, times, options.compression_level);
    put_added(end_bytes());
    written += size;
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
  if (const int code = state_->file.create(path, O_WRONLY); code != 0) state_->fail("cannot create the archive", code);
  try {
    state_->put(encode_file_header());
  } catch (const Error&) {
    ::unlink(path.c_str()); // an empty file would stand in the way of the next attempt
    throw;
  }
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
  state_->write(rank, block);
}

void ArchiveWriter::copy(const BlockHeader& header, std::string_view payload) {
  std::uint64_t& written = state_->actions[header.rank];
  const bool next = header.type != BlockType::times;
  if (!of_rank(header.type) || header.first_action + (next ? 0 : header.actions) != written)
    throw Error(Failure::invalid_input, "a block out of order", "rank " + std::to_string(header.rank));
  state_->add_stored(header, payload);
  state_->put_added();
  if (header.type == BlockType::volumes) written += header.actions;
}

std::uint32_t ArchiveWriter::share(std::span<const std::string> structures) {
  const std::uint32_t first = state_->shared;
  for (std::size_t next = 0; next < structures.size();) {
    std::string plain;
    BlockHeader header{.type = BlockType::shared, .first_action = state_->shared};
    while (next < structures.size() &&
           (plain.empty() || plain.size() + structures[next].size() < shared_bytes_per_block)) {
      put_varint(plain, structures[next].size());
      plain += structures[next++];
      ++header.actions;
    }
    if (plain.size() > max_block_bytes)
      throw Error(Failure::runtime, "a structure is larger than a block can be", state_->path.string());
    state_->add_block(header, plain, shared_compression_level);
    state_->put_added();
    state_->shared += header.actions;
  }
  return first;
}

void ArchiveWriter::write(const Layout& layout) {
  std::string plain;
  layout.encode(plain);
  if (plain.size() > max_block_bytes)
    throw Error(Failure::runtime, "the ranks share structures in more ways than a block can say",
                state_->path.string());
  state_->put_block({.type = BlockType::layout}, plain);
}

std::uint64_t ArchiveWriter::leave_room(std::uint64_t room) {
  State& state = *state_;
  const std::uint64_t begin = state.bytes;
  const std::uint64_t end = begin + room;
  if (room == 0) return begin;
  if (end + state.end_bytes() > most_file_bytes()) state.fail("cannot write the archive", EFBIG);
  const int descriptor = state.own_descriptor();
  int refused = 0;
  while (::fallocate(descriptor, 0, static_cast<off_t>(begin), static_cast<off_t>(room)) != 0)
    if ((refused = errno) != EINTR) break;
  // Other refusals mean that this file system cannot tell beforehand.
  if (refused == ENOSPC || refused == EDQUOT || refused == EFBIG) state.fail("cannot write the archive", refused);
  state.bytes = end;
  return begin;
}

void ArchiveWriter::adopt(Rank rank, std::uint64_t bytes) {
  state_->end_extent();
  if (bytes > 0) put_extent_row(state_->next_row(), rank, bytes);
}

void ArchiveWriter::finish() {
  state_->end_extent();
  const Footer footer{.index_offset = state_->bytes, .rows = state_->rows};
  for (std::uint64_t left = footer.rows; const std::string& part : state_->index) {
    const std::uint64_t number = std::min<std::uint64_t>(left, index_rows_per_block);
    std::string index;
    put_varint(index, number);
    state_->put_block({.type = BlockType::index}, index.append(part));
    left -= number;
  }
  state_->put(encode_footer(footer));
  struct stat status {};
  const bool removed = ::fstat(state_->own_descriptor(), &status) == 0 && status.st_nlink == 0;
  if (const int code = state_->file.close(); code != 0) state_->fail("cannot close the archive", code);
  if (removed)
    throw Error(Failure::runtime, "the archive was removed while it was being written", state_->path.string());
}

std::uint64_t ArchiveWriter::actions_written(Rank rank) const {
  const auto found = state_->actions.find(rank);
  return found == state_->actions.end() ? 0 : found->second;
}

unsigned ArchiveWriter::times_reopened() const {
  return state_->file.times_reopened();
}

} // namespace timeless::trace
