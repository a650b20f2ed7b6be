// Whether linear solvers of our own pay: each beside the library that could take its place, with the same matrices.

#include "solver_rows.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/LU>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/linear/linear_solver.hpp"
#include "liegrad/dae/linear/sparse_lu.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/models/models.hpp"

#include "measure.hpp"
#include "steps.hpp"

namespace liegrad::bench {
namespace {

constexpr int kRounds = 12;
/// Ours are kept where they are faster.
constexpr double kFaster = 1;

/// The matrix of the last of some steps, with the solver of the library and with another one.
class Pair {
 public:
  explicit Pair(std::unique_ptr<Steps> steps) : steps_(std::move(steps)) {
    steps_->seconds();
    assembly().evaluate(true);
    right_.assign(static_cast<std::size_t>(assembly().size()), 1.0);
  }
  virtual ~Pair() = default;
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void ours() {
    std::ranges::fill(right_, 1.0);
    if (!assembly().matrix().factorize()) throw Error("a matrix of the benchmark is singular");
    assembly().matrix().solve(right_);
  }
  virtual void theirs() = 0;
  /// Times of theirs over times of ours.
  double ratio() {
    const std::vector<double> seconds =
        times_in_turn({[this] { ours(); }, [this] { theirs(); }}, kRounds);
    return seconds[1] / seconds[0];
  }

 protected:
  dae::Assembly& assembly() { return steps_->assembly(); }
  double entry(std::size_t e) {
    dae::LinearSolver& matrix = assembly().matrix();
    const auto& [row, column] = assembly().pattern()[e];
    return matrix.values()[static_cast<std::size_t>(matrix.position(row, column))];
  }

  std::vector<double> right_;

 private:
  std::unique_ptr<Steps> steps_;
};

/// No allocation on either side.
class BesideEigen final : public Pair {
 public:
  explicit BesideEigen(std::unique_ptr<Steps> steps) : Pair(std::move(steps)) {
    const dae::MatrixEntries& entries = assembly().pattern();
    a_.setZero(assembly().size(), assembly().size());
    lu_ = Eigen::PartialPivLU<Matrix>(assembly().size());
    for (std::size_t e = 0; e < entries.size(); ++e)
      a_(entries[e].first, entries[e].second) = entry(e);
    b_.setOnes(assembly().size());
  }
  void theirs() override {
    lu_.compute(a_);
    x_ = lu_.solve(b_);
  }

 private:
  static constexpr int kMost = dae::kLargestDenseSystem;
  using Matrix =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMost, kMost>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kMost, 1>;

  Matrix a_;
  Vector b_, x_;
  Eigen::PartialPivLU<Matrix> lu_;
};

/// KLU keeps its order and pivots, as it would in steps.
class BesideKlu final : public Pair {
 public:
  explicit BesideKlu(std::unique_ptr<Steps> steps)
      : Pair(std::move(steps)), klu_(assembly().size(), assembly().pattern()) {
    for (std::size_t e = 0; e < assembly().pattern().size(); ++e) klu_.values()[e] = entry(e);
  }
  void theirs() override {
    std::ranges::fill(right_, 1.0);
    if (!klu_.factorize()) throw Error("a matrix of the benchmark is singular");
    klu_.solve(right_);
  }

 private:
  dae::SparseLu klu_;
};

std::unique_ptr<Steps> some_steps(dae::System system, dae::Formulation formulation) {
  dae::IntegrateOptions options = alpha();
  options.alpha.formulation = formulation;
  return std::make_unique<Steps>(std::move(system), options, 3);
}

}  // namespace

std::vector<Row> solver_rows() {
  using dae::Formulation;
  std::vector<Row> rows;
  for (const auto formulation : {Formulation::kIndex3, Formulation::kStabilized}) {
    const std::string suffix = formulation == Formulation::kIndex3 ? "" : ".stabilized";
    // 9 and 36 unknowns; stabilised 12 and 36.
    BesideEigen top(some_steps(models::make_model("heavy_top"), formulation));
    rows.push_back({"solver.heavy_top" + suffix + ".eigen_over_dense", top.ratio(), "x", kFaster});
    const int bodies = formulation == Formulation::kIndex3 ? 4 : 3;
    BesideEigen chain(some_steps(models::make_model("chain", {.bodies = bodies}), formulation));
    rows.push_back({"solver.chain_" + std::to_string(bodies) + suffix + ".eigen_over_dense",
                    chain.ratio(), "x", kFaster});
    for (const int many : {10, 100, 1000}) {
      BesideKlu large(some_steps(models::make_model("chain", {.bodies = many}), formulation));
      rows.push_back({"solver.chain_" + std::to_string(many) + suffix + ".klu_over_blocks",
                      large.ratio(), "x", kFaster});
    }
  }
  return rows;
}

}  // namespace liegrad::bench
