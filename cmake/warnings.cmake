# Every target of ours links timeless_warnings; sanitizers are chosen once, for the whole build.
option(TIMELESS_WARNINGS "Ask the compiler for warnings: without, it takes a fourteenth less time" ON)
option(TIMELESS_WERROR "Treat warnings as errors" OFF)
set(TIMELESS_SANITIZE "" CACHE STRING "Sanitizers for the whole build, as -fsanitize= takes them")

add_library(timeless_warnings INTERFACE)
target_compile_options(timeless_warnings INTERFACE
  $<$<AND:$<BOOL:${TIMELESS_WARNINGS}>,$<COMPILE_LANGUAGE:C,CXX>>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow>
  $<$<AND:$<BOOL:${TIMELESS_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)

if(TIMELESS_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${TIMELESS_SANITIZE}> -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TIMELESS_SANITIZE})
endif()
