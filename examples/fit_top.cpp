// Inertia, centre of mass and spin of a top from its measured motion, with intervals.

#include <cmath>
#include <cstdio>

#include "liegrad/models/models.hpp"
#include "liegrad/optimize/fit/fit.hpp"
#include "liegrad/optimize/fit/measurement_file.hpp"
using namespace liegrad;

int main(int argc, char** argv) {
  const char* file = argc > 1 ? argv[1] : "examples/demo/top.csv";
  const dae::System top = models::make_model("heavy_top");
  const optimize::Recording motion = optimize::read_recording(
      file, optimize::FileFormat::kCsv,
      {{"top.x", {"x", "y", "z"}}, {"top.q", {"qw", "qx", "qy", "qz"}}}, top);

  optimize::FitProblem problem{top, {motion}};
  problem.free = {"top.J1", "top.J2", "top.X2", "top.omega2", "top.omega3"};
  problem.ties = {{"top.J3", "top.J1"}};
  problem.start = {
      {"top.J1", 0.3}, {"top.J2", 0.4}, {"top.X2", 0.9}, {"top.omega2", 18}, {"top.omega3", 0.5}};
  const optimize::FitResult result = optimize::fit(problem, {});

  for (const optimize::Estimate& one : result.parameters) {
    std::printf("%-11s %10.6f  95 %% from %10.6f to %10.6f  %s\n", one.name.c_str(), one.value,
                one.ci95.lower, one.ci95.upper, one.verdict.c_str());
  }
  const optimize::Estimate& spin = result["top.omega2"];  // the data were made with 20 rad/s
  return result.converged && std::abs(spin.value - 20) < 3 * spin.std ? 0 : 1;
}
