#include "liegrad/sensitivity/radau_derivative.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/place_state.hpp"
#include "liegrad/sensitivity/element_sum.hpp"
#include "liegrad/sensitivity/node_sum.hpp"
#include "liegrad/sensitivity/program_derivative.hpp"
#include "liegrad/sensitivity/radau_stage_matrix.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::ElementFunction;
using dae::index;
using Vector = std::vector<double>;

/// A stage of s as a function of δ_n, v_n, the p and u of all stages, its own v, and h: the first three rows of
/// RadauStageLayout without δ, v and B(q_n)ᵀη. Data are θ*, the diagonal of W⁻¹, and a_i1 … a_is.
NodeFunction stage_function(int stages, int stage) {
  return {.vectors = 3 + 2 * stages,
          .scalars = 1,
          .data_vectors = 2,
          .data_scalars = stages,
          .values = 3,
          .evaluate = [stages, stage](const lie::GroupList& node, std::span<const Taped> x,
                                      std::span<const Taped> d) {
            const std::size_t dof = index(node.dof()), coeffs = index(node.num_coeffs());
            const Taped h = x[index(3 + 2 * stages) * dof];
            std::vector<Taped> theta(dof, Taped(0)), v(dof, Taped(0)), delta(dof), rate(dof);
            for (int j = 0; j < stages; ++j) {
              const Taped weight = h * d[2 * dof + index(j)];
              const auto p = vector_of(node, x, 3 + j), u = vector_of(node, x, 3 + stages + j);
              for (std::size_t k = 0; k < dof; ++k) {
                theta[k] += weight * p[k];
                v[k] += weight * u[k];
              }
            }
            std::vector<Taped> base(coeffs), place(coeffs);
            node.identity<Taped>(base);
            node.plus<Taped>(base, vector_of(node, x, 0), place);
            node.plus<Taped>(place, theta, place);
            node.plus<Taped>(base, vector_of(node, d, 0), base);
            node.minus<Taped>(place, base, delta);
            node.apply_tangent_operator<Taped>(theta, vector_of(node, x, 3 + stage), rate);
            std::vector<Taped> result;
            for (const Taped& entry : delta) result.push_back(-entry);
            for (std::size_t k = 0; k < dof; ++k)
              result.push_back(-vector_of(node, x, 1)[k] - v[k]);
            for (std::size_t k = 0; k < dof; ++k) {
              result.push_back(vector_of(node, d, 1)[k] * (rate[k] - vector_of(node, x, 2)[k]));
            }
            return result;
          }};
}

class RadauDerivative final : public StepDerivative {
 public:
  RadauDerivative(const dae::System& system, const dae::IntegrateOptions& options);

  void set_step(const StepMade& step) override;
  void tangent(int columns, std::span<const double> start, std::span<const double> outer,
               std::span<double> end) override {
    derivative_->tangent(columns, start, outer, end);
  }
  void adjoint(int columns, std::span<const double> end, std::span<double> start,
               std::span<double> outer) override {
    derivative_->adjoint(columns, end, start, outer);
  }
  void second(std::span<const double> start_dot, std::span<const double> outer_dot, const Dual& end,
              const Dual& start, const Dual& outer) override {
    derivative_->second(start_dot, outer_dot, end, start, outer);
  }

 private:
  /// Variables of a program that an element function reads; what is empty is constant.
  struct Motion {
    Block q, v, v_dot, lambda, s, controls, time;
  };
  /// Variables of a program that a step depends on.
  struct Inputs {
    Block parameters, start_controls, end_controls, start_time, end_time, h, q, v;
  };

  void find_stages(const StepMade& step);
  void set_controls(const StepMade& step);
  Term element_term(ElementFunction function, const dae::State& state,
                    std::span<const double> controls, const Motion& at, int first_value, int count,
                    int first_row) const;
  void add_stage(int i, const StepMade& step, Program& program, const Block& y, Relation& relation);
  Motion add_end(const StepMade& step, const Block& y, Program& program);
  dae::State stage_state(int i, const StepMade& step);

  const dae::System& system_;
  dae::ControlLaw law_;
  int stages_, dof_, multipliers_, algebraic_;
  dae::Radau radau_;
  dae::Assembly assembly_;
  RadauStageMatrix matrix_;
  dae::Assembly end_matrix_;  ///< (19)
  MotionLayout layout_;
  EquationRows rows_;
  std::vector<std::shared_ptr<KernelSum>> stage_functions_;
  std::map<ElementFunction, std::shared_ptr<KernelSum>> sums_;
  std::vector<Vector> controls_;  ///< by stage, then at the start
  Inputs in_;
  std::unique_ptr<ProgramDerivative> derivative_;
};

