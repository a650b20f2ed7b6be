# Finds KLU and CAMD of SuiteSparse and what they need, and makes the target SuiteSparse::KLU. Installed with
# liegrad, so that its users find KLU the same way.

find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
mark_as_advanced(KLU_INCLUDE_DIR)
set(KLU_LIBRARIES "")
foreach(name IN ITEMS klu camd amd colamd btf suitesparseconfig)
  find_library(KLU_${name}_LIBRARY ${name})
  mark_as_advanced(KLU_${name}_LIBRARY)
  list(APPEND KLU_LIBRARIES "${KLU_${name}_LIBRARY}")
endforeach()

if(KLU_INCLUDE_DIR AND EXISTS "${KLU_INCLUDE_DIR}/klu.h")
  set(KLU_VERSION "")
  foreach(part IN ITEMS MAIN SUB SUBSUB)
    file(STRINGS "${KLU_INCLUDE_DIR}/klu.h" line REGEX "#define KLU_${part}_VERSION +[0-9]+")
    string(REGEX REPLACE ".*VERSION +([0-9]+).*" "\\1" number "${line}")
    list(APPEND KLU_VERSION "${number}")
  endforeach()
  list(JOIN KLU_VERSION "." KLU_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU
  REQUIRED_VARS KLU_klu_LIBRARY KLU_camd_LIBRARY KLU_amd_LIBRARY KLU_colamd_LIBRARY KLU_btf_LIBRARY
    KLU_suitesparseconfig_LIBRARY KLU_INCLUDE_DIR
  VERSION_VAR KLU_VERSION)

if(KLU_FOUND AND NOT TARGET SuiteSparse::KLU)
  add_library(SuiteSparse::KLU INTERFACE IMPORTED)
  set_target_properties(SuiteSparse::KLU PROPERTIES
    INTERFACE_LINK_LIBRARIES "${KLU_LIBRARIES}"
    INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}")
endif()
