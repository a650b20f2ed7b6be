#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/integrate.hpp"

namespace liegrad::testing {

/// What a run is differentiated by, in this order; the meaning of each is that of sensitivity::Variables.
struct TapedVariables {
  std::vector<std::string> parameters = {};
  bool initial_configuration = false, initial_velocity = false, t_end = false, step = false,
       controls = false;
};

/// A column of the outputs, at the end of the run or at a time between the ends of its steps.
struct TapedReading {
  std::string column;
  std::optional<double> t = {};
};

struct TapedRun {
  Eigen::VectorXd values;
  Eigen::MatrixXd jacobian;    ///< readings × variables
  std::size_t operations = 0;  ///< on the tape
};

/// A whole simulation, from its variables to numbers read from its states, as one sequence of operations of
/// CppAD, differentiated in reverse: nothing of it comes from sensitivity/.
///
/// It is for small systems, the Lie-group generalized-α method, explicit Munthe-Kaas methods and Radau methods. From
/// integrate() it takes the lengths of the steps, and the states as guesses.
TapedRun taped_run(const dae::System& system, const dae::IntegrateOptions& options,
                   const TapedVariables& variables, const std::vector<TapedReading>& readings);

}  // namespace liegrad::testing
