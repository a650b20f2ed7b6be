// Rest-to-rest reorientation against its closed form.

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/control/problems/built_in.hpp"

namespace liegrad::control {
namespace {

Solution solved(const std::string& name, const std::map<std::string, double>& given, int steps) {
  const Problem problem = make_problem(name, given);
  SolveOptions options;
  options.transcription.steps = steps;
  return solve(problem, options);
}

double relative_error(double angle, double t_end, int steps) {
  const Solution solution =
      solved("reorientation",
             {{"angle", angle}, {"axis1", 1}, {"axis2", 1}, {"axis3", 1}, {"T", t_end}}, steps);
  EXPECT_EQ(solution.summary.status, Status::kSolved) << solution.summary.message;
  EXPECT_TRUE(solution.certificate.local_minimum);
  const double exact = 12 * angle * angle / std::pow(t_end, 3);
  return solution.summary.cost / exact - 1;
}

TEST(Reorientation, HasTheCostOfTheClosedFormWithSecondOrder) {
  for (const double angle : {0.5, 2.0, 3.0}) {
    SCOPED_TRACE(angle);
    double last = 0;
    for (const int steps : {25, 50, 100}) {
      const double error = std::abs(relative_error(angle, 1.5, steps));
      EXPECT_LE(error, 4.0 / (steps * steps)) << steps;
      if (last > 0) {
        EXPECT_NEAR(std::log2(last / error), 2, 0.15) << steps;
      }
      last = error;
    }
  }
}

}  // namespace
}  // namespace liegrad::control
