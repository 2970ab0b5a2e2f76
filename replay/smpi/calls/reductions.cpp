#include "replay/smpi/calls/reductions.h"

#include "trace/model/collective_bytes.h"

#include <algorithm>
#include <bit>

namespace timeless::replay::smpi {

namespace {

/// What SMPI would call for a user's reduction; it never does while replaying.
void no_operation(void*, void*, int*, MPI_Datatype*) {}

} // namespace

bool predefined_size(trace::Bytes element) {
  return element == 1 || element == 2 || element == 4 || element == 8 || element == 16;
}

Reduction Reductions::of(const Call& call) {
  const trace::Action& action = call.action;
  trace::Bytes element = std::max<trace::Bytes>(action.element_bytes, 1);
  const auto whole = [&](trace::Bytes bytes) { return bytes % element == 0; };
  if (!whole(action.bytes) || !std::ranges::all_of(action.counts, whole)) element = 1;
  trace::Bytes all = std::max(action.bytes, action.receive_bytes);
  if (action.kind == trace::ActionKind::reduce_scatter_block)
    all *= static_cast<trace::Bytes>(std::max(communicators_.of(call).size, 1));
  all = std::max(all, trace::sum(action.counts));
  if (all / element > largest_count) element = std::max(element, unit_for(all));

  Reduction made{.type = context_.types.of(element), .op = element == 1 ? MPI_BAND : MPI_SUM, .element = element};
  const bool ordered = (action.flags & trace::flag_noncommutative) != 0;
  if (ordered || !predefined_size(element) || (action.flags & trace::flag_user_operation) != 0) {
    MPI_Op& operation = ordered ? ordered_operation_ : user_operation_;
    if (operation == MPI_OP_NULL) PMPI_Op_create(no_operation, ordered ? 0 : 1, &operation);
    made.op = operation;
  }
  // Where order matters, SMPI makes types of this one, and computes with its extent. What no predefined type is like,
  // is derived in the program, too, and SMPI may choose otherwise for it.
  if (all >= worth_sparing && !ordered && std::has_single_bit(element))
    made.type = context_.types.without_room(element);
  return made;
}

} // namespace timeless::replay::smpi
