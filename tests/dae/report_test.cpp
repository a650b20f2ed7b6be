// What runs say of themselves: what was asked for, what was used, how it ended.

#include "liegrad/dae/report.hpp"

#include <gtest/gtest.h>

#include <string>

#include "liegrad/models/models.hpp"

namespace liegrad {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Reports, SayOfASummaryThatWasNeverFilledThatNothingWasRun) {
  EXPECT_EQ(dae::brief_report({}), "not_run");
  EXPECT_TRUE(has(dae::full_report({}), "ended                  = not_run\n"));
}

TEST(Reports, HaveWhatWasAskedForAndWhatWasUsed) {
  dae::IntegrateOptions options;
  options.t_end = 0.05;
  const dae::IntegrateSummary chosen =
      dae::integrate(models::make_model("heavy_top"), options).summary;
  EXPECT_EQ(chosen.formulation, "stabilized");
  EXPECT_EQ(chosen.step, 0);
  ASSERT_TRUE(chosen.tolerance);
  EXPECT_EQ(chosen.tolerance->relative, 1e-6);
  EXPECT_EQ(chosen.t, chosen.t_end);
  const std::string text = dae::full_report(chosen);
  EXPECT_TRUE(has(text, "method                 = radau-3, order 5 (default: ")) << text;
  EXPECT_TRUE(has(text, "rtol = 1e-06, atol = 0\n")) << text;
  EXPECT_TRUE(has(text, "ended                  = reached_end\n")) << text;
  EXPECT_TRUE(has(dae::brief_report(chosen), "radau-3: reached_end at t = 0.05, "))
      << dae::brief_report(chosen);

  options = dae::alpha_steps(1e-3);
  options.t_end = 0.05;
  const std::string alpha =
      dae::full_report(dae::integrate(models::make_model("heavy_top"), options).summary, "my word");
  EXPECT_TRUE(has(alpha, "= lie-alpha, alpha_m = ")) << alpha;
  EXPECT_TRUE(has(alpha, "formulation            = index3\n")) << alpha;
  EXPECT_TRUE(has(alpha, "step                   = 0.001\n")) << alpha;
  EXPECT_TRUE(has(alpha, "ended                  = my word\n")) << alpha;
  EXPECT_FALSE(has(alpha, "rejected steps")) << alpha;

  const std::string free_body =
      dae::full_report(dae::integrate(models::make_model("free_body"), options).summary);
  EXPECT_FALSE(has(free_body, "formulation")) << free_body;
  EXPECT_FALSE(has(free_body, "|Phi|")) << free_body;
}

TEST(Reports, SayWhereARunStoppedAndWhy) {
  dae::IntegrateOptions options = dae::alpha_steps(1e-2);
  options.on_step = [](const dae::State& state) { return state.t < 0.035; };
  const std::string text =
      dae::brief_report(dae::integrate(models::make_model("free_body"), options).summary);
  EXPECT_TRUE(has(text, "stopped_by_callback at t = 0.04 of 1, 4 steps")) << text;

  dae::IntegrateSummary failed;
  failed.termination = dae::Termination::kSingularMatrix;
  failed.method = "lie-alpha";
  failed.message = "the matrix of step 3 is singular";
  EXPECT_TRUE(dae::brief_report(failed).ends_with("; the matrix of step 3 is singular"));
  failed.termination = dae::Termination::kReachedEnd;
  failed.reason_for_doubt = "energy rose";
  EXPECT_TRUE(dae::brief_report(failed).ends_with("; cannot be trusted: energy rose"));
}

}  // namespace
}  // namespace liegrad
