#include "replay/distributed/collected_result.h"

#include "replay/distributed/reports.h"

#include <algorithm>
#include <iterator>

namespace timeless::replay {

void write_summary(ByteWriter& words, const Result& mine, Outcome& outcome, const ReplayOptions& options) {
  words.put(mine.actions);
  write_ideal(words, mine);
  write(words, mine.attribution);
  write(words, outcome.findings());
  if (!options.critical_path) return;
  const Outcome::LastRank rank = outcome.last_rank();
  words.put(rank.end);
  words.put(static_cast<std::uint64_t>(rank.rank));
}

void CollectedResult::begin(Outcome& own, const std::string& note) {
  result_ = own.result();
  findings_ = own.findings();
  if (!note.empty()) findings_.notes.insert(note);
  if (options_.critical_path) last_ = own.last_rank();
  const auto ranks = static_cast<std::size_t>(run_.size);
  for (LaneResult& lane : result_.lanes) {
    if (lane.deadlock) continue;
    lane.ranks.resize(ranks);
    if (options_.sensitivities) lane.rank_sensitivities.resize(ranks);
  }
}

void CollectedResult::add_times(ByteReader& words) {
  while (!words.empty())
    read_rank(words, result_);
}

void CollectedResult::add_summary(ByteReader& words) {
  result_.actions += words.number();
  read_ideal(words, result_);
  read_attribution(words, result_.attribution);
  findings_.add(read_findings(words));
  if (!options_.critical_path) return;
  const double end = words.real();
  const auto rank = static_cast<trace::Rank>(words.number());
  if (end > last_.end || (end == last_.end && rank < last_.rank)) last_ = {rank, end};
}

void CollectedResult::complete() {
  for (LaneResult& lane : result_.lanes)
    if (!lane.deadlock) find_makespan(lane);
  tell(run_, findings_, result_);
}

void CollectedResult::add_to_path(const std::vector<PathNode>& nodes) {
  std::ranges::copy(nodes, std::back_inserter(path_));
}

void CollectedResult::end_path() {
  std::ranges::reverse(path_);
  const auto& ranks = result_.lanes.front().ranks;
  const double began = path_.empty() ? 0 : ranks.at(static_cast<std::size_t>(path_.front().rank)).start;
  result_.critical_path = path_segments(path_, options_.overlap, began);
}

} // namespace timeless::replay