dae::RadauOptions exact(const dae::IntegrateOptions& options) {
  dae::RadauOptions radau = options.radau;
  radau.newton = dae::RadauNewton::kFull;
  radau.solver = options.alpha.solver;
  return radau;
}

RadauDerivative::RadauDerivative(const dae::System& system, const dae::IntegrateOptions& options)
    : system_(system),
      law_(options.controls),
      stages_(options.radau.stages),
      dof_(system.dof()),
      multipliers_(system.num_multipliers()),
      algebraic_(system.num_algebraic()),
      radau_(system, exact(options)),
      assembly_(system, radau_.assembly().formulation(), false, dae::LinearSolverKind::kAutomatic),
      matrix_(assembly_, radau_.coefficients()),
      end_matrix_(system, dae::Formulation::kIndex3, false, options.alpha.solver),
      layout_(system),
      rows_(system, {.position = true, .velocity = false}),
      controls_(index(stages_ + 1), Vector(system.controls().size(), 0.0)) {
  radau_.set_control_law(law_);
  for (int i = 0; i < stages_; ++i) {
    const std::string name = "radau" + std::to_string(stages_) + "_stage" + std::to_string(i);
    stage_functions_.push_back(
        node_sum(system.configuration_space(), name, stage_function(stages_, i)));
  }
  const auto add = [this](ElementFunction function) {
    sums_[function] = std::make_shared<KernelSum>(
        element_sum(system_, function, {.position = true, .velocity = false}));
  };
  add(ElementFunction::kStep);
  if (multipliers_ == 0) return;
  add(ElementFunction::kConstraints);
  add(ElementFunction::kAcceleration);
  add(ElementFunction::kConstraintForce);
}

void RadauDerivative::set_controls(const StepMade& step) {
  for (int i = 0; i < stages_; ++i) {
    Vector& controls = controls_[index(i)];
    if (i + 1 == stages_) {
      controls.assign(step.end_controls.begin(), step.end_controls.end());
    } else if (law_) {
      law_(step.start.t + radau_.coefficients().c(i) * step.h, controls);
    }
  }
  controls_.back().assign(step.start_controls.begin(), step.start_controls.end());
}

void RadauDerivative::find_stages(const StepMade& step) {
  set_controls(step);
  radau_.start(step.start, step.h);
  const dae::StepReport& report = radau_.step(step.h, step.end.t);
  if (!report.success) throw no_derivative(step.end.t, report.message);
  const auto go_to = [&](int i) {
    assembly_.set_time(i < 0 ? step.start.t : step.start.t + radau_.coefficients().c(i) * step.h);
    const Vector& controls = i < 0 ? controls_.back() : controls_[index(i)];
    std::ranges::copy(controls, assembly_.controls().begin());
  };
  if (!matrix_.factorize(step.start, step.h, radau_.equations(), go_to)) {
    throw no_derivative(step.end.t, "the matrix of its stages is singular");
  }
}

dae::State RadauDerivative::stage_state(int i, const StepMade& step) {
  dae::RadauEquations& stages = radau_.equations();
  const dae::RadauKinematics& motion = stages.kinematics();
  dae::State state = step.start;
  state.t = step.start.t + radau_.coefficients().c(i) * step.h;
  system_.configuration_space().plus<double>(step.start.q, motion.theta(i), state.q);
  std::ranges::copy(motion.v(i), state.v.begin());
  std::ranges::copy(motion.v_dot(i), state.v_dot.begin());
  std::ranges::copy(stages.multipliers(i), state.lambda.begin());
  std::ranges::copy(stages.algebraic(i), state.s.begin());
  return state;
}

