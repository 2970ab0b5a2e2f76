! MPI between parallel regions of OpenMP: hybrid UNIT, as hybrid.c.
program hybrid
  use, intrinsic :: iso_c_binding, only: c_long
  use mpi
  use omp_lib
  implicit none

  interface
    subroutine known_loop(iterations) bind(c)
      import :: c_long
      integer(c_long), value :: iterations
    end subroutine
  end interface

  integer, parameter :: threads = 4, phases = 3
  integer :: ierror, provided, rank, phase
  integer(c_long) :: unit, mine, done, all
  character(len=20) :: argument

  call get_command_argument(1, argument)
  read (argument, *) unit
  call mpi_init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
  done = 0
  do phase = 1, phases
    !$omp parallel num_threads(threads) private(mine) reduction(+:done)
    mine = unit*(omp_get_thread_num() + 1)*phase*(rank + 1)
    call known_loop(mine)
    done = done + mine
    !$omp end parallel
    call mpi_barrier(MPI_COMM_WORLD, ierror)
  end do
  !$omp parallel num_threads(threads) private(mine) reduction(+:done)
  mine = unit*omp_get_thread_num()
  call known_loop(mine)
  done = done + mine
  !$omp end parallel
  call mpi_allreduce(done, all, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(i0, a)', all, ' iterations'
  call mpi_finalize(ierror)
end program
