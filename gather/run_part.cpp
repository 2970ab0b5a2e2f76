#include "gather/run_part.h"

#include "gather/packing.h"
#include "trace/error.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace timeless::gather {

using trace::ArchiveReader;

namespace {

/// How many actions a rank's blocks hold, when they follow on one another from the first.
/// Throws when some are missing between them.
std::uint64_t contiguous_actions(std::span<const trace::BlockPlace> blocks, const std::string& where) {
  std::uint64_t actions = 0;
  for (const trace::BlockPlace& place : blocks) {
    if (place.header.first_action != actions)
      throw Error(Failure::invalid_input,
                  "rank " + std::to_string(place.header.rank) + " lacks actions from action " +
                      std::to_string(actions) + " to " + std::to_string(place.header.first_action),
                  where, "the file is damaged; take it again from its source, or move it away to gather without it");
    actions += place.header.actions;
  }
  return actions;
}

/// Damage is borne only at the end of a file that was not closed.
void demand_undamaged(const ArchiveReader& archive, const std::string& label) {
  std::uint64_t last_block = 0;
  for (const trace::BlockPlace& place : archive.blocks())
    last_block = std::max(last_block, place.offset);
  for (const trace::Damage& damage : archive.damage())
    if (archive.finished() || damage.offset < last_block)
      throw Error(Failure::invalid_input, damage.what, label + ", byte " + std::to_string(damage.offset),
                  "the file is damaged; take it again from its source, or move it away to gather without it");
}

/// Why a file that was not closed ends where it does.
std::string cut_reason(const ArchiveReader& archive) {
  if (archive.damage().empty()) return "the file was not closed: its process was killed, or is still running";
  const trace::Damage& damage = archive.damage().front();
  return "the file is cut short at byte " + std::to_string(damage.offset) + ": " + damage.what;
}

/// The rank's record as far as its blocks go.
trace::RankRecord settled(trace::RankRecord record, std::uint64_t held, const ArchiveReader& archive,
                          const std::string& label) {
  if (record.ending != trace::Ending::unknown && held != record.actions)
    throw Error(Failure::invalid_input,
                "rank " + std::to_string(record.rank) + " has " + std::to_string(held) + " actions of " +
                    std::to_string(record.actions),
                label, "the file is cut short; take it again from its source, or move it away to gather without it");
  record.actions = held;
  if (record.ending == trace::Ending::unknown && record.ending_reason.empty())
    record.ending_reason = cut_reason(archive);
  return record;
}

} // namespace

RunPart part_of(const ArchiveReader& archive, const std::string& label) {
  demand_undamaged(archive, label);
  RunPart part{.run = archive.run(), .numbers = {}, .labels = {}};
  if (part.run.ranks.empty())
    throw Error(Failure::invalid_input, "the archive holds no rank", label, "move it away to gather without it");
  auto block = archive.blocks().begin();
  for (trace::RankRecord& record : part.run.ranks) {
    const auto begin = block;
    while (block != archive.blocks().end() && block->header.rank == record.rank)
      ++block;
    record = settled(std::move(record), contiguous_actions({begin, block}, label), archive, label);
    part.numbers.push_back(archive.numbers(record.rank));
    part.labels.push_back(label);
  }
  return part;
}

std::string encode(const RunPart& part) {
  trace::Definitions definitions = definitions_of(part.run);
  definitions.numbers = part.numbers;
  for (std::size_t i = 0; i < part.numbers.size(); ++i)
    definitions.numbers[i].rank = part.run.ranks[i].rank;
  Packer packed;
  packed.put(trace::encode(definitions));
  for (const std::string& label : part.labels)
    packed.put(label);
  return packed.bytes();
}

RunPart decode_run_part(std::string_view bytes) {
  Unpacker packed(bytes);
  trace::Definitions definitions = trace::decode_definitions(packed.text());
  RunPart part;
  apply(definitions, part.run);
  part.numbers = std::move(definitions.numbers);
  for (std::size_t i = 0; i < part.run.ranks.size(); ++i)
    part.labels.push_back(packed.text());
  if (part.numbers.size() != part.run.ranks.size())
    throw Error(Failure::runtime, "a message between processes does not fit together");
  return part;
}

} // namespace timeless::gather
