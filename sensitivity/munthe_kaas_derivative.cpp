#include "liegrad/sensitivity/munthe_kaas_derivative.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <type_traits>

#include <Eigen/Core>

#include "liegrad/dae/mass_solver.hpp"
#include "liegrad/dae/munthe_kaas.hpp"
#include "liegrad/dae/node_tangent.hpp"
#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/text.hpp"
#include "liegrad/sensitivity/element_sum.hpp"
#include "liegrad/sensitivity/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Span = std::span<double>;
using Const = std::span<const double>;
using Entries = std::vector<std::pair<int, int>>;

Span column(MatrixXd& matrix, Eigen::Index i) {
  return {matrix.col(i).data(), static_cast<std::size_t>(matrix.rows())};
}
Span all(MatrixXd& matrix) { return {matrix.data(), static_cast<std::size_t>(matrix.size())}; }
Span all(VectorXd& vector) { return {vector.data(), static_cast<std::size_t>(vector.size())}; }
Map<const VectorXd> vector_of(Const x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

Error no_derivative(double t, const std::string& reason) {
  return Error("the derivative of the step to t = " + dae::number_text(t) +
               " does not exist: " + reason);
}

/// Stages as functions, part by part of the configuration space.
///
///     (δ_n, θ, v) → (δ, θ'),   δ = log(exp(-θ*)∘exp(δ_n)∘exp(θ)),   θ' = T⁻¹(θ) v,
///
/// in the charts q_n∘exp(δ_n) and q_n∘exp(θ*)∘exp(δ) around the start of a step that was made and a stage of
/// it; θ* is the θ of that stage, a constant. The numbers that are read are (θ, v).
class StageFunctions {
 public:
  explicit StageFunctions(const dae::System& system)
      : dof_(system.dof()), sum_(3 * system.dof(), 2 * system.dof()) {
    dae::for_each_part(system.configuration_space(), *this);
  }
  KernelSum& sum() { return sum_; }

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    constexpr bool kIsPlanar = std::is_same_v<G<double>, lie::SE2<double>>;
    constexpr int kDof = G<double>::kDof;
    add_part<kDof>(kDof == 6   ? "stage_se3"
                   : kIsPlanar ? "stage_se2"
                               : "stage_so3",
                   dof, record_turning<G>);
  }
  void linear(int dof, int count) {
    for (int i = 0; i < count; ++i) {
      add_part<1>("stage_r1", dof + i, [](std::span<const Taped> x, std::span<const Taped> base) {
        return std::vector<Taped>{x[0] + x[1] - base[0], x[2]};
      });
    }
  }

 private:
  struct Known {
    int function;
    std::vector<int> inputs;
  };

  template <template <class> class G>
  static std::vector<Taped> record_turning(std::span<const Taped> x, std::span<const Taped> base) {
    using Tangent = typename G<Taped>::Tangent;
    const auto vector = [](const Taped* first) -> Tangent { return Map<const Tangent>(first); };
    const Tangent theta = vector(&x[G<Taped>::kDof]);
    const Tangent delta = (G<Taped>::exp(vector(&base[0])).inverse() *
                           G<Taped>::exp(vector(&x[0])) * G<Taped>::exp(theta))
                              .log();
    const Tangent rate = G<Taped>::tangent_operator_inverse(theta) * vector(&x[2 * G<Taped>::kDof]);
    std::vector<Taped> result(delta.begin(), delta.end());
    result.insert(result.end(), rate.begin(), rate.end());
    return result;
  }

  template <int Dof, class F>
  void add_part(const std::string& name, int first, const F& f) {
    auto found = known_.find(name);
    if (found == known_.end()) {
      const KernelSum::Local local = LocalFunction::term(std::make_shared<const LocalFunction>(
          ad::record({.name = name, .variables = 3 * Dof, .data = Dof}, f), ad::range(0, Dof),
          ad::Backend::kCompiled));
      found = known_.emplace(name, Known{sum_.add_function(local), local.inputs}).first;
    }
    const auto places = [this, first](std::initializer_list<int> vectors) {
      std::vector<int> list;
      for (const int vector : vectors) {
        for (int i = 0; i < Dof; ++i) list.push_back(vector * dof_ + first + i);
      }
      return list;
    };
    // δ_n, which is zero and not read, θ, v and θ*.
    const std::vector<int> numbers = places({0, 0, 1, 0});
    std::vector<int> read;
    for (const int input : found->second.inputs) read.push_back(numbers[index(input)]);
    sum_.add_term(found->second.function, read, places({0, 1, 2}), places({0, 1}));
  }

  int dof_;
  KernelSum sum_;
  std::map<std::string, Known> known_;
};

/// Where the block-diagonal matrices T and D of all parts have entries, whole blocks row after row or a
/// diagonal, and their values.
struct NodeEntries {
  Entries& entries;

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
struct NodeBlocks {
  const double *theta, *p;
  dae::NodeStore& nodes;  ///< gets Q = T
  double *tangent, *derivative;

