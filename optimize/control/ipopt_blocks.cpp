#include "liegrad/control/ipopt_blocks.hpp"

#if IPOPT_VERSION_MAJOR > 3 || IPOPT_VERSION_MINOR >= 14

#include <IpSparseSymLinearSolverInterface.hpp>
#include <IpTSymLinearSolver.hpp>
#include <memory>
#include <utility>

#include "liegrad/control/time_blocks.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;
using Ipopt::Index;
using Ipopt::Number;

/// The stages of IPOPT's unknowns: free ones of the NLP, slacks of inequalities, multipliers of equations, multipliers of
/// inequalities.
std::vector<int> kkt_stages(const Program& program) {
  std::vector<int> stages, equations, inequalities;
  for (int i = 0; i < program.num_variables(); ++i) {
    if (!program.variable_interval(i).is_point()) stages.push_back(program.variable_stage(i));
  }
  for (int i = 0; i < program.num_constraints(); ++i) {
    const bool equation = program.constraint_interval(i).is_point();
    (equation ? equations : inequalities).push_back(program.constraint_stage(i));
  }
  for (const auto* const list : {&inequalities, &equations, &inequalities}) {
    stages.insert(stages.end(), list->begin(), list->end());
  }
  return stages;
}

class BlockSolver final : public Ipopt::SparseSymLinearSolverInterface {
 public:
  BlockSolver(Program& program, const StopRequest& stop)
      : program_(program), stages_(kkt_stages(program)), stop_(stop) {}
  /// Leaves its elimination to the next search.
  ~BlockSolver() override {
    if (blocks_) program_.elimination = std::move(blocks_);
  }
  BlockSolver(const BlockSolver&) = delete;
  BlockSolver& operator=(const BlockSolver&) = delete;

  bool InitializeImpl(const Ipopt::OptionsList& /*options*/,
                      const std::string& /*prefix*/) override {
    return true;
  }
  Ipopt::ESymSolverStatus InitializeStructure(Index dim, Index nonzeros, const Index* ia,
                                              const Index* ja) override {
    if (index(dim) != stages_.size()) return Ipopt::SYMSOLVER_FATAL_ERROR;
    std::vector<int> rows(index(nonzeros)), columns(index(nonzeros));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      rows[k] = ia[k] - 1;
      columns[k] = ja[k] - 1;
    }
    blocks_ = std::exchange(program_.elimination, nullptr);
    if (blocks_ && blocks_->has_entries(rows, columns)) {
      blocks_->reset();
    } else {
      blocks_ = std::make_shared<TimeBlocks>(stages_, rows, columns, program_.front_order());
    }
    values_.assign(index(nonzeros), 0.0);
    return Ipopt::SYMSOLVER_SUCCESS;
  }
  Number* GetValuesArrayPtr() override { return values_.data(); }

  Ipopt::ESymSolverStatus MultiSolve(bool new_matrix, const Index* /*ia*/, const Index* /*ja*/,
                                     Index nrhs, Number* rhs_vals, bool check_NegEVals,
                                     Index numberOfNegEVals) override {
    if (new_matrix && !blocks_->factorize(values_, stop_)) {
      return stop_.is_made() ? Ipopt::SYMSOLVER_FATAL_ERROR : Ipopt::SYMSOLVER_SINGULAR;
    }
    if (check_NegEVals && blocks_->negative() != numberOfNegEVals) {
      return Ipopt::SYMSOLVER_WRONG_INERTIA;
    }
    for (Index i = 0; i < nrhs; ++i) {
      blocks_->solve(std::span(rhs_vals + index(i) * stages_.size(), stages_.size()));
    }
    return Ipopt::SYMSOLVER_SUCCESS;
  }
  Index NumberOfNegEVals() const override { return blocks_->negative(); }
  bool IncreaseQuality() override { return blocks_->increase_quality(); }
  bool ProvidesInertia() const override { return true; }
  EMatrixFormat MatrixFormat() const override { return Triplet_Format; }

 private:
  Program& program_;
  std::vector<int> stages_;
  const StopRequest& stop_;
  std::shared_ptr<TimeBlocks> blocks_;
  std::vector<double> values_;
};

class BlockAlgorithm final : public Ipopt::AlgorithmBuilder {
 public:
  BlockAlgorithm(Program& program, const StopRequest& stop) : program_(program), stop_(stop) {}

  Ipopt::SmartPtr<Ipopt::SymLinearSolver> SymLinearSolverFactory(
      const Ipopt::Journalist& /*journalist*/, const Ipopt::OptionsList& /*options*/,
      const std::string& /*prefix*/) override {
    return new Ipopt::TSymLinearSolver(new BlockSolver(program_, stop_), nullptr);
  }

 private:
  Program& program_;
  const StopRequest& stop_;
};

}  // namespace

Ipopt::SmartPtr<Ipopt::AlgorithmBuilder> block_algorithm(Program& program,
                                                         const StopRequest& stop) {
  return new BlockAlgorithm(program, stop);
}

}  // namespace liegrad::control

#else

namespace liegrad::control {

Ipopt::SmartPtr<Ipopt::AlgorithmBuilder> block_algorithm(Program& /*program*/,
                                                         const StopRequest& /*stop*/) {
  return nullptr;
}

}  // namespace liegrad::control

#endif
