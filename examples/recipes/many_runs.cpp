// How to run one model many times: everything is made once, and each thread has a simulator of its own.

#include <cmath>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "liegrad/dae/simulator.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  dae::System system = models::make_model("heavy_top");
  const std::shared_ptr<const dae::Model> model =
      system.build();  // never changes: threads share it
  dae::IntegrateOptions options;
  options.t_end = 0.2;
  options.keep_samples = false;

  constexpr int kRuns = 8, kThreads = 2;
  std::vector<double> heights(kRuns);
  const auto work = [&](int thread) {
    dae::Simulator simulator(*model, options);
    dae::RunValues values{.parameters = model->parameter_values()};
    double& spin = values.parameters[model->parameter_index("top.omega2")];
    for (int run = thread; run < kRuns; run += kThreads) {
      spin = 100 + 20 * run;
      heights[run] = simulator.run(values).final.q[6];  // stays until the next run
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(work, thread);
  for (std::thread& thread : threads) thread.join();

  for (int run = 0; run < kRuns; run += 2) {
    std::printf("spin %3d rad/s: height %.7f m\n", 100 + 20 * run, heights[run]);
  }
  // One run by itself gives the same bits.
  system.set_parameter("top.omega2", 240);
  return dae::integrate(system, options).final.q[6] == heights[7] ? 0 : 1;
}
