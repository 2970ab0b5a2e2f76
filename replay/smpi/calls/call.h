#pragma once

#include "base/error.h"
#include "base/processes/apart.h"
#include "trace/model/action.h"

#include <smpi/smpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::replay::smpi {

struct Dependences;

/// The thread of a rank that carries out an action.
class Caller {
public:
  /// Returns where the thread is: "rank 3, action 17: Recv from 2 with tag 5".
  virtual std::string position() const = 0;
  /// Ends the child with the error at once: no exception unwinds an actor's stack, which sanitizers take for
  /// corruption.
  [[noreturn]] void fail(const Error& error) const { report_->fail(error); }

protected:
  explicit Caller(const ChildReport& report) : report_(&report) {}
  ~Caller() = default;

private:
  const ChildReport* report_;
};

/// An action that is carried out, with what its parameters do not say.
struct Call {
  const trace::Action& action;
  std::uint64_t ordinal; ///< the action's number among the rank's
  const Caller& caller;
  std::uint32_t thread = 0;                 ///< the caller's place among the threads of its rank
  const Dependences* dependences = nullptr; ///< in a rank with several threads

  bool blocking() const { return action.request == trace::no_request; }
  /// Returns the same call with other parameters.
  Call with(const trace::Action& other) const { return {other, ordinal, caller, thread, dependences}; }
  /// Ends the child where SMPI has refused what it was asked to do for the call.
  void check(int code) const;
  /// Waits for all of them.
  void wait(std::vector<MPI_Request>& requests) const;
  /// Ends the child: what the trace asks for cannot be.
  [[noreturn]] void invalid(const std::string& what) const;
};

} // namespace timeless::replay::smpi
