#pragma once

#include "liegrad/optimize/fit/statistics.hpp"

namespace liegrad::optimize {

/// Gauss–Newton steps x - F Fᵀg from near the minimum, without damping, until they are a ten-millionth of a standard
/// deviation. Each must bring it to half the distance.
///
/// They go along directions that the runs can tell. Along others, whose effect is below the error of derivatives, the
/// gradient is that error and less than one digit of it is true: a damped search creeps along them to no end, and bends
/// the others on its way.
///
/// The first step may go by derivatives of coarser runs, whose errors it makes up for with derivatives of its own. What
/// the last steps change of these is too little to be reported: they ask for values of runs only.
struct FinalSteps {
  bool has_arrived = false, was_stopped = false;
  int iterations = 0;
};

/// Moves x, with statistics there. Where steps do not come nearer x is the last point that did. Precondition: residuals
/// are smooth, and the problem has no bodies that are kept admissible.
FinalSteps final_steps(FitEngine& engine, int max_iterations, Eigen::VectorXd& x,
                       FitStatistics& statistics);

}  // namespace liegrad::optimize
