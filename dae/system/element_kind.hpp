#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "liegrad/ad/kernel.hpp"
#include "liegrad/ad/kernel_list.hpp"
#include "liegrad/dae/runs.hpp"
#include "liegrad/dae/system/constraint_rows.hpp"
#include "liegrad/dae/system/constraint_tape.hpp"

namespace liegrad::dae {

/// How many numbers describe the matrix Q of a node, δ = Q w, see ElementInputs. Q has the shape of the
/// tangent operator: nothing for a commutative group, A for rotations, A and C of (A 0; C A) for
/// SE(3), whose algebra is that of SO(3) in dual numbers, and the whole matrix for SE(2).
int node_map_size(const lie::NodeGroup& group);
/// Makes it the identity: A = I, C = 0, or the whole matrix I.
template <class S>
void set_identity_map(const lie::NodeGroup& group, S* map) {
  const int size = node_map_size(group);
  for (int i = 0; i < size; ++i) map[i] = S(i < 9 && i % 4 == 0 ? 1 : 0);
}

/// What the corrections of a step are, as element kernels see them.
struct CorrectionForm {
  /// Corrections of position and of velocity are unknowns of their own: needed where the two do not
  /// move together (the stabilised formulation).
  bool split = false;
  /// v moves by V w with a matrix V for each node instead of by w (updated Lagrangian methods).
  bool velocity_map = false;
  /// w moves positions only, and by itself: Q and all factors are 1. For derivatives by position.
  bool direct = false;
  auto operator<=>(const CorrectionForm&) const = default;
};
inline constexpr CorrectionForm kDirectForm = {.direct = true};

/// The inputs of all functions of an element.
///
/// Variables, zero whenever a kernel is called: a correction w of the motion of its nodes, corrections
/// of hλ and of hs. They act on the data as
///
///     δ = k_q Q w,   v + c_v V w,   v̇ + c_a w       in the equations of motion and in h_s,
///     δ = Q w                                       in Φ,
///     δ = k_r Q w,   v + c_r V w                    in dΦ/dt,
///
/// where q becomes q∘exp(δ): with the coefficients of a time integration method the derivatives by
/// the variables are its iteration matrix, [ArnoldCardonaBruels2015, Eqs. (60), (62)], and with other
/// coefficients M, D, K, B or Z alone.
struct ElementInputs {
  struct Node {
    int view, v, v_dot, map;  ///< offsets; a node's numbers stand together
    int velocity_map;
  };
  CorrectionForm form;
  int w = 0;           ///< of positions and velocities; when split, of positions
  int w_velocity = 0;  ///< when split, of velocities; otherwise without effect
  int multiplier_corrections = 0, algebraic_corrections = 0;
  int num_variables = 0;
  std::vector<Node> nodes;
  int multipliers = 0, algebraic = 0, parameters = 0, controls = 0, time = 0;
  int coefficients = 0;   ///< c_a, c_v, k_q, c_r, k_r
  int velocity_maps = 0;  ///< at the end: what comes before has its place in all forms
  int num_inputs = 0;
};
inline constexpr int kNumCoefficients = 5;

/// The outputs of the step equations of an element, in this order.
struct ElementRows {
  int motion = 0, algebraic = 0, position = 0, velocity = 0, num_outputs = 0;
};

/// What is observed of an element: kinetic and potential energy, momentum (3 + 3), its own outputs.
struct ObservableRows {
  static constexpr int kKinetic = 0, kPotential = 1, kMomentum = 2, kOutputs = 8;
};

/// The functions of an element of which the equations of a system are sums.
enum class ElementFunction {
  kStep,          ///< M v̇ + g + Bᵀλ, h_s, then Φ and dΦ/dt as far as a formulation has them
  kConstraints,   ///< Φ and dΦ/dt
  kAcceleration,  ///< d²Φ/dt²
  kJerk,          ///< d³Φ/dt³ for v̈ = 0
  kObservables,   ///< ObservableRows
  kConstraintForce,  ///< Bᵀλ
  kRate,             ///< what M v̇ + g + Bᵀλ and h_s change by when the motion does
};

/// The physics of an element on nodes of given groups: recordings and kernels, shared by all elements
/// of the kind. Kernels are made when first asked for.
class ElementKind {
 public:
  /// Throws InvalidArgument when the element cannot be attached to such nodes, when its functions do not fit
  /// its shape, and when they do not read what the shape declares.
  ElementKind(std::shared_ptr<const ElementModel> model, std::vector<lie::NodeGroup> groups);

