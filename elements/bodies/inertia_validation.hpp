#pragma once

#include <map>
#include <string>

#include "liegrad/lie/scalar.hpp"

namespace liegrad::elements {

/// A plate has J1 + J2 = J3 and a thin rod J1 = J2, J3 = 0 nearly: numbers that were rounded may pass
/// these limits by a little.
inline constexpr double kInertiaTolerance = 1e-6;

/// What is wrong with a mass, as ElementModel::validation_message() says it; empty if nothing is.
std::string mass_validation_message(double m);

/// What is wrong with the moments of inertia about the axes of a body, which are principal axes. None
/// exceeds the sum of the two others, since J1 + J2 - J3 = 2∫z² dm.
std::string principal_inertia_validation_message(const lie::Vec<double, 3>& inertia);

/// The same of an inertia tensor, in terms of its eigenvalues.
std::string inertia_validation_message(const lie::Mat<double, 3>& inertia);

/// The values J11 … J23 of GeneralRigidBody from a whole tensor, for the element of that name. Throws
/// InvalidArgument when the tensor is not symmetric.
std::map<std::string, double> inertia_values(const std::string& element,
                                             const lie::Mat<double, 3>& inertia);

}  // namespace liegrad::elements
