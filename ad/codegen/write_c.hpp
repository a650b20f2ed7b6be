#pragma once

#include <string>

#include "liegrad/ad/codegen/expression.hpp"

namespace liegrad::ad {

/// A program as two functions in the common part of C and C++,
///
///     void SYMBOL(const double *x, double *y);
///     void SYMBOL_batch(long count, const double *x, long x_stride, double *y, long y_stride);
///
/// The first evaluates one instance. The second evaluates `count` of them: number i of instance k
/// is x[i*x_stride + k] and y[i*y_stride + k], so that instances are neighbours in memory and
/// several are done at once in vector registers. Neither keeps state or allocates.
///
/// Programs of more than a few hundred operations are cut into functions of that size, because a
/// compiler's time grows faster than the length of a function. The text goes behind c_prelude().
std::string write_c(const Program& program, int num_inputs, const std::string& symbol);

/// What stands once at the top of a file of such functions.
std::string c_prelude();

}  // namespace liegrad::ad
