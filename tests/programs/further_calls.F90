! further_calls.c, call for call, in Fortran three ways: with USE_MPIF through mpif.h, with USE_MPI through the module mpi,
! with USE_F08 through mpi_f08. What it prints and the actions it makes are those of further_calls.c.
#if defined(USE_F08)
#define ONE_STATUS(name) type(MPI_Status) :: name
#define SOURCE_OF(s) s%MPI_SOURCE
#define TAG_OF(s) s%MPI_TAG
! The error code is optional here, and left out: the wrappers must do without.
#define IERR
#else
#define ONE_STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define TAG_OF(s) s(MPI_TAG)
#define IERR , error
#endif

#if defined(USE_F08)
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define GROUP type(MPI_Group)
#define DATATYPE type(MPI_Datatype)
#define FILE_HANDLE type(MPI_File)
#define INFO type(MPI_Info)
#else
#define COMM integer
#define REQUEST integer
#define GROUP integer
#define DATATYPE integer
#define FILE_HANDLE integer
#define INFO integer
#endif

! The procedures that MPI calls back for a generalized request.
module request_procedures
  implicit none
  integer :: freed = 0
contains
  subroutine query(state, status, ierror)
#if defined(USE_F08)
    use mpi_f08
    integer(MPI_ADDRESS_KIND) :: state
    type(MPI_Status) :: status
#else
    use mpi
    integer(MPI_ADDRESS_KIND) :: state
    integer :: status(MPI_STATUS_SIZE)
#endif
    integer :: ierror, error
    call MPI_Status_set_elements(status, MPI_INTEGER, max(int(state), 0), error)
    call MPI_Status_set_cancelled(status, state < 0, error)
    SOURCE_OF(status) = 5
    TAG_OF(status) = 6
    ierror = MPI_SUCCESS
  end subroutine

  subroutine free_state(state, ierror)
#if defined(USE_F08)
    use mpi_f08
#else
    use mpi
#endif
    integer(MPI_ADDRESS_KIND) :: state
    integer :: ierror
    freed = freed + int(state)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(state, complete, ierror)
#if defined(USE_F08)
    use mpi_f08
#else
    use mpi
#endif
    integer(MPI_ADDRESS_KIND) :: state
    logical :: complete
    integer :: ierror
    if (.not. complete) state = -1
    ierror = MPI_SUCCESS
  end subroutine
end module

program further_calls
#if defined(USE_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  use request_procedures
  implicit none
#if defined(USE_MPIF)
  include 'mpif.h'
