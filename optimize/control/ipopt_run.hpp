#pragma once

#include <vector>

#include "liegrad/control/program.hpp"
#include "liegrad/control/solve.hpp"
#include "liegrad/control/stop_request.hpp"

namespace liegrad::control {

/// Where IPOPT begins, and where it ends.
struct Iterate {
  std::vector<double> x = {}, multipliers = {}, lower_multipliers = {}, upper_multipliers = {};
  bool has_multipliers = false;
  bool is_near = false;  ///< a solution is near: bounds are not to be left for it
};

/// What was seen on the way.
struct Record {
  Summary summary;
  std::vector<double> primal_history, dual_history;  ///< infeasibility of the iterates
};

/// Whether elimination in time factorises IPOPT's matrices.
bool uses_blocks(const SolveOptions& options);

/// Runs IPOPT from an iterate, replaces it by the last one and adds to the record what was seen on the way. A large turn
/// of a δ_n ends the run, so that the reference can be moved.
void run_ipopt(Program& program, const SolveOptions& options, const StopRequest& stop,
               Iterate& iterate, Record& record, bool& turned_too_far);

}  // namespace liegrad::control
