# MPICH beside the MPI that all is built with, where Debian has it under names of its own.
find_program(TIMELESS_MPICH_C mpicc.mpich)

# Makes a target of what a compiler of MPICH's passes on.
function(add_mpich target compiler)
  execute_process(COMMAND ${compiler} -show OUTPUT_VARIABLE shown COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " -I[^ \n]+" includes "${shown}")
  list(TRANSFORM includes REPLACE " -I" "")
  string(REGEX MATCHALL " -[Ll][^ \n]+" libraries "${shown}")
  list(TRANSFORM libraries STRIP)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${includes})
  target_link_libraries(${target} INTERFACE ${libraries})
endfunction()

if(TIMELESS_MPICH_C)
  add_mpich(mpich_c ${TIMELESS_MPICH_C})
endif()
