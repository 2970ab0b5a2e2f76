! Values travel round a ring and are worked on; a norm now and then. As stencil.c, it neither allocates nor prints between
! its first and its last MPI call, so that its volumes must be the same to the last instruction, however it is run.
program ring
  use mpi
  implicit none
  integer, parameter :: real64 = kind(1.0d0)
  integer, parameter :: cells = 400, rounds = 40
  real(real64) :: mine(cells), theirs(cells), norms(2)
  integer :: rank, ranks, error, round, i
  integer :: status(MPI_STATUS_SIZE)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  do i = 1, cells
    mine(i) = 1.0_real64 / (i + rank)
  end do
  norms = 0
  do round = 1, rounds
    call MPI_Sendrecv(mine, cells, MPI_DOUBLE_PRECISION, modulo(rank + 1, ranks), 1, theirs, cells, &
                      MPI_DOUBLE_PRECISION, modulo(rank - 1, ranks), 1, MPI_COMM_WORLD, status, error)
    call relax(mine, theirs)
    if (modulo(round, 10) == 0) then
      norms(1) = maxval(abs(mine))
      call MPI_Allreduce(norms(1), norms(2), 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    end if
  end do
  call MPI_Finalize(error)
  if (rank == 0) print '(a, es23.16)', 'norm ', norms(2)

contains

  subroutine relax(values, others)
    real(real64), intent(inout) :: values(:)
    real(real64), intent(in) :: others(:)
    integer :: k
    do k = 2, size(values) - 1
      values(k) = 0.25_real64 * (values(k - 1) + values(k + 1)) + 0.5_real64 * sqrt(abs(others(k)))
    end do
  end subroutine relax

end program ring
