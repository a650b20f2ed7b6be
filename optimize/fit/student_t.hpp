#pragma once

namespace liegrad::optimize {

/// Probability that a number with Student's distribution is at most t.
double student_t_probability(double t, double freedom);
/// The t of a probability between 0 and 1; that of the normal distribution for infinite freedom.
double student_t_quantile(double probability, double freedom);

}  // namespace liegrad::optimize
