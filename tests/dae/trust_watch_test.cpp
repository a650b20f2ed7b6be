// Runs that reach their end and cannot be trusted say so, and good runs do not.

#include <gtest/gtest.h>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"

namespace liegrad::testing {
namespace {

using dae::IntegrateOptions;

IntegrateOptions until(double t_end, double step) {
  IntegrateOptions options;
  options.t_end = t_end;
  options.step = step;
  options.keep_samples = false;
  return options;
}

TEST(TrustWatch, DoubtsAWhipThatWasHalvedAllTheTime) {
  const dae::System system = models::make_model("chain", {.bodies = 50});
  const dae::Solution solution = dae::integrate(system, until(1.5, 1e-3));
  const dae::IntegrateSummary& summary = solution.summary;
  ASSERT_TRUE(summary.is_complete()) << summary.message;
  EXPECT_FALSE(summary.trusted);
  EXPECT_NE(summary.reason_for_doubt.find("attempts at steps failed and were halved"),
            std::string::npos)
      << summary.reason_for_doubt;
  EXPECT_NE(summary.reason_for_doubt.find("choose the stabilised formulation"), std::string::npos)
      << summary.reason_for_doubt;
}

TEST(TrustWatch, DoubtsMultipliersThatNothingDamps) {
  IntegrateOptions options = until(0.45, 1e-3);
  options.alpha.method.parameters = dae::AlphaParameters::from_spectral_radius(1);
  const dae::Solution solution = dae::integrate(models::make_model("heavy_top"), options);
  const dae::IntegrateSummary& summary = solution.summary;
  ASSERT_TRUE(summary.is_complete()) << summary.message;
  EXPECT_FALSE(summary.trusted);
  EXPECT_NE(summary.reason_for_doubt.find("spectral radius rho below 1"), std::string::npos)
      << summary.reason_for_doubt;
  for (const std::string& warning : summary.warnings) {
    EXPECT_EQ(warning.find("too long"), std::string::npos) << warning;
  }
}

TEST(TrustWatch, TrustsGoodRuns) {
  for (const models::Model& model : models::all_models()) {
    const double t_end = model.name == "rotor" ? 0.05 : model.default_t_end;
    const dae::Solution solution =
        dae::integrate(models::make_model(model.name), until(t_end, model.default_step));
    EXPECT_TRUE(solution.summary.trusted) << model.name << solution.summary.reason_for_doubt;
  }
}

TEST(TrustWatch, DoubtsAToleranceThatSmallestStepsCannotReach) {
  IntegrateOptions options = until(2, 1e-3);
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-8}, .smallest_step = 0.1};
  const dae::Solution solution = dae::integrate(models::make_model("pendulum"), options);
  EXPECT_EQ(solution.summary.termination, dae::Termination::kReachedEnd);
  EXPECT_FALSE(solution.summary.trusted);
  EXPECT_NE(solution.summary.reason_for_doubt.find("larger tolerance"), std::string::npos);
}

}  // namespace
}  // namespace liegrad::testing
