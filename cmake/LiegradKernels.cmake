# liegrad_add_kernels(<target> <source>…)
#
# Compiles kernels into <target>, a target of the same folder, when it is built. The sources define
#
#   void liegrad_kernels(liegrad::ad::KernelList& list);
#
# which adds recordings with their specifications to the list. A liegrad::ad::Kernel made from an
# equal recording and specification then uses this code, and needs no compiler when it runs.
# In a static library, call `extern "C" void <target>_register_kernels()` from code that is used.

# The kernels are compiled for several kinds of processors, and the program takes the best version that
# its processor can run: `baseline`, which all can, and `avx2`. A third one with AVX-512 gained 2 % on chains, and took an
# eighth of the time of a whole build.

option(LIEGRAD_NATIVE_KERNELS "Compile kernels for the processor of this machine only" OFF)

# The versions, the best first, and the flags of each.
function(liegrad_kernel_versions versions)
  set(flags_avx2 -mavx2 -mfma -mbmi -mbmi2 PARENT_SCOPE)
  set(flags_native -march=native PARENT_SCOPE)
  if(LIEGRAD_NATIVE_KERNELS)
    set(${versions} native PARENT_SCOPE)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(${versions} avx2 baseline PARENT_SCOPE)
    set(flags_baseline -O1 PARENT_SCOPE)  # for old processors: quick to compile
  else()
    set(flags_baseline "" PARENT_SCOPE)
    set(${versions} baseline PARENT_SCOPE)
  endif()
endfunction()

function(liegrad_add_kernels target)
  set(generator ${target}_kernel_generator)
  add_executable(${generator} ${ARGN})
  target_link_libraries(${generator} PRIVATE liegrad::kernel_generator)

  set(name "${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels")
  add_custom_command(OUTPUT "${name}.inc"
    COMMAND ${generator} "${name}.inc.new"
    # Kernels that stay as they are need not be compiled again.
    COMMAND ${CMAKE_COMMAND} -E copy_if_different "${name}.inc.new" "${name}.inc"
    DEPENDS ${generator}
    COMMENT "Writing the kernels of ${target}"
    VERBATIM)

  string(MAKE_C_IDENTIFIER "${target}_register_kernels" register_function)
  liegrad_kernel_versions(versions)
  set(declarations "")
  set(calls "")
  foreach(version IN LISTS versions)
    set(function ${register_function}_${version})
    string(APPEND declarations "extern \"C\" bool ${function}();\n")
    list(APPEND calls "${function}()")
    file(CONFIGURE OUTPUT "${name}_${version}.cpp" @ONLY CONTENT
"#define LIEGRAD_KERNEL_VERSION \"${version}\"
#define LIEGRAD_REGISTER_FUNCTION ${function}
#include \"${target}_kernels.inc\"
")
    # As the flags of kernels compiled at run time, see ad/native/compiler.cpp. Kernels have no memory of their own, and
    # sanitizers would take longer to compile them than all else.
    if(LIEGRAD_SANITIZERS)
      list(APPEND flags_${version} -O0)
    endif()
    set_source_files_properties("${name}_${version}.cpp" PROPERTIES
      COMPILE_OPTIONS "-O2;-w;-fno-sanitize=all;-ffp-contract=fast;-fno-math-errno;-fno-trapping-math;-freciprocal-math;${flags_${version}}"
      OBJECT_DEPENDS "${name}.inc"
      SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE "${name}_${version}.cpp")
  endforeach()

  list(JOIN calls " || " calls)
  file(CONFIGURE OUTPUT "${name}.cpp" @ONLY CONTENT
"${declarations}
extern \"C\" __attribute__((constructor)) void ${register_function}() {
  static_cast<void>(${calls});
}
")
  target_sources(${target} PRIVATE "${name}.cpp")
  target_link_libraries(${target} PRIVATE liegrad::ad)
endfunction()
