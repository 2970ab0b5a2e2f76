#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/communicators.h"
#include "replay/smpi/calls/job_context.h"
#include "replay/smpi/calls/message_numbers.h"
#include "replay/smpi/calls/requests.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace timeless::replay::smpi {

/// What SMPI is told of an action's messages.
struct MessageTags {
  int send = 0;
  int receive = 0;
  bool numbered = false;
  bool probed = false;               ///< where numbered: a probe has had the message
  MessageNumber received = {};       ///< where numbered
  trace::Rank peer = trace::no_rank; ///< where the message to receive comes from
  trace::Tag tag = 0;
};

/// The messages of a rank's own: sends, receives, exchanges and probes.
class Messages {
public:
  Messages(JobContext& context, trace::Rank rank, const Communicators& communicators)
      : context_(context), rank_(rank), communicators_(communicators) {}

  /// Carries out a call; `pending` is the request that it begins, null where it blocks.
  void play(const Call& call, Pending* pending);
  /// Returns what SMPI is told of the call's message in a run with several threads; called once for each call, in the
  /// rank's order.
  MessageTags number(const Call& call);

private:
  using Key = std::tuple<trace::CommunicatorId, trace::Rank, trace::Tag>;

  void send(const Call& call, const MessageTags& tags);
  void start_send(const Call& call, const MessageTags& tags, Pending& pending);
  void receive(const Call& call, MessageTags& tags, Pending* pending);
  void start_receive(const Call& call, trace::Bytes bytes, int from, int tag, Pending& pending);
  void exchange(const Call& call, MessageTags& tags, Pending* pending);
  void await(const Call& call, const MessageTags& tags);
  bool taken_early(const Key& message, const MessageTags& tags);
  const trace::RequestOutcome* outcome(const Call& call) const;

  JobContext& context_;
  trace::Rank rank_;
  const Communicators& communicators_;
  std::map<Key, std::uint32_t> early_; ///< messages a probe has taken ahead of their receive
};

} // namespace timeless::replay::smpi
