#pragma once

#include "liegrad/optimize/fit/fit.hpp"

namespace liegrad::optimize {

/// The problem with better starts of all unknowns, found with forces that pull runs to the data, see TrackedSystem, and
/// that fade: the homotopy of [VyasarayaniUchidaCarvalhoMcPhee2011] on the group. With a gain that is large enough every
/// run follows its record, from any guess, and residuals tell how much force that takes, which depends on
/// unknowns about as linearly as the equations of motion do. Each fit starts where the last one ended, with a gain at
/// which runs still follow, until they do so without a force. Problems whose runs follow from the start stay as they are.
///
/// Throws InvalidArgument where nothing measured can be pulled to. Where the continuation cannot go on, what it has found
/// is the start.
FitProblem start_by_tracking(const FitProblem& problem, const FitOptions& options);

}  // namespace liegrad::optimize
