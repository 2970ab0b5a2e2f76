! windows.c, call for call, in Fortran three ways: with USE_MPIF through mpif.h, with USE_MPI through the module mpi, with
! USE_F08 through mpi_f08. What it prints and the actions it makes are those of windows.c.
!
! Memory that MPI allocates comes as an address through mpif.h, as a TYPE(C_PTR) through mpi_f08, as either through mpi.
#if defined(USE_F08)
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define GROUP type(MPI_Group)
#define DATATYPE type(MPI_Datatype)
#define WINDOW type(MPI_Win)
! The error code is optional here, and left out: the wrappers must do without.
#define IERR
#else
#define COMM integer
#define REQUEST integer
#define GROUP integer
#define DATATYPE integer
#define WINDOW integer
#define IERR , error
#endif

module memory
  use, intrinsic :: iso_c_binding
  implicit none
contains
  ! Integers at an address.
  function integers_at(where, length)
    integer(c_intptr_t), intent(in) :: where
    integer, intent(in) :: length
    integer, pointer :: integers_at(:)
    call c_f_pointer(transfer(where, c_null_ptr), integers_at, [length])
  end function
end module

program windows
  use memory
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_MPIF)
  include 'mpif.h'
#endif
  integer, parameter :: address = MPI_ADDRESS_KIND
  integer(address), parameter :: zero = 0, one = 1, two = 2, three = 3, four = 4, seven = 7
  integer :: compared = 0, wrong = 0, rank, size, partner, next, previous, error, mine(2), all(2)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  if (mod(size, 2) /= 0) call MPI_Abort(MPI_COMM_WORLD, 2, error)
  partner = ieor(rank, 1)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  call fenced()
  call grouped()
  call locked()
  call requested()
  call kinds()
  call failing()
  call paused()
  mine = [compared, wrong]
  call MPI_Allreduce(mine, all, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
  if (rank == 0) print '(i0, a, i0, a)', all(1), ' comparisons, ', all(2), ' failed'
  call MPI_Finalize(error)
  if (all(2) /= 0) stop 1

contains

  subroutine expect(actual, expected)
    integer, intent(in) :: actual, expected
    compared = compared + 1
    if (actual == expected) return
    wrong = wrong + 1
    print '(a, i0, a, i0, a, i0, a, i0)', 'rank ', rank, ': comparison ', compared, ': ', actual, ' instead of ', expected
  end subroutine

  subroutine expect_that(condition)
    logical, intent(in) :: condition
    call expect(merge(1, 0, condition), 1)
  end subroutine

  subroutine fenced()
    integer, asynchronous :: exposed(0:7), given(4), taken(2)
    WINDOW :: win
    DATATYPE :: strided
    exposed = 0
    given = [10 * rank + 1, 10 * rank + 2, 10 * rank + 3, 10 * rank + 4]
    taken = -1
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, strided IERR)
    call MPI_Type_commit(strided IERR)
    call MPI_Win_create(exposed, 32_address, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win IERR)
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, win IERR)
    call MPI_Put(given, 2, MPI_INTEGER, next, zero, 2, MPI_INTEGER, win IERR)
    call MPI_Put(given, 2, MPI_INTEGER, MPI_PROC_NULL, zero, 2, MPI_INTEGER, win IERR)
    call MPI_Win_fence(0, win IERR)
    call expect(exposed(0), 10 * previous + 1)
    call expect(exposed(1), 10 * previous + 2)
    call MPI_Get(taken, 2, MPI_INTEGER, next, zero, 2, MPI_INTEGER, win IERR)
    call MPI_Get(taken, 1, MPI_INTEGER, MPI_PROC_NULL, zero, 1, MPI_INTEGER, win IERR)
    call MPI_Win_fence(0, win IERR)
    call expect(taken(1), 10 * rank + 1)
    call expect(taken(2), 10 * rank + 2)
    call MPI_Accumulate(given, 1, MPI_INTEGER, 0, two, 1, MPI_INTEGER, MPI_SUM, win IERR)
    call MPI_Accumulate(given, 1, strided, partner, three, 1, strided, MPI_SUM, win IERR)
    call MPI_Accumulate(given, 1, MPI_INTEGER, partner, seven, 1, MPI_INTEGER, MPI_REPLACE, win IERR)
    call MPI_Accumulate(given, 1, MPI_INTEGER, MPI_PROC_NULL, seven, 1, MPI_INTEGER, MPI_SUM, win IERR)
    call MPI_Win_fence(MPI_MODE_NOSTORE + MPI_MODE_NOPUT + MPI_MODE_NOSUCCEED, win IERR)
    call expect(exposed(2), merge(5 * size * (size - 1) + size, 0, rank == 0))
    call expect(exposed(3), 10 * partner + 1)
    call expect(exposed(4), 0)
    call expect(exposed(5), 10 * partner + 3)
    call expect(exposed(7), 10 * partner + 1)
    call MPI_Win_free(win IERR)
    call expect_that(win == MPI_WIN_NULL)
    call MPI_Type_free(strided IERR)
  end subroutine

  subroutine grouped()
    integer, asynchronous :: value
    integer, pointer, asynchronous :: exposed(:)
    logical :: flag
    COMM :: reversed
    WINDOW :: win
    GROUP :: world, origins, targets
    value = 100 + rank
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed IERR)
    call MPI_Comm_group(MPI_COMM_WORLD, world IERR)
    call MPI_Group_incl(world, 1, [previous], origins IERR)
    call MPI_Group_incl(world, 1, [next], targets IERR)
    call allocate_window(2, reversed, exposed, win)
    exposed = -1

    call MPI_Win_post(origins, MPI_MODE_NOCHECK, win IERR)
    call MPI_Barrier(reversed IERR)
    call MPI_Win_start(targets, MPI_MODE_NOCHECK, win IERR)
    call MPI_Put(value, 1, MPI_INTEGER, size - 1 - next, one, 1, MPI_INTEGER, win IERR)
    call MPI_Win_complete(win IERR)
    flag = .false.
    do while (.not. flag)
      call MPI_Win_test(win, flag IERR)
    end do
    call expect(exposed(2), 100 + previous)

    call MPI_Win_post(origins, 0, win IERR)
    call MPI_Win_start(targets, 0, win IERR)
    call MPI_Put(value, 1, MPI_INTEGER, size - 1 - next, zero, 1, MPI_INTEGER, win IERR)
    call MPI_Win_complete(win IERR)
    call MPI_Win_wait(win IERR)
    call expect(exposed(1), 100 + previous)

    call MPI_Win_post(world, 0, win IERR)
    call MPI_Win_start(world, 0, win IERR)
    call MPI_Put(value, 1, MPI_INTEGER, size - 1 - rank, zero, 1, MPI_INTEGER, win IERR)
    call MPI_Win_complete(win IERR)
    call MPI_Win_wait(win IERR)
    call expect(exposed(1), 100 + rank)

    call MPI_Win_start(MPI_GROUP_EMPTY, 0, win IERR)
    call MPI_Win_complete(win IERR)

    call MPI_Win_free(win IERR)
    call MPI_Group_free(targets IERR)
    call MPI_Group_free(origins IERR)
    call MPI_Group_free(world IERR)
    call MPI_Comm_free(reversed IERR)
  end subroutine

  ! Through the module mpi, as an address or as a pointer in turn.
  subroutine allocate_window(length, comm, memory, win)
    integer, intent(in) :: length
    COMM, intent(in) :: comm
    integer, pointer, intent(out) :: memory(:)
    WINDOW, intent(out) :: win
