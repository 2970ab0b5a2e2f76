#include "trace/journal/tail.h"

#include "base/error.h"
#include "trace/codec/compression.h"
#include "trace/codec/definitions/definitions.h"
#include "trace/codec/layout.h"
#include "trace/codec/segment/segment_encoder.h"
#include "trace/codec/times_codec.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace timeless::trace {

namespace {

constexpr int compression_level = 1; // only for the way to the reader

/// Adds what neither the run nor the additions have yet. Throws when some are missing between.
template <typename Value>
void add(std::vector<Value>& list, std::uint64_t first, const std::vector<Value>& run, std::vector<Value>& additions) {
  const std::size_t known = run.size() + additions.size();
  if (!list.empty() && first > known) throw Error(Failure::invalid_input, "definitions are missing");
  for (std::uint64_t skipped = known - std::min<std::uint64_t>(first, known); skipped < list.size(); ++skipped)
    additions.push_back(std::move(list[skipped]));
}

std::size_t members(const Definitions& definitions) {
  std::size_t count = 0;
  for (const Communicator& communicator : definitions.communicators)
    count += communicator.members.size() + communicator.remote_members.size();
  return count;
}

/// Adds definitions to a run, as long as all that are looked at stay within what one run may have.
class Definer {
public:
  explicit Definer(Run& run) : run_(run) {}

  void define(std::span<const std::string> records) {
    Definitions additions;
    for (const std::string& record : records) {
      JournalDefinitions more = decode_journal_definitions(record);
      members_ += members(more.definitions);
      if (members_ > max_members) throw Error(Failure::invalid_input, "more members than a run can have");
      add(more.definitions.communicators, more.first_communicator, run_.communicators, additions.communicators);
      add(more.definitions.modules, more.first_module, run_.modules, additions.modules);
      add(more.definitions.callers, more.first_caller, run_.callers, additions.callers);
      add(more.definitions.kernels, more.first_kernel, run_.kernels, additions.kernels);
      add(more.definitions.regions, more.first_region, run_.regions, additions.regions);
    }
    apply(additions, run_);
  }

private:
  Run& run_;
  std::size_t members_ = 0;
};

/// Appends segments as blocks of an archive.
class TailWriter {
public:
  TailWriter(Rank rank, JournalTail& tail) : rank_(rank), tail_(tail) {}

  void write(const ActionBlock& block) {
    if (block.empty()) return;
    std::string structure;
    std::string volumes;
    std::string times;
    encoder_.encode(block, structure, volumes);
    encode_times(block.times(), times);
    if (std::max({structure.size(), volumes.size(), times.size()}) <= max_block_bytes)
      return put(block, structure, volumes, times);
    if (block.size() == 1) throw Error(Failure::invalid_input, "an action is larger than a block can be");
    write(part(block, 0, block.size() / 2));
    write(part(block, block.size() / 2, block.size()));
  }

private:
  void put(const ActionBlock& block, const std::string& structure, const std::string& volumes,
           const std::string& times) {
    BlockHeader header{.type = BlockType::structure,
                       .rank = rank_,
                       .actions = static_cast<std::uint32_t>(block.size()),
                       .plain_bytes = static_cast<std::uint32_t>(structure.size()),
                       .first_action = tail_.actions};
    std::string stored;
    compress(structure, compression_level, stored);
    put(header, stored);
    header.type = BlockType::volumes;
    header.plain_bytes = static_cast<std::uint32_t>(volumes.size());
    put(header, volumes);
    if (!times.empty()) {
      header.type = BlockType::times;
      header.plain_bytes = static_cast<std::uint32_t>(times.size());
      compress(times, compression_level, stored);
      put(header, stored);
    }
    tail_.actions += block.size();
  }

  void put(BlockHeader header, const std::string& payload) {
    header.stored_bytes = static_cast<std::uint32_t>(payload.size());
    put_block_header(tail_.bytes, header, payload);
    tail_.bytes += payload;
  }

  Rank rank_;
  JournalTail& tail_;
  SegmentEncoder encoder_;
};

} // namespace

JournalTail continue_with(const JournalImage& journal, Run& run, std::uint64_t actions) {
  JournalTail tail;
  tail.actions = actions;
  TailWriter writer(journal.header().rank, tail);
  Definer definer(run);
  for (const JournalImage::Segment& segment : journal.segments()) {
    if (segment.first_action > tail.actions) {
      tail.damage = "actions are missing from action " + std::to_string(tail.actions) + " on";
      break;
    }
    SegmentLog log = journal.log(segment);
    try {
      if (!log.definitions.empty()) definer.define(log.definitions);
      const std::uint64_t known = tail.actions - segment.first_action;
      if (known < log.block.size()) writer.write(part(log.block, static_cast<std::size_t>(known), log.block.size()));
    } catch (const Error& problem) {
      log.damage = problem.description();
    }
    tail.damage = log.damage;
    if (!tail.damage.empty()) break;
  }
  return tail;
}

} // namespace timeless::trace
