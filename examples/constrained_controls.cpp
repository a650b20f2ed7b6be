// Optimal controls of mechanisms with joints, by Radau steps of order 5. The expected costs are those on which this
// transcription and generalized-α agree (docs/control.md, "Problems").

#include <cmath>
#include <cstdio>

#include "liegrad/control/problems/built_in.hpp"
using namespace liegrad;

int main() {
  struct Agreed {
    const char* name;
    double cost;
  };
  bool is_right = true;
  for (const Agreed& one : {Agreed{"crane", 228.33854}, Agreed{"spherical_pendulum", 27.068158},
                            Agreed{"free_flyer", 0.59661425}}) {
    control::SolveOptions options;
    options.transcription.steps = 50;
    options.transcription.radau_stages = 3;
    const control::Solution solution = control::solve(control::make_problem(one.name), options);
    const bool is_minimum = solution.certificate.local_minimum;
    std::printf("%-19s %12.7g, expected %12.7g, %s\n", one.name, solution.summary.cost, one.cost,
                is_minimum ? "certified" : "not certified");
    is_right = is_right && is_minimum && std::abs(solution.summary.cost / one.cost - 1) < 1e-5;
  }
  return is_right ? 0 : 1;
}
