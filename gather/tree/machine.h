#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

/// What a stream leaves to the machine it runs on, so that a simulated one can take its place.
namespace timeless::gather {

/// A disk's work, done in order beside what the process does itself.
class DiskQueue {
public:
  virtual ~DiskQueue() = default;
  /// Adds work to be done, which must not call MPI.
  virtual void submit(std::function<void()> work) = 0;
  /// Returns true when take_finished() has something.
  virtual bool finished() const = 0;
  /// Returns what the oldest finished work ended with that was not taken yet: null when all went well. Nothing when
  /// none has finished.
  virtual std::optional<std::exception_ptr> take_finished() = 0;
};

/// What a stream needs of the machine: disks, checksums, and waiting for MPI and disks together. One thread uses it,
/// the one that calls MPI.
class Machine {
public:
  virtual ~Machine() = default;
  virtual std::unique_ptr<DiskQueue> disk_queue() = 0;
  virtual std::uint64_t checksum(std::string_view bytes) = 0;
  /// Waits until a request completes or a queue has finished something. Returns the completed requests, as indices,
  /// with their status.
  virtual std::vector<std::pair<int, MPI_Status>> wait(std::vector<MPI_Request>& requests,
                                                       const std::vector<const DiskQueue*>& queues) = 0;
};

/// Returns the machine at hand: a thread for each queue.
std::unique_ptr<Machine> this_machine();

} // namespace timeless::gather