#if !defined(USE_F08)
    integer(address) :: base
    call MPI_Win_allocate(4 * int(length, address), 4, MPI_INFO_NULL, comm, base, win, error)
    memory => integers_at(base, length)
#else
    call allocate_window_c(length, comm, memory, win)
#endif
  end subroutine

  subroutine allocate_window_c(length, comm, memory, win)
    integer, intent(in) :: length
    COMM, intent(in) :: comm
    integer, pointer, intent(out) :: memory(:)
    WINDOW, intent(out) :: win
#if defined(USE_MPIF)
    call allocate_window(length, comm, memory, win)
#else
    type(c_ptr) :: base
    call MPI_Win_allocate(4 * int(length, address), 4, MPI_INFO_NULL, comm, base, win IERR)
    call c_f_pointer(base, memory, [length])
#endif
  end subroutine

  subroutine locked()
    integer, pointer, asynchronous :: exposed(:)
    integer, asynchronous :: given(2), taken(2), expected
    WINDOW :: win
    given = [1000 + rank, 2000 + rank]
    taken = -1
    call allocate_window_c(6, MPI_COMM_WORLD, exposed, win)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win IERR)
    exposed = 0
    call MPI_Win_unlock(rank, win IERR)
    call MPI_Barrier(MPI_COMM_WORLD IERR)

    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, partner, 0, win IERR)
    call MPI_Put(given, 2, MPI_INTEGER, partner, zero, 2, MPI_INTEGER, win IERR)
    call MPI_Win_flush_local(partner, win IERR)
    call MPI_Win_flush(partner, win IERR)
    call MPI_Get(taken, 2, MPI_INTEGER, partner, zero, 2, MPI_INTEGER, win IERR)
    call MPI_Win_unlock(partner, win IERR)
    call expect(taken(1), 1000 + rank)
    call expect(taken(2), 2000 + rank)
    call MPI_Barrier(MPI_COMM_WORLD IERR)
    call MPI_Win_lock(MPI_LOCK_SHARED, partner, MPI_MODE_NOCHECK, win IERR)
    call MPI_Win_unlock(partner, win IERR)
    call MPI_Barrier(MPI_COMM_WORLD IERR)

    call MPI_Win_lock_all(0, win IERR)
    call MPI_Fetch_and_op(given(1), taken(1), MPI_INTEGER, partner, two, MPI_SUM, win IERR)
    call MPI_Win_flush(partner, win IERR)
    call expect(taken(1), 0)
    call MPI_Fetch_and_op(given(1), taken(1), MPI_INTEGER, partner, two, MPI_NO_OP, win IERR)
    call MPI_Win_flush_all(win IERR)
    call expect(taken(1), 1000 + rank)
    expected = 1000 + rank
    call MPI_Compare_and_swap(given(2), expected, taken(1), MPI_INTEGER, partner, two, win IERR)
    call MPI_Win_flush(partner, win IERR)
    call expect(taken(1), 1000 + rank)
    call MPI_Compare_and_swap(given(1), expected, taken(1), MPI_INTEGER, partner, two, win IERR)
    call MPI_Win_flush(partner, win IERR)
    call expect(taken(1), 2000 + rank)
    call MPI_Get_accumulate(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, partner, three, 2, MPI_INTEGER, MPI_REPLACE, &
                            win IERR)
    call MPI_Win_flush(partner, win IERR)
    call expect(taken(1), 0)
    call expect(taken(2), 0)
    call MPI_Get_accumulate(given, 1, MPI_INTEGER, taken, 1, MPI_INTEGER, partner, three, 1, MPI_INTEGER, MPI_MAX, &
                            win IERR)
    call MPI_Win_flush_local_all(win IERR)
    call expect(taken(1), 1000 + rank)
    call MPI_Get_accumulate(given, 0, MPI_INTEGER, taken, 2, MPI_INTEGER, partner, three, 2, MPI_INTEGER, MPI_NO_OP, &
                            win IERR)
    call MPI_Win_flush(partner, win IERR)
    call expect(taken(1), 1000 + rank)
    call expect(taken(2), 2000 + rank)
    call MPI_Fetch_and_op(given(1), taken(1), MPI_INTEGER, MPI_PROC_NULL, two, MPI_SUM, win IERR)
    call MPI_Compare_and_swap(given(1), expected, taken(1), MPI_INTEGER, MPI_PROC_NULL, two, win IERR)
    call MPI_Get_accumulate(given, 1, MPI_INTEGER, taken, 1, MPI_INTEGER, MPI_PROC_NULL, three, 1, MPI_INTEGER, MPI_SUM, &
                            win IERR)
    call MPI_Win_sync(win IERR)
    call MPI_Win_unlock_all(win IERR)
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, win IERR)
    call MPI_Win_unlock_all(win IERR)
    call MPI_Win_free(win IERR)
  end subroutine

  subroutine requested()
    integer, asynchronous :: exposed(0:3), given(2), taken(3)
    logical :: flag
    WINDOW :: win
    REQUEST :: requests(2)
    exposed = 0
    given = [3000 + rank, 4000 + rank]
    taken = -1
    call MPI_Win_create(exposed, 16_address, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win IERR)
    call MPI_Win_lock_all(0, win IERR)
    call MPI_Rput(given, 2, MPI_INTEGER, partner, zero, 2, MPI_INTEGER, win, requests(1) IERR)
    call MPI_Raccumulate(given, 1, MPI_INTEGER, partner, two, 1, MPI_INTEGER, MPI_SUM, win, requests(2) IERR)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
    call MPI_Win_flush(partner, win IERR)
    call MPI_Rget(taken, 2, MPI_INTEGER, partner, zero, 2, MPI_INTEGER, win, requests(1) IERR)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE IERR)
    call expect(taken(1), 3000 + rank)
    call expect(taken(2), 4000 + rank)
    call MPI_Rget_accumulate(given(2), 1, MPI_INTEGER, taken(3), 1, MPI_INTEGER, partner, two, 1, MPI_INTEGER, MPI_SUM, &
                             win, requests(1) IERR)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE IERR)
    end do
    call expect(taken(3), 3000 + rank)
    call MPI_Rput(given, 2, MPI_INTEGER, MPI_PROC_NULL, zero, 2, MPI_INTEGER, win, requests(1) IERR)
    call MPI_Rget(taken, 2, MPI_INTEGER, MPI_PROC_NULL, zero, 2, MPI_INTEGER, win, requests(2) IERR)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
    call MPI_Raccumulate(given, 2, MPI_INTEGER, MPI_PROC_NULL, zero, 2, MPI_INTEGER, MPI_SUM, win, requests(1) IERR)
    call MPI_Rget_accumulate(given, 1, MPI_INTEGER, taken, 1, MPI_INTEGER, MPI_PROC_NULL, two, 1, MPI_INTEGER, MPI_SUM, &
                             win, requests(2) IERR)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
    call MPI_Win_unlock_all(win IERR)
    call MPI_Barrier(MPI_COMM_WORLD IERR)
    call expect(exposed(2), 7000 + 2 * partner)
    call MPI_Win_free(win IERR)
  end subroutine

  subroutine kinds()
    WINDOW :: win
    COMM :: node
    integer(address) :: length, own(1), of_partner(1)
    integer :: unit
    integer, asynchronous :: value, attached
    integer, pointer, asynchronous :: mine(:), other(:)
