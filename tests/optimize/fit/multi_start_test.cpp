// Fits from many starts over threads: a swing has a valley for each frequency that fits a part of the record.

#include "liegrad/optimize/fit/multi_start.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <unistd.h>

#include "liegrad/models/models.hpp"
#include "synthetic.hpp"

namespace liegrad::testing {
namespace {

using optimize::fit_from_many;
using optimize::FitOptions;
using optimize::FitProblem;
using optimize::MultiStart;
using optimize::MultiStartOptions;
using optimize::Optimum;

constexpr int kStarts = 8;

dae::IntegrateOptions steps_of(double h) {
  dae::IntegrateOptions options = dae::alpha_steps();
  options.step = h;
  options.t_end = 2.5;
  return options;
}

/// A swing whose period gravity decides.
FitProblem swing() {
  dae::System system = models::make_model("double_pendulum");
  FitProblem problem{system,
                     {recorded(system, steps_of(1e-3), 0.02, {"arm1.theta", "arm2.theta"})}};
  std::mt19937 random(4);
  add_noise(problem.trials[0], "arm1.theta", 1e-3, random);
  add_noise(problem.trials[0], "arm2.theta", 1e-3, random);
  problem.free = {"g"};
  problem.lower = {{"g", 2}};
  problem.upper = {{"g", 40}};
  problem.start = {{"g", 30}};
  return problem;
}

FitOptions with_steps() {
  FitOptions options;
  options.run = steps_of(5e-3);
  return options;
}

struct File {
  std::string name =
      std::filesystem::temp_directory_path() / ("starts_" + std::to_string(::getpid()) + ".csv");
  ~File() { std::filesystem::remove(name); }
  int num_lines() const {
    std::ifstream stream(name);
    int count = 0;
    for (std::string line; std::getline(stream, line);) count += 1;
    return count;
  }
};

void expect_same(const MultiStart& a, const MultiStart& b) {
  ASSERT_EQ(a.optima.size(), b.optima.size());
  for (std::size_t i = 0; i < a.optima.size(); ++i) {
    EXPECT_EQ(a.optima[i].count, b.optima[i].count) << i;
    EXPECT_DOUBLE_EQ(a.optima[i].cost, b.optima[i].cost) << i;
    EXPECT_DOUBLE_EQ(a.optima[i].x(0), b.optima[i].x(0)) << i;
  }
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_DOUBLE_EQ(a.best["g"].value, b.best["g"].value);
}

TEST(MultiStart, FindsTheSameOptimaWithAnyNumberOfThreads) {
  const FitProblem problem = swing();
  const FitOptions options = with_steps();
  EXPECT_GT(std::abs(optimize::fit(problem, options)["g"].value - 9.81), 1);
  const MultiStart one = fit_from_many(problem, options, {.starts = kStarts});
  EXPECT_NEAR(one.best["g"].value, 9.81, 0.01);
  ASSERT_GE(one.optima.size(), 2u);
  int count = one.failed;
  double before = 0;
  for (const Optimum& optimum : one.optima) {
    count += optimum.count;
    EXPECT_GT(optimum.cost, before);
    before = optimum.cost;
  }
  EXPECT_EQ(count, kStarts);
  expect_same(fit_from_many(problem, options, {.starts = kStarts, .threads = 3}), one);
}

/// A search that is stopped keeps the ends that it knows, and goes on from there.
TEST(MultiStart, GoesOnWhereItWasInterrupted) {
  const FitProblem problem = swing();
  const MultiStart whole = fit_from_many(problem, with_steps(), {.starts = kStarts});
  const File file;
  FitOptions stopped = with_steps();
  std::set<std::thread::id> threads;
  stopped.solver.on_iteration = [&](const optimize::LeastSquaresOptions::Iteration&,
                                    const Eigen::VectorXd&) {
    threads.insert(std::this_thread::get_id());  // calls come one after the other
    return file.num_lines() < 4;
  };
  MultiStartOptions how{.starts = kStarts, .threads = 2, .file = file.name};
  (void)fit_from_many(problem, stopped, how);
  EXPECT_EQ(threads.size(), 2u);
  const int known = file.num_lines() - 1;
  EXPECT_GE(known, 3);
  EXPECT_LT(known, kStarts);
  const MultiStart resumed = fit_from_many(problem, with_steps(), how);
  EXPECT_EQ(resumed.read, known);
  EXPECT_EQ(file.num_lines() - 1, kStarts);
  expect_same(resumed, whole);
}

TEST(MultiStart, SaysWhatIsWrong) {
  const FitProblem problem = swing();
  EXPECT_THROW(fit_from_many(problem, with_steps(), {.starts = 0}), InvalidArgument);
  EXPECT_THROW(fit_from_many(problem, with_steps(), {.starts = 2, .threads = 0}), InvalidArgument);
  const File file;
  std::ofstream(file.name) << "start,cost,converged,arm1.J\n";
  try {
    fit_from_many(problem, with_steps(), {.starts = 2, .file = file.name});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.what(),
              file.name + " has ends of another fit, with other unknowns; name another file");
  }
}

}  // namespace
}  // namespace liegrad::testing
