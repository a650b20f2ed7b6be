#include "liegrad/elements/bodies/inertia_validation.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::elements {

std::string mass_validation_message(double m) {
  if (m > 0) return {};
  return "has mass " + dae::number_text(m) + "; it must be positive";
}

std::string principal_inertia_validation_message(const lie::Vec<double, 3>& inertia) {
  using dae::number_text;
  for (int i = 0; i < 3; ++i) {
    if (inertia(i) > 0) continue;
    return "has inertia J" + std::to_string(i + 1) + " = " + number_text(inertia(i)) +
           "; it must be positive";
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double others = inertia(j) + inertia(k);
    if (inertia(i) <= (1 + kInertiaTolerance) * others) continue;
    return "has inertia J" + std::to_string(i + 1) + " = " + number_text(inertia(i)) +
           ", more than the other two together (" + number_text(others) +
           "); no distribution of mass has that";
  }
  return {};
}

std::string inertia_validation_message(const lie::Mat<double, 3>& inertia) {
  using dae::number_text;
  const Eigen::SelfAdjointEigenSolver<lie::Mat<double, 3>> solver(inertia, Eigen::EigenvaluesOnly);
  const lie::Vec<double, 3> principal = solver.eigenvalues();  // in increasing order
  if (!(principal(0) > 0)) {
    return "has an inertia tensor with the eigenvalue " + number_text(principal(0)) +
           "; all must be positive";
  }
  const double others = principal(0) + principal(1);
  if (principal(2) <= (1 + kInertiaTolerance) * others) return {};
  return "has an inertia tensor whose largest eigenvalue " + number_text(principal(2)) +
         " is more than the other two together (" + number_text(others) +
         "); no distribution of mass has that";
}

std::map<std::string, double> inertia_values(const std::string& element,
                                             const lie::Mat<double, 3>& inertia) {
  std::map<std::string, double> values;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) {
      const std::string row = std::to_string(i + 1), column = std::to_string(j + 1);
      const double above = inertia(i, j), below = inertia(j, i);
      if (std::abs(above - below) > kInertiaTolerance * inertia.cwiseAbs().maxCoeff()) {
        throw InvalidArgument("element '" + element + "' has an inertia tensor with J" + row +
                              column + " = " + dae::number_text(above) + " and J" + column + row +
                              " = " + dae::number_text(below) + "; it must be symmetric");
      }
      values["J" + row + column] = (above + below) / 2;
    }
  }
  return values;
}

}  // namespace liegrad::elements
