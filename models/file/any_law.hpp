#pragma once

#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "liegrad/elements/coordinates/laws.hpp"
#include "liegrad/elements/coordinates/table_law.hpp"

namespace liegrad::models {

/// One of the laws of time, chosen when a program runs: one instantiation of a load serves all of them.
struct AnyLaw {
  // Of the least smooth one; loads do not ask for more.
  static constexpr int kContinuousDerivatives = 0;

  std::variant<elements::ConstantLaw, elements::PolynomialLaw, elements::HarmonicLaw,
               elements::SmoothStartLaw, elements::TableLaw, elements::LinearTableLaw>
      law = elements::ConstantLaw{};
  bool operator==(const AnyLaw&) const = default;

  std::vector<dae::ParameterSpec> parameters(const std::string& unit) const {
    return std::visit([&](const auto& one) { return one.parameters(unit); }, law);
  }
  template <class S>
  S value(std::span<const S> p, const S& t) const {
    return std::visit([&](const auto& one) -> S { return one.template value<S>(p, t); }, law);
  }
  std::string validation_message(std::span<const double> p) const {
    return std::visit(
        [&](const auto& one) -> std::string {
          if constexpr (requires { one.validation_message(p); }) return one.validation_message(p);
          return "";
        },
        law);
  }
};

}  // namespace liegrad::models
