#include "replay/smpi/calls/files.h"

#include "replay/smpi/calls/requests.h"

#include <algorithm>

namespace timeless::replay::smpi {

namespace {

namespace sg4 = simgrid::s4u;

/// Returns the disk SMPI takes for a file without a path: the host's first.
sg4::Disk* own_disk() {
  const auto disks = sg4::Host::current()->get_disks();
  return disks.empty() ? nullptr : disks.front();
}

void sleep_until(double moment) {
  if (moment > sg4::Engine::get_clock()) sg4::this_actor::sleep_until(moment);
}

trace::Bytes written_by(const trace::Action& action) {
  return trace::traits(action.kind).sent == trace::Sizes::said ? 0 : action.bytes;
}

} // namespace

/// Starts a transfer on a disk, or through a port of the thread's own, one transfer's bytes after the other's;
/// latencies overlap.
void Files::start(const Call& call, FileTransfer& transfer, trace::Bytes read, trace::Bytes written) {
  if (sg4::Disk* disk = own_disk(); disk != nullptr) {
    if (read + written == 0) return;
    transfer.disk = read > 0 ? disk->read_async(read) : disk->write_async(written);
    return;
  }
  if (transfer.instance) return; // the members' collective says how long it takes
  double& free = port_free_[call.thread];
  free = std::max(sg4::Engine::get_clock(), free) + static_cast<double>(read + written) * context_.files.byte_time;
  transfer.until = free + context_.files.latency;
}

void Files::finish(const Call& call, FileTransfer& transfer) {
  if (transfer.arrival != MPI_REQUEST_NULL) call.check(PMPI_Wait(&transfer.arrival, MPI_STATUS_IGNORE));
  if (transfer.disk != nullptr) transfer.disk->wait();
  if (transfer.instance) {
    FileCollective& instance = context_.file_collectives[transfer.members];
    if (own_disk() == nullptr) {
      const FileCosts& costs = context_.files;
      sleep_until(instance.last + costs.latency +
                  std::max(static_cast<double>(transfer.bytes) * costs.byte_time,
                           static_cast<double>(instance.bytes) * costs.aggregate_byte_time));
    }
    if (++instance.left == instance.members) context_.file_collectives.erase(transfer.members);
  }
  sleep_until(transfer.until);
  transfer = {};
}

/// Begins the call of all members when the last of them has come; messages of no bytes tell them.
FileTransfer Files::meet(const Call& call, bool waits) {
  const trace::Action& action = call.action;
  const SmpiCommunicator& members = communicators_.of(call);
  FileTransfer transfer;
  transfer.instance = true;
  transfer.members = {action.communicator, calls_[action.communicator]++};
  transfer.bytes = action.receive_bytes + written_by(action);
  FileCollective& instance = context_.file_collectives[transfer.members];
  instance.members = members.size;
  ++instance.arrived;
  instance.last = std::max(instance.last, sg4::Engine::get_clock());
  instance.bytes += transfer.bytes;
  if (waits)
    call.check(PMPI_Barrier(members.whole));
  else
    collectives_.start_barrier(call, members.whole, &transfer.arrival);
  start(call, transfer, action.receive_bytes, written_by(action));
  return transfer;
}

void Files::transfer(const Call& call, Pending* pending) {
  FileTransfer transfer;
  start(call, transfer, call.action.receive_bytes, call.action.bytes);
  if (pending == nullptr) return finish(call, transfer);
  pending->file = std::move(transfer);
}

void Files::collective(const Call& call, Pending* pending) {
  const trace::ActionTraits& traits = trace::traits(call.action.kind);
  const trace::CommunicatorId file = call.action.communicator;
  if (traits.settles) return call.check(PMPI_Barrier(communicators_.of(call).whole));
  if (traits.split == trace::SplitCall::ends) {
    const auto begun = split_.find(file);
    if (begun == split_.end()) return; // its first half was not recorded
    FileTransfer transfer = std::move(begun->second);
    split_.erase(begun);
    return finish(call, transfer);
  }
  const bool split = traits.split == trace::SplitCall::begins;
  FileTransfer transfer = meet(call, !split && pending == nullptr);
  if (split) {
    split_[file] = std::move(transfer);
  } else if (pending != nullptr) {
    pending->file = std::move(transfer);
  } else {
    finish(call, transfer);
  }
}

} // namespace timeless::replay::smpi
