#include "analysis/trace/rank_status.h"

#include "base/error.h"
#include "trace/journal/owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionFamily;
using trace::ActionKind;

std::string peer_text(const char* direction, trace::Rank peer, trace::Tag tag) {
  const std::string whom = peer == trace::any_rank ? "any rank" : std::to_string(peer);
  return fmt::format("{} {}, {}", direction, whom, tag < 0 ? "any tag" : "tag " + std::to_string(tag));
}

std::string communicator_text(trace::CommunicatorId id) {
  return id == trace::world_communicator ? "" : fmt::format(", of communicator {}", id);
}

/// Writes an action as one would tell it.
std::string text(const Action& action) {
  std::string text = mpi_name(action);
  if (family(action.kind) == ActionFamily::completion)
    return text + fmt::format(" of {} request{}", action.requests.size(), action.requests.size() == 1 ? "" : "s");
  const bool sends = sends_message(action.kind);
  if (sends && action.peer != trace::no_rank) text += " " + peer_text("to", action.peer, action.tag);
  if (!sends && family(action.kind) == ActionFamily::point_to_point && action.peer != trace::no_rank)
    text += " " + peer_text("from", action.peer, action.tag);
  if (action.receive_peer != trace::no_rank) text += " " + peer_text("from", action.receive_peer, action.receive_tag);
  text += communicator_text(action.communicator);
  if (family(action.kind) == ActionFamily::point_to_point) text += fmt::format(", {} bytes", action.bytes);
  return text;
}

/// Follows a rank's actions to see what is open at their end.
class Follower {
public:
  void follow(const Action& action) {
    if (has_volume(action.kind) || family(action.kind) == ActionFamily::mark) return;
    ++position_;
    last_ = text(action);
    if (nonblocking(action)) {
      open_[action.request] = {position_, last_};
    } else if (action.kind == ActionKind::request_free) {
      open_.erase(action.request);
    } else if (family(action.kind) == ActionFamily::completion) {
      for (const trace::RequestId request : action.requests)
        open_.erase(request);
    }
  }

  void tell(RankStatus& status) const {
    status.last_action = last_;
    status.open_requests = open_.size();
    std::vector<std::pair<std::uint64_t, std::string>> oldest;
    for (const auto& [request, begun] : open_)
      oldest.push_back(begun);
    std::ranges::sort(oldest);
    oldest.resize(std::min(oldest.size(), most_requests));
    for (auto& [position, text] : oldest)
      status.requests.push_back(std::move(text));
  }

private:
  std::uint64_t position_ = 0;
  std::string last_;
  std::map<trace::RequestId, std::pair<std::uint64_t, std::string>> open_;
};

/// Returns the module an address of a running process is in, and its offset from where that begins.
std::string site_text(std::uint32_t process, std::uint64_t address) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  std::map<std::string, std::uint64_t> begins;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char dash = 0;
    std::string permissions, offset, device, inode, path;
    fields >> std::hex >> begin >> dash >> end >> permissions >> offset >> device >> inode;
    std::getline(fields >> std::ws, path);
    if (path.empty()) continue;
    const std::uint64_t first = begins.try_emplace(path, begin).first->second;
    if (address >= begin && address < end)
      return fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), address - first);
  }
  return "";
}

std::string with_text(const trace::JournalImage& journal, const trace::JournalThread& thread, const std::string& call) {
  std::string text;
  const bool sends = call.find("send") != std::string::npos && call.find("Sendrecv") == std::string::npos;
  const char* const direction = sends || call.ends_with("Send") ? "to" : "from";
  if ((thread.partners & trace::journal_tag) != 0)
    text = peer_text(direction, thread.peer, thread.tag);
  else if ((thread.partners & trace::journal_peer) != 0)
    text = fmt::format("root {}", thread.peer);
  if (thread.communicator == 0) return text;
  const auto id = journal.communicator(thread.communicator);
  const std::string of = id ? communicator_text(*id) : ", of a communicator without number";
  return text.empty() && of.size() > 2 ? of.substr(2) : text + of;
}

void add_journal(const trace::JournalImage& journal, const std::filesystem::path& path, RankStatus& status) {
  const bool running = find_owner(journal, path) == trace::JournalOwner::running;
  status.calls = 0;
  for (const trace::JournalThread& thread : journal.threads()) {
    *status.calls += thread.call >> 16U;
    const std::string call = journal.call_of(thread);
    if (call.empty()) continue;
    status.in.push_back({.call = call,
                         .with = with_text(journal, thread, call),
                         .site = running ? site_text(journal.header().process, thread.site) : ""});
  }
}

void add_actions(const trace::Source& source, RankStatus& status) {
  Follower follower;
  const auto stream = source.open(status.rank);
  trace::ActionBlock block;
  try {
    while (stream->next(block))
      for_each_action(block, [&](const Action& action, std::uint64_t) { follower.follow(action); });
  } catch (const Error&) {
    // Damage is told where the whole run is read; what stands before it is told here.
  }
  follower.tell(status);
}

} // namespace

std::vector<RankStatus> rank_statuses(const trace::Source& source,
                                      const std::map<trace::Rank, std::filesystem::path>& files, bool brief) {
  std::vector<RankStatus> all;
  for (const trace::RankRecord& record : source.run().ranks) {
    if (record.ending == trace::Ending::finalized) continue;
    RankStatus status{.rank = record.rank,
                      .ending = record.ending,
                      .reason = record.ending_reason,
                      .actions = record.actions,
                      .last_action = {},
                      .requests = {},
                      .in = {}};
    if (const auto file = files.find(record.rank); file != files.end()) {
      const std::filesystem::path path = trace::journal_beside(file->second);
      const auto journal = trace::JournalImage::read(path);
      if (journal && journal->header().run_identity == source.run().provenance.run_identity)
        add_journal(*journal, path, status);
    }
    if (!brief) add_actions(source, status);
    all.push_back(std::move(status));
  }
  return all;
}

std::vector<CallGroup> group_by_call(const std::vector<RankStatus>& rank_statuses) {
  std::map<std::string, std::vector<trace::Rank>> groups;
  for (const RankStatus& status : rank_statuses) {
    if (status.calls.value_or(0) == 0) continue; // no journal: nothing is known
    std::string where;
    for (const CallInProgress& in : status.in)
      where += (where.empty() ? "" : "; ") + in.call + (in.with.empty() ? "" : " " + in.with);
    groups[where.empty() ? "not in MPI" : where].push_back(status.rank);
  }
  std::vector<CallGroup> result;
  for (auto& [where, ranks] : groups)
    result.push_back({where, std::move(ranks)});
  std::ranges::stable_sort(result, {}, [](const CallGroup& group) { return group.ranks.size(); });
  return result;
}

} // namespace timeless::analysis
