# Warnings and sanitizers of our own targets. Nothing that is exported links to liegrad_dev, so a
# user of the libraries inherits none of them.

set(LIEGRAD_SANITIZERS "" CACHE STRING "Sanitizers of our own targets, e.g. address,undefined")

add_library(liegrad_dev INTERFACE)
target_compile_options(liegrad_dev INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # GCC 12 sees overlaps and overflows in "text" + std::string that are not there.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>)

# A null pointer that is followed ends a program under the address sanitizer too, and to check for it and for alignment
# at every access doubles the time to compile.
if(LIEGRAD_SANITIZERS)
  target_compile_options(liegrad_dev INTERFACE
    -fsanitize=${LIEGRAD_SANITIZERS} -fno-sanitize=null,alignment -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(liegrad_dev INTERFACE -fsanitize=${LIEGRAD_SANITIZERS})
endif()
