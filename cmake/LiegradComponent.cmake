# A component is a folder: its sources are compiled into liegrad::<name>, and
# `find_package(liegrad COMPONENTS <name>)` brings it to a user, with its public headers and what they include.
#
#   liegrad_component(<name>
#     FOLDERS <folder> …                      inside it, with further headers and sources
#     PUBLIC_HEADERS <pattern> …              the headers that users include
#     PACKAGES "<find_package arguments>" …   found here, and again in the user's project
#     LINK <target> …                         public; liegrad::<other> makes that component needed
#     PRIVATE <target> …                      for its sources only
#     APART <pattern> …                       sources that are not merged, see LiegradMerge.cmake
#     MODULES <name> …)                       CMake functions that its user gets: cmake/<name>.cmake

include(LiegradMerge)

set(LIEGRAD_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/liegrad")

function(liegrad_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;PUBLIC_HEADERS;PACKAGES;LINK;PRIVATE;APART;MODULES")
  set(target liegrad_${name})

  # Folders stand at the root of the source, users include <liegrad/folder/header.hpp>: a link in
  # the build tree makes both true.
  set(include_dir "${PROJECT_BINARY_DIR}/include")
  file(MAKE_DIRECTORY "${include_dir}/liegrad")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}" "${include_dir}/liegrad/${name}" SYMBOLIC)
  set(header_patterns "${include_dir}/liegrad/${name}/*.hpp")
  set(source_patterns "*.cpp")
  foreach(folder IN LISTS arg_FOLDERS)
    list(APPEND header_patterns "${include_dir}/liegrad/${name}/${folder}/*.hpp")
    list(APPEND source_patterns "${folder}/*.cpp")
  endforeach()
  file(GLOB headers CONFIGURE_DEPENDS ${header_patterns})
  file(GLOB sources CONFIGURE_DEPENDS ${source_patterns})
  list(TRANSFORM arg_PUBLIC_HEADERS PREPEND "${include_dir}/liegrad/${name}/")
  file(GLOB public_headers CONFIGURE_DEPENDS ${arg_PUBLIC_HEADERS})
  set_property(GLOBAL APPEND PROPERTY LIEGRAD_COMPONENTS ${name})
  set_property(GLOBAL APPEND PROPERTY LIEGRAD_PUBLIC_HEADERS ${public_headers})
  set_property(GLOBAL PROPERTY LIEGRAD_HEADERS_${name} ${headers})

  if(sources)
    add_library(${target} ${sources})
    set(public PUBLIC)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:liegrad_dev>)
    # Reading these headers takes longer than compiling what most sources say.
    if(name STREQUAL "ad")
      target_precompile_headers(${target} PRIVATE <Eigen/Dense> <cppad/cppad.hpp>)
    else()
      target_precompile_headers(${target} REUSE_FROM liegrad_ad)
    endif()
    liegrad_merge_sources(${target} SOURCES ${sources} APART ${arg_APART})
  else()
    add_library(${target} INTERFACE)
    set(public INTERFACE)
  endif()
  add_library(liegrad::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    VERIFY_INTERFACE_HEADER_SETS ON)
  target_compile_features(${target} ${public} cxx_std_20)
  target_sources(${target} ${public} FILE_SET HEADERS BASE_DIRS "${include_dir}")

  # What the user's find_package does for this component: find its packages, then the components
  # it needs, then load it.
  set(recipe "")
  foreach(package IN LISTS arg_PACKAGES)
    separate_arguments(package UNIX_COMMAND "${package}")
    find_package(${package} REQUIRED)
    list(GET package 0 package_name)
    list(JOIN package " " package)
    string(APPEND recipe "find_dependency(${package})\n"
      "list(APPEND liegrad_built_with ${package_name} \"${${package_name}_VERSION}\")\n")
  endforeach()
  target_link_libraries(${target} ${public} ${arg_LINK})
  foreach(needed IN LISTS arg_LINK)
    if(needed MATCHES "^liegrad::(.+)$")
      string(APPEND recipe "include(\${CMAKE_CURRENT_LIST_DIR}/liegrad-${CMAKE_MATCH_1}.cmake)\n")
    endif()
  endforeach()
  string(APPEND recipe "include(\${CMAKE_CURRENT_LIST_DIR}/liegrad-${name}-targets.cmake)\n")
  foreach(module IN LISTS arg_MODULES)
    include(${module})
    string(APPEND recipe "include(\${CMAKE_CURRENT_LIST_DIR}/${module}.cmake)\n")
    install(FILES "${PROJECT_SOURCE_DIR}/cmake/${module}.cmake" DESTINATION "${LIEGRAD_CMAKE_DIR}")
  endforeach()
  file(CONFIGURE OUTPUT liegrad-${name}.cmake CONTENT "${recipe}" @ONLY)

  install(TARGETS ${target} EXPORT ${target} FILE_SET HEADERS)
  install(EXPORT ${target}
    NAMESPACE liegrad::
    FILE liegrad-${name}-targets.cmake
    DESTINATION "${LIEGRAD_CMAKE_DIR}")
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/liegrad-${name}.cmake"
    DESTINATION "${LIEGRAD_CMAKE_DIR}")
