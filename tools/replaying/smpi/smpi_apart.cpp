#include "tools/replaying/smpi/smpi_apart.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/simgrid/simgrid_process.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace timeless::tools {

namespace {

nlohmann::json said_of(const replay::SlowedMessages& slowed) {
  return nlohmann::json::array({slowed.messages, slowed.seconds});
}

replay::SlowedMessages slowed_of(const nlohmann::json& said) {
  return {.messages = said.at(0), .seconds = said.at(1)};
}

nlohmann::json said_of(const replay::FullLink& link) {
  nlohmann::json said{{"name", link.name},
                      {"bandwidth", link.bandwidth},
                      {"seconds", link.seconds},
                      {"slowed", said_of(link.slowed)},
                      {"at_once", link.most_at_once},
                      {"periods", nlohmann::json::array()},
                      {"kernels", nlohmann::json::array()}};
  for (const replay::Period& period : link.periods)
    said["periods"].push_back({period.begin, period.end});
  for (const auto& [kernel, slowed] : link.kernels)
    said["kernels"].push_back({kernel, said_of(slowed)});
  return said;
}

replay::FullLink link_of(const nlohmann::json& said) {
  replay::FullLink link{.name = said.at("name"),
                        .bandwidth = said.at("bandwidth"),
                        .seconds = said.at("seconds"),
                        .slowed = slowed_of(said.at("slowed")),
                        .most_at_once = said.at("at_once")};
  for (const nlohmann::json& period : said.at("periods"))
    link.periods.push_back({period.at(0), period.at(1)});
  for (const nlohmann::json& kernel : said.at("kernels"))
    link.kernels[kernel.at(0).get<std::uint32_t>()] = slowed_of(kernel.at(1));
  return link;
}

/// All that SMPI says of a run: times with all their digits.
std::string bytes_of(const replay::SmpiResult& result) {
  const replay::LaneResult& lane = result.replay.lanes.front();
  nlohmann::json said{{"cpu", result.cpu_seconds},          {"actions", result.replay.actions},
                      {"notes", result.replay.notes},       {"name", lane.name},
                      {"ends", nlohmann::json::array()},    {"parts", nlohmann::json::array()},
                      {"by", result.replay.attribution.by}, {"calls", result.replay.attribution.calls},
                      {"links", nlohmann::json::array()}};
  for (const replay::FullLink& link : result.full_links)
    said["links"].push_back(said_of(link));
  for (const replay::RankTimes& rank : lane.ranks)
    said["ends"].push_back(rank.end);
  for (const replay::AttributedTimes& part : result.replay.attribution.parts)
    said["parts"].push_back({part.rank, part.subject, part.count, part.lanes.front().end});
  return said.dump();
}

replay::SmpiResult result_of(const std::string& bytes) {
  const nlohmann::json said = nlohmann::json::parse(bytes);
  replay::SmpiResult result{.replay = {}, .cpu_seconds = said.at("cpu")};
  replay::LaneResult lane{.name = said.at("name"), .makespan = 0, .ranks = {}};
  for (const double end : said.at("ends"))
    lane.ranks.push_back({.end = end});
  replay::find_makespan(lane);
  result.replay.lanes.push_back(std::move(lane));
  result.replay.attributed = false;
  result.replay.actions = said.at("actions");
  result.replay.notes = said.at("notes").get<std::vector<std::string>>();
  result.replay.attribution.by = said.at("by").get<replay::AttributeBy>();
  result.replay.attribution.calls = said.at("calls").get<std::vector<std::string>>();
  for (const nlohmann::json& link : said.at("links"))
    result.full_links.push_back(link_of(link));
  for (const nlohmann::json& part : said.at("parts"))
    result.replay.attribution.parts.push_back(
        {.rank = part.at(0), .subject = part.at(1), .count = part.at(2), .lanes = {{.end = part.at(3)}}});
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
