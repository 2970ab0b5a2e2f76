#include "trace/check/check.h"

#include "trace/check/rank_check.h"

#include <algorithm>
#include <unordered_map>

namespace timeless::trace {

namespace {

using namespace checking;

constexpr std::uint64_t actions_per_turn = 512;
/// Halves of messages waiting in all, before ranks hold back.
constexpr std::uint64_t most_waiting_in_all = std::uint64_t{1} << 22U;

/// Reads all ranks side by side, a few actions of each in turn, so that halves of messages wait for each other as short
/// as can be: memory is bounded by what waits. A rank that has too many halves waiting holds back, unless all do.
class Check {
public:
  Check(const Source& source, const CheckOptions& options)
      : source_(source), run_(source.run()), options_(options), findings_(report_, options.most_findings),
        messages_(run_.size, report_, findings_), collectives_(run_, report_, findings_),
        exposures_(findings_), shared_{run_,
                                       report_,
                                       findings_,
                                       messages_,
                                       collectives_,
                                       exposures_,
                                       std::clamp<std::uint64_t>(most_waiting_in_all / ranks(), 64, 16384),
                                       options.receives_name_buffers,
                                       {}} {
    for (const Communicator& communicator : run_.communicators)
      shared_.foreign.push_back(communicator.foreign_members() > 0);
  }

  CheckReport run() {
    index_communicators();
    report_missing();
    for (const RankRecord& record : run_.ranks)
      ranks_.push_back(std::make_unique<RankCheck>(shared_, record, source_.open(record.rank)));
    while (!ranks_.empty())
      advance_all();
    messages_.finish();
    collectives_.finish();
    exposures_.finish();
    return std::move(report_);
  }

private:
  std::uint64_t ranks() const { return static_cast<std::uint64_t>(std::max<Rank>(run_.size, 1)); }

  /// Gives every rank its turn. When all hold back for one another, each goes on regardless: what they wait for may lie
  /// ahead of them only.
  void advance_all() {
    std::uint64_t looked = 0;
    bool somebody_ended = false;
    for (const bool hurry : {false, true}) {
      if (looked > 0 || somebody_ended) break;
      for (auto& rank : ranks_) {
        looked += rank->advance(actions_per_turn, hurry);
        if (!rank->ended()) continue;
        somebody_ended = true;
        leave(*rank);
      }
    }
    std::erase_if(ranks_, [](const auto& rank) { return rank->ended(); });
    report_.actions += looked;
    if (options_.progress) options_.progress(report_.actions);
  }

  void leave(const RankCheck& rank) {
    if (rank.cut_short()) leave(rank.rank(), [&](CommunicatorId communicator) { return rank.calls(communicator); });
  }

  template <typename Calls>
  void leave(Rank rank, Calls&& calls) {
    messages_.leave(rank);
    exposures_.leave(rank);
    for (const CommunicatorId communicator : communicators_of(rank))
      collectives_.leave(communicator, calls(communicator));
  }

  void report_missing() {
    const std::vector<Rank> missing = run_.missing_ranks();
    for (const Rank rank : missing) {
      findings_.add(Severity::incomplete, rank, no_action, "is missing");
      leave(rank, [](CommunicatorId) { return std::uint64_t{0}; });
    }
  }

  /// Lists the communicators of the ranks of which it is known that they will leave; others are searched for.
  void index_communicators() {
    std::vector<bool> whole(static_cast<std::size_t>(run_.size));
    for (const RankRecord& record : run_.ranks)
      whole[static_cast<std::size_t>(record.rank)] = record.ending == Ending::finalized;
    for_each_member([&](CommunicatorId communicator, Rank rank) {
      if (!whole[static_cast<std::size_t>(rank)]) known_to_leave_[rank].push_back(communicator);
    });
  }

  std::vector<CommunicatorId> communicators_of(Rank rank) const {
    const auto known = known_to_leave_.find(rank);
    if (known != known_to_leave_.end()) return known->second;
    std::vector<CommunicatorId> found;
    for_each_member([&](CommunicatorId communicator, Rank member) {
      if (member == rank) found.push_back(communicator);
    });
    return found;
  }

  template <typename Visit>
  void for_each_member(Visit&& visit) const {
    for (CommunicatorId communicator = 0; communicator < run_.communicators.size(); ++communicator) {
      const Communicator& known = run_.communicators[communicator];
      for (const auto* group : {&known.members, &known.remote_members})
        for (const Rank member : *group)
          if (member != foreign_rank) visit(communicator, member);
    }
  }

  const Source& source_;
  const Run& run_;
  const CheckOptions& options_;
  CheckReport report_;
  Findings findings_;
  Messages messages_;
  Collectives collectives_;
  Exposures exposures_;
  CheckState shared_;
  std::vector<std::unique_ptr<RankCheck>> ranks_;
  std::unordered_map<Rank, std::vector<CommunicatorId>> known_to_leave_;
};

} // namespace

const char* name(Severity severity) {
  switch (severity) {
  case Severity::note:
    return "note";
  case Severity::incomplete:
    return "incomplete";
  case Severity::inconsistent:
    break;
  }
  return "inconsistent";
}

CheckReport check(const Source& source, const CheckOptions& options) {
  return Check(source, options).run();
}

void add_damage(const ArchiveReader& archive, CheckReport& report, const CheckOptions& options) {
  Findings findings(report, options.most_findings);
  for (const Damage& damage : archive.damage())
    findings.add(archive.finished() ? Severity::inconsistent : Severity::incomplete, no_rank, no_action,
                 archive.path().string() + ", byte " + std::to_string(damage.offset) + ": " + damage.what);
  if (!archive.finished())
    findings.add(Severity::incomplete, no_rank, no_action, archive.path().string() + ": the file was not closed");
}

} // namespace timeless::trace
