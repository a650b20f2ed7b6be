#include "liegrad/sensitivity/step/radau_stage_matrix.hpp"

#include <algorithm>

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

/// Where T and D can have entries, or their values, in the same order.
struct TangentEntries {
  std::vector<std::pair<int, int>>& entries;

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    for (int i = 0; i < G<double>::kDof; ++i) {
      for (int j = 0; j < G<double>::kDof; ++j) entries.emplace_back(dof + i, dof + j);
    }
  }
  void linear(int dof, int count) {
    for (int i = 0; i < count; ++i) entries.emplace_back(dof + i, dof + i);
  }
};

struct TangentValues {
  const double *theta, *p;
  double *tangent, *derivative;

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    using Tangent = typename G<double>::Tangent;
    const Tangent angle = Eigen::Map<const Tangent>(theta + dof);
    const Tangent rate = Eigen::Map<const Tangent>(p + dof);
    const typename G<double>::TangentMap t = G<double>::tangent_operator(angle);
    typename G<double>::TangentMap d;
    for (int i = 0; i < G<double>::kDof; ++i) {
      d.col(i) = G<double>::tangent_operator_derivative(angle, rate, Tangent::Unit(i));
    }
    for (int i = 0; i < G<double>::kDof; ++i) {
      for (int j = 0; j < G<double>::kDof; ++j) {
        *tangent++ = t(i, j);
        *derivative++ = d(i, j);
      }
    }
  }
  void linear(int /*dof*/, int count) {
    tangent = std::fill_n(tangent, count, 1.0);
    derivative = std::fill_n(derivative, count, 0.0);
  }
};

}  // namespace

RadauStageLayout::RadauStageLayout(const dae::Assembly& assembly) {
  const int dof = assembly.system().dof(), multipliers = assembly.system().num_multipliers();
  const int states = assembly.system().num_algebraic();
  u = dof;
  delta = 2 * dof;
  v = 3 * dof;
  lambda = 4 * dof;
  s = lambda + multipliers;
  eta = s + states;
  velocity = dof;
  kinematics = 2 * dof;
  motion = 3 * dof;
  position = 4 * dof;
  algebraic = position + multipliers;
  rate = algebraic + states;
  size = rate + multipliers;
}

RadauStageMatrix::RadauStageMatrix(dae::Assembly& assembly,
                                   const dae::RadauCoefficients& coefficients)
    : assembly_(assembly),
      coefficients_(coefficients),
      at_(assembly),
      stages_(coefficients.stages),
      dof_(assembly.system().dof()) {
  dae::for_each_part(assembly.system().configuration_space(), TangentEntries{tangent_entries_});
  const std::size_t tangents = tangent_entries_.size(), entries = assembly.pattern().size();
  const auto zeros = [](std::size_t count) { return std::vector<double>(count, 0.0); };
  parts_.assign(index(stages_),
                {zeros(tangents), zeros(tangents), zeros(entries), zeros(entries), zeros(entries)});
  if (const dae::Stabilizer* const n = assembly.find_stabilizer()) {
    gradient_.assign(n->numbers().size(), 0.0);
  }
  weights_.assign(index(dof_), 1.0);
  dae::SparsePattern pattern{.size = stages_ * at_.size};
  for_each_entry([&](int row, int column, double) { pattern.entries.emplace_back(row, column); });
  solver_.emplace(pattern);
  for_each_entry(
      [&](int row, int column, double) { positions_.push_back(solver_->position(row, column)); });
}

