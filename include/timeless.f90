! Named regions of a program, for Timeless: timeless.h says what they are.
!
! Compile this file with the program, since module files differ between compilers:
!
!     use timeless
!     call timeless_begin("assembly")
!     ...
!     call timeless_end("assembly")
!
! Nothing has to be linked. Blanks at the end of a name do not count.
module timeless
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: timeless_begin, timeless_end

  abstract interface
    subroutine mark(region) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: region(*)
    end subroutine
  end interface

  interface
    function dlsym(handle, symbol) bind(c, name="dlsym") result(address)
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: address
    end function
  end interface

  ! A function of the recorder, once it has been looked for.
  type :: recorder_function
    logical :: looked_for = .false.
    procedure(mark), pointer, nopass :: call => null()
  end type

  type(recorder_function), save :: begin_function, end_function

contains

  subroutine timeless_begin(region)
    character(*), intent(in) :: region
    if (.not. begin_function%looked_for) call find(begin_function, "timeless_region_begin")
    if (associated(begin_function%call)) call begin_function%call(trim(region)//c_null_char)
  end subroutine

  subroutine timeless_end(region)
    character(*), intent(in) :: region
    if (.not. end_function%looked_for) call find(end_function, "timeless_region_end")
    if (associated(end_function%call)) call end_function%call(trim(region)//c_null_char)
  end subroutine

  subroutine find(wanted, name)
    type(recorder_function), intent(inout) :: wanted
    character(*), intent(in) :: name
    type(c_funptr) :: address
    address = dlsym(c_null_ptr, name//c_null_char)
    if (c_associated(address)) call c_f_procpointer(address, wanted%call)
    wanted%looked_for = .true.
  end subroutine

end module
