! A procedure of a module, one outside, one inside another: what Fortran calls them, and what the linker does.
module grid
  use mpi
  implicit none
  real(8), volatile :: state = 1
contains
  subroutine compute(steps)
    integer, intent(in) :: steps
    integer :: i
    do i = 1, steps
      state = state * 0.999d0 + 0.001d0
    end do
  end subroutine compute

  subroutine sweep()
    integer :: ierror
    call compute(50000)
    call MPI_Barrier(MPI_COMM_WORLD, ierror) ! site: sweep
    state = state + ierror
  end subroutine sweep
end module grid

subroutine relax()
  use grid
  implicit none
  integer :: ierror
  call compute(50000)
  call MPI_Barrier(MPI_COMM_WORLD, ierror) ! site: relax
  state = state + ierror
end subroutine relax

program procedures
  use grid
  implicit none
  integer :: ierror, round
  call MPI_Init(ierror)
  do round = 1, 3
    call sweep()
    call relax()
    call inner()
  end do
  call compute(50000)
  call MPI_Finalize(ierror)
contains
  subroutine inner()
    integer :: error
    call compute(50000)
    call MPI_Barrier(MPI_COMM_WORLD, error) ! site: inner
    state = state + error
  end subroutine inner
end program procedures
