# liegrad_merge_sources(<target> SOURCES <source> … [APART <pattern> …])
#
# Sources of one folder are compiled several at a time: what they include and the templates that they use are then
# compiled once for all of them, which takes half as long. In a folder, names of unnamed namespaces must differ; a source
# whose name matches a pattern is compiled alone, because it has such a name or is so hot that its neighbours must not
# change how it is optimised.

option(LIEGRAD_MERGE_SOURCES "Compile several sources of a folder together" ON)
set(LIEGRAD_MERGED_SOURCES 5)

function(liegrad_merge_sources target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;APART")
  if(NOT LIEGRAD_MERGE_SOURCES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  list(SORT arg_SOURCES)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(RELATIVE_PATH source OUTPUT_VARIABLE name)
    set(apart FALSE)
    foreach(pattern IN LISTS arg_APART)
      if(name MATCHES "^(${pattern})\\.cpp$")
        set(apart TRUE)
      endif()
    endforeach()
    if(apart)
      continue()
    endif()
    cmake_path(GET name PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR group "${count_${folder}} / ${LIEGRAD_MERGED_SOURCES}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${group}")
  endforeach()
endfunction()
