# SPDX-License-Identifier: GPL-3.0-or-later
# Helpers so that each folder states only its name and its arrows.

# What `--target checks` and `--target fuzzers` build: the test and fuzz programs and what these need, nothing else.
add_custom_target(checks)
add_custom_target(fuzzers)

# kvcliff_library(name DEPENDS a b c [LINK ext...]): a static library kvcliff_<name> of the *.cpp here.
# DEPENDS are folders of core (the arrows of CONTRIBUTING.md); LINK are outside libraries.
function(kvcliff_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB _sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  add_library(kvcliff_${name} STATIC ${_sources})
  set_target_properties(kvcliff_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(kvcliff_${name} PUBLIC "${CMAKE_SOURCE_DIR}/core")
  target_link_libraries(kvcliff_${name} PUBLIC ${ARG_LINK} PRIVATE kvcliff_flags ${ARG_PRIVATE_LINK})
  foreach(_dep IN LISTS ARG_DEPENDS)
    target_link_libraries(kvcliff_${name} PUBLIC kvcliff_${_dep})
  endforeach()
  if(TARGET kvcliff_pch)
    target_precompile_headers(kvcliff_${name} REUSE_FROM kvcliff_pch)
  endif()
endfunction()

# kvcliff_test(name LINK targets... [LABELS l...]): a GoogleTest program test_<name> of the *.cpp here.
function(kvcliff_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LINK;LABELS" ${ARGN})
  file(GLOB _sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  add_executable(test_${name} ${_sources})
  target_link_libraries(test_${name} PRIVATE kvcliff_flags ${ARG_LINK} kvcliff_test_support GTest::gmock_main)
  target_include_directories(test_${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  if(TARGET kvcliff_test_pch)
    target_precompile_headers(test_${name} REUSE_FROM kvcliff_test_pch)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_dependencies(checks test_${name})
  # Whole programs with clocks of their own run one after another: their times are part of what they check.
  set(_serial FALSE)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "tests/integration/")
    set(_serial TRUE)
  endif()
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}."
                       PROPERTIES TIMEOUT ${ARG_TIMEOUT} RUN_SERIAL ${_serial} LABELS "unit;${name};${ARG_LABELS}")
endfunction()

# kvcliff_bench(name SOURCES... LINK ...): a program under build/bench, not run by ctest.
function(kvcliff_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT KVCLIFF_BENCH)
    return()
  endif()
  add_executable(bench_${name} ${ARG_SOURCES})
  target_link_libraries(bench_${name} PRIVATE kvcliff_flags kvcliff_test_support ${ARG_LINK})
  target_include_directories(bench_${name} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bench")
endfunction()

# kvcliff_fuzz(name SOURCES... LINK ...): a libFuzzer program under build/fuzz (clang only).
function(kvcliff_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT KVCLIFF_FUZZ)
    return()
  endif()
  add_executable(fuzz_${name} ${ARG_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE kvcliff_flags ${ARG_LINK})
  target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers fuzz_${name})
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
endfunction()
