// The same problem in other units has the same solution: bodies of grams and millimetres, satellites of tonnes.

#include "liegrad/control/unit_scales.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "liegrad/control/problems/built_in.hpp"

namespace liegrad::control {
namespace {

SolveOptions options_of(int stages, int steps) {
  SolveOptions options;
  options.transcription.steps = steps;
  options.transcription.radau_stages = stages;
  return options;
}

/// T³/J² ∫|u|² dt of a slanted turn.
double cost_without_units(double inertia, double horizon, const SolveOptions& options) {
  const Problem problem = make_problem("reorientation", {{"body.J1", inertia},
                                                         {"body.J2", 2 * inertia},
                                                         {"body.J3", 3 * inertia},
                                                         {"axis1", 1},
                                                         {"axis2", -2},
                                                         {"axis3", 2},
                                                         {"T", horizon}});
  const Solution solution = solve(problem, options);
  EXPECT_EQ(solution.summary.status, Status::kSolved) << solution.summary.message;
  EXPECT_TRUE(solution.certificate.local_minimum);
  EXPECT_LT(solution.certificate.switching_disagreement, 1e-7);
  return solution.summary.cost * std::pow(horizon, 3) / (inertia * inertia);
}

TEST(Units, DoNotChangeACost) {
  for (const int stages : {0, 3}) {
    const SolveOptions options = options_of(stages, 40);
    const double known = cost_without_units(1, 1, options);
    struct Units {
      double inertia, horizon;
    };
    for (const Units& units :
         {Units{1e-9, 0.1}, Units{1e-9, 1}, Units{1e-6, 1e-3}, Units{1e7, 1e3}, Units{1e4, 1e4}}) {
      EXPECT_NEAR(cost_without_units(units.inertia, units.horizon, options) / known, 1, 1e-8)
          << units.inertia << ' ' << units.horizon << ' ' << stages;
    }
  }
}

/// √(limit/J) T of the turn by 90° in the least time.
double time_without_units(double inertia, double limit) {
  const Problem problem =
      make_problem("time_optimal_reorientation", {{"body.J1", inertia},
                                                  {"body.J2", inertia},
                                                  {"body.J3", inertia},
                                                  {"angle", 0.5 * std::acos(-1.0)},
                                                  {"torque_limit", limit}});
  const Solution solution = solve(problem, options_of(0, 40));
  EXPECT_EQ(solution.summary.status, Status::kSolved) << solution.summary.message;
  EXPECT_TRUE(solution.certificate.local_minimum);
  EXPECT_LT(solution.certificate.switching_disagreement, 1e-5);
  return solution.summary.t_end * std::sqrt(limit / inertia);
}

TEST(Units, DoNotChangeALeastTime) {
  const double known = time_without_units(1, 1);
  EXPECT_NEAR(time_without_units(1e-9, 1e-6) / known, 1, 1e-6);
  EXPECT_NEAR(time_without_units(1e-9, 1e-9) / known, 1, 1e-6);
  EXPECT_NEAR(time_without_units(1e4, 1e-2) / known, 1, 1e-6);
}

TEST(Units, OfUsualProblemsStay) {
  for (const BuiltInProblem& built_in : built_in_problems()) {
    if (built_in.make == nullptr) continue;
    const Problem problem = make_problem(built_in.name);
    TranscriptionOptions options;
    options.steps = 4;
    options.backend = ad::Backend::kInterpreted;
    Transcription transcription(problem, options);
    Nlp nlp(transcription);
    EXPECT_TRUE(unit_scales(transcription, nlp).empty()) << built_in.name;
  }
}

}  // namespace
}  // namespace liegrad::control
