! Marks regions from Fortran.
program regions
  use mpi
  use timeless
  implicit none
  character(20) :: padded = "padded"
  integer :: ierror
  call mpi_init(ierror)
  call timeless_begin("outer")
  call timeless_begin(padded)
  call mpi_barrier(mpi_comm_world, ierror)
  call timeless_end("padded")
  call mpi_pcontrol(7)
  call mpi_barrier(mpi_comm_world, ierror)
  call mpi_pcontrol(-7)
  call timeless_end("outer")
  call mpi_finalize(ierror)
  print '(a)', "done"
end program
