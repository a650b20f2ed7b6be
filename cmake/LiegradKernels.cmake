# liegrad_add_kernels(<target> <source>…)
#
# Compiles kernels into <target>, a target of the same folder, when it is built. The sources define
#
#   void liegrad_kernels(liegrad::ad::KernelList& list);
#
# which adds recordings with their specifications to the list. A liegrad::ad::Kernel made from an
# equal recording and specification then uses this code, and needs no compiler when it runs.
# In a static library, call `extern "C" void <target>_register_kernels()` from code that is used.

option(LIEGRAD_NATIVE_KERNELS "Compile kernels for the processor of this machine" ON)

function(liegrad_add_kernels target)
  set(generator ${target}_kernel_generator)
  add_executable(${generator} ${ARGN})
  target_link_libraries(${generator} PRIVATE liegrad::kernel_generator)

  set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels.cpp")
  string(MAKE_C_IDENTIFIER "${target}_register_kernels" register_function)
  add_custom_command(OUTPUT "${file}"
    COMMAND ${generator} "${file}" ${register_function}
    DEPENDS ${generator}
    COMMENT "Writing the kernels of ${target}"
    VERBATIM)
  # As the flags of kernels compiled at run time, see ad/compiler.cpp.
  set(flags -O2 -w -ffp-contract=fast -fno-math-errno -fno-trapping-math -freciprocal-math)
  if(LIEGRAD_NATIVE_KERNELS)
    list(APPEND flags -march=native)
  endif()
  set_source_files_properties("${file}" PROPERTIES
    COMPILE_OPTIONS "${flags}"
    SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE "${file}")
  target_link_libraries(${target} PRIVATE liegrad::ad)
endfunction()
