#pragma once

// What tests of observables share: systems, points of their motion, and derivatives by differences.

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/system.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/sensitivity/observe/observable.hpp"
#include "liegrad/sensitivity/step/motion_layout.hpp"

namespace liegrad::testing {

using dae::index;
using sensitivity::MotionLayout;
using sensitivity::Observable;
using Vector = std::vector<double>;

/// Of sums of rounded numbers.
inline constexpr double kRoundingTolerance = 1e-13;

/// What the models do not have: SO(2), a first-order state, algebraic states, controls; with a sensor that
/// reads all that an element can read.
dae::System workbench();

struct Case {
  std::string name;
  std::function<dae::System()> make;
};
inline void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

/// The workbench and models of all kinds.
std::vector<Case> all_cases();
/// For tests of all of them.
class EverySystem : public ::testing::TestWithParam<Case> {};

/// All that an observable reads.
struct Point {
  dae::State state;
  Vector parameters, controls;
};

Vector random_numbers(int count, std::mt19937& rng, double scale = 1);
/// Anywhere near the initial configuration; equations and constraints do not matter.
Point some_point(const dae::System& system, std::mt19937& rng);
/// As in MotionLayout.
Vector some_direction(const dae::System& system, std::mt19937& rng);
Point moved(const dae::System& system, const Point& from, const Vector& direction, double epsilon);
void go_to(Observable& observable, const Point& point);

Vector gradient_of(const dae::System& system, Observable& observable, const Vector& weights);

/// df/dε at 0 by extrapolated differences, whose own error is about 1e-11 of the largest value.
Vector derivative_by_differences(const std::function<Vector(double)>& f);

void expect_near(const Vector& actual, const Vector& expected, double tolerance,
                 const std::string& what);
/// All derivatives of an observable at a point: tangents against differences of values, gradients against
/// tangents, second derivatives against differences of gradients.
void check_derivatives(const dae::System& system, Observable& observable, const Point& point,
                       std::mt19937& rng);

/// Which parts of MotionLayout a gradient has.
struct Support {
  bool q = false, v = false, v_dot = false, lambda = false, s = false;
  bool parameters = false, controls = false, time = false;
  bool operator==(const Support&) const = default;
};
Support support_of(const dae::System& system, const Vector& gradient);
std::ostream& operator<<(std::ostream& out, const Support& s);

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace liegrad::testing
