# What replays in several threads, under the thread sanitizer in every build: the same sources once more, for it alone.
if(TIMELESS_SANITIZE)
  return()
endif()

# sanitized_sources(OUTPUT TARGET PATTERN): those of the target, but for what no thread of a replay comes to.
function(sanitized_sources output target pattern)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  list(FILTER sources EXCLUDE REGEX ${pattern})
  list(TRANSFORM sources PREPEND ${folder}/)
  set(${output} ${sources} PARENT_SCOPE)
endfunction()

sanitized_sources(replay_sources timeless_replay
  "^/|^(distributed|timeline)/|^lowering|^network/(compute_costs|compute_rates|measured_rates|description|network_file)")
# Of the library beside SMPI, what reads platform files: SimGrid itself is not sanitized.
sanitized_sources(platform_sources timeless_simgrid "^[^.]")
sanitized_sources(trace_sources timeless_trace "^check|open_regions|^model/source")
sanitized_sources(base_sources timeless_base "^rank_ranges")

set(thread_tests ../platform/platform_threads_test.cpp ../trace/samples.cpp ../trace/shared_structures.cpp
  archive_partition_test.cpp machines.cpp platform_partition_test.cpp ${random_program} lane_partition_test.cpp)
add_executable(replay_thread_tests
  ${thread_tests}
  ${replay_sources}
  ${platform_sources}
  ${trace_sources}
  ${base_sources})
set_source_files_properties(${thread_tests} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
set_target_properties(replay_thread_tests PROPERTIES UNITY_BUILD ${TIMELESS_UNITY})
target_include_directories(replay_thread_tests PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(replay_thread_tests SYSTEM PRIVATE ${XXHASH_INCLUDE_DIR} ${PROTOZERO_INCLUDE_DIR})
target_compile_options(replay_thread_tests PRIVATE -fsanitize=thread -O1 -g1 -ffp-contract=off)
target_link_options(replay_thread_tests PRIVATE -fsanitize=thread)
target_link_libraries(replay_thread_tests PRIVATE timeless_warnings ${ZSTD_STATIC_LIBRARY} fmt::fmt
                      PkgConfig::SIMGRID pugixml::pugixml Threads::Threads GTest::gmock GTest::gtest_main)
target_compile_definitions(replay_thread_tests PRIVATE TIMELESS_PLATFORMS="${PROJECT_SOURCE_DIR}/platforms")
add_test(NAME replay.threads_have_no_races COMMAND replay_thread_tests)
set_tests_properties(replay.threads_have_no_races PROPERTIES TIMEOUT 300)
