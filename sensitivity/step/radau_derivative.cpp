#include "liegrad/sensitivity/step/radau_derivative.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "liegrad/dae/equations/place_state.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/start/program_derivative.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/node_sum.hpp"
#include "liegrad/sensitivity/step/radau_stage_matrix.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::ElementFunction;
using dae::index;
using Vector = std::vector<double>;

/// The program of a step as a derivative.
class StepProgram final : public ProgramDerivative {
 public:
  explicit StepProgram(const dae::Model& model) : ProgramDerivative(model) {}
  Program& program() override { return program_; }
  const Links& links() const override { return links_; }
  void set_links(Links links) { links_ = std::move(links); }

 private:
  Program program_;
  Links links_;
};

class RadauDerivative final : public StepDerivative {
 public:
  RadauDerivative(const dae::Model& system, const dae::IntegrateOptions& options);

  void set_run(std::span<const double> parameters, const dae::ControlLaw& controls) override;
  void set_step(const StepMade& step) override;
  void tangent(int columns, std::span<const double> start, std::span<const double> outer,
               std::span<double> end) override {
    derivative_.tangent(columns, start, outer, end);
  }
  void adjoint(int columns, std::span<const double> end, std::span<double> start,
               std::span<double> outer) override {
    derivative_.adjoint(columns, end, start, outer);
  }
  void second(std::span<const double> start_dot, std::span<const double> outer_dot, const Dual& end,
              const Dual& start, const Dual& outer) override {
    derivative_.second(start_dot, outer_dot, end, start, outer);
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
  void add_element_term(Relation& relation, ElementFunction function, const dae::State& state,
                        std::span<const double> controls, const Motion& at, int first_value,
                        int count, int first_row);
  void add_stage(int i, const StepMade& step, const Block& time, const Block& y,
                 Relation& relation);
  Motion add_end(const StepMade& step, const Block& y, Program& program);
  dae::State stage_state(int i, const StepMade& step);

  const dae::Model& system_;
  dae::ControlLaw law_;
  Vector parameters_;
  int stages_, dof_, multipliers_, algebraic_;
  dae::Radau radau_;
  dae::Assembly assembly_;
  RadauStageMatrix matrix_;
  dae::Assembly end_matrix_;  ///< (19)
  MotionLayout layout_;
  EquationRows rows_;
  std::shared_ptr<KernelSum> stage_function_;
  std::map<ElementFunction, std::shared_ptr<KernelSum>> sums_;
  std::vector<Vector> controls_;  ///< by stage, then at the start
  Inputs in_;
  StepProgram derivative_;
};

dae::RadauOptions exact(const dae::IntegrateOptions& options) {
  dae::RadauOptions radau = options.radau;
  radau.newton = dae::RadauNewton::kFull;
  radau.leave_out_last = false;
  radau.solver = options.alpha.solver;
  return radau;
}

RadauDerivative::RadauDerivative(const dae::Model& system, const dae::IntegrateOptions& options)
    : system_(system),
      parameters_(system.parameter_values()),
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
      stage_function_(node_sum(system.configuration_space(),
                               stages_ == 2 ? NodeMap::kRadauStage2 : NodeMap::kRadauStage3)),
      controls_(index(stages_ + 1), Vector(system.controls().size(), 0.0)),
      derivative_(system) {
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

void RadauDerivative::set_run(std::span<const double> parameters, const dae::ControlLaw& controls) {
  parameters_.assign(parameters.begin(), parameters.end());
  law_ = controls;
  radau_.set_parameters(parameters);
  radau_.set_control_law(law_);
  assembly_.set_parameters(parameters);
  end_matrix_.set_parameters(parameters);
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

void RadauDerivative::add_element_term(Relation& relation, ElementFunction function,
                                       const dae::State& state, std::span<const double> controls,
                                       const Motion& at, int first_value, int count,
                                       int first_row) {
  if (count == 0) return;
  MotionPoint point(system_);
  point.set_parameters(parameters_);
  point.set(state, controls);
  Term& term = relation.add_term();
  term.function = sums_.at(function);
  term.numbers.assign(point.numbers().begin(), point.numbers().end());
  term.arguments.clear();
  term.first_value = first_value;
  term.num_values = count;
  term.first_row = first_row;
  term.factor = 1;
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
}

void RadauDerivative::add_stage(int i, const StepMade& step, const Block& time, const Block& y,
                                Relation& relation) {
  dae::RadauEquations& stages = radau_.equations();
  const dae::RadauKinematics& motion = stages.kinematics();
  const RadauStageLayout& at = matrix_.layout();
  const int first = i * at.size;
  const auto part = [&](int stage, int offset, int count) {
    return y.part(stage * at.size + offset, count);
  };
  Term& kinematics = relation.add_term();
  kinematics.function = stage_function_;
  kinematics.numbers.clear();
  kinematics.arguments.clear();
  kinematics.first_value = 0;
  kinematics.num_values = 3 * dof_;
  kinematics.first_row = first;
  kinematics.factor = 1;
  const auto data = [&kinematics](std::span<const double> values) {
    kinematics.numbers.insert(kinematics.numbers.end(), values.begin(), values.end());
  };
  const auto argument = [&](const Block& block, std::span<const double> values) {
    kinematics.arguments.push_back({static_cast<int>(kinematics.numbers.size()), block});
    data(values);
  };
  argument(in_.q, Vector(index(dof_), 0.0));
  argument(in_.v, step.start.v);
  argument(part(i, at.v, dof_), motion.v(i));
  argument(part(i, at.p, dof_), motion.rates(i));
  for (int j = 0; j < stages_; ++j) argument(part(j, at.p, dof_), motion.rates(j));
  for (int j = 0; j < stages_; ++j) argument(part(j, at.u, dof_), motion.v_dot(j));
  argument(in_.h, std::span(&step.h, 1));
  data(motion.theta(i));
  for (const double weight : stages.weights()) kinematics.numbers.push_back(1 / weight);
  for (int j = 0; j < stages_; ++j) kinematics.numbers.push_back(radau_.coefficients().a(i, j));
  relation.add_linear({part(i, at.delta, dof_), first + at.place, 1});
  relation.add_linear({part(i, at.v, dof_), first + at.velocity, 1});

  const dae::State state = stage_state(i, step);
  const Motion moved{.q = part(i, at.delta, dof_),
                     .v = part(i, at.v, dof_),
                     .v_dot = part(i, at.u, dof_),
                     .lambda = part(i, at.lambda, multipliers_),
                     .s = part(i, at.s, algebraic_),
                     .controls = i + 1 == stages_ ? in_.end_controls : Block{},
                     .time = time};
  const auto add = [&](ElementFunction function, int value, int count, int row) {
    add_element_term(relation, function, state, controls_[index(i)], moved, value, count,
                     first + row);
  };
  add(ElementFunction::kStep, rows_.motion, dof_, at.motion);
  add(ElementFunction::kStep, rows_.algebraic, algebraic_, at.algebraic);
  add(ElementFunction::kStep, rows_.position, multipliers_, at.position);
  add(ElementFunction::kConstraints, multipliers_, multipliers_, at.rate);
  if (multipliers_ == 0) return;
  dae::State start = step.start;
  std::ranges::copy(stages.stabilizers(i), start.lambda.begin());
  add_element_term(relation, ElementFunction::kConstraintForce, start, controls_.back(),
                   {.q = in_.q,
                    .v = {},
                    .v_dot = {},
                    .lambda = part(i, at.eta, multipliers_),
                    .s = {},
                    .controls = in_.start_controls,
                    .time = in_.start_time},
                   0, dof_, first + at.kinematics);
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
  Relation& relation = program.add_relation(all);
  const auto add = [&](ElementFunction function, int value, int count, int row) {
    add_element_term(relation, function, state, step.end_controls, end, value, count, row);
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
  relation.set_matrix(&end_matrix_.matrix());
  return end;
}

void RadauDerivative::set_step(const StepMade& step) {
  find_stages(step);
  Program& program = derivative_.program();
  program.begin();
  const auto block = [&program](int count) { return program.add_variables(count); };
  const int controls = static_cast<int>(system_.controls().size());
  in_.parameters = block(static_cast<int>(parameters_.size()));
  in_.start_controls = block(controls);
  in_.end_controls = block(controls);
  in_.start_time = block(1);
  in_.end_time = block(1);
  in_.h = block(1);
  in_.q = block(dof_);
  in_.v = block(dof_);
  const Block times = block(stages_);
  Relation& of_times = program.add_relation(times);
  of_times.set_matrix(nullptr);
  for (int i = 0; i < stages_; ++i) {
    of_times.add_linear({in_.start_time, i, 1});
    of_times.add_linear({in_.h, i, radau_.coefficients().c(i)});
  }
  const Block y = block(stages_ * matrix_.layout().size);
  Relation& relation = program.add_relation(y);
  for (int i = 0; i < stages_; ++i) add_stage(i, step, times.part(i, 1), y, relation);
  relation.set_matrix(&matrix_.solver());
  const Motion end = add_end(step, y, program);

  const StateLayout state(system_);
  const OuterLayout outer(system_);
  derivative_.set_links({.start = {{state.q, in_.q}, {state.v, in_.v}},
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

std::unique_ptr<StepDerivative> radau_derivative(const dae::Model& system,
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
