// How to read results: outputs by name, at all samples, to a table of one's own.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  const dae::System system = models::make_model("heavy_top");
  dae::IntegrateOptions options;
  options.t_end = 0.4;
  options.sample_interval = 0.1;  // 0, the default, keeps every step
  const dae::Solution solution = dae::integrate(system, options);
  if (!solution.summary.is_complete()) return std::puts(solution.summary.message.c_str()), 1;
  if (!solution.summary.trusted) std::puts(solution.summary.reason_for_doubt.c_str());

  dae::Outputs outputs(system);  // outputs.list() has all names, sizes and meanings
  const int height = outputs.column("top.x[3]"), force = outputs.offset("fixed_point.lambda"),
            energy = outputs.column("energy");
  std::vector<double> row(outputs.size());
  double first = 0, drift = 0;
  std::printf("%5s %10s %10s %12s\n", "t", "height", "force", "energy");
  for (const dae::State& state : solution.samples) {
    outputs.evaluate(state, {}, row);
    const double size = std::hypot(row[force], row[force + 1], row[force + 2]);
    std::printf("%5.1f %10.6f %10.4f %12.5f\n", state.t, row[height], size, row[energy]);
    if (state.t == 0) first = row[energy];
    drift = std::max(drift, std::abs(row[energy] / first - 1));
  }
  std::printf("%zu samples by %s\n", solution.samples.size(), solution.summary.method.c_str());
  return solution.samples.size() == 5 && drift < 1e-6 ? 0 : 1;
}
