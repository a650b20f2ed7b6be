#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/system/element_interface.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::elements {

// A law is a function of time with parameters: of a drive, or as a factor of a load. It is a struct with
//
//     static constexpr int kContinuousDerivatives      how many derivatives by time never jump, whatever
//                                                      the parameters are
//     std::vector<ParameterSpec> parameters(unit)      of the law's values
//     S value(std::span<const S> p, const S& t)        for any scalar
//     std::string validation_message(std::span<const double> p) optional: like that of an element
//     operator==                                       equal ones share their kernels

/// Of laws that are analytic.
inline constexpr int kAnyDerivative = std::numeric_limits<int>::max();

/// The parameters of a law that begin there, in an element.
template <class Law, class S>
std::vector<S> law_parameters(const Law& law, const dae::Position<S>& at, int first) {
  std::vector<S> p;
  const int count = static_cast<int>(law.parameters("").size());
  for (int i = 0; i < count; ++i) p.push_back(at.parameter(first + i));
  return p;
}
/// A law at the time of an element.
template <class Law, class S>
S law_value(const Law& law, const dae::Position<S>& at, int first) {
  const std::vector<S> p = law_parameters(law, at, first);
  return law.template value<S>(p, at.time());
}
template <class Law>
std::string law_validation_message(const Law& law, const dae::Position<double>& at, int first) {
  if constexpr (requires { law.validation_message(std::span<const double>()); }) {
    const std::vector<double> p = law_parameters(law, at, first);
    return law.validation_message(p);
  }
  return "";
}

/// Of a law that cannot be evaluated, which its validation message says: not finite, so that no run goes on with it.
template <class S>
S undefined_value(const S& t) {
  return (t - t) / (t - t);
}
/// The same, of a law with parameters, which it must read like any other.
template <class S>
S undefined_value(std::span<const S> parameters, const S& t) {
  S sum = undefined_value(t);
  for (const S& parameter : parameters) sum = sum + parameter;
  return sum;
}

/// Always the same.
struct ConstantLaw {
  static constexpr int kContinuousDerivatives = kAnyDerivative;
  bool operator==(const ConstantLaw&) const = default;

  std::vector<dae::ParameterSpec> parameters(const std::string& unit) const {
    return {{"value", 1, unit, "constant value"}};
  }
  template <class S>
  S value(std::span<const S> p, const S&) const {
    return p[0];
  }
};

/// c0 + c1 t + c2 t² + …, n coefficients.
class PolynomialLaw {
 public:
  static constexpr int kContinuousDerivatives = kAnyDerivative;

  explicit PolynomialLaw(int n) : n_(n) {}
  bool operator==(const PolynomialLaw&) const = default;

  std::vector<dae::ParameterSpec> parameters(const std::string& unit) const {
    std::vector<dae::ParameterSpec> list;
    for (int i = 0; i < n_; ++i) {
      const std::string power = i == 0 ? "" : i == 1 ? "/s" : "/s^" + std::to_string(i);
      list.push_back({"c" + std::to_string(i), 0, "(" + unit + ")" + power,
                      "coefficient of t^" + std::to_string(i)});
    }
    return list;
  }
  template <class S>
  S value(std::span<const S> p, const S& t) const {
    if (p.empty()) return undefined_value(t);
    S sum = p[p.size() - 1];
    for (std::size_t i = p.size() - 1; i-- > 0;) sum = sum * t + p[i];
    return sum;
  }
  std::string validation_message(std::span<const double>) const {
    if (n_ >= 1) return "";
    return "has a polynomial law of " + std::to_string(n_) + " coefficients; it needs at least one";
  }

 private:
  int n_;
};

/// offset + amplitude sin(2π frequency t + phase).
struct HarmonicLaw {
  static constexpr int kContinuousDerivatives = kAnyDerivative;
  bool operator==(const HarmonicLaw&) const = default;

  std::vector<dae::ParameterSpec> parameters(const std::string& unit) const {
    return {{"offset", 0, unit, "mean value"},
            {"amplitude", 1, unit, "amplitude of the oscillation"},
            {"frequency", 1, "Hz", "oscillations in a second"},
            {"phase", 0, "rad", "phase at t = 0; 0 for a sine"}};
  }
  template <class S>
  S value(std::span<const S> p, const S& t) const {
    using std::sin;
    return p[0] + p[1] * sin(S(2 * std::numbers::pi) * p[2] * t + p[3]);
  }
};

/// From rest at t = 0 to the speed ω at t = t_s, [BruelsCardonaArnold2012, Eq. (86)]:
///
///     (ω/t_s) (t²/2 + (t_s/2π)² (cos(2π t/t_s) - 1))     for 0 ≤ t ≤ t_s,
///     ω (t - t_s/2)                                      for t_s ≤ t,
///
/// and zero before. Its second derivative (ω/t_s)(1 - cos(2π t/t_s)) and the third vanish at both ends.
/// (Time is moved into [0, t_s] first, where the formula then is ω t_s/2 at the end, and the rest of it
/// is added as ω times what is left.)
struct SmoothStartLaw {
  static constexpr int kContinuousDerivatives = 3;
  bool operator==(const SmoothStartLaw&) const = default;

  std::vector<dae::ParameterSpec> parameters(const std::string& unit) const {
    return {{"omega", 1, "(" + unit + ")/s", "speed in the end"},
            {"t_s", 1, "s", "time in which it is reached"}};
  }
  template <class S>
  S value(std::span<const S> p, const S& t) const {
    using std::cos;
    const S &omega = p[0], &t_s = p[1];
    const S from = lie::select_lt(t, S(0), S(0), t);
    const S inside = lie::select_lt(from, t_s, from, t_s);
    const S turn = S(2 * std::numbers::pi) / t_s;
    return omega / t_s * (S(0.5) * inside * inside + (cos(turn * inside) - S(1)) / (turn * turn)) +
           omega * (from - inside);
  }
  std::string validation_message(std::span<const double> p) const {
    if (p[1] > 0) return "";
    return "has a starting time t_s = " + dae::number_text(p[1]) + " s; it must be positive";
  }
};

}  // namespace liegrad::elements
