# Ipopt::Ipopt: an installed IPOPT from 3.14 on, else the one pinned in scripts/ipopt-wheels.txt with METIS 5 of the
# machine, else any installed one, with what it can do. LIEGRAD_IPOPT_BUNDLED says whether it is the second.

set(LIEGRAD_IPOPT_MINIMUM 3.14)
option(LIEGRAD_FETCH_IPOPT "Fetch IPOPT from the Python registry where the machine has none from 3.14 on" ON)

find_path(Ipopt_INCLUDE_DIR IpIpoptApplication.hpp PATH_SUFFIXES coin-or coin)
find_library(Ipopt_LIBRARY ipopt)
mark_as_advanced(Ipopt_INCLUDE_DIR Ipopt_LIBRARY)
set(Ipopt_VERSION "")
if(Ipopt_INCLUDE_DIR AND EXISTS "${Ipopt_INCLUDE_DIR}/IpoptConfig.h")
  file(STRINGS "${Ipopt_INCLUDE_DIR}/IpoptConfig.h" Ipopt_VERSION REGEX "define IPOPT_VERSION ")
  string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" Ipopt_VERSION "${Ipopt_VERSION}")
endif()

set(LIEGRAD_IPOPT_BUNDLED FALSE)
if(LIEGRAD_FETCH_IPOPT AND (NOT Ipopt_LIBRARY OR "${Ipopt_VERSION}" VERSION_LESS LIEGRAD_IPOPT_MINIMUM)
    AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
  find_path(LIEGRAD_METIS_INCLUDE_DIR metis.h)
  find_library(LIEGRAD_METIS_LIBRARY metis)
  mark_as_advanced(LIEGRAD_METIS_INCLUDE_DIR LIEGRAD_METIS_LIBRARY)
  if(LIEGRAD_METIS_INCLUDE_DIR AND LIEGRAD_METIS_LIBRARY)
    set(pins "${PROJECT_SOURCE_DIR}/scripts/ipopt-wheels.txt")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${pins}")
    execute_process(
      COMMAND "${PROJECT_SOURCE_DIR}/scripts/fetch-ipopt" "${LIEGRAD_DEPS_DIR}"
      RESULT_VARIABLE failed)
    if(NOT failed)
      set(LIEGRAD_IPOPT_BUNDLED TRUE)
    endif()
  endif()
endif()

if(LIEGRAD_IPOPT_BUNDLED)
  set(prefix "${LIEGRAD_DEPS_DIR}/ipopt")
  add_library(coinmetis SHARED "${PROJECT_SOURCE_DIR}/optimize/control/metis/coinmetis.cpp")
  target_include_directories(coinmetis PRIVATE "${LIEGRAD_METIS_INCLUDE_DIR}")
  target_link_libraries(coinmetis PRIVATE "${LIEGRAD_METIS_LIBRARY}")
  # Where the libraries that ask for it look: beside themselves.
  set_target_properties(coinmetis PROPERTIES SOVERSION 2 LIBRARY_OUTPUT_DIRECTORY "${prefix}/lib")
  add_library(Ipopt::Ipopt SHARED IMPORTED GLOBAL)
  set_target_properties(Ipopt::Ipopt PROPERTIES
    IMPORTED_LOCATION "${prefix}/lib/libipopt.so.3"
    IMPORTED_SONAME libipopt.so.3
    INTERFACE_INCLUDE_DIRECTORIES "${prefix}/include/coin-or")
  file(GLOB libraries "${prefix}/lib/lib*")
  list(FILTER libraries EXCLUDE REGEX "libcoinmetis")
  install(FILES ${libraries} DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS coinmetis LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" NAMELINK_SKIP)
elseif(Ipopt_LIBRARY AND Ipopt_INCLUDE_DIR)
  add_library(Ipopt::Ipopt UNKNOWN IMPORTED GLOBAL)
  set_target_properties(Ipopt::Ipopt PROPERTIES
    IMPORTED_LOCATION "${Ipopt_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Ipopt_INCLUDE_DIR}")
else()
  message(FATAL_ERROR "IPOPT was not found and could not be fetched: install coinor-libipopt-dev, or libmetis-dev "
    "and a network for the pinned one (docs/dependencies.md)")
endif()
