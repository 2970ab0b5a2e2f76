#pragma once

#include "replay/smpi/message_numbers.h"
#include "trace/model/ids.h"

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::replay::smpi {

/// A communicator of the run, in SMPI.
struct Circle {
  MPI_Comm whole = MPI_COMM_NULL; ///< its members; those of both groups of an intercommunicator
  MPI_Comm aside = MPI_COMM_NULL; ///< the same once more, for messages that are not the program's own
  MPI_Comm group = MPI_COMM_NULL; ///< of an intercommunicator: this rank's group
  std::vector<int> remote;        ///< of an intercommunicator: the other group's places in the whole
  int size = 0;                   ///< of the whole
  int self = 0;                   ///< this rank's place in the whole
  bool inter() const { return group != MPI_COMM_NULL; }
};

/// Bytes on their way to or from a file.
struct FileTransfer {
  simgrid::s4u::IoPtr disk = nullptr; ///< where the host has one
  double until = 0;                   ///< where it has none: when they are there, simulated seconds
  bool instance = false;              ///< a collective call: the members' collective says when it began
  std::pair<trace::CommunicatorId, std::uint64_t> members{};
  trace::Bytes bytes = 0;
  MPI_Request arrival = MPI_REQUEST_NULL; ///< done when all members have come
};

/// What a request of the program stands for.
struct Pending {
  MPI_Request request = MPI_REQUEST_NULL;
  bool persistent = false; ///< made by an _init call
  std::vector<MPI_Request> parts;
  std::optional<FileTransfer> file;
  MessageNumber number; ///< of a receive, to be given back
};

/// What belongs to a rank, not to one of its threads.
struct RankState {
  using MessageKey = std::tuple<trace::CommunicatorId, trace::Rank, trace::Tag>;

  std::unordered_map<trace::CommunicatorId, Circle> communicators;
  std::unordered_map<trace::CommunicatorId, MPI_Win> windows;
  std::map<std::pair<trace::CommunicatorId, trace::Rank>, bool> locked; ///< targets; any_rank: all
  std::unordered_map<trace::RequestId, Pending> requests;               ///< of a rank with one thread
  std::vector<MPI_Request> unfinished;                                  ///< freed by the program while under way
  std::map<MessageKey, std::uint32_t> early; ///< messages a probe has taken ahead of their receive
  std::unordered_map<trace::CommunicatorId, std::uint64_t> file_calls;     ///< collective ones so far
  std::unordered_map<trace::CommunicatorId, FileTransfer> split_transfers; ///< begun and not ended
  MPI_Op user_operation = MPI_OP_NULL;
  MPI_Op ordered_operation = MPI_OP_NULL;
  simgrid::s4u::SemaphorePtr cores = nullptr; ///< that its threads compute on; null: as many as they need
};

} // namespace timeless::replay::smpi
