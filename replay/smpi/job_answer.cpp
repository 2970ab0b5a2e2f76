#include "replay/smpi/job_answer.h"

#include <utility>

namespace timeless::replay::smpi {

namespace {

void attribute(Result& result, AttributeBy by, const JobAnswer& answer) {
  Attribution& attribution = result.attribution;
  attribution.by = by;
  for (std::size_t begin = 0; begin < answer.calls.size();) {
    const std::size_t end = answer.calls.find('\n', begin);
    attribution.calls.push_back(answer.calls.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const TimePart& part : answer.parts)
    attribution.parts.push_back(
        {.rank = part.rank, .subject = part.subject, .count = part.count, .lanes = {{.end = part.seconds}}});
}

} // namespace

void write(ByteWriter& words, const JobAnswer& answer) {
  words.put(answer.cpu_seconds);
  words.put(answer.actions);
  words.put(std::uint64_t{answer.ends.size()});
  for (const double end : answer.ends)
    words.put(end);
  words.put(std::uint64_t{answer.parts.size()});
  for (const TimePart& part : answer.parts) {
    words.put(static_cast<std::uint64_t>(part.rank));
    words.put(std::uint64_t{part.subject});
    words.put(part.count);
    words.put(part.seconds);
  }
  words.put(std::string_view(answer.calls));
}

JobAnswer read_job_answer(ByteReader& words) {
  JobAnswer answer;
  answer.cpu_seconds = words.real();
  answer.actions = words.number();
  for (std::uint64_t left = words.number(); left > 0; --left)
    answer.ends.push_back(words.real());
  for (std::uint64_t left = words.number(); left > 0; --left) {
    TimePart& part = answer.parts.emplace_back();
    part.rank = static_cast<trace::Rank>(words.number());
    part.subject = static_cast<std::uint32_t>(words.number());
    part.count = words.number();
    part.seconds = words.real();
  }
  answer.calls = words.text();
  return answer;
}

SmpiResult result_of(const JobAnswer& answer, const std::string& name, const SmpiOptions& options) {
  SmpiResult result{.replay = {}, .cpu_seconds = answer.cpu_seconds};
  LaneResult lane{.name = name, .makespan = 0, .ranks = {}};
  for (const double end : answer.ends)
    lane.ranks.push_back({.end = end});
  find_makespan(lane);
  result.replay.lanes.push_back(std::move(lane));
  result.replay.attributed = false;
  result.replay.actions = answer.actions;
  if (options.attribute != AttributeBy::nothing) attribute(result.replay, options.attribute, answer);
  return result;
}

} // namespace timeless::replay::smpi