  const ElementModel& model() const { return *model_; }
  const ElementShape& shape() const { return model_->shape(); }
  const std::vector<lie::NodeGroup>& groups() const { return groups_; }
  /// Precondition: it has constraints.
  const ConstraintTape& constraint_tape() const { return *constraint_tape_; }
  bool is_same(const ElementModel& model, const std::vector<lie::NodeGroup>& groups) const {
    return groups == groups_ && model.same_physics(*model_);
  }
  int dof() const { return dof_; }

  ElementInputs inputs(CorrectionForm form) const;
  ElementRows rows(ConstraintRows rows) const;

  /// M v̇ + g + Bᵀλ, h_s, Φ, dΦ/dt as far as the formulation has them.
  const ad::Recording& step_recording(ConstraintRows rows, CorrectionForm form) const;
  /// Values and all derivatives by the variables.
  const ad::Kernel& newton(ConstraintRows rows, CorrectionForm form) const;
  /// Values only.
  const ad::Kernel& values(ConstraintRows rows, CorrectionForm form) const;
  /// Φ and dΦ/dt.
  const ad::Kernel& constraints() const;
  /// d²Φ/dt² for the given v̇; d³Φ/dt³ for the given v̇ and v̈ = 0, interpreted.
  const ad::Kernel& constraint_acceleration() const;
  const ad::Kernel& constraint_jerk() const;
  /// Derivatives of M v̇ + g + Bᵀλ and h_s along a direction in (w, time). Interpreted.
  const ad::Kernel& residual_rate() const;
  const ad::Kernel& observables() const;

  // Derivatives of a function by everything that it depends on.

  /// A product of its derivatives as the only result of a kernel; of those that are needed once a run it is
  /// interpreted.
  const ad::Kernel& product(ElementFunction function, ConstraintRows rows, ad::ResultKind product,
                            Runs runs = Runs::kOne) const;
  /// The function in terms of inputs(kDirectForm); that of kRate has num_rates() further inputs, the rates
  /// of positions, v, v̇, λ, s and time.
  const ad::Recording& function_recording(ElementFunction function, ConstraintRows rows) const;
  /// The inputs that products are taken with: position, v and v̇ of its nodes, λ (its own and those that it
  /// reads), s, parameters, controls, time, rates.
  std::vector<int> arguments(ElementFunction function) const;
  int num_rates() const { return static_cast<int>(rates().size()); }

  /// Which inputs the kernels newton(), values() and constraints() read.
  std::vector<bool> inputs_of_steps(ConstraintRows rows, CorrectionForm form) const;

  /// By velocity: whether its equation of motion depends on its acceleration.
  const std::vector<bool>& has_inertia() const;
  /// Whether its equations of motion and h_s are linear in v̇, λ and s.
  bool is_linear_in_accelerations() const;

  /// Adds the kernels that simulations use to those compiled when a program is built.
  void list_kernels(ad::KernelList& list) const;

 private:
  using Function = ElementFunction;
  enum class Use { kNewton, kValues, kRate, kTangent, kAdjoint, kSecond };
  using Key = std::tuple<Function, ConstraintRows, CorrectionForm>;

  void check_nodes() const;
  void check_functions() const;
  void check_inputs() const;
  /// A part of the shape that no function reads, or empty.
  std::string unread_part() const;
  /// Whether its equations of motion have anything in these rows.
  bool adds_to_rows(int first, int count) const;
  /// Of inputs({}), those of v̇.
  std::vector<int> acceleration_inputs(const ElementInputs& in) const;
  static Use use_of(ad::ResultKind product);
  /// The inputs whose rates kRate has as inputs.
  std::vector<int> rates() const;
  Key normalised(Key key) const;
  ad::RecordOptions record_options(const ElementInputs& in) const;
  const ad::Recording& recording(const Key& key) const;
  const ad::Kernel& kernel(const Key& given, Use use,
                           ad::Backend backend = ad::Backend::kCompiled) const;
  ad::KernelSpec spec(const Key& key, Use use) const;

  std::shared_ptr<const ElementModel> model_;
  std::vector<lie::NodeGroup> groups_;
  int dof_ = 0;
  std::unique_ptr<const ConstraintTape> constraint_tape_;
  mutable std::mutex mutex_;
  mutable std::map<Key, ad::Recording> recordings_;
  mutable std::map<std::tuple<Key, Use, ad::Backend>, ad::Kernel> kernels_;
  mutable std::vector<bool> has_inertia_;  ///< empty until it is asked for
  mutable std::optional<bool> is_linear_in_accelerations_;
};

}  // namespace liegrad::dae
