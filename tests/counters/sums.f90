! Arithmetic, sorting and formatting, to be counted: no clock, no random number, nothing of the machine.
program sums
  implicit none
  real(8) :: a(40, 40), b(40, 40)
  integer :: i, j
  character(len=30) :: text

  do j = 1, 40
    do i = 1, 40
      a(i, j) = 1/real(i + mod(7*j, 11), 8)
    end do
  end do
  do i = 1, 20
    b = matmul(a, transpose(a)) + sqrt(a)
    a = b/maxval(b)
  end do
  write (text, '(f20.12)') sum(a)
  print *, trim(text), index(text, '.')
end program