  template <template <class> class G>
  void turning(int node, int dof) {
    using Tangent = typename G<double>::Tangent;
    using Rows = Eigen::Matrix<double, G<double>::kDof, G<double>::kDof, Eigen::RowMajor>;
    const Map<const Tangent> angle(theta + dof), rate(p + dof);
    Map<Rows> t(tangent), d(derivative);
    t = G<double>::tangent_operator(angle);
    dae::NodeMatrix<G, double>::of(t).store(nodes.map(node));
    for (int i = 0; i < G<double>::kDof; ++i) {
      d.col(i) = G<double>::tangent_operator_derivative(angle, rate, Tangent::Unit(i));
    }
    tangent += Rows::SizeAtCompileTime;
    derivative += Rows::SizeAtCompileTime;
  }
  void linear(int /*dof*/, int count) {
    tangent = std::fill_n(tangent, count, 1.0);
    derivative = std::fill_n(derivative, count, 0.0);
  }
};

/// The stages of an implicit tableau: their rates (p_i, u_i), one after the other, and the matrix of the
/// equations
///
///     T(θ_i) p_i - v_i = 0,   M u_i + g = 0,
///
/// which is that of ImplicitMuntheKaas.
class CoupledStages {
 public:
  CoupledStages(const dae::System& system, const dae::ButcherTableau& tableau,
                dae::Assembly& assembly, int max_iterations);

  /// Finds the rates and factorises the matrix there; go_to_stage sets time and controls.
  template <class GoToStage>
  void find(const dae::State& start, double h, const GoToStage& go_to_stage);
  const VectorXd& rates() const { return rates_; }

  /// In place: rows of p_i - T⁻¹v_i and of M u_i + g become changes of the rates that have them.
  void solve(Span x);
  /// The transposed of that.
  void solve_transposed(Span x);

 private:
  auto rate(int stage) { return rates_.segment(2 * dof_ * stage, 2 * dof_); }
  /// f(row, column, value) for all entries of the matrix in the rows of a stage.
  template <class F>
  void for_each_entry(int stage, F&& f) const;
  template <class GoToStage>
  void linearize(const dae::State& start, const GoToStage& go_to_stage);
  template <class GoToStage>
  double correct(const dae::State& start, const GoToStage& go_to_stage);
  void evaluate(const dae::State& start, int stage);
  void evaluate_matrix(const dae::StepCoefficients& coefficients, std::vector<double>& values);
  void apply_tangent(int stage, Span x, bool transposed);

