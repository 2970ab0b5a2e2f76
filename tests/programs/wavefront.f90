! A solver in the shape of the NAS benchmark LU: symmetric Gauss-Seidel sweeps over a cube, five unknowns a cell.
!
!     wavefront [cells along an edge [iterations]]          default: 32 and 4
!
! The cube is cut into columns over a two-dimensional grid of any number of ranks. A sweep goes plane by plane: each rank
! waits for its northern and western neighbours' edges of the plane, relaxes its own part, and hands its southern and
! eastern edges on; then back the other way. Faces are exchanged before the residual is taken, and its norm is the
! maximum over all ranks.
!
! The linear system's solution is known, so the program checks itself: diagonal dominance bounds how slowly the error may
! shrink. All it prints is the same for any number of ranks, bit by bit: the relaxation's order does not depend on the
! cut, and maxima do not depend on the order.
program wavefront
  use mpi
  implicit none
  integer, parameter :: real64 = kind(1.0d0)
  integer, parameter :: unknowns = 5
  integer, parameter :: southeast = 1, northwest = 2, faces = 3
  real(real64), parameter :: diagonal = 7.0_real64, coupling = 0.1_real64
  ! Row sums off the diagonal against the diagonal: what a sweep leaves of the error at most, in the maximum norm.
  real(real64), parameter :: contraction = (6 + (unknowns - 1) * coupling) / diagonal
  ! Below this, rounding keeps the error from shrinking: a relaxation adds up a dozen values of at most 2.75.
  real(real64), parameter :: rounding = 12 * epsilon(contraction) * 2.75_real64 / (1 - contraction)

  integer :: n = 32, iterations = 4
  integer :: grid, rank, ranks, error, iteration
  integer :: west, east, north, south
  integer :: width, depth, first_x, first_y
  real(real64), allocatable :: u(:, :, :, :), right_hand_side(:, :, :, :)
  real(real64) :: bound, norms(2), initial_error
  logical :: good

  call MPI_Init(error)
  call read_arguments()
  call cut_the_cube()
  allocate (u(unknowns, 0:width + 1, 0:depth + 1, 0:n + 1), right_hand_side(unknowns, width, depth, n))
  call set_up_problem()

  norms = largest([residual(), distance()])
  initial_error = norms(2)
  bound = initial_error
  good = .true.
  if (rank == 0) print '(a, i0, a, i0, a)', 'wavefront: ', n, ' cells along an edge, ', iterations, ' iterations'
  do iteration = 1, iterations
    call sweep_southeast()
    call sweep_northwest()
    call exchange_faces()
    norms = largest([residual(), distance()])
    bound = max(bound * contraction**2, rounding)
    good = good .and. norms(2) <= bound
    if (rank == 0) print '(a, i4, 2(a, es23.16))', 'iteration', iteration, '  residual', norms(1), '  error', norms(2)
  end do

  if (rank == 0 .and. good) print '(a)', 'verification: passed'
  if (rank == 0 .and. .not. good) print '(a)', 'verification: FAILED'
  call MPI_Comm_free(grid, error)
  call MPI_Finalize(error)
  if (.not. good) stop 1

