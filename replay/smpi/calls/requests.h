#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/files.h"
#include "replay/smpi/calls/message_numbers.h"

#include <smpi/smpi.h>

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace timeless::replay::smpi {

/// What a request of the program stands for.
struct Pending {
  MPI_Request request = MPI_REQUEST_NULL;
  bool persistent = false; ///< made by an _init call
  std::vector<MPI_Request> parts;
  std::optional<FileTransfer> file;
  MessageNumber number; ///< of a receive, to be given back
};

/// The requests of a rank.
class Requests {
public:
  explicit Requests(Files& files) : files_(files) {}

  /// Returns the request that the call begins; null where it blocks. In place of an earlier one of the same name, which
  /// is then under way without one.
  Pending* begin(const Call& call);
  /// Waits for those of the call that are under way.
  void complete(const Call& call);
  /// Frees the call's request: what it stands for goes on.
  void free(const Call& call);

private:
  std::vector<Pending*> under_way(const Call& call, std::span<const trace::RequestId> ids);
  void leave(Pending& pending);

  Files& files_;
  std::unordered_map<trace::RequestId, Pending> known_; ///< in a rank with one thread; else Dependences has them
  std::vector<MPI_Request> unfinished_;                 ///< freed by the program while under way
};

} // namespace timeless::replay::smpi