  const lie::GroupList& space_;
  dae::ButcherTableau tableau_;
  dae::Assembly& assembly_;
  int max_iterations_, stages_, dof_;
  double h_ = 0;
  VectorXd rates_, residual_, point_, product_;
  std::vector<double> q_;
  Entries node_entries_;
  std::vector<std::vector<double>> tangents_;  ///< T by stage; what follows is of the current one
  std::vector<double> derivative_, mass_, damping_, stiffness_;
  std::vector<int> assembly_positions_;
  std::optional<dae::LinearSolver> matrix_;
  std::vector<std::vector<int>> positions_;  ///< of the entries of a stage
};

CoupledStages::CoupledStages(const dae::System& system, const dae::ButcherTableau& tableau,
                             dae::Assembly& assembly, int max_iterations)
    : space_(system.configuration_space()),
      tableau_(tableau),
      assembly_(assembly),
      max_iterations_(max_iterations),
      stages_(static_cast<int>(tableau.b.size())),
      dof_(system.dof()),
      rates_(2 * dof_ * stages_),
      residual_(2 * dof_ * stages_),
      point_(2 * dof_),
      product_(dof_),
      q_(index(space_.num_coeffs())),
      positions_(index(stages_)) {
  dae::for_each_part(space_, NodeEntries{node_entries_});
  tangents_.assign(index(stages_), std::vector<double>(node_entries_.size()));
  derivative_.resize(node_entries_.size());
  for (const auto& [row, column] : assembly_.pattern()) {
    assembly_positions_.push_back(assembly_.matrix().position(row, column));
  }
  for (auto* matrix : {&mass_, &damping_, &stiffness_}) matrix->resize(assembly_.pattern().size());
  dae::SparsePattern pattern{.size = 2 * dof_ * stages_};
  for (int i = 0; i < stages_; ++i) {
    for_each_entry(i,
                   [&](int row, int column, double) { pattern.entries.emplace_back(row, column); });
  }
  matrix_.emplace(pattern);
  for (int i = 0; i < stages_; ++i) {
    for_each_entry(i, [&](int row, int column, double) {
      positions_[index(i)].push_back(matrix_->position(row, column));
    });
  }
}

/// The rows are
///
///     T dp_i + D dθ_i - dv_i,   M du_i + D_v dv_i + K T dθ_i       (D x = d/dε T(θ_i + εx) p_i).
template <class F>
void CoupledStages::for_each_entry(int stage, F&& f) const {
  const std::vector<double>& tangent = tangents_[index(stage)];
  const Entries& motion = assembly_.pattern();
  const int row = 2 * stage * dof_;
  for (int j = 0; j < stages_; ++j) {
    const double weight = h_ * tableau_.a(stage, j), own = j == stage ? 1 : 0;
    if (j != stage && tableau_.a(stage, j) == 0) continue;
    const int column = 2 * j * dof_;
    for (std::size_t k = 0; k < node_entries_.size(); ++k) {
      const auto [r, c] = node_entries_[k];
      f(row + r, column + c, own * tangent[k] + weight * derivative_[k]);
    }
    for (int k = 0; k < dof_; ++k) f(row + k, column + dof_ + k, -weight);
    for (std::size_t k = 0; k < motion.size(); ++k) {
      const auto [r, c] = motion[k];
      f(row + dof_ + r, column + c, weight * stiffness_[k]);
      f(row + dof_ + r, column + dof_ + c, own * mass_[k] + weight * damping_[k]);
    }
  }
}

template <class GoToStage>
void CoupledStages::find(const dae::State& start, double h, const GoToStage& go_to_stage) {
  h_ = h;
  for (int i = 0; i < stages_; ++i) {
    rate(i).head(dof_) = vector_of(start.v) + h * tableau_.c(i) * vector_of(start.v_dot);
    rate(i).tail(dof_) = vector_of(start.v_dot);
  }
  // Newton's iteration converges quadratically: after a small correction one more leaves rounding only.
  constexpr double kSmall = 1e-9;
  for (int iteration = 0; correct(start, go_to_stage) > kSmall; ++iteration) {
    if (iteration == max_iterations_) {
      throw no_derivative(start.t + h, "its stages are not found in " +
                                           std::to_string(max_iterations_) +
                                           " iterations; make steps smaller");
    }
  }
  correct(start, go_to_stage);
  linearize(start, go_to_stage);
}

/// Residual and matrix at the current rates.
template <class GoToStage>
void CoupledStages::linearize(const dae::State& start, const GoToStage& go_to_stage) {
  for (int i = 0; i < stages_; ++i) {
    go_to_stage(i);
    evaluate(start, i);
  }
  if (matrix_->factorize()) return;
  throw no_derivative(start.t + h_,
                      "the matrix of its stages is singular at " +
                          assembly_.unknown_name(std::max(matrix_->singular_unknown(), 0) % dof_));
}

/// A correction of the rates; its size relative to them.
template <class GoToStage>
double CoupledStages::correct(const dae::State& start, const GoToStage& go_to_stage) {
  linearize(start, go_to_stage);
  matrix_->solve(all(residual_));
  rates_ -= residual_;
  double largest = 0, correction = 0;
  for (Eigen::Index k = 0; k < rates_.size(); ++k) {
    const double unit = k / dof_ % 2 == 0 ? 1 : h_;
    largest = std::max(largest, unit * std::abs(rates_(k)));
    correction = std::max(correction, unit * std::abs(residual_(k)));
  }
  return correction == 0 ? 0 : correction / largest;
}

/// The residual of a stage and its rows of the matrix.
void CoupledStages::evaluate(const dae::State& start, int stage) {
  auto theta = point_.head(dof_), v = point_.tail(dof_);
  theta.setZero();
  v = vector_of(start.v);
  for (int j = 0; j < stages_; ++j) point_ += h_ * tableau_.a(stage, j) * rate(j);
  const Const point = all(point_), own = Const(all(rates_)).subspan(index(2 * dof_ * stage));
  space_.plus<double>(start.q, point, q_);
  assembly_.set_configuration(q_);
  assembly_.set_velocity(point.last(index(dof_)));
  assembly_.set_acceleration(own.subspan(index(dof_), index(dof_)));
  dae::for_each_part(space_, NodeBlocks{point.data(), own.data(), assembly_.nodes(),
                                        tangents_[index(stage)].data(), derivative_.data()});
  evaluate_matrix({.c_a = 1, .c_v = 0, .k_q = 0}, mass_);
  evaluate_matrix({.c_a = 0, .c_v = 1, .k_q = 0}, damping_);
  evaluate_matrix({.c_a = 0, .c_v = 0, .k_q = 1}, stiffness_);
  const int* position = positions_[index(stage)].data();
  for_each_entry(stage, [&, values = matrix_->values()](int, int, double value) {
    values[index(*position++)] = value;
  });

  auto rows = residual_.segment(2 * dof_ * stage, 2 * dof_);
  rows.head(dof_) = rate(stage).head(dof_);
  apply_tangent(stage, {rows.data(), index(dof_)}, false);
  rows.head(dof_) -= v;
  rows.tail(dof_) = vector_of(assembly_.residual()).head(dof_);
}

void CoupledStages::evaluate_matrix(const dae::StepCoefficients& coefficients,
                                    std::vector<double>& values) {
  assembly_.coefficients() = coefficients;
  assembly_.evaluate(true);
  const Const matrix = assembly_.matrix().values();
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = matrix[index(assembly_positions_[k])];
}

/// T of a stage, or its transposed, times the first part of x.
void CoupledStages::apply_tangent(int stage, Span x, bool transposed) {
  product_.setZero();
  for (std::size_t k = 0; k < node_entries_.size(); ++k) {
    auto [row, column] = node_entries_[k];
    if (transposed) std::swap(row, column);
    product_(row) += tangents_[index(stage)][k] * x[index(column)];
  }
  std::copy_n(product_.data(), dof_, x.begin());
}

void CoupledStages::solve(Span x) {
  for (int i = 0; i < stages_; ++i) apply_tangent(i, x.subspan(index(2 * i * dof_)), false);
  matrix_->solve(x);
}

void CoupledStages::solve_transposed(Span x) {
  matrix_->solve_transposed(x);
  for (int i = 0; i < stages_; ++i) apply_tangent(i, x.subspan(index(2 * i * dof_)), true);
}

/// Gradients of a stage, or their derivatives along a direction, in columns.
struct StageGradients {
  MatrixXd values;     ///< with respect to (δ, θ')
  MatrixXd rows;       ///< weights of M u + g
  MatrixXd arguments;  ///< with respect to (δ_n, θ, v)
  MatrixXd motion;     ///< with respect to what M u + g depends on
};

/// A stage, or the end of a step.
struct Stage {
  enum class Controls { kStart, kEnd, kConstant };

