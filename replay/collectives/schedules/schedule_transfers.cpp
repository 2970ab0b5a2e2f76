#include "replay/collectives/schedules/between_groups.h"
#include "replay/collectives/schedules/schedule_plan.h"

#include <algorithm>
#include <cmath>

/// The transfers of a plan, one after the other.
namespace timeless::replay::schedules {

namespace {

using trace::Bytes;

double listed(std::span<const Bytes> counts, Blocks blocks, std::uint32_t members, std::uint32_t rotation) {
  double sum = 0;
  for (std::uint32_t index = 0; index < blocks.count; ++index) {
    const std::size_t block = (std::uint64_t{blocks.first} + index + rotation) % members;
    if (block < counts.size()) sum += static_cast<double>(counts[block]);
  }
  return sum;
}

/// Returns where block `index` begins.
double offset(const Phase& phase, std::uint32_t index) {
  if (index >= phase.blocks) return phase.bytes;
  if (phase.layout == Layout::rounded_up) return std::min(phase.bytes, index * std::ceil(phase.bytes / phase.blocks));
  const double elements = std::floor(phase.bytes / phase.element_bytes);
  return index * std::floor(elements / phase.blocks) * phase.element_bytes;
}

/// Returns the bytes of blocks that go out, or come in.
double size(const SchedulePlan& plan, const Phase& phase, Blocks blocks, bool out) {
  switch (phase.layout) {
  case Layout::nothing:
    return 0;
  case Layout::equal:
    return blocks.count * (out ? phase.bytes : phase.bytes_in);
  case Layout::listed:
    return listed(out ? plan.counts : plan.receive_counts, blocks, std::max(phase.blocks, 1U), phase.rotation);
  case Layout::rounded_up:
  case Layout::whole_elements:
    break;
  }
  const std::uint32_t end = blocks.first + blocks.count;
  if (end <= phase.blocks) return offset(phase, end) - offset(phase, blocks.first);
  return phase.bytes - offset(phase, blocks.first) + offset(phase, end - phase.blocks);
}

std::uint32_t place_of(const Phase& phase, std::uint32_t number) {
  if (number == nobody) return nobody;
  if (phase.rotation == 0) return phase.base + number;
  return phase.base + (number + phase.rotation) % phase.group.members;
}

Sending sending(const SchedulePlan& plan, const Phase& phase, const Step& step) {
  if (plan.together > 1 || phase.nonblocking) return Sending::together;
  return step.from == nobody && phase.step != rounds_between_groups ? Sending::blocking : Sending::exchange;
}

/// Gives the next neighbour; all are sent to before any is received from.
bool next_neighbour(const SchedulePlan& plan, Cursor& cursor, Transfer& transfer) {
  const Phase& phase = plan.phases.front();
  while (cursor.index < plan.destinations.size() + plan.sources.size()) {
    const std::size_t index = cursor.index++;
    transfer = {.sending = Sending::together};
    if (index < plan.destinations.size()) {
      transfer.to = static_cast<std::uint32_t>(plan.destinations[index]);
      transfer.bytes = phase.bytes;
      if (phase.layout == Layout::listed)
        transfer.bytes = index < plan.counts.size() ? static_cast<double>(plan.counts[index]) : 0;
      if (plan.destinations[index] != trace::no_rank) return true;
    } else {
      transfer.from = static_cast<std::uint32_t>(plan.sources[index - plan.destinations.size()]);
      if (plan.sources[index - plan.destinations.size()] != trace::no_rank) return true;
    }
  }
  return false;
}

} // namespace

bool next(const SchedulePlan& plan, Cursor& cursor, Transfer& transfer) {
  if (plan.neighbours) return next_neighbour(plan, cursor, transfer);
  while (cursor.phase < plan.phases.size()) {
    const Phase& phase = plan.phases[cursor.phase];
    Step step;
    if (!phase.step(phase.group, phase.me, cursor.index, step)) {
      ++cursor.phase;
      cursor.index = 0;
      continue;
    }
    ++cursor.index;
    transfer = {
        .to = place_of(phase, step.to), .from = place_of(phase, step.from), .sending = sending(plan, phase, step)};
    if (transfer.to != nobody) transfer.bytes = size(plan, phase, step.out, true);
    if (transfer.from != nobody) transfer.expected = size(plan, phase, step.in, false);
    if (phase.skips_empty && transfer.bytes == 0) transfer.to = nobody;
    if (phase.skips_empty && transfer.expected == 0) transfer.from = nobody;
    if (phase.skips_own && step.to == phase.me) transfer.to = nobody;
    if (phase.skips_own && step.from == phase.me) transfer.from = nobody;
    if (transfer.to == nobody && transfer.from == nobody && plan.together == 1) continue;
    if (step.reduces && phase.arithmetic) transfer.reduced_bytes = transfer.expected;
    return true;
  }
  return false;
}

} // namespace timeless::replay::schedules
