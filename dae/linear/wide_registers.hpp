#pragma once

/// Compiled twice, with and without wide registers; the processor decides which one runs. Everything that is
/// called must be compiled in place for that. Sanitizers start too late for such a decision.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LIEGRAD_FOR_WIDE_REGISTERS \
  __attribute__((target_clones("arch=x86-64-v3", "default"), flatten))
#else
#define LIEGRAD_FOR_WIDE_REGISTERS
#endif