#if defined(USE_MPIF)
    integer(address) :: base
#else
    type(c_ptr) :: base
#endif
    value = 500 + rank
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node IERR)
    call MPI_Win_allocate_shared(4 * int(mod(rank, 2) + 1, address), 4, MPI_INFO_NULL, node, base, win IERR)
    mine => pointed(base)
    call MPI_Win_shared_query(win, partner, length, unit, base IERR)
    other => pointed(base)
    call expect(int(length), (mod(partner, 2) + 1) * 4)
    call MPI_Win_lock_all(0, win IERR)
    mine(1) = 600 + rank
    call MPI_Win_sync(win IERR)
    call MPI_Barrier(node IERR)
    call MPI_Win_sync(win IERR)
    call expect(other(1), 600 + partner)
    call MPI_Win_unlock_all(win IERR)
    call MPI_Barrier(node IERR)
    call MPI_Win_free(win IERR)
    call MPI_Comm_free(node IERR)

    attached = -1
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win IERR)
    call MPI_Win_attach(win, attached, four IERR)
    call MPI_Get_address(attached, own(1) IERR)
    call MPI_Sendrecv(own, 1, MPI_AINT, partner, 0, of_partner, 1, MPI_AINT, partner, 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE IERR)
    call MPI_Win_fence(0, win IERR)
    call MPI_Put(value, 1, MPI_INTEGER, partner, of_partner(1), 1, MPI_INTEGER, win IERR)
    call MPI_Win_fence(0, win IERR)
    call expect(attached, 500 + partner)
    call MPI_Win_detach(win, attached IERR)
    call MPI_Win_free(win IERR)

    call allocate_window(1, MPI_COMM_SELF, mine, win)
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win IERR)
    call MPI_Put(value, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, win IERR)
    call MPI_Win_unlock(0, win IERR)
    call expect(mine(1), 500 + rank)
    call MPI_Win_free(win IERR)
  end subroutine

  function pointed(base)
    integer, pointer :: pointed(:)
