# Finds CppAD, headers and cppad_lib, and makes the target CppAD::CppAD. Installed with liegrad, so
# that its users find CppAD the same way.

find_path(CppAD_INCLUDE_DIR cppad/configure.hpp)
find_library(CppAD_LIBRARY cppad_lib)
mark_as_advanced(CppAD_INCLUDE_DIR CppAD_LIBRARY)

if(CppAD_INCLUDE_DIR)
  file(STRINGS "${CppAD_INCLUDE_DIR}/cppad/configure.hpp" CppAD_VERSION REGEX "CPPAD_PACKAGE_STRING")
  string(REGEX REPLACE ".*\"cppad-([0-9.]+)\".*" "\\1" CppAD_VERSION "${CppAD_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CppAD
  REQUIRED_VARS CppAD_LIBRARY CppAD_INCLUDE_DIR
  VERSION_VAR CppAD_VERSION)

if(CppAD_FOUND AND NOT TARGET CppAD::CppAD)
  add_library(CppAD::CppAD UNKNOWN IMPORTED)
  set_target_properties(CppAD::CppAD PROPERTIES
    IMPORTED_LOCATION "${CppAD_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CppAD_INCLUDE_DIR}")
endif()
