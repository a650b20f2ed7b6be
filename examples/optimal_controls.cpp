// Optimal controls with published values, each with the certificate of a minimum:
//
//     half a turn of a cube in the least time, |u_i| ≤ 1: 3.243, not about the axis itself [BilimoriaWie1993];
//     swing-up of a pole on a cart in 2 s with the least ∫u² dt: 58.8077 [Kelly2017];
//     a two-link arm in the least time: 2.9823 [Luus2000].

#include <cmath>
#include <cstdio>

#include "liegrad/control/problems/built_in.hpp"
using namespace liegrad;

int main() {
  struct Published {
    const char* name;
    int steps;
    double value, tolerance;
  };
  bool is_right = true;
  for (const Published& one :
       {Published{"time_optimal_reorientation", 100, 3.243, 1e-3},
        Published{"cart_pole", 200, 58.8077, 0.05}, Published{"two_link_arm", 100, 2.9823, 1e-3}}) {
    const control::Problem problem = control::make_problem(one.name);
    control::SolveOptions options;
    options.transcription.steps = one.steps;
    const control::Solution solution = control::solve(problem, options);
    const bool is_minimum = solution.certificate.local_minimum;
    std::printf("%-27s %9.4f, published %8.4f, %s\n", one.name, solution.summary.cost, one.value,
                is_minimum ? "certified" : "not certified");
    is_right =
        is_right && is_minimum && std::abs(solution.summary.cost - one.value) < one.tolerance;
  }
  return is_right ? 0 : 1;
}