#if defined(USE_MPIF)
    integer(address), intent(in) :: base
    pointed => integers_at(base, 1)
#else
    type(c_ptr), intent(in) :: base
    call c_f_pointer(base, pointed, [1])
#endif
  end function

  subroutine failing()
    integer, asynchronous :: exposed, value
    WINDOW :: win
    exposed = 5
    value = 6
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN IERR)
    call MPI_Win_create(exposed, -one, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, error)
    call expect_that(error /= MPI_SUCCESS)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL IERR)
    call MPI_Win_create(exposed, four, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win IERR)
    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN IERR)
    call MPI_Win_fence(0, win IERR)
    call MPI_Put(value, 1, MPI_INTEGER, size, zero, 1, MPI_INTEGER, win, error)
    call expect_that(error /= MPI_SUCCESS)
    call MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win, error)
    call expect_that(error /= MPI_SUCCESS)
    call MPI_Win_fence(0, win IERR)
    call expect(exposed, 5)
    call MPI_Win_free(win IERR)
  end subroutine

  subroutine paused()
    integer, asynchronous :: exposed(2), value
    WINDOW :: win
    COMM :: after
    exposed = 0
    value = 700 + rank
    call MPI_Pcontrol(0)
    call MPI_Win_create(exposed, 8_address, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win IERR)
    call MPI_Win_lock(MPI_LOCK_SHARED, partner, 0, win IERR)
    call MPI_Pcontrol(1)
    call MPI_Put(value, 1, MPI_INTEGER, partner, zero, 1, MPI_INTEGER, win IERR)
    call MPI_Win_unlock(partner, win IERR)
    call MPI_Win_lock(MPI_LOCK_SHARED, partner, 0, win IERR)
    call MPI_Put(value, 1, MPI_INTEGER, partner, one, 1, MPI_INTEGER, win IERR)
    call MPI_Pcontrol(0)
    call MPI_Win_unlock(partner, win IERR)
    call MPI_Barrier(MPI_COMM_WORLD IERR)
    call expect(exposed(1), 700 + partner)
    call expect(exposed(2), 700 + partner)
    call MPI_Win_free(win IERR)
    call MPI_Pcontrol(1)
    call MPI_Comm_dup(MPI_COMM_WORLD, after IERR)
    call MPI_Comm_free(after IERR)
  end subroutine

end program
