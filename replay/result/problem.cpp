#include "replay/result/problem.h"

#include "replay/result/notice_tags.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <span>

namespace timeless::replay {

namespace {

constexpr std::size_t most_ranks_in_a_line = 16;

/// Lists some ranks, of which there are `count`, and these are the first.
std::string list(std::span<const trace::Rank> ranks, std::size_t count, const char* between) {
  const auto shown = ranks.first(std::min(ranks.size(), most_ranks_in_a_line));
  std::string text = fmt::format("{}", fmt::join(shown, between));
  if (shown.size() < count) text += fmt::format("{}... ({} in all)", between, count);
  return text;
}

std::string line(const BlockedRank& blocked) {
  std::string text = fmt::format("rank {}, action {}: {} ", blocked.rank, blocked.action, blocked.call);
  if (blocked.thread != trace::no_rank)
    text =
        fmt::format("rank {}, thread {}, action {}: {} ", blocked.rank, blocked.thread, blocked.action, blocked.call);
  if (blocked.for_thread != trace::no_rank)
    return text + fmt::format("waits for thread {} of its rank", blocked.for_thread);
  if (blocked.sends)
    return text + fmt::format("waits for rank {} to receive its message of {} bytes, tag {}, communicator {}",
                              blocked.peer, blocked.bytes, blocked.tag, blocked.communicator);
  if (blocked.tag == post_tag || blocked.tag == complete_tag)
    return text + fmt::format("waits for rank {} to {} an epoch on communicator {}", blocked.peer,
                              blocked.tag == post_tag ? "post" : "complete", blocked.communicator);
  if (blocked.collective.empty())
    return text + fmt::format("waits for a message from rank {}, tag {}, communicator {}", blocked.peer, blocked.tag,
                              blocked.communicator);
  if (blocked.peer != trace::no_rank)
    return text + fmt::format("waits for a message from rank {} within {} on communicator {}", blocked.peer,
                              blocked.collective, blocked.communicator);
  return text +
         fmt::format("waits for {} {} to reach {} on communicator {}", blocked.missing_count == 1 ? "rank" : "ranks",
                     list(blocked.missing, blocked.missing_count, ", "), blocked.collective, blocked.communicator);
}

std::string line(const LeftoverMessages& left) {
  if (left.tag == post_tag || left.tag == complete_tag)
    return fmt::format("{} epoch{} that rank {} {} for rank {} on communicator {}: never {}", left.count,
                       left.count == 1 ? "" : "s", left.source, left.tag == post_tag ? "posts" : "completes",
                       left.destination, left.communicator, left.tag == post_tag ? "started" : "waited for");
  return fmt::format("{} message{} from rank {} to rank {}, tag {}, communicator {}, {} bytes in all: never received",
                     left.count, left.count == 1 ? "" : "s", left.source, left.destination, left.tag, left.communicator,
                     left.bytes);
}

std::string line(const CollectiveMismatch& mismatch) {
  return fmt::format("collective {} of communicator {}: rank {} calls {} (action {}), rank {} calls {} (action {})",
                     mismatch.ordinal, mismatch.communicator, mismatch.first_rank, mismatch.first_call,
                     mismatch.first_action, mismatch.second_rank, mismatch.second_call, mismatch.second_action);
}

std::string line(const std::string& remark) {
  return remark;
}

template <typename Finding>
void append(std::string& text, const std::vector<Finding>& findings, std::size_t lines) {
  const std::size_t shown = std::min(findings.size(), lines);
  for (std::size_t index = 0; index < shown; ++index)
    text += "\n  " + line(findings[index]);
  if (shown < findings.size()) text += fmt::format("\n  ... and {} more like these", findings.size() - shown);
}

std::string headline(const Diagnosis& diagnosis) {
  if (!diagnosis.mismatches.empty()) return "ranks meet in different collectives";
  if (diagnosis.blocked.empty()) return "messages are left over that nobody receives";
  std::set<trace::Rank> ranks;
  for (const BlockedRank& one : diagnosis.blocked)
    ranks.insert(one.rank);
  const std::string who = ranks.size() == 1 ? "a rank" : fmt::format("{} ranks", ranks.size());
  return diagnosis.cycle.empty() ? who + " cannot go on" : who + " cannot go on: a deadlock";
}

} // namespace

std::string text(const Diagnosis& diagnosis, std::size_t lines) {
  // Of what another simulator has found, its words are all that is known.
  const bool remarked = diagnosis.mismatches.empty() && diagnosis.blocked.empty() && diagnosis.leftovers.empty();
  if (remarked && !diagnosis.remarks.empty()) return fmt::format("{}", fmt::join(diagnosis.remarks, "\n  "));
  std::string all = headline(diagnosis);
  append(all, diagnosis.mismatches, lines);
  append(all, diagnosis.blocked, lines);
  if (!diagnosis.cycle.empty())
    all += fmt::format("\n  they wait in a circle: {} -> {}", list(diagnosis.cycle, diagnosis.cycle.size(), " -> "),
                       diagnosis.cycle.front());
  append(all, diagnosis.leftovers, lines);
  if (!diagnosis.leftovers.empty()) all += "\n  'timeless check' names the actions";
  append(all, diagnosis.remarks, lines);
  return all;
}

ReplayProblem::ReplayProblem(Diagnosis diagnosis)
    : Error(Failure::invalid_input, text(diagnosis)), diagnosis_(std::move(diagnosis)) {}

} // namespace timeless::replay