contains

  subroutine read_arguments()
    character(len=32) :: text
    integer :: status
    status = 0
    if (command_argument_count() >= 1) then
      call get_command_argument(1, text)
      read (text, *, iostat=status) n
    end if
    if (status == 0 .and. command_argument_count() >= 2) then
      call get_command_argument(2, text)
      read (text, *, iostat=status) iterations
    end if
    if (status /= 0 .or. n < 1 .or. iterations < 0) call give_up('usage: wavefront [cells along an edge [iterations]]')
  end subroutine

  subroutine give_up(message)
    character(len=*), intent(in) :: message
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    if (rank == 0) write (*, '(a)') message
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Abort(MPI_COMM_WORLD, 2, error)
  end subroutine

  subroutine cut_the_cube()
    integer :: shape(2), place(2)
    shape = 0
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call MPI_Dims_create(ranks, 2, shape, error)
    if (maxval(shape) > n) call give_up('wavefront: more ranks along an edge than cells')
    call MPI_Cart_create(MPI_COMM_WORLD, 2, shape, [.false., .false.], .false., grid, error)
    call MPI_Comm_rank(grid, rank, error)
    call MPI_Cart_coords(grid, rank, 2, place, error)
    call MPI_Cart_shift(grid, 0, 1, west, east, error)
    call MPI_Cart_shift(grid, 1, 1, north, south, error)
    first_x = place(1) * n / shape(1)
    width = (place(1) + 1) * n / shape(1) - first_x
    first_y = place(2) * n / shape(2)
    depth = (place(2) + 1) * n / shape(2) - first_y
  end subroutine

  ! What the solver is to find, at cell (x, y, z) of the whole cube; its values at the border are given.
  pure function solution(m, x, y, z)
    integer, intent(in) :: m, x, y, z
    real(real64) :: solution
    solution = 1 + 0.25_real64 * m + 0.5_real64 * mod(x * (m + 2) + 3 * y + 5 * z, 17) / 17
  end function

  ! The border as it is, zero inside, and the right hand side that makes the solution one.
  subroutine set_up_problem()
    integer :: m, i, j, k
    real(real64) :: cell(unknowns)
    do k = 0, n + 1
      do j = 0, depth + 1
        do i = 0, width + 1
          do m = 1, unknowns
            u(m, i, j, k) = solution(m, first_x + i, first_y + j, k)
          end do
        end do
      end do
    end do
    do k = 1, n
      do j = 1, depth
        do i = 1, width
          cell = neighbours(i, j, k)
          right_hand_side(:, i, j, k) = diagonal * u(:, i, j, k) - cell - coupling * (sum(u(:, i, j, k)) - u(:, i, j, k))
        end do
      end do
    end do
    do k = 1, n
      do j = 0, depth + 1
        do i = 0, width + 1
          if (first_x + i >= 1 .and. first_x + i <= n .and. first_y + j >= 1 .and. first_y + j <= n) u(:, i, j, k) = 0
        end do
      end do
    end do
  end subroutine

  pure function neighbours(i, j, k) result(total)
    integer, intent(in) :: i, j, k
    real(real64) :: total(unknowns)
    total = u(:, i - 1, j, k) + u(:, i + 1, j, k) + u(:, i, j - 1, k) + u(:, i, j + 1, k) &
            + u(:, i, j, k - 1) + u(:, i, j, k + 1)
  end function

  subroutine relax(i, j, k)
    integer, intent(in) :: i, j, k
    real(real64) :: rest(unknowns)
    integer :: m
    rest = right_hand_side(:, i, j, k) + neighbours(i, j, k)
    do m = 1, unknowns
      u(m, i, j, k) = (rest(m) + coupling * (sum(u(:, i, j, k)) - u(m, i, j, k))) / diagonal
    end do
  end subroutine

  subroutine sweep_southeast()
    integer :: i, j, k
    real(real64) :: edge(unknowns, depth)
    do k = 1, n
      call MPI_Recv(u(:, 1:width, 0, k), unknowns * width, MPI_DOUBLE_PRECISION, north, southeast, grid, &
                    MPI_STATUS_IGNORE, error)
      edge = u(:, 0, 1:depth, k)
      call MPI_Recv(edge, unknowns * depth, MPI_DOUBLE_PRECISION, west, southeast, grid, MPI_STATUS_IGNORE, error)
      u(:, 0, 1:depth, k) = edge
      do j = 1, depth
        do i = 1, width
          call relax(i, j, k)
        end do
      end do
      call MPI_Send(u(:, 1:width, depth, k), unknowns * width, MPI_DOUBLE_PRECISION, south, southeast, grid, error)
      edge = u(:, width, 1:depth, k)
      call MPI_Send(edge, unknowns * depth, MPI_DOUBLE_PRECISION, east, southeast, grid, error)
    end do
  end subroutine

  subroutine sweep_northwest()
    integer :: i, j, k
    real(real64) :: edge(unknowns, depth)
    do k = n, 1, -1
      call MPI_Recv(u(:, 1:width, depth + 1, k), unknowns * width, MPI_DOUBLE_PRECISION, south, northwest, grid, &
                    MPI_STATUS_IGNORE, error)
      edge = u(:, width + 1, 1:depth, k)
      call MPI_Recv(edge, unknowns * depth, MPI_DOUBLE_PRECISION, east, northwest, grid, MPI_STATUS_IGNORE, error)
      u(:, width + 1, 1:depth, k) = edge
      do j = depth, 1, -1
        do i = width, 1, -1
          call relax(i, j, k)
        end do
      end do
      call MPI_Send(u(:, 1:width, 1, k), unknowns * width, MPI_DOUBLE_PRECISION, north, northwest, grid, error)
      edge = u(:, 1, 1:depth, k)
      call MPI_Send(edge, unknowns * depth, MPI_DOUBLE_PRECISION, west, northwest, grid, error)
    end do
  end subroutine

  ! All four faces at once: the sweeps leave the halos of one side behind.
  subroutine exchange_faces()
    real(real64) :: to_west(unknowns, depth, n), to_east(unknowns, depth, n), from_west(unknowns, depth, n), &
                    from_east(unknowns, depth, n), to_north(unknowns, width, n), to_south(unknowns, width, n), &
                    from_north(unknowns, width, n), from_south(unknowns, width, n)
    integer :: requests(8)
    to_west = u(:, 1, 1:depth, 1:n)
    to_east = u(:, width, 1:depth, 1:n)
    to_north = u(:, 1:width, 1, 1:n)
    to_south = u(:, 1:width, depth, 1:n)
    call MPI_Irecv(from_west, size(from_west), MPI_DOUBLE_PRECISION, west, faces, grid, requests(1), error)
    call MPI_Irecv(from_east, size(from_east), MPI_DOUBLE_PRECISION, east, faces, grid, requests(2), error)
    call MPI_Irecv(from_north, size(from_north), MPI_DOUBLE_PRECISION, north, faces, grid, requests(3), error)
    call MPI_Irecv(from_south, size(from_south), MPI_DOUBLE_PRECISION, south, faces, grid, requests(4), error)
    call MPI_Isend(to_west, size(to_west), MPI_DOUBLE_PRECISION, west, faces, grid, requests(5), error)
    call MPI_Isend(to_east, size(to_east), MPI_DOUBLE_PRECISION, east, faces, grid, requests(6), error)
    call MPI_Isend(to_north, size(to_north), MPI_DOUBLE_PRECISION, north, faces, grid, requests(7), error)
    call MPI_Isend(to_south, size(to_south), MPI_DOUBLE_PRECISION, south, faces, grid, requests(8), error)
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, error)
    if (west /= MPI_PROC_NULL) u(:, 0, 1:depth, 1:n) = from_west
    if (east /= MPI_PROC_NULL) u(:, width + 1, 1:depth, 1:n) = from_east
    if (north /= MPI_PROC_NULL) u(:, 1:width, 0, 1:n) = from_north
    if (south /= MPI_PROC_NULL) u(:, 1:width, depth + 1, 1:n) = from_south
  end subroutine

  function residual() result(norm)
    real(real64) :: norm, cell(unknowns)
    integer :: i, j, k
    norm = 0
    do k = 1, n
      do j = 1, depth
        do i = 1, width
          cell = right_hand_side(:, i, j, k) + neighbours(i, j, k) - diagonal * u(:, i, j, k) &
                 + coupling * (sum(u(:, i, j, k)) - u(:, i, j, k))
          norm = max(norm, maxval(abs(cell)))
        end do
      end do
    end do
  end function

  ! From the solution.
  function distance() result(norm)
    real(real64) :: norm
    integer :: m, i, j, k
    norm = 0
    do k = 1, n
      do j = 1, depth
        do i = 1, width
          do m = 1, unknowns
            norm = max(norm, abs(u(m, i, j, k) - solution(m, first_x + i, first_y + j, k)))
          end do
        end do
      end do
    end do
  end function

  function largest(mine)
    real(real64), intent(in) :: mine(2)
    real(real64) :: largest(2)
    call MPI_Allreduce(mine, largest, 2, MPI_DOUBLE_PRECISION, MPI_MAX, grid, error)
  end function

end program
