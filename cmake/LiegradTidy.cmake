# The target `tidy` runs clang-tidy over every source of this project. A source is looked at again
# when its object file was made anew, so the compiler's own knowledge of the headers decides.

set(clang_tidy "${LIEGRAD_DEPS_DIR}/clang_tidy/clang_tidy/data/bin/clang-tidy")

# clang cannot read GCC's precompiled headers, and .clang-tidy says which warnings are errors: it
# gets the compile commands without either.
add_custom_target(tidy_prepared
  COMMAND "${PROJECT_SOURCE_DIR}/scripts/fetch-wheels"
    "${PROJECT_SOURCE_DIR}/scripts/clang-tidy-wheels.txt" "${LIEGRAD_DEPS_DIR}"
  COMMAND sed "s/-include [^ ]*cmake_pch[^ ]*//g; s/-Werror//g"
    "${PROJECT_BINARY_DIR}/compile_commands.json"
    > "${PROJECT_BINARY_DIR}/tidy/compile_commands.json"
  VERBATIM)
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/tidy")

add_custom_target(tidy)

function(liegrad_tidy target)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(stamps "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${folder}")
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${source}" generated)
    if(generated)
      continue()
    endif()
    cmake_path(GET source FILENAME file)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE name)
    set(stamp "${PROJECT_BINARY_DIR}/tidy/${target}.${file}.stamp")
    add_custom_command(OUTPUT "${stamp}"
      COMMAND "${clang_tidy}" --quiet -p "${PROJECT_BINARY_DIR}/tidy" "${source}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS
        "$<FILTER:$<TARGET_OBJECTS:${target}>,INCLUDE,/${file}.o$>"
        "${PROJECT_SOURCE_DIR}/.clang-tidy"
        "${PROJECT_SOURCE_DIR}/scripts/clang-tidy-wheels.txt"
        tidy_prepared
      COMMENT "Looking at ${name}"
      VERBATIM)
    list(APPEND stamps "${stamp}")
  endforeach()
  if(stamps)
    add_custom_target(tidy_${target} DEPENDS ${stamps})
    add_dependencies(tidy tidy_${target})
  endif()
endfunction()

function(liegrad_tidy_folder folder)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "INTERFACE|UTILITY")
      liegrad_tidy(${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    liegrad_tidy_folder("${folder}")
  endforeach()
endfunction()

liegrad_tidy_folder("${PROJECT_SOURCE_DIR}")