#endif
  integer, parameter :: sections = 5, max_ranks = 64, part = 4
  integer, parameter :: int64 = selected_int_kind(18), address = MPI_ADDRESS_KIND, offset = MPI_OFFSET_KIND
  integer(int64) :: digest(sections) = 0, all_digests(sections, 0:max_ranks - 1)
  integer :: section = 1, rank, size, partner, error, i
  integer :: given(part), taken(part) = 0
  character(len=512) :: name
  FILE_HANDLE :: storage

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  partner = ieor(rank, 1)
  if (command_argument_count() /= 1 .or. mod(size, 2) /= 0 .or. size > max_ranks) call MPI_Abort(MPI_COMM_WORLD, 2, error)
  call get_command_argument(1, name)
  do i = 1, part
    given(i) = 10 * rank + i - 1
  end do
  call open_file()
  call files()
  section = 2
  call nonblocking_files()
  section = 3
  call shared_files()
  call MPI_File_close(storage IERR)
  call check_if(storage == MPI_FILE_NULL)
  if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL IERR)
  section = 4
  call generalized()
  section = 5
  call groups_and_datatypes()
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
    digest(section) = mod(digest(section) * 31 + value + 7, 1000003_int64)
  end subroutine

  subroutine check_if(condition)
    logical, intent(in) :: condition
    call check(merge(1, 0, condition))
  end subroutine

  subroutine check_taken(status)
    ONE_STATUS(status)
    integer :: count, k
    call MPI_Get_count(status, MPI_INTEGER, count IERR)
    call check(count)
    do k = 1, part
      call check(taken(k))
    end do
    taken = -1
    given = given + 100
    call MPI_Barrier(MPI_COMM_WORLD IERR)
  end subroutine

  subroutine open_file()
    INFO :: hints
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, storage IERR)
    call MPI_File_set_size(storage, 1000_offset IERR)
    call MPI_File_preallocate(storage, 2000_offset IERR)
    call MPI_File_close(storage IERR)
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, storage IERR)
    call MPI_Info_create(hints IERR)
    call MPI_File_set_info(storage, hints IERR)
    call MPI_Info_free(hints IERR)
    call MPI_File_set_view(storage, 0_offset, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL IERR)
    call MPI_File_set_atomicity(storage, .true. IERR)
    call MPI_File_set_atomicity(storage, .false. IERR)
  end subroutine

  subroutine synchronise()
    call MPI_File_sync(storage IERR)
    call MPI_Barrier(MPI_COMM_WORLD IERR)
  end subroutine

  subroutine files()
    integer(offset) :: mine, yours
    ONE_STATUS(status)
    mine = part * rank
    yours = part * partner
    call MPI_File_write_at(storage, mine, given, part, MPI_INTEGER, status IERR)
    call synchronise()
    call MPI_File_read_at(storage, yours, taken, part, MPI_INTEGER, status IERR)
    call check_taken(status)
    call MPI_File_write_at_all(storage, mine, given, part, MPI_INTEGER, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_read_at_all(storage, yours, taken, part, MPI_INTEGER, status IERR)
    call check_taken(status)
    call MPI_File_seek(storage, mine, MPI_SEEK_SET IERR)
    call MPI_File_write(storage, given, part, MPI_INTEGER, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_seek(storage, yours, MPI_SEEK_SET IERR)
    call MPI_File_read(storage, taken, part, MPI_INTEGER, status IERR)
    call check_taken(status)
    call MPI_File_seek(storage, mine, MPI_SEEK_SET IERR)
    call MPI_File_write_all(storage, given, part, MPI_INTEGER, status IERR)
    call synchronise()
    call MPI_File_seek(storage, yours, MPI_SEEK_SET IERR)
    call MPI_File_read_all(storage, taken, part, MPI_INTEGER, status IERR)
    call check_taken(status)
    call MPI_File_read_at(storage, 499_offset, taken, part, MPI_INTEGER, status IERR)
    call check_taken(status)
  end subroutine

  subroutine nonblocking_files()
    integer(offset) :: mine, yours
    REQUEST :: one
    ONE_STATUS(status)
    mine = part * rank
    yours = part * partner
    call MPI_File_iwrite_at(storage, mine, given, part, MPI_INTEGER, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_iread_at(storage, yours, taken, part, MPI_INTEGER, one IERR)
    call MPI_Wait(one, status IERR)
    call check_taken(status)
    call MPI_File_iwrite_at_all(storage, mine, given, part, MPI_INTEGER, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_iread_at_all(storage, yours, taken, part, MPI_INTEGER, one IERR)
    call MPI_Wait(one, status IERR)
    call check_taken(status)
    call MPI_File_seek(storage, mine, MPI_SEEK_SET IERR)
    call MPI_File_iwrite(storage, given, part, MPI_INTEGER, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_seek(storage, yours, MPI_SEEK_SET IERR)
    call MPI_File_iread(storage, taken, part, MPI_INTEGER, one IERR)
    call MPI_Wait(one, status IERR)
    call check_taken(status)
    call MPI_File_seek(storage, mine, MPI_SEEK_SET IERR)
    call MPI_File_iwrite_all(storage, given, part, MPI_INTEGER, one IERR)
    call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_seek(storage, yours, MPI_SEEK_SET IERR)
    call MPI_File_iread_all(storage, taken, part, MPI_INTEGER, one IERR)
    call MPI_Wait(one, status IERR)
    call check_taken(status)

    call MPI_File_seek(storage, mine, MPI_SEEK_SET IERR)
    call MPI_File_write_all_begin(storage, given, part, MPI_INTEGER IERR)
    call MPI_File_write_all_end(storage, given, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_seek(storage, yours, MPI_SEEK_SET IERR)
    call MPI_File_read_all_begin(storage, taken, part, MPI_INTEGER IERR)
    call MPI_File_read_all_end(storage, taken, status IERR)
    call check_taken(status)
    call MPI_File_write_at_all_begin(storage, mine, given, part, MPI_INTEGER IERR)
    call MPI_File_write_at_all_end(storage, given, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_read_at_all_begin(storage, yours, taken, part, MPI_INTEGER IERR)
    call MPI_File_read_at_all_end(storage, taken, status IERR)
    call check_taken(status)
  end subroutine

  subroutine shared_files()
    integer :: turn, nonblocking
    REQUEST :: one
    ONE_STATUS(status)
    call MPI_File_seek_shared(storage, 0_offset, MPI_SEEK_SET IERR)
    call MPI_File_write_ordered(storage, given, part, MPI_INTEGER, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_seek_shared(storage, 0_offset, MPI_SEEK_SET IERR)
    call MPI_File_read_ordered(storage, taken, part, MPI_INTEGER, status IERR)
    call check_taken(status)
    call MPI_File_seek_shared(storage, 0_offset, MPI_SEEK_SET IERR)
    call MPI_File_write_ordered_begin(storage, given, part, MPI_INTEGER IERR)
    call MPI_File_write_ordered_end(storage, given, MPI_STATUS_IGNORE IERR)
    call synchronise()
    call MPI_File_seek_shared(storage, 0_offset, MPI_SEEK_SET IERR)
    call MPI_File_read_ordered_begin(storage, taken, part, MPI_INTEGER IERR)
    call MPI_File_read_ordered_end(storage, taken, status IERR)
    call check_taken(status)
    do nonblocking = 0, 1
      call MPI_File_seek_shared(storage, 0_offset, MPI_SEEK_SET IERR)
      do turn = 0, size - 1
        if (rank == turn .and. nonblocking == 0) &
          call MPI_File_write_shared(storage, given, part, MPI_INTEGER, MPI_STATUS_IGNORE IERR)
        if (rank == turn .and. nonblocking == 1) then
          call MPI_File_iwrite_shared(storage, given, part, MPI_INTEGER, one IERR)
          call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
        end if
        call MPI_Barrier(MPI_COMM_WORLD IERR)
      end do
      call synchronise()
      call MPI_File_seek_shared(storage, 0_offset, MPI_SEEK_SET IERR)
      do turn = 0, size - 1
        if (rank == turn .and. nonblocking == 0) call MPI_File_read_shared(storage, taken, part, MPI_INTEGER, status IERR)
        if (rank == turn .and. nonblocking == 1) then
          call MPI_File_iread_shared(storage, taken, part, MPI_INTEGER, one IERR)
          call MPI_Wait(one, status IERR)
        end if
        call MPI_Barrier(MPI_COMM_WORLD IERR)
      end do
      call check_taken(status)
    end do
  end subroutine

  subroutine generalized()
    integer(address) :: state
    integer :: count
    logical :: flag
    REQUEST :: one, requests(3)
    ONE_STATUS(status)
    state = 3
    call MPI_Grequest_start(query, free_state, cancel, state, one IERR)
    call MPI_Test(one, flag, MPI_STATUS_IGNORE IERR)
    call check_if(flag)
    call MPI_Grequest_complete(one IERR)
    call MPI_Wait(one, status IERR)
    call MPI_Get_count(status, MPI_INTEGER, count IERR)
    call check(count)
    call check(SOURCE_OF(status))
    call check(TAG_OF(status))
    call check(freed)
    call check_if(one == MPI_REQUEST_NULL)

    call MPI_Grequest_start(query, free_state, cancel, state, requests(2) IERR)
    call MPI_Irecv(taken, part, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, requests(1) IERR)
    call MPI_Isend(given, part, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, requests(3) IERR)
    call MPI_Grequest_complete(requests(2) IERR)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE IERR)
    call check(taken(2))
    call check(freed)

    call MPI_Grequest_start(query, free_state, cancel, state, one IERR)
    call MPI_Cancel(one IERR)
    call MPI_Grequest_complete(one IERR)
    call MPI_Wait(one, status IERR)
    call MPI_Test_cancelled(status, flag IERR)
    call check_if(flag)
    call check(freed)
  end subroutine

  subroutine groups_and_datatypes()
    GROUP :: world, first, rest, all_ranks
    COMM :: made
    DATATYPE :: columns, square
    ! Row by row, as C has them.
    integer :: matrix(16), transposed(16), result, k, span(3, 1), position
    character :: packed(64)
    span(:, 1) = [0, size - 1, 2]
    transposed = 0
    call MPI_Comm_group(MPI_COMM_WORLD, world IERR)
    call MPI_Group_range_incl(world, 1, span, first IERR)
    call MPI_Group_difference(world, first, rest IERR)
    call MPI_Group_union(first, rest, all_ranks IERR)
    call MPI_Group_compare(world, all_ranks, result IERR)
    call check_if(result == MPI_SIMILAR)
    call MPI_Comm_create(MPI_COMM_WORLD, all_ranks, made IERR)
    call MPI_Comm_rank(made, result IERR)
    call check(result)
    do k = 1, 16
      matrix(k) = 20 * rank + k - 1
    end do
    call MPI_Type_vector(4, 1, 4, MPI_INTEGER, columns IERR)
    call MPI_Type_commit(columns IERR)
    call MPI_Sendrecv(matrix(2), 1, columns, partner, 1, transposed, 4, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE IERR)
    call check(transposed(4))
    call MPI_Type_create_subarray(2, [4, 4], [2, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, square IERR)
    call MPI_Type_commit(square IERR)
    call MPI_Bcast(matrix, 1, square, 1, made IERR)
    call check(matrix(11))
    position = 0
    call MPI_Pack(matrix, 1, square, packed, 64, position, MPI_COMM_WORLD IERR)
    call check(position)
    position = 0
    call MPI_Unpack(packed, 64, position, transposed(5), 4, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call check(transposed(8))
    call MPI_Reduce_local(matrix, transposed, 4, MPI_INTEGER, MPI_SUM IERR)
    call check(transposed(4))
    call MPI_Type_free(square IERR)
    call MPI_Type_free(columns IERR)
    call MPI_Comm_free(made IERR)
    call MPI_Group_free(all_ranks IERR)
    call MPI_Group_free(rest IERR)
    call MPI_Group_free(first IERR)
    call MPI_Group_free(world IERR)
  end subroutine

end program
