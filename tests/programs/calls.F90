! calls.c, call for call, in Fortran three ways: with USE_MPIF through mpif.h, with USE_MPI through the module mpi, with
! USE_F08 through mpi_f08. What it prints and the actions it makes are those of calls.c.
#if defined(USE_F08)
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define MESSAGE type(MPI_Message)
#define GROUP type(MPI_Group)
#define DATATYPE type(MPI_Datatype)
#define WINDOW type(MPI_Win)
#define FILE_HANDLE type(MPI_File)
#define ONE_STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define AT(name, i) name(i)
#define SOURCE_OF(s) s%MPI_SOURCE
#define TAG_OF(s) s%MPI_TAG
! The error code is optional here, and left out: the wrappers must do without.
#define IERR
#else
#define COMM integer
#define REQUEST integer
#define MESSAGE integer
#define GROUP integer
#define DATATYPE integer
#define WINDOW integer
#define FILE_HANDLE integer
#define ONE_STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define AT(name, i) name(:, i)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define TAG_OF(s) s(MPI_TAG)
#define IERR , error
#endif

program calls
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(USE_MPIF)
  include 'mpif.h'
#endif
  integer, parameter :: sections = 11, max_ranks = 64
  integer, parameter :: int64 = selected_int_kind(18), address = MPI_ADDRESS_KIND
  integer(int64) :: digest(sections) = 0, all_digests(sections, 0:max_ranks - 1)
  integer :: section = 1, rank, size, partner, error, total, i
  integer, dimension(max_ranks * max_ranks) :: given, taken
  integer, dimension(max_ranks) :: counts, displacements, byte_displacements, one_each
  DATATYPE :: types(max_ranks)
  character(len=512) :: name

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  partner = ieor(rank, 1)
  if (command_argument_count() /= 1 .or. mod(size, 2) /= 0 .or. size > max_ranks) call MPI_Abort(MPI_COMM_WORLD, 2, error)
  call get_command_argument(1, name)
  call blocking()
  section = 2
  call nonblocking()
  section = 3
  call exchanges()
  section = 4
  call probes()
  section = 5
  call persistent()
  section = 6
  call collectives()
  section = 7
  call in_place()
  section = 8
  call communicators()
  section = 9
  call neighbours()
  section = 10
  call absolute_addresses()
  section = 11
  call windows_and_files()
  call MPI_Gather(digest, sections, MPI_INTEGER8, all_digests, sections, MPI_INTEGER8, 0, MPI_COMM_WORLD IERR)
  if (rank == 0) then
    do i = 0, size - 1
      print '(a, i0, a, *(1x, i0))', 'rank ', i, ':', all_digests(:, i)
    end do
  end if
  call MPI_Finalize(error)

