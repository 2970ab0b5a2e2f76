#include "replay/smpi/rank_player.h"

#include <algorithm>

// SMPI's own files need names and places that traces do not hold. What it would do with them, it does on SimGrid's
// disks: so do we, where hosts have some, and else as the model does.
namespace timeless::replay::smpi {

namespace {

namespace sg4 = simgrid::s4u;
using trace::Action;
using trace::ActionKind;

/// The disk SMPI takes for a file without a path: the host's first.
sg4::Disk* own_disk() {
  const auto disks = sg4::Host::current()->get_disks();
  return disks.empty() ? nullptr : disks.front();
}

void sleep_until(double moment) {
  if (moment > sg4::Engine::get_clock()) sg4::this_actor::sleep_until(moment);
}

trace::Bytes written_by(const Action& action) {
  return trace::traits(action.kind).sent == trace::Sizes::said ? 0 : action.bytes;
}

} // namespace

/// On a disk, or through a port of the thread's own, one transfer's bytes after the other's; latencies overlap.
void RankPlayer::start_transfer(FileTransfer& transfer, trace::Bytes read, trace::Bytes written) {
  if (sg4::Disk* disk = own_disk(); disk != nullptr) {
    if (read + written == 0) return;
    transfer.disk = read > 0 ? disk->read_async(read) : disk->write_async(written);
    return;
  }
  if (transfer.instance) return; // the members' collective says how long it takes
  const double begin = std::max(sg4::Engine::get_clock(), file_port_free_);
  file_port_free_ = begin + static_cast<double>(read + written) * stage_.files.byte_time;
  transfer.until = file_port_free_ + stage_.files.latency;
}

void RankPlayer::finish(FileTransfer& transfer) {
  if (transfer.arrival != MPI_REQUEST_NULL) check(PMPI_Wait(&transfer.arrival, MPI_STATUS_IGNORE), *current_);
  if (transfer.disk != nullptr) transfer.disk->wait();
  if (transfer.instance) {
    FileCollective& instance = stage_.file_collectives[transfer.members];
    if (own_disk() == nullptr) {
      const FileCosts& costs = stage_.files;
      sleep_until(instance.last + costs.latency +
                  std::max(static_cast<double>(transfer.bytes) * costs.byte_time,
                           static_cast<double>(instance.bytes) * costs.aggregate_byte_time));
    }
    if (++instance.left == instance.members) stage_.file_collectives.erase(transfer.members);
  }
  sleep_until(transfer.until);
  transfer = {};
}

/// The call of all members begins when the last of them has come; messages of no bytes tell them.
FileTransfer RankPlayer::meet_at_file(const Action& action, bool waits) {
  const Circle& members = circle(action.communicator);
  FileTransfer transfer;
  transfer.instance = true;
  transfer.members = {action.communicator, own_->file_calls[action.communicator]++};
  transfer.bytes = action.receive_bytes + written_by(action);
  FileCollective& instance = stage_.file_collectives[transfer.members];
  instance.members = members.size;
  ++instance.arrived;
  instance.last = std::max(instance.last, sg4::Engine::get_clock());
  instance.bytes += transfer.bytes;
  if (waits)
    check(PMPI_Barrier(members.whole), action);
  else
    start_barrier(action, members.whole, &transfer.arrival);
  start_transfer(transfer, action.receive_bytes, written_by(action));
  return transfer;
}

void RankPlayer::file(const Action& action) {
  FileTransfer transfer;
  start_transfer(transfer, action.receive_bytes, action.bytes);
  if (action.request == trace::no_request) return finish(transfer);
  slot(action.request).file = std::move(transfer);
}

void RankPlayer::file_collective(const Action& action) {
  const trace::ActionTraits& traits = trace::traits(action.kind);
  if (traits.settles) return check(PMPI_Barrier(communicator(action.communicator)), action);
  if (traits.split == trace::SplitCall::ends) {
    const auto begun = own_->split_transfers.find(action.communicator);
    if (begun == own_->split_transfers.end()) return; // its first half was not recorded
    FileTransfer transfer = std::move(begun->second);
    own_->split_transfers.erase(begun);
    return finish(transfer);
  }
  const bool split = traits.split == trace::SplitCall::begins;
  FileTransfer transfer = meet_at_file(action, !split && action.request == trace::no_request);
  if (split) {
    own_->split_transfers[action.communicator] = std::move(transfer);
  } else if (action.request != trace::no_request) {
    slot(action.request).file = std::move(transfer);
  } else {
    finish(transfer);
  }
}

} // namespace timeless::replay::smpi
