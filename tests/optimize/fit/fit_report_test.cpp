// What a fit says of itself, line by line.

#include "liegrad/optimize/fit/report.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace liegrad {
namespace {

optimize::FitResult some_result() {
  optimize::FitResult result;
  result.message = "converged";
  result.iterations = 7;
  result.evaluations = 9;
  result.differentiated_evaluations = 8;
  result.jacobian_used = sensitivity::Mode::kForward;
  result.aicc = -12.5;
  result.wall_seconds = 0.25;
  const double infinity = std::numeric_limits<double>::infinity();
  result.parameters = {{.name = "top.m",
                        .value = 2,
                        .std = 0.01,
                        .ci95 = {1.98, 2.02},
                        .sandwich_ci95 = {},
                        .verdict = "identifiable"},
                       {.name = "top.J1",
                        .value = 1,
                        .std = infinity,
                        .ci95 = {-infinity, infinity},
                        .sandwich_ci95 = {},
                        .verdict = "no effect"}};
  result.outputs = {
      {.output = "top.x", .residual_rms = 1e-3, .noise = 2e-3, .noise_is_given = true}};
  result.findings = {"the residuals of top.x are smaller than their noise"};
  return result;
}

TEST(FitReports, HaveALineForEachEstimateOutputAndFinding) {
  EXPECT_EQ(optimize::full_report(some_result()),
            "                    value         std             95 % interval  verdict\n"
            "  top.m                 2        0.01         1.98         2.02  identifiable\n"
            "  top.J1                1     unknown      unknown      unknown  no effect\n"
            "             residual rms       noise\n"
            "  top.x             0.001       0.002 (given)\n"
            "  note: the residuals of top.x are smaller than their noise\n"
            "converged; 7 iterations, 9 runs (8 with forward derivatives), AICc -12.5, 0.25 s\n");
}

TEST(FitReports, SayThatNothingWasRun) {
  const optimize::FitResult never;
  EXPECT_FALSE(never.converged);
  EXPECT_EQ(optimize::brief_report(never).find("fit() was not called; 0 iterations"), 0u);
}

TEST(FitReports, ShowTheSandwichWhereResidualsAreCorrelated) {
  optimize::FitResult result = some_result();
  EXPECT_EQ(optimize::full_report(result).find("sandwich"), std::string::npos);
  result.outputs[0].is_correlated = true;
  EXPECT_NE(optimize::full_report(result).find("sandwich std"), std::string::npos);
}

TEST(FitReports, LeaveUnknownsOutOnlyWhereThereAreMany) {
  optimize::FitResult result = some_result();
  result.parameters.resize(45, result.parameters[0]);
  EXPECT_NE(optimize::full_report(result).find("… 5 unknowns more"), std::string::npos);
  EXPECT_EQ(optimize::full_report(result, true).find("unknowns more"), std::string::npos);
}

}  // namespace
}  // namespace liegrad
