program fortran_layered
#ifdef USE_F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer, external :: barriers_seen
  integer :: i, ierror

  call MPI_Init(ierror)
  do i = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  call MPI_Finalize(ierror)
  print '(i0, a)', barriers_seen(), ' barriers'
end program fortran_layered
