// Andrews' squeezing mechanism, [ArnoldBruels2007, section 5.2]: seven planar bodies, ten joints, 30 ms. The angles at the
// end are those of the published test set, which are good to about 1e-9.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/models/models.hpp"
using namespace liegrad;

int main() {
  const dae::System system = models::make_model("andrews");
  dae::IntegrateOptions options;
  options.t_end = 0.03;
  options.adaptive = dae::AdaptiveOptions{.tolerance = {.relative = 1e-9}};
  options.keep_samples = false;
  const dae::Solution solution = dae::integrate(system, options);
  if (!solution.summary.is_complete()) return std::puts(solution.summary.message.c_str()), 1;

  const std::array names = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
  const std::array published = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                                -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                                1.048080741042263};
  dae::Outputs outputs(system);
  std::vector<double> end(outputs.size());
  outputs.evaluate(solution.final, {}, end);
  double worst = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double found = end[outputs.column(std::string("angles.") + names[i])];
    worst = std::max(worst, std::abs(found - published[i]));
    std::printf("%-8s %14.9f, published %14.9f\n", names[i], found, published[i]);
  }
  return worst < 1e-6 ? 0 : 1;
}
