# CppAD::CppAD, and CppAD::CodeGen (CppADCodeGen, headers only): the machine's own where it has
# them, else the packages pinned in scripts/cppad-wheels.txt.

# The first release that lets code with and without NDEBUG meet in one program.
set(LIEGRAD_CPPAD_MINIMUM 20240000)
set(LIEGRAD_DEPS_DIR "${PROJECT_BINARY_DIR}/deps" CACHE PATH
  "Where dependencies that the system lacks are unpacked")

find_package(CppAD ${LIEGRAD_CPPAD_MINIMUM} QUIET)
find_path(CppADCodeGen_INCLUDE_DIR cppad/cg.hpp)
mark_as_advanced(CppADCodeGen_INCLUDE_DIR)

set(CppAD_BUNDLED FALSE)
# A path remembered from an earlier run counts as ours too, so that new pins are noticed.
cmake_path(IS_PREFIX LIEGRAD_DEPS_DIR "${CppAD_INCLUDE_DIR}" remembered)
if(NOT CppAD_FOUND OR remembered)
  set(CppAD_BUNDLED TRUE)
endif()
cmake_path(IS_PREFIX LIEGRAD_DEPS_DIR "${CppADCodeGen_INCLUDE_DIR}" remembered)
if(CppAD_BUNDLED OR NOT CppADCodeGen_INCLUDE_DIR OR remembered)
  set(pins "${PROJECT_SOURCE_DIR}/scripts/cppad-wheels.txt")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${pins}")
  execute_process(
    COMMAND "${PROJECT_SOURCE_DIR}/scripts/fetch-wheels" "${pins}" "${LIEGRAD_DEPS_DIR}"
    COMMAND_ERROR_IS_FATAL ANY)
  set(CppADCodeGen_INCLUDE_DIR "${LIEGRAD_DEPS_DIR}/cmeel_cppadcodegen/cmeel.prefix/include"
    CACHE PATH "" FORCE)
endif()

if(CppAD_BUNDLED)
  # The file with the version in its name is the one that programs ask for when they start.
  set(prefix "${LIEGRAD_DEPS_DIR}/cmeel_cppad/cmeel.prefix")
  file(GLOB library "${prefix}/lib/libcppad_lib.*[0-9]*")
  set(CppAD_LIBRARY "${library}" CACHE FILEPATH "" FORCE)
  set(CppAD_INCLUDE_DIR "${prefix}/include" CACHE PATH "" FORCE)
  find_package(CppAD ${LIEGRAD_CPPAD_MINIMUM} REQUIRED)

  install(FILES "${CppAD_LIBRARY}" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(DIRECTORY "${CppAD_INCLUDE_DIR}/cppad"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/liegrad/third_party")
endif()
cmake_path(GET CppAD_LIBRARY FILENAME CppAD_LIBRARY_NAME)

add_library(CppAD::CodeGen INTERFACE IMPORTED GLOBAL)
target_include_directories(CppAD::CodeGen INTERFACE "${CppADCodeGen_INCLUDE_DIR}")
target_link_libraries(CppAD::CodeGen INTERFACE CppAD::CppAD)