  VectorXd weights;  ///< a_ij or b_j
  double c = 1;
  MotionPoint motion;
  int makes = -1;               ///< the rate that it has
  bool is_at_end_time = false;  ///< t_{n+1} in place of t_n + c h
  Controls controls = Controls::kConstant;

  double t = 0;
  std::vector<double> control_values = {};
  VectorXd point = {};  ///< (θ, v)
  VectorXd slope = {};  ///< its derivative by h
  // Directions, in columns.
  MatrixXd arguments = {};  ///< (δ_n, θ, v)
  MatrixXd values = {};     ///< (δ, θ')
  MatrixXd motion_columns = {};
  StageGradients gradients = {}, dots = {};
};

class MuntheKaasDerivative final : public StepDerivative {
 public:
  MuntheKaasDerivative(const dae::System& system, const dae::ButcherTableau& tableau,
                       const dae::NewtonOptions& newton, dae::ControlLaw controls);

  void set_step(const StepMade& step) override;
  void tangent(int columns, Const start, Const outer, Span end) override;
  void adjoint(int columns, Const end, Span start, Span outer) override;
  void second(Const start_dot, Const outer_dot, const Dual& end, const Dual& start,
              const Dual& outer) override;

 private:
  using Columns = Map<const MatrixXd>;
  using ColumnsOut = Map<MatrixXd>;
  /// Of gradients, or of their derivatives along a direction.
  enum class Order { kFirst, kSecond };

  void add_stage(const dae::System& system, const VectorXd& weights, double c);
  /// Stages before this one are solved for together, others follow from those before them.
  int first_uncoupled() const { return coupled_ ? num_rates_ : 0; }
  int num_stages() const { return static_cast<int>(stages_.size()); }
  bool is_last(const Stage& stage) const { return &stage == &stages_.back(); }
  dae::LinearSolver& mass_of(int stage) {
    return masses_[has_constant_mass_ ? 0 : index(stage - first_uncoupled())];
  }
  auto part(MatrixXd& motion, int first) const { return motion.middleRows(first, dof_); }
  /// (p, u).
  auto rate(MatrixXd& rates, int j) const { return rates.middleRows(2 * dof_ * j, 2 * dof_); }
  static StageGradients& gradients_of(Stage& stage, Order order) {
    return order == Order::kFirst ? stage.gradients : stage.dots;
  }
  MatrixXd& rates_of(Order order) { return order == Order::kFirst ? rate_gradients_ : rate_dots_; }

  void go_to(const Stage& stage);
  void set_point(Stage& stage, const dae::State& start);
  void find_acceleration(int stage);

  void find_tangents(const Columns& start, const Columns& outer);
  void find_coupled_tangents(const Columns& start, const Columns& outer);
  void find_arguments(Stage& stage, const Columns& start, const Columns& outer);
  int controls_offset(const Stage& stage) const {
    return stage.controls == Stage::Controls::kStart ? outer_.start_controls : outer_.end_controls;
  }

  void pull_back(const Columns& end, Order order);
  void pull_back_coupled(const Columns& end, Order order);
  void begin_gradients(Stage& stage, const Columns& end, Order order);
  void add_weights(Stage& stage, Order order);
  void spread(Stage& stage, Order order);
  void distribute(Order order, ColumnsOut start, ColumnsOut outer);

  int dof_;
  MotionLayout motion_;
  StateLayout state_;
  OuterLayout outer_;
  dae::ControlLaw law_;
  StageFunctions functions_;
  KernelSum elements_;
  dae::Assembly assembly_;
  bool has_constant_mass_, has_mass_ = false;
  std::vector<dae::LinearSolver> masses_;
  std::vector<int> mass_positions_, assembly_positions_;
  int num_rates_;
  std::vector<Stage> stages_;  ///< the last is the end
  std::unique_ptr<CoupledStages> coupled_;

