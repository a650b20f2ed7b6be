#pragma once

#include "liegrad/ad/codegen/expression.hpp"
#include "liegrad/ad/kernel_spec.hpp"

namespace liegrad::ad {

/// The arithmetic of a kernel: inputs and outputs as in the layout. Derivatives are taken by CppAD on
/// symbolic numbers, the results simplified and shared. A Jacobian or Hessian can be had by forward
/// sweeps, by reverse sweeps or by vertex elimination; the cheapest is kept.
///
/// Throws Error naming the function when it calls what has no counterpart in C: CppAD's discrete and
/// atomic functions.
Program derive(const Recording& recording, const KernelLayout& layout);

/// The entries of a sparse part's pattern that do not vanish where the layout's zero inputs are zero.
Pattern nonzero_entries(const Recording& recording, const KernelLayout& layout,
                        const KernelLayout::Part& part);

}  // namespace liegrad::ad
