#include "gather/parts/run_part.h"

#include "base/bytes.h"
#include "base/error.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace timeless::gather {

using trace::ArchiveReader;

namespace {

/// Returns how many actions a rank's segments hold. Throws when some are missing between them.
std::uint64_t held_actions(const ArchiveReader& archive, trace::Rank rank, const std::string& label) {
  try {
    const auto segments = archive.segments(rank);
    return segments.empty() ? 0 : segments.back().first_action + segments.back().actions;
  } catch (const Error& problem) {
    if (problem.failure() != Failure::invalid_input) throw;
    const std::string path = archive.path().string();
    const std::string& where = problem.where();
    throw Error(Failure::invalid_input, problem.description(),
                label + (where.starts_with(path) ? where.substr(path.size()) : ", " + where),
                "the file is damaged; take it again from its source, or move it away to gather without it");
  }
}

/// Damage is borne only at the end of a file that was not closed.
void demand_undamaged(const ArchiveReader& archive, const std::string& label) {
  for (const trace::Damage& damage : archive.damage())
    if (archive.finished() || damage.offset < archive.end_of_blocks())
      throw Error(Failure::invalid_input, damage.what, label + ", byte " + std::to_string(damage.offset),
                  "the file is damaged; take it again from its source, or move it away to gather without it");
}

/// Returns why a file that was not closed ends where it does.
std::string cut_reason(const ArchiveReader& archive) {
  if (archive.damage().empty()) return "the file was not closed: its process was killed, or is still running";
  const trace::Damage& damage = archive.damage().front();
  return "the file is cut short at byte " + std::to_string(damage.offset) + ": " + damage.what;
}

/// Returns the rank's record as far as its blocks go.
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
  for (trace::RankRecord& record : part.run.ranks) {
    const std::uint64_t held = held_actions(archive, record.rank, label);
    record = settled(std::move(record), held, archive, label);
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
  ByteWriter packed;
  packed.put(trace::encode(definitions));
  for (const std::string& label : part.labels)
    packed.put(label);
  return packed.bytes();
}

RunPart decode_run_part(std::string_view bytes) {
  ByteReader packed(bytes, ByteReader::From::process);
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