Term RadauDerivative::element_term(ElementFunction function, const dae::State& state,
                                   std::span<const double> controls, const Motion& at,
                                   int first_value, int count, int first_row) const {
  MotionPoint point(system_);
  point.set_parameters(system_.parameter_values());
  point.set(state, controls);
  Term term{.function = sums_.at(function),
            .numbers = Vector(point.numbers().begin(), point.numbers().end()),
            .arguments = {},
            .first_value = first_value,
            .num_values = count,
            .first_row = first_row};
  const auto link = [&term](int argument, const Block& block) {
    if (block.count > 0) term.arguments.push_back({argument, block});
  };
  link(layout_.q, at.q);
  link(layout_.v, at.v);
  link(layout_.v_dot, at.v_dot);
  link(layout_.lambda, at.lambda);
  link(layout_.s, at.s);
  link(layout_.parameters, in_.parameters);
  link(layout_.controls, at.controls);
  link(layout_.time, at.time);
  return term;
}

void RadauDerivative::add_stage(int i, const StepMade& step, Program& program, const Block& y,
                                Relation& relation) {
  dae::RadauEquations& stages = radau_.equations();
  const RadauStageLayout& at = matrix_.layout();
  const int first = i * at.size;
  const auto part = [&](int stage, int offset, int count) {
    return y.part(stage * at.size + offset, count);
  };
  // The time of the stage.
  const Block time = program.add_variables(1);
  program.add({.y = time,
               .linear_terms = {{in_.start_time, 0, 1}, {in_.h, 0, radau_.coefficients().c(i)}}});

  Term kinematics{.function = stage_functions_[index(i)],
                  .numbers = {},
                  .arguments = {},
                  .first_value = 0,
                  .num_values = 3 * dof_,
                  .first_row = first};
  const auto argument = [&kinematics](const Block& block, std::span<const double> values) {
    kinematics.arguments.push_back({static_cast<int>(kinematics.numbers.size()), block});
    kinematics.numbers.insert(kinematics.numbers.end(), values.begin(), values.end());
  };
  const auto data = [&kinematics](std::span<const double> values) {
    kinematics.numbers.insert(kinematics.numbers.end(), values.begin(), values.end());
  };
  argument(in_.q, Vector(index(dof_), 0.0));
  argument(in_.v, step.start.v);
  argument(part(i, at.v, dof_), stages.kinematics().v(i));
  for (int j = 0; j < stages_; ++j) argument(part(j, at.p, dof_), stages.kinematics().rates(j));
  for (int j = 0; j < stages_; ++j) argument(part(j, at.u, dof_), stages.kinematics().v_dot(j));
  argument(in_.h, std::span(&step.h, 1));
  data(stages.kinematics().theta(i));
  Vector inverse_weights, a;
  for (const double weight : stages.weights()) inverse_weights.push_back(1 / weight);
  for (int j = 0; j < stages_; ++j) a.push_back(radau_.coefficients().a(i, j));
  data(inverse_weights);
  data(a);
  relation.terms.push_back(std::move(kinematics));
  relation.linear_terms.push_back({part(i, at.delta, dof_), first + at.place, 1});
  relation.linear_terms.push_back({part(i, at.v, dof_), first + at.velocity, 1});

  const dae::State state = stage_state(i, step);
  Motion motion{.q = part(i, at.delta, dof_),
                .v = part(i, at.v, dof_),
                .v_dot = part(i, at.u, dof_),
                .lambda = part(i, at.lambda, multipliers_),
                .s = part(i, at.s, algebraic_),
                .controls = i + 1 == stages_ ? in_.end_controls : Block{},
                .time = time};
  const Vector& controls = controls_[index(i)];
  const auto add = [&](ElementFunction function, int value, int count, int row) {
    if (count == 0) return;
    relation.terms.push_back(
        element_term(function, state, controls, motion, value, count, first + row));
  };
  add(ElementFunction::kStep, rows_.motion, dof_, at.motion);
  add(ElementFunction::kStep, rows_.algebraic, algebraic_, at.algebraic);
  add(ElementFunction::kStep, rows_.position, multipliers_, at.position);
  add(ElementFunction::kConstraints, multipliers_, multipliers_, at.rate);
  if (multipliers_ == 0) return;
  dae::State start = step.start;
  std::ranges::copy(stages.stabilizers(i), start.lambda.begin());
  relation.terms.push_back(element_term(ElementFunction::kConstraintForce, start, controls_.back(),
                                        {.q = in_.q,
                                         .v = {},
                                         .v_dot = {},
                                         .lambda = part(i, at.eta, multipliers_),
                                         .s = {},
                                         .controls = in_.start_controls,
                                         .time = in_.start_time},
                                        0, dof_, first + at.kinematics));
}