endfunction()

# The public headers of all components, and what they include of ours.
function(liegrad_installed_headers result)
  get_property(to_read GLOBAL PROPERTY LIEGRAD_PUBLIC_HEADERS)
  set(include_dir "${PROJECT_BINARY_DIR}/include")
  set(headers "")
  while(to_read)
    list(POP_FRONT to_read header)
    if(header IN_LIST headers)
      continue()
    endif()
    list(APPEND headers "${header}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
    file(STRINGS "${header}" lines REGEX "^#include \"liegrad/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" included "${line}")
      list(APPEND to_read "${include_dir}/${included}")
    endforeach()
  endwhile()
  set(${result} ${headers} PARENT_SCOPE)
endfunction()

# Gives each component the headers that are installed with it. The others are internal: a target that is not installed
# has them, so that they are compiled alone as well.
function(liegrad_sort_headers)
  liegrad_installed_headers(installed)
  # For the tests.
  get_property(public GLOBAL PROPERTY LIEGRAD_PUBLIC_HEADERS)
  list(TRANSFORM public REPLACE "^${PROJECT_BINARY_DIR}/include/" "")
  list(JOIN public "\n" public)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/public_headers.txt" CONTENT "${public}\n" @ONLY)
  get_property(components GLOBAL PROPERTY LIEGRAD_COMPONENTS)
  foreach(name IN LISTS components)
    get_property(headers GLOBAL PROPERTY LIEGRAD_HEADERS_${name})
    set(internal "")
    set(visible "")
    foreach(header IN LISTS headers)
      if(header IN_LIST installed)
        list(APPEND visible "${header}")
      else()
        list(APPEND internal "${header}")
      endif()
    endforeach()
    get_target_property(type liegrad_${name} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      target_sources(liegrad_${name} INTERFACE FILE_SET HEADERS FILES ${visible})
      continue()
    endif()
    target_sources(liegrad_${name} PUBLIC FILE_SET HEADERS FILES ${visible})
    if(internal)
      add_library(liegrad_${name}_internal INTERFACE)
      set_target_properties(liegrad_${name}_internal PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
      target_link_libraries(liegrad_${name}_internal INTERFACE liegrad_${name})
      target_include_directories(liegrad_${name}_internal SYSTEM INTERFACE
        $<TARGET_PROPERTY:liegrad_${name},INCLUDE_DIRECTORIES>)
      target_sources(liegrad_${name}_internal INTERFACE
        FILE_SET HEADERS BASE_DIRS "${PROJECT_BINARY_DIR}/include" FILES ${internal})
    endif()
  endforeach()
endfunction()

# Installs what find_package(liegrad) reads first. Call it after the last component.
function(liegrad_install_package)
  liegrad_sort_headers()
  include(CMakePackageConfigHelpers)
  configure_package_config_file(cmake/liegradConfig.cmake.in liegradConfig.cmake
    INSTALL_DESTINATION "${LIEGRAD_CMAKE_DIR}"
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file(liegradConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES
    "${PROJECT_BINARY_DIR}/liegradConfig.cmake"
    "${PROJECT_BINARY_DIR}/liegradConfigVersion.cmake"
    cmake/FindCppAD.cmake
    cmake/FindKLU.cmake
    DESTINATION "${LIEGRAD_CMAKE_DIR}")
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endfunction()
