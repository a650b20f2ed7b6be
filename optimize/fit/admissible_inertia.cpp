#include "liegrad/optimize/fit/admissible_inertia.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

/// σ_i = (J_j + J_k - J_i)/2 of the three inertias.
std::array<double, 3> second_moments(const Eigen::VectorXd& x, const std::array<int, 4>& body) {
  const double j1 = x(body[1]), j2 = x(body[2]), j3 = x(body[3]);
  return {0.5 * (j2 + j3 - j1), 0.5 * (j3 + j1 - j2), 0.5 * (j1 + j2 - j3)};
}

}  // namespace

AdmissibleInertia::AdmissibleInertia(const FitProblem& problem, const Unknowns& unknowns) {
  for (const std::string& body : problem.admissible) {
    std::array<int, 4> places{};
    const char* const names[] = {".m", ".J1", ".J2", ".J3"};
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string name = body + names[i];
      problem.system.parameter_index(name);
      places[i] = -1;
      for (int k = 0; k < unknowns.num_shared(); ++k) {
        const Unknowns::Unknown& unknown = unknowns.list()[index(k)];
        if (unknown.name != name) continue;
        places[i] = k;
        if (!std::isfinite(unknown.lower) && !std::isfinite(unknown.upper)) continue;
        throw InvalidArgument("'" + name +
                              "' has bounds and is kept physically possible as well; choose one");
      }
      if (places[i] >= 0) continue;
      throw InvalidArgument("to keep '" + body + "' physically possible, '" + name +
                            "' must be an unknown that all trials share, as the rest of m, J1, J2 "
                            "and J3");
    }
    const Eigen::VectorXd start = unknowns.start();
    const std::array<double, 3> moments = second_moments(start, places);
    for (const double moment : moments) {
      if (moment > 0 && start(places[0]) > 0) continue;
      throw InvalidArgument("'" + body +
                            "' starts with values that no body has, or at their limit; choose "
                            "m > 0 and each inertia below the sum of the other two");
    }
    bodies_.push_back(places);
    names_.push_back(body);
    constexpr double kLeast = 1e-9;
    const double largest =
        0.5 * std::log(kLeast * *std::max_element(moments.begin(), moments.end()));
    lowest_.push_back({0.5 * std::log(kLeast * start(places[0])), largest, largest, largest});
  }
}

void AdmissibleInertia::set_lower(Eigen::VectorXd& lower) const {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    for (std::size_t i = 0; i < 4; ++i) lower(bodies_[k][i]) = lowest_[k][i];
  }
}

std::vector<std::string> AdmissibleInertia::at_limit(const Eigen::VectorXd& x) const {
  Eigen::VectorXd coordinates = x;
  to_coordinates(coordinates);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (coordinates(bodies_[k][i]) != lowest_[k][i]) continue;
      names.push_back(names_[k]);
      break;
    }
  }
  return names;
}

void AdmissibleInertia::to_coordinates(Eigen::VectorXd& x) const {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const std::array<int, 4>& body = bodies_[k];
    const std::array<double, 3> moments = second_moments(x, body);
    const std::array<double, 4> values = {x(body[0]), moments[0], moments[1], moments[2]};
    for (std::size_t i = 0; i < 4; ++i) {
      // At the limit up to the rounding of inertias, where a difference of them is a second moment.
      constexpr double kNear = 1e-2;
      const double lowest = lowest_[k][i];
      const double logarithm = values[i] > 0 ? 0.5 * std::log(values[i]) : lowest;
      x(body[i]) = logarithm < lowest + kNear ? lowest : logarithm;
    }
  }
}

void AdmissibleInertia::to_unknowns(Eigen::VectorXd& coordinates) const {
  for (const std::array<int, 4>& body : bodies_) {
    std::array<double, 3> moments{};
    for (std::size_t i = 0; i < 3; ++i) moments[i] = std::exp(2 * coordinates(body[i + 1]));
    coordinates(body[0]) = std::exp(2 * coordinates(body[0]));
    for (std::size_t i = 0; i < 3; ++i) {
      coordinates(body[i + 1]) = moments[(i + 1) % 3] + moments[(i + 2) % 3];
    }
  }
}

void AdmissibleInertia::change_columns(const Eigen::VectorXd& unknowns,
                                       Eigen::MatrixXd& jacobian) const {
  for (const std::array<int, 4>& body : bodies_) {
    jacobian.col(body[0]) *= 2 * unknowns(body[0]);
    const std::array<double, 3> moments = second_moments(unknowns, body);
    const Eigen::MatrixXd by_inertia = jacobian(Eigen::all, std::array{body[1], body[2], body[3]});
    for (std::size_t i = 0; i < 3; ++i) {
      // σ_i is part of both other inertias.
      jacobian.col(body[i + 1]) = 2 * moments[i] *
                                  (by_inertia.col(static_cast<Eigen::Index>((i + 1) % 3)) +
                                   by_inertia.col(static_cast<Eigen::Index>((i + 2) % 3)));
    }
  }
}

}  // namespace liegrad::optimize