/// v̇, λ and s at the end.
RadauDerivative::Motion RadauDerivative::add_end(const StepMade& step, const Block& y,
                                                 Program& program) {
  const RadauStageLayout& at = matrix_.layout();
  const Block last = y.part((stages_ - 1) * at.size, at.size);
  Motion end{.q = last.part(at.delta, dof_),
             .v = last.part(at.v, dof_),
             .v_dot = last.part(at.u, dof_),
             .lambda = {},
             .s = {},
             .controls = in_.end_controls,
             .time = in_.end_time};
  if (multipliers_ + algebraic_ == 0) return end;
  const Block all = program.add_variables(dof_ + multipliers_ + algebraic_);
  end.v_dot = all.part(0, dof_);
  end.lambda = all.part(dof_, multipliers_);
  end.s = all.part(dof_ + multipliers_, algebraic_);
  const dae::State& state = radau_.next();
  Relation relation{.y = all};
  const auto add = [&](ElementFunction function, int value, int count, int row) {
    if (count == 0) return;
    relation.terms.push_back(
        element_term(function, state, step.end_controls, end, value, count, row));
  };
  add(ElementFunction::kStep, rows_.motion, dof_, 0);
  add(ElementFunction::kStep, rows_.algebraic, algebraic_, dof_ + multipliers_);
  add(ElementFunction::kAcceleration, 0, multipliers_, dof_);
  end_matrix_.set_time(state.t);
  std::ranges::copy(step.end_controls, end_matrix_.controls().begin());
  place_state(state, end_matrix_);
  end_matrix_.coefficients() = {};
  end_matrix_.evaluate(true);
  if (!end_matrix_.matrix().factorize()) {
    throw no_derivative(step.end.t, "the mass matrix is singular on the constraints");
  }
  relation.solve = [this](std::span<double> x) { end_matrix_.matrix().solve(x); };
  relation.solve_transposed = [this](std::span<double> x) {
    end_matrix_.matrix().solve_transposed(x);
  };
  program.add(std::move(relation));
  return end;
}

void RadauDerivative::set_step(const StepMade& step) {
  find_stages(step);
  Program program;
  const auto block = [&program](int count) { return program.add_variables(count); };
  const int controls = static_cast<int>(system_.controls().size());
  in_.parameters = block(static_cast<int>(system_.parameters().size()));
  in_.start_controls = block(controls);
  in_.end_controls = block(controls);
  in_.start_time = block(1);
  in_.end_time = block(1);
  in_.h = block(1);
  in_.q = block(dof_);
  in_.v = block(dof_);
  const Block y = block(stages_ * matrix_.layout().size);
  Relation relation{.y = y};
  for (int i = 0; i < stages_; ++i) add_stage(i, step, program, y, relation);
  relation.solve = [this](std::span<double> x) { matrix_.solver().solve(x); };
  relation.solve_transposed = [this](std::span<double> x) { matrix_.solver().solve_transposed(x); };
  program.add(std::move(relation));
  const Motion end = add_end(step, y, program);

  const StateLayout state(system_);
  const OuterLayout outer(system_);
  derivative_ = std::make_unique<ProgramDerivative>(
      system_, std::move(program),
      ProgramDerivative::Links{.start = {{state.q, in_.q}, {state.v, in_.v}},
                               .outer = {{outer.parameters, in_.parameters},
                                         {outer.start_controls, in_.start_controls},
                                         {outer.end_controls, in_.end_controls},
                                         {outer.start_time, in_.start_time},
                                         {outer.end_time, in_.end_time},
                                         {outer.h, in_.h}},
                               .end = {{state.q, end.q},
                                       {state.v, end.v},
                                       {state.v_dot, end.v_dot},
                                       {state.a, end.v_dot},
                                       {state.lambda, end.lambda},
                                       {state.s, end.s}}});
}

}  // namespace

std::unique_ptr<StepDerivative> radau_derivative(const dae::System& system,
                                                 const dae::IntegrateOptions& options) {
  if (options.alpha.consistency.allow_redundant) {
    throw InvalidArgument(
        "steps of Radau methods with redundant constraints have no derivatives here; use a "
        "generalized-alpha method");
  }
  if (system.num_multipliers() > 0 && options.radau.formulation != dae::Formulation::kStabilized) {
    throw InvalidArgument(
        "steps of Radau methods have derivatives in the stabilised formulation only; choose that");
  }
  return std::make_unique<RadauDerivative>(system, options);
}

}  // namespace liegrad::sensitivity
