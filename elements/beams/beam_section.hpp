#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/elements/forces/checks.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::elements {

/// The strain of a beam in the axes of its section, of which x is along the beam: γ is extension and the
/// two shears, κ torsion and the two bendings, both by length.
template <lie::Scalar S>
struct BeamStrain {
  lie::Vec<S, 3> gamma, kappa;
};

/// What belongs to it by energy: axial and shear forces, torque and bending moments.
template <lie::Scalar S>
struct BeamStress {
  lie::Vec<S, 3> force, moment;
};

// A section is a struct with
//
//     parameters()               its stiffness
//     damping_parameters()       times τ of Kelvin–Voigt damping, of a beam with damping
//     stress(at, first, ε)       K ε, with the parameters of the stiffness that begin there
//     delayed(at, first, ε̇)      τ ε̇: the stress of a beam with damping is K (ε + τ ε̇)
//     validation_message(…)               like that of an element

/// A section without coupling, with the axes of the section through its elastic centre as principal axes.
/// Material with the viscosities τ_E E and τ_G G has the damping of [LinnLangTuganov2013].
struct DiagonalSection {
  enum Parameter { kEA, kGA2, kGA3, kGJ, kEI2, kEI3, kCount };

  std::vector<dae::ParameterSpec> parameters() const {
    return {{"EA", 1e6, "N", "axial stiffness"},
            {"GA2", 1e6, "N", "shear stiffness along y of the section"},
            {"GA3", 1e6, "N", "shear stiffness along z"},
            {"GJ", 1e3, "N m^2", "torsional stiffness"},
            {"EI2", 1e3, "N m^2", "bending stiffness about y of the section"},
            {"EI3", 1e3, "N m^2", "bending stiffness about z"}};
  }
  std::vector<dae::ParameterSpec> damping_parameters() const {
    return {{"tau_E", 0, "s", "viscosity over stiffness, of extension and bending"},
            {"tau_G", 0, "s", "viscosity over stiffness, of shear and torsion"}};
  }
  template <class S>
  BeamStress<S> stress(const dae::Position<S>& at, int first, const BeamStrain<S>& strain) const {
    return {at.parameter3(first + kEA).cwiseProduct(strain.gamma),
            at.parameter3(first + kGJ).cwiseProduct(strain.kappa)};
  }
  template <class S>
  BeamStrain<S> delayed(const dae::Position<S>& at, int first, const BeamStrain<S>& rate) const {
    const S &tau_e = at.parameter(first), &tau_g = at.parameter(first + 1);
    return {lie::Vec<S, 3>(tau_e, tau_g, tau_g).cwiseProduct(rate.gamma),
            lie::Vec<S, 3>(tau_g, tau_e, tau_e).cwiseProduct(rate.kappa)};
  }
  std::string validation_message(const dae::ElementShape& shape, const dae::Position<double>& at,
                                 int first) const {
    for (int i = first; i < first + kCount; ++i) {
      const std::string text = not_positive_parameter(shape, at, {i});
      if (!text.empty()) return text;
    }
    return "";
  }
  bool operator==(const DiagonalSection&) const = default;
};

/// A section with any symmetric positive definite stiffness, in the order (γ1, γ2, γ3, κ1, κ2, κ3). The
/// parameters are its upper triangle, row by row: K11, K12, …, K66.
struct FullSection {
  static constexpr int kCount = 21;

  static std::string name(int i, int j) {
    return "K" + std::to_string(i + 1) + std::to_string(j + 1);
  }
  std::vector<dae::ParameterSpec> parameters() const {
    std::vector<dae::ParameterSpec> list;
    for (int i = 0; i < 6; ++i) {
      for (int j = i; j < 6; ++j) {
        const char* const unit = j < 3 ? "N" : i < 3 ? "N m" : "N m^2";
        list.push_back({name(i, j), i == j ? (i < 3 ? 1e6 : 1e3) : 0, unit,
                        "stiffness, of strain in the order extension, shear, torsion, bending"});
      }
    }
    return list;
  }
  std::vector<dae::ParameterSpec> damping_parameters() const {
    return {{"tau", 0, "s", "viscosity over stiffness"}};
  }
  template <class S>
  BeamStress<S> stress(const dae::Position<S>& at, int first, const BeamStrain<S>& strain) const {
    const auto e = [&strain](int i) -> const S& {
      return i < 3 ? strain.gamma(i) : strain.kappa(i - 3);
    };
    lie::Vec<S, 6> sum = lie::Vec<S, 6>::Zero();
    int next = first;
    for (int i = 0; i < 6; ++i) {
      for (int j = i; j < 6; ++j, ++next) {
        sum(i) += at.parameter(next) * e(j);
        if (j > i) sum(j) += at.parameter(next) * e(i);
      }
    }
    return {sum.template head<3>(), sum.template tail<3>()};
  }
  template <class S>
  BeamStrain<S> delayed(const dae::Position<S>& at, int first, const BeamStrain<S>& rate) const {
    return {at.parameter(first) * rate.gamma, at.parameter(first) * rate.kappa};
  }
  std::string validation_message(const dae::ElementShape&, const dae::Position<double>& at,
                                 int first) const {
    lie::Mat<double, 6> k;
    int next = first;
    for (int i = 0; i < 6; ++i) {
      for (int j = i; j < 6; ++j) k(i, j) = k(j, i) = at.parameter(next++);
    }
    const Eigen::SelfAdjointEigenSolver<lie::Mat<double, 6>> solver(k, Eigen::EigenvaluesOnly);
    const double least = solver.eigenvalues()(0);
    if (least > 0) return "";
    return "has a section stiffness with the eigenvalue " + dae::number_text(least) +
           "; all must be positive";
  }
  bool operator==(const FullSection&) const = default;
};

/// The values K11 … K66 of a FullSection from the whole matrix, for the element of that name. Throws
/// InvalidArgument when the matrix is not symmetric.
inline std::map<std::string, double> stiffness_values(const std::string& element,
                                                      const lie::Mat<double, 6>& k) {
  constexpr double kTolerance = 1e-6;
  std::map<std::string, double> values;
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j) {
      if (!(std::abs(k(i, j) - k(j, i)) <= kTolerance * std::sqrt(std::abs(k(i, i) * k(j, j))))) {
        throw InvalidArgument("element '" + element + "' has a section stiffness with " +
                              FullSection::name(i, j) + " = " + dae::number_text(k(i, j)) +
                              " and " + FullSection::name(j, i) + " = " +
                              dae::number_text(k(j, i)) + "; it must be symmetric");
      }
      values[FullSection::name(i, j)] = (k(i, j) + k(j, i)) / 2;
    }
  }
  return values;
}

}  // namespace liegrad::elements
