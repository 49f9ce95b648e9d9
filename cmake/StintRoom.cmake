# A room is a folder src/<floor>/<room>. All its *.cc files but *_test.cc,
# *_bench.cc and *_fuzz.cc belong to the library; those three kinds become one
# test program per room, one benchmark per file and one fuzzer per file.

set(STINT_ROOMS "" CACHE INTERNAL "")

set(STINT_WARNINGS -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC bug 105651: false positives on std::string concatenation.
  list(APPEND STINT_WARNINGS -Wno-restrict)
endif()
if(STINT_WERROR)
  list(APPEND STINT_WARNINGS -Werror)
endif()

# Per-ISA kernel files are compiled for that ISA alone; the file name says which.
set(STINT_FLAGS_avx2 -mavx2 -mfma -mf16c)
set(STINT_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma
    -mf16c -mprefer-vector-width=512)
set(STINT_FLAGS_vnni ${STINT_FLAGS_avx512} -mavx512vnni)
set(STINT_FLAGS_bf16 ${STINT_FLAGS_vnni} -mavx512bf16)
# Tile instructions are written as assembly (kernels/simd/amx_tiles.h).
set(STINT_FLAGS_amx ${STINT_FLAGS_vnni})
set(STINT_FLAGS_vbmi ${STINT_FLAGS_vnni} -mavx512vbmi -mgfni)
set(STINT_FLAGS_dot -march=armv8.2-a+dotprod)

function(stint_compile_options target)
  target_compile_options(${target} PRIVATE ${STINT_WARNINGS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  if(STINT_SANITIZE)
    target_compile_options(${target} PUBLIC
      -fsanitize=${STINT_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${STINT_SANITIZE})
  endif()
endfunction()

# stint_library(name room...): one static library from its rooms.
function(stint_library name)
  add_library(${name} STATIC)
  stint_compile_options(${name})
  foreach(room ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS
         ${CMAKE_SOURCE_DIR}/src/${room}/*.cc)
    list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      list(FILTER sources EXCLUDE REGEX "/x86_[a-z0-9]+\\.cc$")
    endif()
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
      list(FILTER sources EXCLUDE REGEX "/arm_[a-z0-9]+\\.cc$")
    endif()
    foreach(source ${sources})
      set(options "")
      if(source MATCHES "/(x86|arm)_([a-z0-9]+)\\.cc$")
        set(options ${STINT_FLAGS_${CMAKE_MATCH_2}})
      endif()
      # Bytes are the same on every machine: GCC would join a product and a sum
      # that are rounded apart where the instruction set lets it.
      if(source MATCHES "/kernels/conv_s8/")
        list(APPEND options -ffp-contract=off)
      endif()
      # Under sanitizers an optimized register tile takes Clang minutes (146 s
      # for one file, 12 s without), and tests do not need its speed.
      if(STINT_SANITIZE AND source MATCHES "/kernels/")
        list(APPEND options -O0)
      endif()
      set_source_files_properties(${source} PROPERTIES
        COMPILE_OPTIONS "${options}")
      # Floors below the graph do not include it, and files for another ISA
      # cannot use what was compiled for this one.
      if(source MATCHES "/src/(core|kernels)/")
        set_source_files_properties(${source} PROPERTIES
          SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
    target_sources(${name} PRIVATE ${sources})
    set(STINT_ROOMS ${STINT_ROOMS} ${room} CACHE INTERNAL "")
  endforeach()
  stint_precompile(${name})
endfunction()

# The graph and its 150 operators take most files longer than their own lines.
# Clang's release build goes without, so that a missing include is noticed.
function(stint_precompile target)
  if(NOT STINT_PRECOMPILE OR STINT_KERNELS_ONLY)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    ${CMAKE_SOURCE_DIR}/src/model/graph/graph.h)
  stint_precompile_options(${target})
endfunction()

function(stint_precompile_options target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC forgets that precompiled code came from system headers, and then warns
    # of the insides of std::string.
    target_compile_options(${target} PRIVATE -fpch-preprocess
      -Wno-stringop-overflow -Wno-array-bounds)
  else()
    target_compile_options(${target} PRIVATE
      "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# GoogleTest and the graph, compiled once for all test programs: the first one
# makes it.
function(stint_precompile_test name)
  if(NOT STINT_PRECOMPILE OR STINT_KERNELS_ONLY)
    return()
  endif()
  get_property(first GLOBAL PROPERTY STINT_FIRST_TEST)
  if(first)
    target_precompile_headers(${name} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY STINT_FIRST_TEST ${name})
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h>
      ${CMAKE_SOURCE_DIR}/src/model/graph/graph.h)
  endif()
  stint_precompile_options(${name})
endfunction()

# One GoogleTest program per room that has tests, named test_<floor>_<room>; the
# target unit_tests builds them all. Tests are compiled quickly rather than well.
function(stint_tests)
  add_custom_target(unit_tests)
  foreach(room ${STINT_ROOMS})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS
         ${CMAKE_SOURCE_DIR}/src/${room}/*_test.cc)
    if(sources)
      string(REPLACE "/" "_" name "test_${room}")
      add_executable(${name} ${sources})
      stint_compile_options(${name})
      stint_precompile_test(${name})
      if(STINT_SANITIZE)
        target_compile_options(${name} PRIVATE -O0)
      else()
        target_compile_options(${name} PRIVATE -O1)
      endif()
      target_link_libraries(${name} PRIVATE ${STINT_LIBRARIES}
        GTest::gtest_main)
      target_compile_definitions(${name} PRIVATE
        STINT_TEST_DATA="${STINT_TEST_DATA}"
        STINT_TEST_FIXTURES="${CMAKE_SOURCE_DIR}/tests/fixtures")
      add_dependencies(unit_tests ${name})
      stint_add_test(${name})
    endif()
  endforeach()
endfunction()

# Under sanitizers the kernels' tests take longer than all others together:
# quarters keep two cores busy.
function(stint_add_test name)
  set(leaks "suppressions=${CMAKE_SOURCE_DIR}/cmake/leaks.supp")
  set(environment "LSAN_OPTIONS=${leaks}:print_suppressions=0")
  if(NOT STINT_SANITIZE OR NOT name STREQUAL "test_kernels")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS unit
      ENVIRONMENT "${environment}")
    return()
  endif()
  foreach(part 0 1 2 3)
    add_test(NAME ${name}_${part} COMMAND ${name})
    set(shard "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
    set_tests_properties(${name}_${part} PROPERTIES LABELS unit
      ENVIRONMENT "${environment};${shard}" COST 1000)
  endforeach()
endfunction()

function(stint_benches)
  foreach(room ${STINT_ROOMS})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS
         ${CMAKE_SOURCE_DIR}/src/${room}/*_bench.cc)
    foreach(source ${sources})
      get_filename_component(name ${source} NAME_WE)
      add_executable(${name} ${source})
      stint_compile_options(${name})
      target_link_libraries(${name} PRIVATE stint_convert stint
        benchmark::benchmark_main)
    endforeach()
  endforeach()
endfunction()

# libFuzzer programs; the library itself is built with -fsanitize=fuzzer-no-link
# through STINT_SANITIZE. The target fuzzers builds them all.
function(stint_fuzzers)
  add_custom_target(fuzzers)
  foreach(room ${STINT_ROOMS})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS
         ${CMAKE_SOURCE_DIR}/src/${room}/*_fuzz.cc)
    foreach(source ${sources})
      get_filename_component(name ${source} NAME_WE)
      add_executable(${name} ${source})
      stint_compile_options(${name})
      add_dependencies(fuzzers ${name})
      target_link_options(${name} PRIVATE -fsanitize=fuzzer)
      target_link_libraries(${name} PRIVATE stint_convert stint)
    endforeach()
  endforeach()
endfunction()
