#include "tools/replaying/smpi/smpi_apart.h"

#include "base/bytes.h"
#include "base/error.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/smpi/link_watch.h"

#include <cstdint>
#include <string_view>
#include <utility>

namespace timeless::tools {

namespace {

void put_texts(ByteWriter& words, const std::vector<std::string>& texts) {
  words.put(std::uint64_t{texts.size()});
  for (const std::string& text : texts)
    words.put(std::string_view(text));
}

std::vector<std::string> read_texts(ByteReader& words) {
  std::vector<std::string> texts;
  for (std::uint64_t left = words.number(); left > 0; --left)
    texts.push_back(words.text());
  return texts;
}

/// All that SMPI says of a run: times with all their digits.
std::string bytes_of(const replay::SmpiResult& result) {
  const replay::LaneResult& lane = result.replay.lanes.front();
  const replay::Attribution& attribution = result.replay.attribution;
  ByteWriter words;
  words.put(result.cpu_seconds);
  words.put(result.replay.actions);
  put_texts(words, result.replay.notes);
  words.put(std::string_view(lane.name));
  words.put(std::uint64_t{lane.ranks.size()});
  for (const replay::RankTimes& rank : lane.ranks)
    words.put(rank.end);
  words.put(static_cast<std::uint64_t>(attribution.by));
  put_texts(words, attribution.calls);
  words.put(std::uint64_t{attribution.parts.size()});
  for (const replay::AttributedTimes& part : attribution.parts) {
    words.put(static_cast<std::uint32_t>(part.rank), part.subject);
    words.put(part.count);
    words.put(part.lanes.front().end);
  }
  replay::smpi::write(words, result.full_links);
  return words.take();
}

replay::SmpiResult result_of(const std::string& bytes) {
  ByteReader words(bytes, ByteReader::From::process);
  replay::SmpiResult result{.replay = {}, .cpu_seconds = words.real()};
  replay::LaneResult lane;
  result.replay.actions = words.number();
  result.replay.notes = read_texts(words);
  lane.name = words.text();
  for (std::uint64_t left = words.number(); left > 0; --left)
    lane.ranks.push_back({.end = words.real()});
  replay::find_makespan(lane);
  result.replay.lanes.push_back(std::move(lane));
  result.replay.attributed = false;
  replay::Attribution& attribution = result.replay.attribution;
  attribution.by = static_cast<replay::AttributeBy>(words.number());
  attribution.calls = read_texts(words);
  for (std::uint64_t left = words.number(); left > 0; --left) {
    const std::uint64_t rank_and_subject = words.number();
    const std::uint64_t count = words.number();
    attribution.parts.push_back({.rank = static_cast<trace::Rank>(rank_and_subject >> 32U),
                                 .subject = static_cast<std::uint32_t>(rank_and_subject),
                                 .count = count,
                                 .lanes = {{.end = words.real()}}});
  }
  result.full_links = replay::smpi::read_full_links(words);
  return result;
}

} // namespace

replay::SmpiResult smpi_replay_apart(const trace::Source& source, const std::filesystem::path& platform,
                                     const std::vector<std::string>& settings, const replay::Mapping& mapping,
                                     replay::SmpiOptions options) {
  if (options.observer != nullptr)
    throw Error(Failure::usage, "a timeline shows one machine", "--timeline",
                "name one --platform, and another file for the next");
  const ChildProgress progress = std::exchange(options.progress, {});
  const auto work = [&](const ChildReport& report) {
    options.progress = [&report](std::uint64_t done, std::uint64_t total) { report.progress(done, total); };
    const replay::SimgridPlatform loaded = replay::SimgridPlatform::load(platform, settings);
    return bytes_of(replay::smpi_replay(source, loaded, mapping, options));
  };
  return result_of(replay::run_simgrid(
      work, {Failure::runtime, "SimGrid stopped during the replay", platform.string(), {}}, progress));
}

} // namespace timeless::tools
