// What a time step costs, and how much of it is neither element nor linear algebra.

#include "step_rows.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "liegrad/ad/kernel.hpp"
#include "liegrad/dae/linear/linear_solver.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/models/models.hpp"

#include "heavy_top_step.hpp"
#include "measure.hpp"
#include "steps.hpp"

namespace liegrad::bench {
namespace {

constexpr int kSteps = 1000;
/// So many that noise of a busy machine leaves one of them alone; all rows together take a second.
constexpr int kRounds = 60;

/// What an iteration cannot do without: residual and Jacobian of the whole step in one kernel, and the
/// solution of its 9 equations.
class Floor {
 public:
  Floor()
      : kernel_(
            ad::record({.name = "heavy_top",
                        .variables = HeavyTopStep::kVariables,
                        .data = HeavyTopStep::kData},
                       [](auto x, auto d) { return HeavyTopStep::residual<ad::Taped>(x, d); }),
            {.results = {ad::value(), ad::jacobian()}, .zero_inputs = HeavyTopStep::zero_inputs()}),
        solver_(all_entries(), dae::LinearSolverKind::kDense),
        in_(HeavyTopStep::example()),
        out_(static_cast<std::size_t>(kernel_.layout().num_outputs)) {
    kernel_(in_, out_);
    // Once only: a kernel could write them there.
    const double* const jacobian = out_.data() + kernel_.layout().parts[1].offset;
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kSize; ++j) {
        solver_.values()[static_cast<std::size_t>(solver_.position(i, j))] =
            jacobian[i * kSize + j];
      }
    }
  }

  void iterate() {
    kernel_(in_, out_);
    if (!solver_.factorize()) throw Error("the matrix of the benchmark's step is singular");
    solver_.solve(std::span(out_).first(kSize));
  }

  double seconds() {
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < kSteps; ++n) iterate();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return taken.count() / kSteps;
  }

 private:
  static constexpr int kSize = HeavyTopStep::kOutputs;

  static dae::SparsePattern all_entries() {
    dae::SparsePattern pattern{.size = kSize};
    for (int i = 0; i < kSize; ++i) {
      for (int j = 0; j < kSize; ++j) pattern.entries.emplace_back(i, j);
    }
    return pattern;
  }

  ad::Kernel kernel_;
  dae::LinearSolver solver_;
  std::array<double, HeavyTopStep::kVariables + HeavyTopStep::kData> in_;
  std::vector<double> out_;
};

dae::IntegrateOptions munthe_kaas(const dae::ButcherTableau& tableau) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.method = dae::Method::kMuntheKaas;
  options.tableau = tableau;
  return options;
}

}  // namespace

std::vector<Row> step_rows() {
  dae::IntegrateOptions modified = alpha(), stabilized = alpha(), sigma_1 = alpha();
  modified.alpha.newton.kind = dae::NewtonKind::kModified;
  stabilized.alpha.formulation = dae::Formulation::kStabilized;
  sigma_1.alpha.method.sigma = 1;

  const auto top = [](const dae::IntegrateOptions& options,
                      const lie::NodeGroup& group = lie::NodeGroup::so3xr3()) {
    return std::make_unique<Steps>(models::make_model("heavy_top", group), options, kSteps);
  };
  const auto spinning = [](const dae::ButcherTableau& tableau) {
    return std::make_unique<Steps>(models::make_model("spinning_top"), munthe_kaas(tableau),
                                   kSteps);
  };
  struct Case {
    std::string name;
    std::unique_ptr<Steps> steps;
  };
  std::vector<Case> cases;
  cases.push_back({"heavy_top.", top(alpha())});
  cases.push_back({"heavy_top.modified.", top(modified)});
  cases.push_back({"heavy_top.se3.", top(alpha(), lie::NodeGroup::se3())});
  cases.push_back({"heavy_top.stabilized.", top(stabilized)});
  cases.push_back({"heavy_top.sigma_1.", top(sigma_1)});
  cases.push_back({"spinning_top.rkmk_6.", spinning(dae::butcher_6())});
  cases.push_back({"spinning_top.rkmk_rk4.", spinning(dae::rk4())});
  cases.push_back({"spinning_top.rkmk_54.", spinning(dae::dormand_prince_54())});

  Floor floor;
  std::vector<std::function<double()>> timed = {[&floor] { return floor.seconds(); }};
  for (const Case& one : cases) {
    timed.emplace_back([&one] { return one.steps->seconds(); });
  }
  const std::vector<double> seconds = least_in_turn(timed, kRounds);

  std::vector<Row> rows;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    rows.push_back({"step." + cases[i].name + "microseconds", seconds[i + 1] * 1e6, "us"});
    if (i > 0) continue;
    const double iterations = cases[i].steps->iterations();
    const double least = iterations * seconds[0];
    rows.push_back({"step.heavy_top.iterations", iterations, "1"});
    rows.push_back({"step.heavy_top.floor_microseconds", least * 1e6, "us"});
    rows.push_back({"step.heavy_top.over_floor", seconds[1] / least, "ratio", 1.6});
  }
  return rows;
}

}  // namespace liegrad::bench
