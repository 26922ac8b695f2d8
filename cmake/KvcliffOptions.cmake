# SPDX-License-Identifier: GPL-3.0-or-later
# Build-wide choices. Sanitizer builds live in build folders of their own (see ./dev).
option(KVCLIFF_BUILD_UI "Build the Qt window" ON)
option(KVCLIFF_WERROR "Warnings are errors" OFF)
option(KVCLIFF_BENCH "Build tests/bench" ON)
option(KVCLIFF_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
set(KVCLIFF_SANITIZE "" CACHE STRING "Sanitizers, e.g. address;undefined or thread")
set(KVCLIFF_ONLY "" CACHE STRING "Limit the tests to these folders (semicolon list; unit = all unit tests); empty = all")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Assertions stay on: a measuring instrument that goes on after a broken invariant measures nonsense.
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
if(KVCLIFF_SANITIZE)  # compiles in two thirds of the time, and stacks stay readable
  string(REPLACE "-O2" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()

find_program(KVCLIFF_CCACHE ccache)
if(KVCLIFF_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${KVCLIFF_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KVCLIFF_CCACHE}")
endif()

# One interface target carries the flags; every target of ours links it.
add_library(kvcliff_flags INTERFACE)
target_compile_options(kvcliff_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wformat=2
  -Wimplicit-fallthrough -Winvalid-pch -Wno-missing-field-initializers -g1)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports these in std::string and std::variant internals after inlining; all known cases are false.
  target_compile_options(kvcliff_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized
                         -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # else ccache never hits behind a precompiled header
  target_compile_options(kvcliff_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
if(KVCLIFF_WERROR)
  target_compile_options(kvcliff_flags INTERFACE -Werror)
endif()
if(KVCLIFF_SANITIZE)
  string(REPLACE ";" "," _san "${KVCLIFF_SANITIZE}")
  target_compile_options(kvcliff_flags INTERFACE -fsanitize=${_san} -fno-omit-frame-pointer)
  target_link_options(kvcliff_flags INTERFACE -fsanitize=${_san})
  if(KVCLIFF_SANITIZE MATCHES "undefined")
    target_compile_options(kvcliff_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
find_program(KVCLIFF_MOLD mold)
find_program(KVCLIFF_LLD ld.lld)
if(KVCLIFF_MOLD)
  target_link_options(kvcliff_flags INTERFACE -fuse-ld=mold)
elseif(KVCLIFF_LLD)
  target_link_options(kvcliff_flags INTERFACE -fuse-ld=lld)
endif()
