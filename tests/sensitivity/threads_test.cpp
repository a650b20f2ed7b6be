// Many threads share one model and one objective, and nothing else.

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"

namespace liegrad {
namespace {

constexpr int kThreads = 8, kTrials = 100;

struct Trial {
  Eigen::VectorXd values;
  Eigen::MatrixXd jacobian;
  std::vector<double> end;
  bool operator==(const Trial&) const = default;
};

/// Runs and differentiates trials with other masses each.
std::vector<Trial> run_trials(const sensitivity::Objective& objective,
                              const sensitivity::DifferentiateOptions& how, int first, int count) {
  const dae::Model& model = objective.model();
  dae::Simulator simulator(model, how.integrate);
  sensitivity::Sensitivity sensitivity(objective, how);
  std::vector<Trial> trials;
  dae::RunValues values{.parameters = model.parameter_values()};
  double& mass = values.parameters[static_cast<std::size_t>(model.parameter_index("top.m"))];
  for (int i = first; i < first + count; ++i) {
    mass = 10 + 0.01 * i;
    const sensitivity::Derivatives& d = sensitivity.evaluate(values);
    trials.push_back({d.values, d.jacobian, simulator.run(values).final.q});
  }
  return trials;
}

TEST(Threads, GetWhatOneThreadGetsToTheLastBit) {
  dae::System system = models::make_model("heavy_top");
  sensitivity::Objective objective(*system.build());
  objective.add_outputs({"top.x[1]", "top.x[3]", "energy"}, {0.0031, 0.01});
  objective.add_orientations("top", {0.005}, {1, 0, 0, 0});
  sensitivity::DifferentiateOptions how;
  how.integrate = dae::alpha_steps();
  how.integrate.step = 1e-3;
  how.integrate.t_end = 0.01;
  how.variables.parameters = {"top.m", "top.J1"};

  for (const sensitivity::Mode mode : {sensitivity::Mode::kForward, sensitivity::Mode::kAdjoint}) {
    how.mode = mode;
    std::vector<std::vector<Trial>> found(kThreads);
    std::vector<std::thread> threads;
    for (int k = 0; k < kThreads; ++k) {
      threads.emplace_back([&, k] {
        found[static_cast<std::size_t>(k)] = run_trials(objective, how, k * kTrials, kTrials);
      });
    }
    for (std::thread& thread : threads) thread.join();
    const std::vector<Trial> serial = run_trials(objective, how, 0, kThreads * kTrials);
    for (int i = 0; i < kThreads * kTrials; ++i) {
      const Trial& parallel =
          found[static_cast<std::size_t>(i / kTrials)][static_cast<std::size_t>(i % kTrials)];
      EXPECT_EQ(parallel, serial[static_cast<std::size_t>(i)]) << i;
    }
  }
}

}  // namespace
}  // namespace liegrad
