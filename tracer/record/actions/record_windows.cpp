#include "tracer/record/actions/record.h"

#include "tracer/common/scratch.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/out_status.h"

#include <numeric>
#include <utility>

namespace timeless::tracer::record {

namespace {

std::uint16_t flag_if(bool condition, trace::ActionFlag flag) {
  return condition ? static_cast<std::uint16_t>(flag) : std::uint16_t{0};
}

std::uint16_t unchecked(int assertion) {
  return flag_if((assertion & mpi().mode_nocheck) != 0, trace::flag_no_check);
}

/// Returns the bytes of one element that an operation combines: a derived datatype consists of elements of one
/// predefined type.
std::uint32_t element_bytes(MPI_Datatype datatype) {
  const trace::Bytes bytes = bytes_of(1, datatype);
  MPI_Count elements = 0;
  StatusRoom one;
  mpi().Status_set_elements_x(one.get(), mpi().byte, static_cast<MPI_Count>(bytes));
  mpi().Get_elements_x(one.get(), datatype, &elements);
  return static_cast<std::uint32_t>(elements > 0 ? bytes / static_cast<trace::Bytes>(elements) : bytes);
}

void describe_accumulation(trace::Action& action, MPI_Datatype datatype, MPI_Op op) {
  if (op == mpi().no_op) {
    action.bytes = 0;
    action.flags |= trace::flag_no_operation;
    return;
  }
  if (action.bytes > 0) action.element_bytes = element_bytes(datatype);
  if (op == mpi().replace) action.flags |= trace::flag_replace;
}

/// Records a transfer to or from a target, which `describe(action)` completes. There is none with MPI_PROC_NULL.
template <typename Describe>
void transfer(Recorder& recorder, ActionKind kind, int target, MPI_Win win, ProgramHandles<const MPI_Request> request,
              Describe&& describe) {
  const KnownWindow* const known = target != mpi().proc_null ? recorder.window(win) : nullptr;
  if (known == nullptr) {
    if (request != nullptr) begin_silent(recorder, request);
    return;
  }
  trace::Action action{.kind = kind, .communicator = known->communicator, .peer = target};
  describe(action);
  append(recorder, request, action);
}

} // namespace

void created_window(Recorder& recorder, ActionKind kind, MPI_Aint size, MPI_Comm comm, MPI_Win win) {
  KnownCommunicator* const parent = recorder.communicator(comm);
  if (parent == nullptr) return;
  CommunicatorTable& communicators = recorder.communicators();
  KnownCommunicator* const made = communicators.add_duplicate(nullptr, comm, communicators.next_creation(*parent));
  recorder.windows().add(win, made->id, made->size);
  recorder.append({.kind = kind,
                   .communicator = parent->id,
                   .bytes = size > 0 ? static_cast<trace::Bytes>(size) : 0,
                   .new_communicator = made->id});
  communicators.forget(*made);
}

void freed_window(Recorder& recorder, MPI_Win win, KnownWindow& known) {
  recorder.append({.kind = ActionKind::win_free, .communicator = known.communicator});
  recorder.windows().forget(win, known);
}

void fence(Recorder& recorder, int assertion, MPI_Win win) {
  const KnownWindow* const known = recorder.window(win);
  if (known == nullptr) return;
  const int flags = flag_if((assertion & mpi().mode_noprecede) != 0, trace::flag_no_precede) |
                    flag_if((assertion & mpi().mode_nosucceed) != 0, trace::flag_no_succeed);
  recorder.append(
      {.kind = ActionKind::win_fence, .flags = static_cast<std::uint16_t>(flags), .communicator = known->communicator});
}

void put(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int target, MPI_Win win,
         ProgramHandles<const MPI_Request> request) {
  transfer(recorder, ActionKind::put, target, win, request,
           [&](trace::Action& action) { action.bytes = bytes_of(count, datatype); });
}

void get(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int target, MPI_Win win,
         ProgramHandles<const MPI_Request> request) {
  transfer(recorder, ActionKind::get, target, win, request,
           [&](trace::Action& action) { action.receive_bytes = bytes_of(count, datatype); });
}

void accumulate(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, int target, MPI_Op op, MPI_Win win,
                ProgramHandles<const MPI_Request> request) {
  transfer(recorder, ActionKind::accumulate, target, win, request, [&](trace::Action& action) {
    action.bytes = bytes_of(count, datatype);
    describe_accumulation(action, datatype, op);
  });
}

void get_accumulate(Recorder& recorder, MPI_Count count, MPI_Datatype datatype, MPI_Count result_count,
                    MPI_Datatype result_datatype, int target, MPI_Op op, MPI_Win win,
                    ProgramHandles<const MPI_Request> request) {
  transfer(recorder, ActionKind::get_accumulate, target, win, request, [&](trace::Action& action) {
    action.bytes = bytes_of(count, datatype);
    action.receive_bytes = bytes_of(result_count, result_datatype);
    describe_accumulation(action, datatype, op);
  });
}

void fetch_and_op(Recorder& recorder, MPI_Datatype datatype, int target, MPI_Op op, MPI_Win win) {
  transfer(recorder, ActionKind::fetch_and_op, target, win, nullptr, [&](trace::Action& action) {
    action.bytes = action.receive_bytes = bytes_of(1, datatype);
    describe_accumulation(action, datatype, op);
  });
}

void compare_and_swap(Recorder& recorder, MPI_Datatype datatype, int target, MPI_Win win) {
  transfer(recorder, ActionKind::compare_and_swap, target, win, nullptr, [&](trace::Action& action) {
    action.receive_bytes = bytes_of(1, datatype);
    action.bytes = 2 * action.receive_bytes;
  });
}

namespace {

/// Records the begin of an epoch with a group, of which the trace gets the ranks in the window; true when it has it.
bool begin_group_epoch(Recorder& recorder, ActionKind kind, MPI_Group group, int assertion, MPI_Win win,
                       const KnownWindow& known) {
  int size = 0;
  mpi().Group_size(group, &size);
  ScratchArray<int> in_group(size);
  ScratchArray<trace::Rank> in_window(size);
  if (size > 0) {
    OwnHandle<MPI_Group> whole;
    mpi().Win_get_group(win, whole.place());
    std::iota(in_group.data(), in_group.data() + size, 0);
    mpi().Group_translate_ranks(group, size, in_group.data(), whole.value(), in_window.data());
    mpi().Group_free(whole.place());
  }
  return recorder
      .append({.kind = kind,
               .flags = unchecked(assertion),
               .communicator = known.communicator,
               .ranks = {in_window.data(), static_cast<std::size_t>(size)}})
      .exists();
}

} // namespace

void post(Recorder& recorder, MPI_Group group, int assertion, MPI_Win win) {
  if (KnownWindow* const known = recorder.window(win))
    known->exposure = begin_group_epoch(recorder, ActionKind::win_post, group, assertion, win, *known);
}

void start(Recorder& recorder, MPI_Group group, int assertion, MPI_Win win) {
  if (KnownWindow* const known = recorder.window(win))
    known->access = begin_group_epoch(recorder, ActionKind::win_start, group, assertion, win, *known);
}

void complete(Recorder& recorder, MPI_Win win) {
  KnownWindow* const known = recorder.window(win);
  if (known != nullptr && std::exchange(known->access, false))
    recorder.append_of_recorded({.kind = ActionKind::win_complete, .communicator = known->communicator});
}

void exposed(Recorder& recorder, ActionKind kind, MPI_Win win) {
  KnownWindow* const known = recorder.window(win);
  if (known != nullptr && std::exchange(known->exposure, false))
    recorder.append_of_recorded({.kind = kind, .communicator = known->communicator});
}

void lock(Recorder& recorder, int type, int target, int assertion, MPI_Win win) {
  KnownWindow* const known = target != mpi().proc_null ? recorder.window(win) : nullptr;
  if (known == nullptr) return;
  const int flags = flag_if(type == mpi().lock_exclusive, trace::flag_exclusive) | unchecked(assertion);
  known->locked.at(static_cast<std::size_t>(target)) = recorder
                                                           .append({.kind = ActionKind::win_lock,
                                                                    .flags = static_cast<std::uint16_t>(flags),
                                                                    .communicator = known->communicator,
                                                                    .peer = target})
                                                           .exists();
}

void unlock(Recorder& recorder, int target, MPI_Win win) {
  KnownWindow* const known = target != mpi().proc_null ? recorder.window(win) : nullptr;
  if (known == nullptr) return;
  auto locked = known->locked.at(static_cast<std::size_t>(target));
  if (!locked) return;
  locked = false;
  recorder.append_of_recorded({.kind = ActionKind::win_unlock, .communicator = known->communicator, .peer = target});
}

void lock_all(Recorder& recorder, int assertion, MPI_Win win) {
  KnownWindow* const known = recorder.window(win);
  if (known == nullptr) return;
  known->all_locked =
      recorder
          .append(
              {.kind = ActionKind::win_lock_all, .flags = unchecked(assertion), .communicator = known->communicator})
          .exists();
}

void unlock_all(Recorder& recorder, MPI_Win win) {
  KnownWindow* const known = recorder.window(win);
  if (known != nullptr && std::exchange(known->all_locked, false))
    recorder.append_of_recorded({.kind = ActionKind::win_unlock_all, .communicator = known->communicator});
}

void flush(Recorder& recorder, ActionKind kind, int target, MPI_Win win) {
  const KnownWindow* const known = target != mpi().proc_null ? recorder.window(win) : nullptr;
  if (known == nullptr) return;
  recorder.append({.kind = kind, .communicator = known->communicator, .peer = target});
}

void flush_all(Recorder& recorder, ActionKind kind, MPI_Win win) {
  if (const KnownWindow* const known = recorder.window(win))
    recorder.append({.kind = kind, .communicator = known->communicator});
}

} // namespace timeless::tracer::record