template <class F>
void RadauStageMatrix::for_each_entry(F&& f) const {
  const int multipliers = assembly_.multiplier_offset(), states = assembly_.algebraic_offset();
  const int stabilizers = assembly_.stabilizer_offset();
  for (int i = 0; i < stages_; ++i) {
    const Stage& stage = parts_[index(i)];
    const int first = i * at_.size;
    for (int k = 0; k < dof_; ++k) {
      f(first + at_.place + k, first + at_.delta + k, 1.0);
      f(first + at_.velocity + k, first + at_.v + k, 1.0);
      f(first + at_.kinematics + k, first + at_.v + k, -1 / weights_[index(k)]);
    }
    for (int j = 0; j < stages_; ++j) {
      const double weight = h_ * coefficients_.a(i, j), own = i == j ? 1 : 0;
      const int column = j * at_.size;
      for (std::size_t e = 0; e < tangent_entries_.size(); ++e) {
        const auto& [r, c] = tangent_entries_[e];
        f(first + at_.place + r, column + at_.p + c, -weight * stage.tangent[e]);
        f(first + at_.kinematics + r, column + at_.p + c,
          (own * stage.tangent[e] + weight * stage.derivative[e]) / weights_[index(r)]);
      }
      for (int k = 0; k < dof_; ++k) f(first + at_.velocity + k, column + at_.u + k, -weight);
    }
    if (const dae::Stabilizer* const n = assembly_.find_stabilizer()) {
      const double* number = gradient_.data();
      n->for_each([&](int dof, int multiplier) {
        f(first + at_.kinematics + dof, first + at_.eta + multiplier, *number++);
      });
    }
    for (std::size_t e = 0; e < assembly_.pattern().size(); ++e) {
      const auto& [r, c] = assembly_.pattern()[e];
      if (c >= stabilizers) continue;
      const bool is_position = r >= multipliers && r < states;
      const int row = first + (r < multipliers   ? at_.motion + r
                               : is_position     ? at_.position + r - multipliers
                               : r < stabilizers ? at_.algebraic + r - states
                                                 : at_.rate + r - stabilizers);
      if (c >= multipliers) {
        f(row, first + (c < states ? at_.lambda + c - multipliers : at_.s + c - states),
          stage.mass[e]);
        continue;
      }
      f(row, first + at_.delta + c, stage.stiffness[e]);
      if (is_position) continue;
      f(row, first + at_.u + c, stage.mass[e]);
      f(row, first + at_.v + c, stage.damping[e]);
    }
  }
}

void RadauStageMatrix::evaluate(const dae::StepCoefficients& coefficients,
                                std::vector<double>& values) {
  assembly_.coefficients() = coefficients;
  assembly_.evaluate(true);
  const std::span<const double> matrix = assembly_.matrix().values();
  for (std::size_t e = 0; e < values.size(); ++e) {
    const auto& [row, column] = assembly_.pattern()[e];
    values[e] = matrix[index(assembly_.matrix().position(row, column))];
  }
}

bool RadauStageMatrix::factorize(const dae::State& start, double h, dae::RadauEquations& stages,
                                 const std::function<void(int)>& go_to_stage) {
  h_ = h;
  std::ranges::copy(stages.weights(), weights_.begin());
  const dae::RadauKinematics& motion = stages.kinematics();
  assembly_.set_identity_maps();
  assembly_.set_configuration(start.q);
  assembly_.set_velocity(start.v);
  go_to_stage(-1);
  assembly_.set_stabilizer();
  if (const dae::Stabilizer* const n = assembly_.find_stabilizer()) {
    std::ranges::copy(n->numbers(), gradient_.begin());
  }
  for (int i = 0; i < stages_; ++i) {
    Stage& stage = parts_[index(i)];
    dae::for_each_part(assembly_.system().configuration_space(),
                       TangentValues{motion.theta(i).data(), motion.rates(i).data(),
                                     stage.tangent.data(), stage.derivative.data()});
    motion.place(i, assembly_);
    std::ranges::copy(stages.multipliers(i), assembly_.multipliers().begin());
    std::ranges::copy(stages.algebraic(i), assembly_.algebraic().begin());
    go_to_stage(i);
    evaluate({.c_a = 1}, stage.mass);
    evaluate({.c_a = 0, .c_v = 1, .c_r = 1}, stage.damping);
    evaluate({.c_a = 0, .k_q = 1, .k_r = 1}, stage.stiffness);
  }
  const int* position = positions_.data();
  for_each_entry([&position, values = solver_->values()](int, int, double value) {
    values[index(*position++)] = value;
  });
  return solver_->factorize();
}

}  // namespace liegrad::sensitivity