  double h_ = 0, h_dot_ = 0;
  dae::State at_;
  MatrixXd rates_;
  MatrixXd rate_columns_, coupled_columns_, row_columns_;  // of directions
  MatrixXd rate_gradients_, rate_dots_, added_values_, added_motion_;
};

MuntheKaasDerivative::MuntheKaasDerivative(const dae::System& system,
                                           const dae::ButcherTableau& tableau,
                                           const dae::NewtonOptions& newton,
                                           dae::ControlLaw controls)
    : dof_(system.dof()),
      motion_(system),
      state_(system),
      outer_(system),
      law_(std::move(controls)),
      functions_(system),
      elements_(
          element_sum(system, dae::ElementFunction::kStep, {.position = false, .velocity = false})),
      assembly_(system, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kAutomatic),
      has_constant_mass_(dae::MassSolver(assembly_).is_constant()),
      num_rates_(static_cast<int>(tableau.b.size())) {
  const bool is_explicit = tableau.is_explicit();
  // A last stage of an explicit tableau that is the end is evaluated as the end.
  if (is_explicit && tableau.first_same_as_last()) num_rates_ -= 1;
  for (int i = is_explicit ? 1 : 0; i < num_rates_; ++i) {
    add_stage(system, tableau.a.row(i).head(num_rates_), tableau.c(i));
    stages_.back().makes = i;
  }
  if (is_explicit || tableau.a.row(num_rates_ - 1) != tableau.b.transpose()) {
    add_stage(system, tableau.b.head(num_rates_), 1.0);
    stages_.back().is_at_end_time = true;
  }
  if (!is_explicit) {
    coupled_ = std::make_unique<CoupledStages>(system, tableau, assembly_, newton.max_iterations);
  }

  const int uncoupled = num_stages() - first_uncoupled();
  for (int i = 0; i < (has_constant_mass_ ? std::min(uncoupled, 1) : uncoupled); ++i) {
    masses_.emplace_back(dae::SparsePattern{.size = dof_, .entries = assembly_.pattern()});
  }
  for (const auto& [row, column] : assembly_.pattern()) {
    assembly_positions_.push_back(assembly_.matrix().position(row, column));
    if (!masses_.empty()) mass_positions_.push_back(masses_[0].position(row, column));
  }
  rates_.resize(2 * dof_ * num_rates_, 1);
  at_.q.resize(index(system.configuration_space().num_coeffs()));
  at_.v.resize(index(dof_));
  at_.v_dot.resize(index(dof_));
}

void MuntheKaasDerivative::add_stage(const dae::System& system, const VectorXd& weights, double c) {
  Stage stage{.weights = weights, .c = c, .motion = MotionPoint(system)};
  if (c == 0) stage.controls = Stage::Controls::kStart;
  if (c == 1) stage.controls = Stage::Controls::kEnd;
  stage.motion.set_parameters(system.parameter_values());
  stage.control_values.resize(system.controls().size());
  stages_.push_back(std::move(stage));
}

void MuntheKaasDerivative::go_to(const Stage& stage) {
  assembly_.set_time(stage.t);
  std::copy(stage.control_values.begin(), stage.control_values.end(), assembly_.controls().begin());
}

void MuntheKaasDerivative::set_step(const StepMade& step) {
  h_ = step.h;
  for (Stage& stage : stages_) {
    stage.t = stage.is_at_end_time ? step.end.t : step.start.t + stage.c * h_;
    if (stage.controls != Stage::Controls::kConstant) {
      const Const from =
          stage.controls == Stage::Controls::kStart ? step.start_controls : step.end_controls;
      stage.control_values.assign(from.begin(), from.end());
    } else if (law_) {
      law_(stage.t, stage.control_values);
    }
  }
  if (coupled_) {
    coupled_->find(step.start, h_, [this](int i) { go_to(stages_[index(i)]); });
    rates_ = coupled_->rates();
  } else {
    rate(rates_, 0) << vector_of(step.start.v), vector_of(step.start.v_dot);
  }
  for (int i = 0; i < num_stages(); ++i) {
    Stage& stage = stages_[index(i)];
    set_point(stage, step.start);
    if (i < first_uncoupled()) {
      std::copy_n(column(rates_, 0).begin() + 2 * dof_ * i + dof_, dof_, at_.v_dot.begin());
    } else {
      find_acceleration(i);
    }
    stage.motion.set(at_, stage.control_values);
  }
}

/// θ and v of a stage; the state there, but for v̇.
void MuntheKaasDerivative::set_point(Stage& stage, const dae::State& start) {
  stage.slope.setZero(2 * dof_);
  for (int j = 0; j < num_rates_; ++j) {
    // Later rates are not known yet.
    if (stage.weights(j) != 0) stage.slope += stage.weights(j) * rate(rates_, j);
  }
  stage.point = h_ * stage.slope;
  stage.point.tail(dof_) += vector_of(start.v);
  at_.t = stage.t;
  assembly_.system().configuration_space().plus<double>(start.q, all(stage.point), at_.q);
  std::copy_n(stage.point.data() + dof_, dof_, at_.v.begin());
}

/// M u + g = 0 at the state, and the rate that the stage has; M stays factorised.
void MuntheKaasDerivative::find_acceleration(int stage) {
  go_to(stages_[index(stage)]);
  Map<VectorXd> u(at_.v_dot.data(), dof_);
  u.setZero();
  assembly_.set_configuration(at_.q);
  assembly_.set_velocity(at_.v);
  assembly_.set_acceleration(at_.v_dot);
  assembly_.coefficients() = {};
  dae::LinearSolver& mass = mass_of(stage);
  const bool is_new = !(has_constant_mass_ && has_mass_);
  assembly_.evaluate(is_new);
  if (is_new) {
    const Const from = assembly_.matrix().values();
    const Span to = mass.values();
    for (std::size_t k = 0; k < mass_positions_.size(); ++k) {
      to[index(mass_positions_[k])] = from[index(assembly_positions_[k])];
    }
    has_mass_ = mass.factorize();
    if (!has_mass_) {
      throw no_derivative(stages_.back().t,
                          "the mass matrix is singular at " +
                              assembly_.unknown_name(std::max(mass.singular_unknown(), 0)));
    }
  }
  u = -vector_of(assembly_.residual()).head(dof_);
  mass.solve(at_.v_dot);
  const int made = stages_[index(stage)].makes;
  if (made < 0) return;
  const Span p = column(rates_, 0).subspan(index(2 * dof_ * made));
  assembly_.system().configuration_space().apply_tangent_operator_inverse<double>(
      all(stages_[index(stage)].point), at_.v, p);
  rate(rates_, made).bottomRows(dof_) = u;
}

/// Directions of the arguments of a stage, given those of the rates, and what follows without u.
void MuntheKaasDerivative::find_arguments(Stage& stage, const Columns& start,
                                          const Columns& outer) {
  const Eigen::Index columns = start.cols();
  stage.arguments.setZero(3 * dof_, columns);
  stage.arguments.topRows(dof_) = start.middleRows(state_.q, dof_);
  stage.arguments.bottomRows(dof_) = start.middleRows(state_.v, dof_);
  auto point = stage.arguments.bottomRows(2 * dof_);
  for (int j = 0; j < num_rates_; ++j) {
    if (stage.weights(j) != 0) point += h_ * stage.weights(j) * rate(rate_columns_, j);
  }
  point += stage.slope.lazyProduct(outer.row(outer_.h));
  stage.values.setZero(2 * dof_, columns);
  functions_.sum().tangent(all(stage.point), static_cast<int>(columns), all(stage.arguments),
                           all(stage.values));

  MatrixXd& motion = stage.motion_columns;
  motion.setZero(motion_.size, columns);
  part(motion, motion_.q) = stage.values.topRows(dof_);
  part(motion, motion_.v) = stage.arguments.bottomRows(dof_);
  const int parameters = motion_.controls - motion_.parameters;
  motion.middleRows(motion_.parameters, parameters) =
      outer.middleRows(outer_.parameters, parameters);
  if (stage.controls != Stage::Controls::kConstant) {
    const int controls = motion_.time - motion_.controls;
    motion.middleRows(motion_.controls, controls) =
        outer.middleRows(controls_offset(stage), controls);
  }
  if (stage.is_at_end_time) {
    motion.row(motion_.time) = outer.row(outer_.end_time);
  } else {
    motion.row(motion_.time) = outer.row(outer_.start_time) + stage.c * outer.row(outer_.h);
  }
}

void MuntheKaasDerivative::find_tangents(const Columns& start, const Columns& outer) {
  const Eigen::Index columns = start.cols();
  rate_columns_.setZero(2 * dof_ * num_rates_, columns);
  if (coupled_) {
    find_coupled_tangents(start, outer);
  } else {
    rate(rate_columns_, 0) = start.middleRows(state_.v, 2 * dof_);  // v_n and v̇_n
  }
  for (int i = first_uncoupled(); i < num_stages(); ++i) {
    Stage& stage = stages_[index(i)];
    find_arguments(stage, start, outer);
    row_columns_.setZero(dof_, columns);
    elements_.tangent(stage.motion.numbers(), static_cast<int>(columns), all(stage.motion_columns),
                      all(row_columns_));
    for (Eigen::Index c = 0; c < columns; ++c) mass_of(i).solve(column(row_columns_, c));
    part(stage.motion_columns, motion_.v_dot) = -row_columns_;
    if (stage.makes < 0) continue;
    rate(rate_columns_, stage.makes).topRows(dof_) = stage.values.bottomRows(dof_);
    rate(rate_columns_, stage.makes).bottomRows(dof_) = -row_columns_;
  }
}

void MuntheKaasDerivative::find_coupled_tangents(const Columns& start, const Columns& outer) {
  const Eigen::Index columns = start.cols();
  // With the rates fixed.
  coupled_columns_.resize(2 * dof_ * num_rates_, columns);
  for (int i = 0; i < num_rates_; ++i) {
    Stage& stage = stages_[index(i)];
    find_arguments(stage, start, outer);
    row_columns_.setZero(dof_, columns);
    elements_.tangent(stage.motion.numbers(), static_cast<int>(columns), all(stage.motion_columns),
                      all(row_columns_));
    rate(coupled_columns_, i).topRows(dof_) = -stage.values.bottomRows(dof_);
    rate(coupled_columns_, i).bottomRows(dof_) = row_columns_;
  }
  // Of the rates, and what follows from them.
  for (Eigen::Index c = 0; c < columns; ++c) coupled_->solve(column(coupled_columns_, c));
  rate_columns_ = -coupled_columns_;
  for (int i = 0; i < num_rates_; ++i) {
    Stage& stage = stages_[index(i)];
    find_arguments(stage, start, outer);
    part(stage.motion_columns, motion_.v_dot) = rate(rate_columns_, i).bottomRows(dof_);
  }
}

void MuntheKaasDerivative::tangent(int columns, Const start, Const outer, Span end) {
  find_tangents({start.data(), state_.size, columns}, {outer.data(), outer_.size, columns});
  MatrixXd& motion = stages_.back().motion_columns;
  ColumnsOut to(end.data(), state_.size, columns);
  to.middleRows(state_.q, dof_) = part(motion, motion_.q);
  to.middleRows(state_.v, dof_) = part(motion, motion_.v);
  to.middleRows(state_.v_dot, dof_) = part(motion, motion_.v_dot);
  to.middleRows(state_.a, dof_) = part(motion, motion_.v_dot);
}

/// What gradients of a stage have apart from the weights of its rows and of its rate: those of the end, and
/// of derivatives what a change of the stage does to its gradients.
void MuntheKaasDerivative::begin_gradients(Stage& stage, const Columns& end, Order order) {
  const Eigen::Index columns = end.cols();
  StageGradients& own = gradients_of(stage, order);
  own.values.setZero(2 * dof_, columns);
  own.rows.setZero(dof_, columns);
  own.arguments.setZero(3 * dof_, columns);
  own.motion.setZero(motion_.size, columns);
  if (order == Order::kSecond) {
    elements_.second(stage.motion.numbers(), all(stage.gradients.rows), all(stage.motion_columns),
                     all(own.motion));
    functions_.sum().second(all(stage.point), all(stage.gradients.values), all(stage.arguments),
                            all(own.arguments));
  } else if (!is_last(stage)) {
    return;
  }
  if (is_last(stage)) {
    part(own.motion, motion_.q) += end.middleRows(state_.q, dof_);
    part(own.motion, motion_.v) += end.middleRows(state_.v, dof_);
    part(own.motion, motion_.v_dot) +=
        end.middleRows(state_.v_dot, dof_) + end.middleRows(state_.a, dof_);
  }
  own.values.topRows(dof_) = part(own.motion, motion_.q);
  own.arguments.bottomRows(dof_) += part(own.motion, motion_.v);
  functions_.sum().adjoint(all(stage.point), static_cast<int>(columns), all(own.values),
                           all(own.arguments));
}

/// Adds what the weights of its rows, and of θ' in added_values_, mean for the gradients of a stage.
void MuntheKaasDerivative::add_weights(Stage& stage, Order order) {
  StageGradients& own = gradients_of(stage, order);
  const int columns = static_cast<int>(own.rows.cols());
  added_motion_.setZero(motion_.size, columns);
  elements_.adjoint(stage.motion.numbers(), columns, all(own.rows), all(added_motion_));
  added_values_.topRows(dof_) = part(added_motion_, motion_.q);
  own.arguments.bottomRows(dof_) += part(added_motion_, motion_.v);
  functions_.sum().adjoint(all(stage.point), columns, all(added_values_), all(own.arguments));
  own.motion += added_motion_;
  own.values += added_values_;
}

/// Adds what gradients with respect to θ and v of a stage mean for the rates.
void MuntheKaasDerivative::spread(Stage& stage, Order order) {
  for (int j = 0; j < num_rates_; ++j) {
    const double weight = stage.weights(j);
    if (weight == 0) continue;
    auto to = rate(rates_of(order), j);
    to += h_ * weight * gradients_of(stage, order).arguments.bottomRows(2 * dof_);
    if (order == Order::kFirst) continue;
    to += h_dot_ * weight * stage.gradients.arguments.bottomRows(2 * dof_);
  }
}

/// Gradients of all stages for those of the end; of second order, their derivatives along the direction that
/// find_tangents() was called with, when those of first order are known.
void MuntheKaasDerivative::pull_back(const Columns& end, Order order) {
  MatrixXd& rates = rates_of(order);
  rates.setZero(2 * dof_ * num_rates_, end.cols());
  for (int i = num_stages() - 1; i >= first_uncoupled(); --i) {
    Stage& stage = stages_[index(i)];
    begin_gradients(stage, end, order);
    StageGradients& own = gradients_of(stage, order);
    // Weights that make the gradient with respect to u vanish.
    own.rows = -part(own.motion, motion_.v_dot);
    added_values_.setZero(2 * dof_, end.cols());
    if (stage.makes >= 0) {
      added_values_.bottomRows(dof_) = rate(rates, stage.makes).topRows(dof_);
      own.rows -= rate(rates, stage.makes).bottomRows(dof_);
    }
    for (Eigen::Index c = 0; c < end.cols(); ++c) mass_of(i).solve_transposed(column(own.rows, c));
    add_weights(stage, order);
    spread(stage, order);
  }
  if (coupled_) pull_back_coupled(end, order);
}

void MuntheKaasDerivative::pull_back_coupled(const Columns& end, Order order) {
  MatrixXd& rates = rates_of(order);
  for (int i = 0; i < num_rates_; ++i) {
    Stage& stage = stages_[index(i)];
    begin_gradients(stage, end, order);
    spread(stage, order);
    rate(rates, i).bottomRows(dof_) += part(gradients_of(stage, order).motion, motion_.v_dot);
  }
  // Weights that make the gradients with respect to all rates vanish.
  for (Eigen::Index c = 0; c < end.cols(); ++c) coupled_->solve_transposed(column(rates, c));
  added_values_.resize(2 * dof_, end.cols());
  for (int i = 0; i < num_rates_; ++i) {
    added_values_.bottomRows(dof_) = rate(rates, i).topRows(dof_);
    gradients_of(stages_[index(i)], order).rows = -rate(rates, i).bottomRows(dof_);
    add_weights(stages_[index(i)], order);
  }
}

/// Adds the gradients of all stages to those of the start and of the rest.
void MuntheKaasDerivative::distribute(Order order, ColumnsOut start, ColumnsOut outer) {
  const int parameters = motion_.controls - motion_.parameters;
  const int controls = motion_.time - motion_.controls;
  for (Stage& stage : stages_) {
    StageGradients& own = gradients_of(stage, order);
    start.middleRows(state_.q, dof_) += own.arguments.topRows(dof_);
    start.middleRows(state_.v, dof_) += own.arguments.bottomRows(dof_);
    outer.middleRows(outer_.parameters, parameters) +=
        own.motion.middleRows(motion_.parameters, parameters);
    if (stage.controls != Stage::Controls::kConstant) {
      outer.middleRows(controls_offset(stage), controls) +=
          own.motion.middleRows(motion_.controls, controls);
    }
    if (stage.is_at_end_time) {
      outer.row(outer_.end_time) += own.motion.row(motion_.time);
    } else {
      outer.row(outer_.start_time) += own.motion.row(motion_.time);
      outer.row(outer_.h) += stage.c * own.motion.row(motion_.time);
    }
    outer.row(outer_.h) += stage.slope.transpose().lazyProduct(own.arguments.bottomRows(2 * dof_));
    if (order == Order::kFirst) continue;
    // What the slope changes by.
    for (int j = 0; j < num_rates_; ++j) {
      outer.row(outer_.h) +=
          stage.weights(j) * rate(rate_columns_, j)
                                 .transpose()
                                 .lazyProduct(stage.gradients.arguments.bottomRows(2 * dof_));
    }
  }
  if (!coupled_) start.middleRows(state_.v, 2 * dof_) += rate(rates_of(order), 0);
}

void MuntheKaasDerivative::adjoint(int columns, Const end, Span start, Span outer) {
  pull_back({end.data(), state_.size, columns}, Order::kFirst);
  distribute(Order::kFirst, {start.data(), state_.size, columns},
             {outer.data(), outer_.size, columns});
}

void MuntheKaasDerivative::second(Const start_dot, Const outer_dot, const Dual& end,
                                  const Dual& start, const Dual& outer) {
  find_tangents({start_dot.data(), state_.size, 1}, {outer_dot.data(), outer_.size, 1});
  h_dot_ = outer_dot[index(outer_.h)];
  adjoint(1, end.value, start.value, outer.value);
  pull_back({end.dot.data(), state_.size, 1}, Order::kSecond);
  distribute(Order::kSecond, {start.dot.data(), state_.size, 1},
             {outer.dot.data(), outer_.size, 1});
}

}  // namespace

std::unique_ptr<StepDerivative> munthe_kaas_derivative(const dae::System& system,
                                                       const dae::ButcherTableau& tableau,
                                                       const dae::NewtonOptions& newton,
                                                       dae::ControlLaw controls) {
  dae::make_munthe_kaas(system, tableau, newton);  // says what is wrong
  return std::make_unique<MuntheKaasDerivative>(system, tableau, newton, std::move(controls));
}

}  // namespace liegrad::sensitivity
