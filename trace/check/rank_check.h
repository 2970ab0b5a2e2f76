#pragma once

#include "trace/check/collectives.h"
#include "trace/check/epochs.h"
#include "trace/check/exposures.h"
#include "trace/check/messages.h"
#include "trace/check/time_check.h"
#include "trace/model/open_regions.h"
#include "trace/model/source.h"
#include "trace/model/thread_order.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace timeless::trace::checking {

/// What the checks of all ranks share.
struct CheckState {
  const Run& run;
  CheckReport& report;
  Findings& findings;
  Messages& messages;
  Collectives& collectives;
  Exposures& exposures;
  std::uint64_t most_waiting; ///< a rank with more halves of messages waiting holds back
  bool receives_name_buffers; ///< see CheckOptions
  std::vector<bool> foreign;  ///< by communicator: it has members of another world
};

/// Follows one rank's actions: its requests, its use of communicators, and what it tells Messages and Collectives.
///
/// Halves of messages reach Messages in the order of their channel: a receive whose source or tag is not known yet is
/// held, and with it the later ones that may be of the same channel.
class RankCheck {
public:
  RankCheck(CheckState& shared, const RankRecord& record, std::unique_ptr<RankStream> stream);

  Rank rank() const { return record_.rank; }
  bool ended() const { return ended_; }
  /// Returns true when the rank's actions end before its MPI does.
  bool cut_short() const { return cut_short_; }

  /// Looks at up to `budget` actions; stops earlier when the rank is far ahead of others, unless `hurry`.
  /// Returns how many it has looked at.
  std::uint64_t advance(std::uint64_t budget, bool hurry);

  /// Returns the number of collective calls made on a communicator.
  std::uint64_t calls(CommunicatorId communicator) const;

private:
  struct Pending {
    ActionKind kind = ActionKind::send;
    std::uint64_t action = 0;
    bool message = false; ///< a send or receive that Messages knows, or will know
    Side side = Side::send;
    Channel channel;          ///< at first nothing but the communicator
    std::uint64_t number = 0; ///< in its channel
    std::uint64_t held = 0;   ///< among the held receives, from 1; 0 when not held
    bool resolved = true;     ///< its source and tag are known, or of no concern any more
  };
  /// A receive that cannot be put into its channel yet: its source or tag is unknown, or an earlier receive's is and
  /// that one may be of the same channel.
  struct HeldReceive {
    std::uint64_t serial = 0;
    CommunicatorId communicator = world_communicator;
    Rank sender = no_rank; ///< world rank, or any_rank
    Tag tag = 0;
    Half half;
    RequestId request = no_request;

    bool resolved() const { return sender != any_rank && tag != any_tag; }
    bool may_share_channel(const HeldReceive& other) const;
  };

  bool refill();
  bool far_ahead(const Action& action) const;
  void look(const Action& action);
  void end(bool whole);
  void complain(std::string words);
  /// Returns the region's name, for findings.
  std::string quoted_region(RegionId region) const;

  /// Returns true when the action speaks with processes of another world, of which this trace knows nothing.
  bool with_another_world(const Action& action) const;
  Membership* membership(CommunicatorId communicator);
  std::optional<Rank> world_rank(CommunicatorId communicator, Rank peer, const char* what);

  void point_to_point(const Action& action);
  void send(const Action& action, bool pending);
  void receive(const Action& action, Rank peer, Tag tag, Bytes bytes, bool pending);
  void matched_probe(const Action& action);
  bool of_matched_probe(const Action& action, Rank sender);
  void put(const HeldReceive& receive);
  void release_held();
  void resolve(const Action& action);

  void begin(const Action& action);
  void end_early(const Action& action);
  void complete(RequestId request, HalfState state, bool frees);
  void collective(const Action& action);
  void one_sided(const Action& action);
  void follow_epoch(const Action& action);
  void follow_file(const Action& action);
  void create_communicator(const Action& action);
  void mark(const Action& action);
  void finalize();

  CheckState& shared_;
  const RankRecord& record_;
  std::unique_ptr<RankStream> stream_;
  ActionBlock block_;
  std::size_t position_ = 0;
  std::uint64_t number_ = 0; ///< of the action looked at
  bool ended_ = false;
  bool cut_short_ = false;
  bool finalized_ = false;
  std::unordered_map<CommunicatorId, Membership> memberships_;
  std::unordered_map<RequestId, Pending> requests_;
  Epochs epochs_;
  std::set<CommunicatorId> open_files_;
  std::vector<HeldReceive> held_;
  std::uint64_t serials_ = 0;
  OpenRegions regions_;
  TimeCheck times_;
  UnorderedMessages order_;
  UnorderedMessages::Ends unordered_; ///< of the action looked at
  std::uint64_t messages_unordered_ = 0;
  std::map<Channel, std::uint64_t> matched_; ///< messages that matched probes have taken and no receive has had yet
};

} // namespace timeless::trace::checking
