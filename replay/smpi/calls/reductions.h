#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/communicators.h"
#include "replay/smpi/calls/elements.h"
#include "replay/smpi/calls/job_context.h"

#include <smpi/smpi.h>

namespace timeless::replay::smpi {

/// What SMPI is told of the elements that a call combines.
struct Reduction {
  MPI_Datatype type;
  MPI_Op op;
  trace::Bytes element;
  int count(trace::Bytes bytes) const { return count_of(bytes, element); }
};

/// Returns true for elements of a size that SMPI has a predefined type for.
bool predefined_size(trace::Bytes element);

/// The types and operations of a rank's reductions.
class Reductions {
public:
  Reductions(JobContext& context, const Communicators& communicators)
      : context_(context), communicators_(communicators) {}

  /// Returns elements as large as the program's, so that SMPI's choice of algorithm, which looks at their count, is the
  /// same.
  Reduction of(const Call& call);

private:
  JobContext& context_;
  const Communicators& communicators_;
  MPI_Op user_operation_ = MPI_OP_NULL;    ///< in place of any commutative one of the program's own
  MPI_Op ordered_operation_ = MPI_OP_NULL; ///< and of any other
};

} // namespace timeless::replay::smpi
