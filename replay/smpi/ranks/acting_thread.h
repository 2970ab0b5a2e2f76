#pragma once

#include <simgrid/s4u.hpp>

namespace timeless::replay::smpi {

/// While it lives, the calling actor is a thread of another one's rank to SMPI: what it calls, that rank calls.
///
/// SMPI knows ranks by the numbers of their actors, asks simgrid::s4u::this_actor::get_pid() for its own, and begins
/// messages in the name of the actor with that number. Our definitions of these functions go before the library's: to
/// such an actor they give the other's number, and itself for the other. Where the library has been linked so that they
/// cannot (-Bsymbolic), works() is false.
class ActingThread {
public:
  /// Acts for `rank`, the actor that called MPI_Init.
  explicit ActingThread(const simgrid::s4u::Actor& rank);
  ~ActingThread();
  ActingThread(const ActingThread&) = delete;
  ActingThread& operator=(const ActingThread&) = delete;

  /// Returns true when SMPI takes the calling actor for the rank.
  static bool works(const simgrid::s4u::Actor& rank);

private:
  void* own_; ///< what SMPI keeps for the actor itself
};

} // namespace timeless::replay::smpi
