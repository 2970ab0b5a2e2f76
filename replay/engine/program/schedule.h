#pragma once

#include "replay/collectives/schedules/schedule_plan.h"
#include "replay/engine/clocks/cost_rows.h"
#include "replay/engine/matching/communicators.h"
#include "replay/network/network.h"
#include "trace/model/action.h"

#include <cstdint>
#include <span>
#include <vector>

namespace timeless::replay {

/// A step of a collective with everything derived: whom a member sends to and receives from, as places in the
/// communicator, and what that costs.
struct MemberStep {
  std::uint32_t to = schedules::nobody;
  std::uint32_t from = schedules::nobody;
  std::uint32_t row = 0;
  double bytes = 0;
  double reduced_bytes = 0;
  schedules::Sending sending = schedules::Sending::exchange;
  Overhead overhead = Overhead::nonblocking_send; ///< which one its send pays
  double send_overhead = 0;                       ///< seconds
  double receive_overhead = 0;                    ///< seconds, of the receiver of what is sent here
};

/// One member's schedule of a call. It owns the call's lists, so it can outlive the block that held the call.
class Schedule {
public:
  /// Derives the steps of a collective. The action is read as one of shape.kind, its root as the place's.
  Schedule(const CollectiveShape& shape, const trace::Action& action, const schedules::GroupPosition& place);
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;

  const schedules::SchedulePlan& plan() const { return plan_; }

  /// Derives step `index` of member `here` in a communicator of these members, from the cursor's status before it.
  /// Returns false when there is none. The first steps are kept; those of long schedules are derived again each time,
  /// so that memory does not grow with the number of members. On the rendezvous path, rows are those of messages that
  /// wait for their receives in some lanes.
  bool step(std::uint32_t index, schedules::Cursor& cursor, std::uint32_t here, std::span<const trace::Rank> members,
            const Network& network, CostRows& rows, bool rendezvous_path, MemberStep& step);

private:
  std::vector<trace::Bytes> counts_;
  std::vector<trace::Bytes> receive_counts_;
  std::vector<trace::Rank> ranks_;
  schedules::SchedulePlan plan_;
  std::vector<MemberStep> first_;
  schedules::Cursor after_first_; ///< where the cursor stands after all of these
  bool all_ = false;              ///< there are no more
};

} // namespace timeless::replay