contains

  subroutine check(value)
    integer, intent(in) :: value
    digest(section) = modulo_of_c(digest(section) * 31 + value + 7)
  end subroutine

  ! The remainder as C takes it, with the sign of the dividend.
  pure function modulo_of_c(value)
    integer(int64), intent(in) :: value
    integer(int64) :: modulo_of_c
    modulo_of_c = mod(value, 1000003_int64)
  end function

  subroutine check_if(condition)
    logical, intent(in) :: condition
    call check(merge(1, 0, condition))
  end subroutine

  subroutine check_status(status)
    ONE_STATUS(status)
    integer :: count
    call MPI_Get_count(status, MPI_INTEGER, count IERR)
    call check(SOURCE_OF(status))
    call check(TAG_OF(status))
    call check(count)
  end subroutine

  subroutine blocking()
    integer, save :: buffer(2500)
    integer :: mode, turn, value, values(3), mine, yours
    REQUEST :: one
    ONE_STATUS(status)
    call attach(buffer)
    do mode = 0, 2
      do turn = 0, 1
        value = 100 * rank + mode
        if (mod(rank, 2) == turn) then
          if (mode == 0) call MPI_Send(value, 1, MPI_INTEGER, partner, mode, MPI_COMM_WORLD IERR)
          if (mode == 1) call MPI_Bsend(value, 1, MPI_INTEGER, partner, mode, MPI_COMM_WORLD IERR)
          if (mode == 2) call MPI_Ssend(value, 1, MPI_INTEGER, partner, mode, MPI_COMM_WORLD IERR)
        else if (turn == 0) then
          call MPI_Recv(value, 1, MPI_INTEGER, partner, mode, MPI_COMM_WORLD, MPI_STATUS_IGNORE IERR)
          call check(value)
        else
          call MPI_Recv(values, 3, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status IERR)
          call check(values(1))
          call check_status(status)
        end if
      end do
    end do
    mine = rank + 5
    yours = 0
    call MPI_Irecv(yours, 1, MPI_INTEGER, partner, 3, MPI_COMM_WORLD, one IERR)
    call MPI_Barrier(MPI_COMM_WORLD IERR)
    call MPI_Rsend(mine, 1, MPI_INTEGER, partner, 3, MPI_COMM_WORLD IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check(yours)
    call detach(buffer)
  end subroutine

  subroutine attach(buffer)
    integer :: buffer(2500)
    call MPI_Buffer_attach(buffer, 10000, error)
  end subroutine

  subroutine detach(buffer)
#if defined(USE_F08)
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: detached
#else
    integer :: detached
#endif
    integer :: buffer(2500)
    integer :: length
    call MPI_Buffer_detach(detached, length, error)
    buffer(1) = length
  end subroutine

  subroutine nonblocking()
    integer, save :: buffer(2500)
    integer :: mine, yours(4), index, done, indices(3)
    logical :: flag
    REQUEST :: requests(3), sending
    ONE_STATUS(status)
    STATUSES(states, 3)
    call attach(buffer)
    mine = rank + 20
    yours = 0

    call MPI_Irecv(yours, 4, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Isend(mine, 1, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, requests(2) IERR)
    call MPI_Wait(requests(1), status IERR)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE IERR)
    call check(yours(1))
    call check_status(status)
    call check_if(requests(1) == MPI_REQUEST_NULL)

    call MPI_Irecv(yours, 4, MPI_INTEGER, partner, 2, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Ibsend(mine, 1, MPI_INTEGER, partner, 2, MPI_COMM_WORLD, requests(2) IERR)
    call MPI_Waitall(2, requests, states IERR)
    call check_status(AT(states, 1))

    call MPI_Irecv(yours, 4, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Issend(mine, 1, MPI_INTEGER, partner, 3, MPI_COMM_WORLD, requests(2) IERR)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(1), flag, status IERR)
    end do
    call check_status(status)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(2), flag, MPI_STATUS_IGNORE IERR)
    end do
    call check_if(requests(2) == MPI_REQUEST_NULL)

    call MPI_Irecv(yours, 4, MPI_INTEGER, partner, 4, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Barrier(MPI_COMM_WORLD IERR)
    call MPI_Irsend(mine, 1, MPI_INTEGER, partner, 4, MPI_COMM_WORLD, requests(2) IERR)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
    call check(yours(1))

    requests(1) = MPI_REQUEST_NULL
    requests(3) = MPI_REQUEST_NULL
    call MPI_Irecv(yours, 4, MPI_INTEGER, partner, 5, MPI_COMM_WORLD, requests(2) IERR)
    call MPI_Isend(mine, 1, MPI_INTEGER, partner, 5, MPI_COMM_WORLD, sending IERR)
    call MPI_Waitany(3, requests, index, status IERR)
    call check(index)
    call check_status(status)
    call MPI_Wait(sending, MPI_STATUS_IGNORE IERR)
    call MPI_Waitany(3, requests, index, status IERR)
    call check_if(index == MPI_UNDEFINED)

    call MPI_Irecv(yours, 4, MPI_INTEGER, partner, 6, MPI_COMM_WORLD, requests(3) IERR)
    call MPI_Isend(mine, 1, MPI_INTEGER, partner, 6, MPI_COMM_WORLD, sending IERR)
    call MPI_Waitsome(3, requests, done, indices, states IERR)
    call check(done)
    call check(indices(1))
    call check_status(AT(states, 1))
    call MPI_Wait(sending, MPI_STATUS_IGNORE IERR)
    call MPI_Waitsome(3, requests, done, indices, MPI_STATUSES_IGNORE IERR)
    call check_if(done == MPI_UNDEFINED)

    call MPI_Irecv(yours, 4, MPI_INTEGER, partner, 7, MPI_COMM_WORLD, requests(2) IERR)
    call MPI_Isend(mine, 1, MPI_INTEGER, partner, 7, MPI_COMM_WORLD, sending IERR)
    flag = .false.
    do while (.not. flag)
      call MPI_Testany(3, requests, index, flag, status IERR)
    end do
    call check(index)
    call check_status(status)
    call MPI_Wait(sending, MPI_STATUS_IGNORE IERR)

    call MPI_Irecv(yours, 4, MPI_INTEGER, partner, 8, MPI_COMM_WORLD, requests(2) IERR)
    call MPI_Isend(mine, 1, MPI_INTEGER, partner, 8, MPI_COMM_WORLD, sending IERR)
    done = 0
    do while (done == 0)
      call MPI_Testsome(3, requests, done, indices, states IERR)
    end do
    call check(done)
    call check(indices(1))
    call check_status(AT(states, 1))
    call MPI_Wait(sending, MPI_STATUS_IGNORE IERR)

    call MPI_Irecv(yours, 4, MPI_INTEGER, partner, 9, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Isend(mine, 1, MPI_INTEGER, partner, 9, MPI_COMM_WORLD, requests(2) IERR)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2, requests, flag, states IERR)
    end do
    call check_status(AT(states, 1))

    call MPI_Irecv(yours, 4, MPI_INTEGER, partner, 10, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Isend(mine, 1, MPI_INTEGER, partner, 10, MPI_COMM_WORLD, requests(2) IERR)
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status(requests(1), flag, status IERR)
    end do
    call check_status(status)
    call check_if(requests(1) == MPI_REQUEST_NULL)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
    call detach(buffer)
  end subroutine

  subroutine exchanges()
    integer :: mine, yours, next, previous, right, left
    REQUEST :: requests(2)
    ONE_STATUS(status)
    mine = rank + 30
    yours = -1
    next = mod(rank + 1, size)
    previous = mod(rank + size - 1, size)
    right = merge(rank + 1, MPI_PROC_NULL, rank + 1 < size)
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    call MPI_Sendrecv(mine, 1, MPI_INTEGER, next, 1, yours, 1, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, status IERR)
    call check(yours)
    call check_status(status)
    call MPI_Sendrecv_replace(mine, 1, MPI_INTEGER, next, 2, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status IERR)
    call check(mine)
    call check_status(status)
    yours = -1
    call MPI_Sendrecv(mine, 1, MPI_INTEGER, right, 3, yours, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE IERR)
    call check(yours)
    call MPI_Send(mine, 1, MPI_INTEGER, MPI_PROC_NULL, 4, MPI_COMM_WORLD IERR)
    call MPI_Recv(yours, 1, MPI_INTEGER, MPI_PROC_NULL, 4, MPI_COMM_WORLD, status IERR)
    call check_if(SOURCE_OF(status) == MPI_PROC_NULL)
    call MPI_Irecv(yours, 1, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Isend(mine, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2) IERR)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
    call check(yours)
  end subroutine

  subroutine probes()
    integer :: value, tag
    logical :: flag
    MESSAGE :: taken_message
    REQUEST :: one
    ONE_STATUS(status)
    value = rank
    if (mod(rank, 2) == 0) then
      do tag = 1, 4
        call MPI_Send(value, 1, MPI_INTEGER, partner, tag, MPI_COMM_WORLD IERR)
      end do
      return
    end if
    call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status IERR)
    call check_status(status)
    call MPI_Recv(value, 1, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE IERR)
    flag = .false.
    do while (.not. flag)
      call MPI_Iprobe(partner, 2, MPI_COMM_WORLD, flag, status IERR)
    end do
    call check_status(status)
    call MPI_Recv(value, 1, MPI_INTEGER, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE IERR)
    call MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, taken_message, status IERR)
    call check_status(status)
    call MPI_Mrecv(value, 1, MPI_INTEGER, taken_message, status IERR)
    call check_status(status)
    call check_if(taken_message == MPI_MESSAGE_NULL)
    flag = .false.
    do while (.not. flag)
      call MPI_Improbe(partner, 4, MPI_COMM_WORLD, flag, taken_message, MPI_STATUS_IGNORE IERR)
    end do
    call MPI_Imrecv(value, 1, MPI_INTEGER, taken_message, one IERR)
    call MPI_Wait(one, status IERR)
    call check_status(status)
    call check(value)
  end subroutine

  subroutine persistent()
    integer, save :: buffer(2500)
    integer :: mine(2), yours(2), turn, index
    logical :: flag
    REQUEST :: requests(2), both(4)
    ONE_STATUS(status)
    STATUSES(states, 4)
    call attach(buffer)
    mine = [rank, rank + 1]
    yours = 0
    call MPI_Recv_init(yours, 2, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, both(1) IERR)
    call MPI_Recv_init(yours, 2, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, both(2) IERR)
    call MPI_Send_init(mine, 2, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, both(3) IERR)
    call MPI_Bsend_init(mine, 2, MPI_INTEGER, partner, 2, MPI_COMM_WORLD, both(4) IERR)
    do turn = 1, 3
      call MPI_Startall(4, both IERR)
      call MPI_Waitall(4, both, states IERR)
      call check_status(AT(states, 2))
      call check_if(both(1) /= MPI_REQUEST_NULL)
    end do
    call MPI_Waitall(4, both, MPI_STATUSES_IGNORE IERR)
    do index = 1, 4
      call MPI_Request_free(both(index) IERR)
    end do
    call check_if(both(1) == MPI_REQUEST_NULL)

    call MPI_Recv_init(yours, 2, MPI_INTEGER, partner, 3, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Ssend_init(mine, 2, MPI_INTEGER, partner, 3, MPI_COMM_WORLD, requests(2) IERR)
    call MPI_Start(requests(1) IERR)
    call MPI_Start(requests(2) IERR)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
    call MPI_Request_free(requests(2) IERR)
    call MPI_Rsend_init(mine, 2, MPI_INTEGER, partner, 3, MPI_COMM_WORLD, requests(2) IERR)
    call MPI_Start(requests(1) IERR)
    call MPI_Barrier(MPI_COMM_WORLD IERR)
    call MPI_Start(requests(2) IERR)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE IERR)
    call check(yours(2))
    call MPI_Request_free(requests(1) IERR)
    call MPI_Request_free(requests(2) IERR)

    call MPI_Irecv(yours, 1, MPI_INTEGER, partner, 99, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Cancel(requests(1) IERR)
    call MPI_Wait(requests(1), status IERR)
    call MPI_Test_cancelled(status, flag IERR)
    call check_if(flag)

    call MPI_Isend(mine, 1, MPI_INTEGER, partner, 5, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Request_free(requests(1) IERR)
    call MPI_Recv(yours, 1, MPI_INTEGER, partner, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE IERR)
    call check(yours(1))
    call detach(buffer)
  end subroutine

  subroutine fill()
    integer :: k
    do k = 1, max_ranks * max_ranks
      given(k) = 1000 * rank + k - 1
      taken(k) = -1
    end do
  end subroutine

  subroutine check_taken(length)
    integer, intent(in) :: length
    integer :: k
    do k = 1, length
      call check(taken(k))
    end do
    call fill()
  end subroutine

  subroutine collectives()
    REQUEST :: one
    integer :: k
    total = 0
    do k = 1, size
      counts(k) = k
      displacements(k) = total
      byte_displacements(k) = 4 * (k - 1)
      one_each(k) = 1
      types(k) = MPI_INTEGER
      total = total + counts(k)
    end do
    call fill()
    call MPI_Barrier(MPI_COMM_WORLD IERR)
    call MPI_Bcast(given, 2, MPI_INTEGER, 1, MPI_COMM_WORLD IERR)
    call check(given(2))
    call fill()
    call MPI_Gather(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, 1, MPI_COMM_WORLD IERR)
    call check_taken(2 * size)
    call MPI_Gatherv(given, rank + 1, MPI_INTEGER, taken, counts, displacements, MPI_INTEGER, 0, MPI_COMM_WORLD IERR)
    call check_taken(total)
    call MPI_Scatter(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, 1, MPI_COMM_WORLD IERR)
    call check_taken(2)
    call MPI_Scatterv(given, counts, displacements, MPI_INTEGER, taken, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD IERR)
    call check_taken(rank + 1)
    call MPI_Allgather(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call check_taken(2 * size)
    call MPI_Allgatherv(given, rank + 1, MPI_INTEGER, taken, counts, displacements, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call check_taken(total)
    call MPI_Alltoall(given, 1, MPI_INTEGER, taken, 1, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call check_taken(size)
    call MPI_Alltoallv(given, one_each, displacements, MPI_INTEGER, taken, one_each, displacements, MPI_INTEGER, &
                       MPI_COMM_WORLD IERR)
    call check_taken(total)
    call MPI_Alltoallw(given, one_each, byte_displacements, types, taken, one_each, byte_displacements, types, &
                       MPI_COMM_WORLD IERR)
    call check_taken(size)
    call MPI_Reduce(given, taken, 3, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD IERR)
    call check_taken(3)
    call MPI_Allreduce(given, taken, 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD IERR)
    call check_taken(3)
    call MPI_Reduce_scatter(given, taken, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
    call check_taken(rank + 1)
    call MPI_Reduce_scatter_block(given, taken, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
    call check_taken(2)
    call MPI_Scan(given, taken, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
    call check_taken(2)
    call MPI_Exscan(given, taken, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
    call check_taken(2)

    call MPI_Ibarrier(MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call MPI_Ibcast(given, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check(given(2))
    call fill()
    call MPI_Igather(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(2 * size)
    call MPI_Igatherv(given, rank + 1, MPI_INTEGER, taken, counts, displacements, MPI_INTEGER, 0, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(total)
    call MPI_Iscatter(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(2)
    call MPI_Iscatterv(given, counts, displacements, MPI_INTEGER, taken, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, &
                       one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(rank + 1)
    call MPI_Iallgather(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(2 * size)
    call MPI_Iallgatherv(given, rank + 1, MPI_INTEGER, taken, counts, displacements, MPI_INTEGER, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(total)
    call MPI_Ialltoall(given, 1, MPI_INTEGER, taken, 1, MPI_INTEGER, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(size)
    call MPI_Ialltoallv(given, one_each, displacements, MPI_INTEGER, taken, one_each, displacements, MPI_INTEGER, &
                        MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(total)
    call MPI_Ialltoallw(given, one_each, byte_displacements, types, taken, one_each, byte_displacements, types, &
                        MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(size)
    call MPI_Ireduce(given, taken, 3, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(3)
    call MPI_Iallreduce(given, taken, 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(3)
    call MPI_Ireduce_scatter(given, taken, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(rank + 1)
    call MPI_Ireduce_scatter_block(given, taken, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(2)
    call MPI_Iscan(given, taken, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(2)
    call MPI_Iexscan(given, taken, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(2)
  end subroutine

  subroutine in_place()
    integer :: k
    call fill()
    do k = 1, size
      taken(k) = rank + k - 1
    end do
    call MPI_Allreduce(MPI_IN_PLACE, taken, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
    call check_taken(2)
    taken(2 * rank + 1:2 * rank + 2) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, 2, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call check_taken(2 * size)
    taken(displacements(rank + 1) + 1) = rank
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, counts, displacements, MPI_INTEGER, &
                        MPI_COMM_WORLD IERR)
    call check_taken(1)
    do k = 1, size
      taken(k) = 10 * rank + k - 1
    end do
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, 1, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call check_taken(size)
    if (rank == 0) then
      taken(1:2) = 77
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, taken, 2, MPI_INTEGER, 0, MPI_COMM_WORLD IERR)
      call check_taken(2 * size)
      taken(1:2) = 78
      call MPI_Reduce(MPI_IN_PLACE, taken, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD IERR)
      call check_taken(2)
      call MPI_Scatter(given, 2, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD IERR)
    else
      call MPI_Gather(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, 0, MPI_COMM_WORLD IERR)
      call MPI_Reduce(given, taken, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD IERR)
      call MPI_Scatter(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, 0, MPI_COMM_WORLD IERR)
      call check_taken(2)
    end if
  end subroutine

  subroutine use_and_free(communicator)
    COMM :: communicator
    integer :: total_rank, members
    if (communicator == MPI_COMM_NULL) then
      call check(-1)
      return
    end if
    call MPI_Allreduce(rank, total_rank, 1, MPI_INTEGER, MPI_SUM, communicator IERR)
    call MPI_Comm_size(communicator, members IERR)
    call check(total_rank)
    call check(members)
    call MPI_Comm_free(communicator IERR)
    call check_if(communicator == MPI_COMM_NULL)
  end subroutine

  subroutine communicators()
    COMM :: made, cart, half, inter
    REQUEST :: one
    GROUP :: world, evens
    integer :: even_ranks(max_ranks), evens_count, k, index(max_ranks), edges(2 * max_ranks), next(1), previous(1)
    integer :: root, news, degree(1), weight(1), self(1)
    evens_count = 0
    do k = 0, size - 1, 2
      evens_count = evens_count + 1
      even_ranks(evens_count) = k
    end do
    call MPI_Comm_group(MPI_COMM_WORLD, world IERR)
    call MPI_Group_incl(world, evens_count, even_ranks, evens IERR)

    call MPI_Comm_dup(MPI_COMM_WORLD, made IERR)
    call use_and_free(made)
    call MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, made IERR)
    call use_and_free(made)
    call MPI_Comm_idup(MPI_COMM_WORLD, made, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call use_and_free(made)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, made IERR)
    call use_and_free(made)
    call MPI_Comm_split(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 1, rank == 0), rank, made IERR)
    call use_and_free(made)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, made IERR)
    call use_and_free(made)
    call MPI_Comm_create(MPI_COMM_WORLD, evens, made IERR)
    call use_and_free(made)
    if (mod(rank, 2) == 0) then
      call MPI_Comm_create_group(MPI_COMM_WORLD, evens, 4, made IERR)
      call use_and_free(made)
    end if

    call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, size / 2], [.true., .false.], .false., cart IERR)
    call MPI_Cart_sub(cart, [.false., .true.], made IERR)
    call use_and_free(made)
    call use_and_free(cart)

    do k = 0, size - 1
      index(k + 1) = 2 * (k + 1)
      edges(2 * k + 1) = mod(k + 1, size)
      edges(2 * k + 2) = mod(k + size - 1, size)
    end do
    call MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, .false., made IERR)
    call use_and_free(made)
    degree = 1
    self = rank
    next = mod(rank + 1, size)
    previous = mod(rank + size - 1, size)
    weight = 3
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, self, degree, next, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., made IERR)
    call use_and_free(made)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, previous, weight, 1, next, weight, MPI_INFO_NULL, .false., &
                                        made IERR)
    call use_and_free(made)

    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half IERR)
    call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 6, inter IERR)
    call MPI_Intercomm_merge(inter, mod(rank, 2) == 1, made IERR)
    call use_and_free(made)
    root = 0
    news = merge(4711, 0, mod(rank, 2) == 0)
    if (mod(rank, 2) == 0) root = merge(MPI_ROOT, MPI_PROC_NULL, rank == 0)
    call MPI_Bcast(news, 1, MPI_INTEGER, root, inter IERR)
    call check(news)
    call MPI_Comm_disconnect(inter IERR)
    call use_and_free(half)
    call MPI_Group_free(evens IERR)
    call MPI_Group_free(world IERR)
  end subroutine

  subroutine neighbours()
    COMM :: ring, directed
    REQUEST :: one
    DATATYPE :: integers(2)
    integer :: next(1), previous(1), two(2), places(2)
    integer(address) :: byte_places(2)
    next = mod(rank + 1, size)
    previous = mod(rank + size - 1, size)
    two = 2
    places = [0, 2]
    byte_places = [0, 8]
    integers = MPI_INTEGER
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.true.], .false., ring IERR)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, previous, MPI_UNWEIGHTED, 1, next, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., directed IERR)
    call fill()
    call MPI_Neighbor_allgather(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, ring IERR)
    call check_taken(4)
    call MPI_Neighbor_allgatherv(given, 2, MPI_INTEGER, taken, two, places, MPI_INTEGER, ring IERR)
    call check_taken(4)
    call MPI_Neighbor_alltoall(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, directed IERR)
    call check_taken(4)
    call MPI_Neighbor_alltoallv(given, two, places, MPI_INTEGER, taken, two, places, MPI_INTEGER, ring IERR)
    call check_taken(4)
    call MPI_Neighbor_alltoallw(given, two, byte_places, integers, taken, two, byte_places, integers, directed IERR)
    call check_taken(4)
    call MPI_Ineighbor_allgather(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, ring, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(4)
    call MPI_Ineighbor_allgatherv(given, 2, MPI_INTEGER, taken, two, places, MPI_INTEGER, ring, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(4)
    call MPI_Ineighbor_alltoall(given, 2, MPI_INTEGER, taken, 2, MPI_INTEGER, directed, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(4)
    call MPI_Ineighbor_alltoallv(given, two, places, MPI_INTEGER, taken, two, places, MPI_INTEGER, ring, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(4)
    call MPI_Ineighbor_alltoallw(given, two, byte_places, integers, taken, two, byte_places, integers, directed, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call check_taken(4)
    call use_and_free(ring)
    call use_and_free(directed)
  end subroutine

  subroutine absolute_addresses()
    integer, asynchronous :: pair(2)
    integer(address) :: places(2)
    DATATYPE :: both
    pair = [rank, rank + 50]
    call MPI_Get_address(pair(1), places(1), error)
    call MPI_Get_address(pair(2), places(2), error)
    call MPI_Type_create_hindexed(2, [1, 1], places, MPI_INTEGER, both IERR)
    call MPI_Type_commit(both IERR)
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, both, partner, 1, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE IERR)
    call see(pair)
    call check(pair(1))
    call check(pair(2))
    call MPI_Bcast(MPI_BOTTOM, 1, both, 0, MPI_COMM_WORLD IERR)
    call see(pair)
    call check(pair(2))
    call MPI_Type_free(both IERR)
  end subroutine

  ! Keeps the compiler from holding the array in registers across a call that does not name it.
  subroutine see(pair)
    integer, asynchronous :: pair(2)
    integer(address) :: ignored
    call MPI_Get_address(pair(1), ignored, error)
  end subroutine

  subroutine windows_and_files()
    integer :: exposed, value
    WINDOW :: exposure
    FILE_HANDLE :: storage
    ONE_STATUS(status)
    exposed = -1
    value = rank + 60
    call MPI_Win_create(exposed, 4_address, 4, MPI_INFO_NULL, MPI_COMM_WORLD, exposure IERR)
    call MPI_Win_fence(0, exposure IERR)
    call MPI_Put(value, 1, MPI_INTEGER, partner, 0_address, 1, MPI_INTEGER, exposure IERR)
    call MPI_Win_fence(0, exposure IERR)
    call check(exposed)
    call MPI_Win_free(exposure IERR)
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, storage IERR)
    call MPI_File_write_at(storage, int(4 * rank, MPI_OFFSET_KIND), value, 1, MPI_INTEGER, MPI_STATUS_IGNORE IERR)
    call MPI_File_sync(storage IERR)
    call MPI_Barrier(MPI_COMM_WORLD IERR)
    call MPI_File_read_at(storage, int(4 * partner, MPI_OFFSET_KIND), value, 1, MPI_INTEGER, status IERR)
    call check(value)
    call MPI_File_close(storage IERR)
    if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL IERR)
  end subroutine

end program
