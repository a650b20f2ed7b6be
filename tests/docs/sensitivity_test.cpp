// The example of docs/sensitivity.md.

#include <gtest/gtest.h>

#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/differentiate.hpp"
#include "liegrad/sensitivity/user_function.hpp"

namespace liegrad {
namespace {

struct SpinEnergy {
  template <class S>
  S operator()(const sensitivity::Snapshot<S>& at) const {
    const auto v = at.velocity("top");
    return S(0.5) * at.parameter("top.J2") * v(1) * v(1);
  }
};

TEST(SensitivityPage, DifferentiatesOutputsAndFunctions) {
  const dae::System system = models::make_model("heavy_top");
  sensitivity::Objective objective(system);
  objective.add_output("top.x[3]");
  objective.add_output("fixed_point.lambda[1]", 0.05);

  sensitivity::DifferentiateOptions options;
  options.integrate.t_end = 0.1;
  options.variables.parameters = {"top.m", "top.J1", "top.omega2"};
  const sensitivity::Derivatives d = sensitivity::differentiate(objective, options);

  sensitivity::DifferentiateOptions forward = options;
  forward.mode = sensitivity::Mode::kForward;
  const sensitivity::Derivatives f = sensitivity::differentiate(objective, forward);
  ASSERT_EQ(d.jacobian.rows(), 2);
  ASSERT_EQ(d.jacobian.cols(), 3);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(d.jacobian(i, j), f.jacobian(i, j), 1e-8 * f.jacobian.row(i).norm());
    }
  }

  // At the start the function itself: its derivative by J2 is v²/2.
  sensitivity::Objective energy(system);
  energy.add(SpinEnergy{}, sensitivity::When::kAtTime, 0);
  options.variables.parameters = {"top.J2"};
  const sensitivity::Derivatives e = sensitivity::differentiate(energy, options);
  EXPECT_NEAR(e.jacobian(0, 0), 0.5 * 150 * 150, 1e-9);
}

}  // namespace
}  // namespace liegrad
