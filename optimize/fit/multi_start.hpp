#pragma once

#include <string>
#include <vector>

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

/// Where fits from different starts ended.
struct Optimum {
  double cost = 0;
  int count = 0;  ///< of starts that ended there
  bool converged = false;
  Eigen::VectorXd x;
};

struct MultiStart {
  FitResult best;
  std::vector<Optimum> optima;  ///< the best first
  int failed = 0;               ///< starts whose runs failed
  int read = 0;                 ///< starts whose ends were in the file
};

struct MultiStartOptions {
  int starts = 10;
  int threads = 1;  ///< fits at the same time
  /// The end of each start is added to this file when it is known. Starts that are there already are not searched
  /// from again, so that a search which was interrupted goes on.
  std::string file = {};
};

/// Fits from the given start and from further points, spread evenly over the box of bounds; each unknown without two
/// finite bounds keeps its start. Points, and so the result, do not depend on threads. Throws InvalidArgument for a file
/// that cannot be written or belongs to another fit.
MultiStart fit_from_many(const FitProblem& problem, const FitOptions& options,
                         const MultiStartOptions& how);

}  // namespace liegrad::optimize
