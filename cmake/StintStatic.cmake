# One program file without shared libraries: the pages of nine libraries and the
# relocations of their tables cost 2 MB of memory in every process
# (docs/decisions/0019-process-memory.md).

# The archive of a library where there is one; `variable` is what CMake's own
# module keeps the place in.
macro(stint_prefer_archive variable library)
  find_library(STINT_LIB_${library} NAMES lib${library}.a ${library} REQUIRED)
  set(${variable} ${STINT_LIB_${library}})
endmacro()

set(STINT_STATIC_OPTIONS -static-pie -Wl,--gc-sections
    -Wl,-z,pack-relative-relocs)

# Sets STINT_STATIC_DEFAULT: whether this compiler and these libraries can.
function(stint_check_static)
  set(STINT_STATIC_DEFAULT OFF PARENT_SCOPE)
  if(STINT_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  foreach(library ${ARGN})
    if(NOT library MATCHES "\\.a$")
      return()
    endif()
  endforeach()
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fPIE)
  set(CMAKE_REQUIRED_LINK_OPTIONS ${STINT_STATIC_OPTIONS})
  set(CMAKE_REQUIRED_LIBRARIES ${ARGN} Threads::Threads)
  check_cxx_source_compiles("#include <thread>
    int main() { std::thread([] {}).join(); }" STINT_STATIC_LINKS)
  if(STINT_STATIC_LINKS)
    set(STINT_STATIC_DEFAULT ON PARENT_SCOPE)
  endif()
endfunction()

function(stint_link_statically target)
  if(STINT_STATIC)
    target_link_options(${target} PRIVATE ${STINT_STATIC_OPTIONS})
  endif()
endfunction()
