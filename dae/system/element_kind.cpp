#include "liegrad/dae/system/element_kind.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "liegrad/ad/directional_derivative.hpp"
#include "liegrad/dae/system/element_functions.hpp"

namespace liegrad::dae {
namespace {

bool fits(const NodeSlot& slot, const lie::NodeGroup& group) {
  switch (slot.role) {
    case NodeRole::kRigidBody: return is_rigid_body(group);
    case NodeRole::kRotation: return group.kind == lie::GroupKind::kSO3;
    case NodeRole::kCoordinates: return group == lie::NodeGroup::rn(slot.n);
    case NodeRole::kPlanarBody: return is_planar_body(group);
    case NodeRole::kFrame: return is_rigid_body(group) || group == ground_group();
    case NodeRole::kPoint: return has_frame(group);
    case NodeRole::kPlanarFrame: return is_planar_body(group) || group == ground_group();
    case NodeRole::kPlanarPoint: return has_planar_frame(group);
  }
  return false;
}

std::string description(const NodeSlot& slot) {
  switch (slot.role) {
    case NodeRole::kRigidBody: return "a rigid body (SO(3)xR^3 or SE(3))";
    case NodeRole::kRotation: return "a rotation (SO(3))";
    case NodeRole::kCoordinates: return "coordinates in R^" + std::to_string(slot.n);
    case NodeRole::kPlanarBody: return "a planar body (SE(2), or x, y, theta in R^3)";
    case NodeRole::kFrame: return "a rigid body (SO(3)xR^3 or SE(3)) or the ground";
    case NodeRole::kPoint: return "a rigid body, a point in R^3 or the ground";
    case NodeRole::kPlanarFrame: return "a planar body (SE(2) or R^3) or the ground";
    case NodeRole::kPlanarPoint: return "a planar body, a point in R^2 or the ground";
  }
  return "";
}

}  // namespace

int node_map_size(const lie::NodeGroup& group) {
  switch (group.kind) {
    case lie::GroupKind::kRn:
    case lie::GroupKind::kSO2: return 0;
    case lie::GroupKind::kSO3:
    case lie::GroupKind::kSO3xR3:
    case lie::GroupKind::kSE2: return 9;
    case lie::GroupKind::kSE3: return 18;
  }
  return 0;
}

ElementKind::ElementKind(std::shared_ptr<const ElementModel> model,
                         std::vector<lie::NodeGroup> groups)
    : model_(std::move(model)), groups_(std::move(groups)) {
  check_nodes();
  for (const lie::NodeGroup& group : groups_) dof_ += group.dof();
  check_functions();
  if (shape().constraints > 0) {
    constraint_tape_ = std::make_unique<ConstraintTape>(*model_, groups_);
  }
  check_inputs();
}

void ElementKind::check_nodes() const {
  const auto& slots = shape().nodes;
  if (slots.size() != groups_.size()) {
    throw InvalidArgument("an element of type '" + shape().type + "' connects " +
                          std::to_string(slots.size()) + " nodes, not " +
                          std::to_string(groups_.size()));
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (fits(slots[i], groups_[i])) continue;
    throw InvalidArgument("node " + std::to_string(i + 1) + " of an element of type '" +
                          shape().type + "' must be " + description(slots[i]));
  }
}

ElementInputs ElementKind::inputs(CorrectionForm form) const {
  ElementInputs in;
  in.form = form;
  int next = 0;
  const auto take = [&next](int count) { return std::exchange(next, next + count); };
  in.w = take(dof_);
  in.w_velocity = take(dof_);
  in.multiplier_corrections = take(shape().constraints + shape().multipliers_read);
  in.algebraic_corrections = take(shape().algebraic);
  in.num_variables = next;
  for (const lie::NodeGroup& group : groups_) {
    ElementInputs::Node node{};
    node.view = take(NodeView::size(group));
    node.v = take(group.dof());
    node.v_dot = take(group.dof());
    node.map = take(node_map_size(group));
    in.nodes.push_back(node);
  }
  in.multipliers = take(shape().constraints + shape().multipliers_read);
  in.algebraic = take(shape().algebraic);
  in.parameters = take(static_cast<int>(shape().parameters.size()));
  in.controls = take(static_cast<int>(shape().controls.size()));
  in.time = take(1);
  in.coefficients = take(kNumCoefficients);
  in.velocity_maps = next;
  for (std::size_t i = 0; i < groups_.size() && form.velocity_map; ++i) {
    in.nodes[i].velocity_map = take(node_map_size(groups_[i]));
  }
  in.num_inputs = next;
  return in;
}

ElementRows ElementKind::rows(ConstraintRows wanted) const {
  ElementRows rows;
  rows.algebraic = dof_;
  rows.position = rows.algebraic + shape().algebraic;
  rows.velocity = rows.position + (wanted.position ? shape().constraints : 0);
  rows.num_outputs = rows.velocity + (wanted.velocity ? shape().constraints : 0);
  return rows;
}

const ad::Recording& ElementKind::step_recording(ConstraintRows rows, CorrectionForm form) const {
  const std::lock_guard lock(mutex_);
  return recording(normalised({Function::kStep, rows, form}));
}
const ad::Kernel& ElementKind::newton(ConstraintRows rows, CorrectionForm form) const {
  return kernel({Function::kStep, rows, form}, Use::kNewton);
}
const ad::Kernel& ElementKind::values(ConstraintRows rows, CorrectionForm form) const {
  return kernel({Function::kStep, rows, form}, Use::kValues);
}
const ad::Kernel& ElementKind::constraints() const {
  return kernel({Function::kConstraints, {}, {}}, Use::kValues);
}
const ad::Kernel& ElementKind::constraint_acceleration() const {
  return kernel({Function::kAcceleration, {}, {}}, Use::kValues);
}
const ad::Kernel& ElementKind::constraint_jerk() const {
  return kernel({Function::kJerk, {}, {}}, Use::kValues, ad::Backend::kInterpreted);
}
const ad::Kernel& ElementKind::residual_rate() const {
  return kernel({Function::kStep, {}, {}}, Use::kRate, ad::Backend::kInterpreted);
}
const ad::Kernel& ElementKind::observables() const {
  return kernel({Function::kObservables, {}, {}}, Use::kValues);
}

const ad::Recording& ElementKind::function_recording(ElementFunction function,
                                                     ConstraintRows rows) const {
  const std::lock_guard lock(mutex_);
  return recording(normalised({function, rows, kDirectForm}));
}

ElementKind::Use ElementKind::use_of(ad::ResultKind product) {
  switch (product) {
    case ad::ResultKind::kJacobianTimes: return Use::kTangent;
    case ad::ResultKind::kTransposeTimes: return Use::kAdjoint;
    default: return Use::kSecond;
  }
}

const ad::Kernel& ElementKind::product(ElementFunction function, ConstraintRows rows,
                                       ad::ResultKind product, Runs runs) const {
  const bool is_needed_once = function != Function::kStep && function != Function::kConstraintForce;
  return kernel(
      {function, rows, kDirectForm}, use_of(product),
      is_needed_once && runs == Runs::kOne ? ad::Backend::kInterpreted : ad::Backend::kCompiled);
}

std::vector<int> ElementKind::rates() const {
  const ElementInputs in = inputs(kDirectForm);
  std::vector<int> list = ad::range(in.w, dof_);
  const auto append = [&list](int first, int count) {
    const std::vector<int> more = ad::range(first, count);
    list.insert(list.end(), more.begin(), more.end());
  };
  for (std::size_t k = 0; k < groups_.size(); ++k) append(in.nodes[k].v, groups_[k].dof());
  for (std::size_t k = 0; k < groups_.size(); ++k) append(in.nodes[k].v_dot, groups_[k].dof());
  append(in.multipliers, shape().constraints + shape().multipliers_read);
  append(in.algebraic, shape().algebraic);
  append(in.time, 1);
  return list;
}

std::vector<int> ElementKind::arguments(ElementFunction function) const {
  const ElementInputs in = inputs(kDirectForm);
  std::vector<int> list = rates();
  list.pop_back();
  const auto append = [&list](int first, int count) {
    const std::vector<int> more = ad::range(first, count);
    list.insert(list.end(), more.begin(), more.end());
  };
  append(in.parameters, static_cast<int>(shape().parameters.size()));
  append(in.controls, static_cast<int>(shape().controls.size()));
  append(in.time, 1);
  if (function == Function::kRate) append(in.num_inputs, num_rates());
  return list;
}

ElementKind::Key ElementKind::normalised(Key key) const {
  // Without constraints all formulations are one.
  if (shape().constraints == 0) std::get<ConstraintRows>(key) = {};
  return key;
}

ad::RecordOptions ElementKind::record_options(const ElementInputs& in) const {
  // Where it is recorded does not matter, but rotations should be rotations.
  std::vector<double> at(static_cast<std::size_t>(in.num_inputs), 0.0);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    std::vector<double> identity(static_cast<std::size_t>(groups_[i].num_coeffs()));
    lie::GroupList({groups_[i]}).identity(std::span<double>(identity));
    NodeView::of<double>(groups_[i], identity,
                         std::span(at).subspan(static_cast<std::size_t>(in.nodes[i].view)));
  }
  for (std::size_t i = 0; i < shape().parameters.size(); ++i) {
    at[static_cast<std::size_t>(in.parameters) + i] = shape().parameters[i].value;
  }
  return {.name = shape().type,
          .variables = in.num_variables,
          .data = in.num_inputs - in.num_variables,
          .at = at};
}

const ad::Recording& ElementKind::recording(const Key& key) const {
  const auto found = recordings_.find(key);
  if (found != recordings_.end()) return found->second;

  const Function function = std::get<Function>(key);
  if (function == Function::kRate) {
    const ad::Recording& step = recording({Function::kStep, {false, false}, kDirectForm});
    return recordings_.emplace(key, ad::directional_derivative(step, rates())).first->second;
  }
  const ConstraintRows rows = std::get<ConstraintRows>(key);
  const ElementInputs in = inputs(std::get<CorrectionForm>(key));
  const ElementFunctions functions(*this, in);
  const auto outputs = [&](std::span<const Taped> x, std::span<const Taped> d) {
    std::vector<Taped> all(x.begin(), x.end());
    all.insert(all.end(), d.begin(), d.end());
    switch (function) {
      case Function::kStep: return functions.step(all, rows);
      case Function::kConstraints: return functions.constraint_and_rate(all);
      case Function::kAcceleration: return functions.constraint_derivative(all, 2);
      case Function::kJerk: return functions.constraint_derivative(all, 3);
      case Function::kObservables: return functions.observables(all);
      case Function::kConstraintForce: return functions.constraint_force(all);
      case Function::kRate: break;  // above
    }
    return std::vector<Taped>();
  };
  ad::Recording result = ad::record(record_options(in), outputs);
  return recordings_.emplace(key, std::move(result)).first->second;
}

ad::KernelSpec ElementKind::spec(const Key& key, Use use) const {
  const ElementInputs in = inputs(std::get<CorrectionForm>(key));
  ad::KernelSpec spec;
  spec.zero_inputs = ad::range(0, in.num_variables);
  switch (use) {
    case Use::kNewton: spec.results = {ad::value(), ad::sparse_jacobian()}; break;
    case Use::kValues: spec.results = {ad::value()}; break;
    case Use::kTangent:
      spec.results = {ad::jacobian_times(arguments(std::get<Function>(key)))};
      break;
    case Use::kAdjoint:
      spec.results = {ad::transpose_times(arguments(std::get<Function>(key)))};
      break;
    case Use::kSecond:
      spec.results = {ad::hessian_times(arguments(std::get<Function>(key)))};
      break;
    case Use::kRate: {
      std::vector<int> wrt = ad::range(in.w, dof_);
      wrt.push_back(in.time);
      spec.results = {ad::jacobian_times(wrt)};
      break;
    }
  }
  return spec;
}

const ad::Kernel& ElementKind::kernel(const Key& given, Use use, ad::Backend backend) const {
  const std::lock_guard lock(mutex_);
  const Key key = normalised(given);
  const auto found = kernels_.find({key, use, backend});
  if (found != kernels_.end()) return found->second;
  ad::Kernel made(recording(key), spec(key, use), backend);
  return kernels_.emplace(std::tuple(key, use, backend), std::move(made)).first->second;
}

std::vector<bool> ElementKind::inputs_of_steps(ConstraintRows rows, CorrectionForm form) const {
  const std::lock_guard lock(mutex_);
  std::vector<bool> used(static_cast<std::size_t>(inputs(form).num_inputs), false);
  const auto add = [&](const ad::Recording& function) {
    for (const int input : function.inputs_read()) used[static_cast<std::size_t>(input)] = true;
  };
  add(recording(normalised({Function::kStep, rows, form})));
  if (shape().constraints > 0) add(recording({Function::kConstraints, {}, {}}));
  return used;
}

std::vector<int> ElementKind::acceleration_inputs(const ElementInputs& in) const {
  std::vector<int> list;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    for (int i = 0; i < groups_[k].dof(); ++i) list.push_back(in.nodes[k].v_dot + i);
  }
  return list;
}

bool ElementKind::is_linear_in_accelerations() const {
  const std::lock_guard lock(mutex_);
  if (is_linear_in_accelerations_) return *is_linear_in_accelerations_;
  const ElementInputs in = inputs({});
  std::vector<int> unknowns = acceleration_inputs(in);
  // Multipliers, its own and those that it reads, and algebraic states stand before the parameters.
  for (int k = in.multipliers; k < in.parameters; ++k) unknowns.push_back(k);
  const ad::Recording& step = recording(normalised({Function::kStep, {}, {}}));
  is_linear_in_accelerations_ = ad::hessian_pattern(step, unknowns).empty();
  return *is_linear_in_accelerations_;
}

const std::vector<bool>& ElementKind::has_inertia() const {
  const std::lock_guard lock(mutex_);
  if (!has_inertia_.empty()) return has_inertia_;
  const std::vector<int> accelerations = acceleration_inputs(inputs({}));
  has_inertia_.assign(accelerations.size(), false);
  for (const auto& [output, acceleration] :
       ad::jacobian_pattern(recording(normalised({Function::kStep, {}, {}})), accelerations)) {
    if (output == acceleration) has_inertia_[static_cast<std::size_t>(output)] = true;
  }
  return has_inertia_;
}

void ElementKind::list_kernels(ad::KernelList& list) const {
  const std::lock_guard lock(mutex_);
  const auto add = [&](const Key& given, Use use) {
    const Key key = normalised(given);
    list.add(recording(key), spec(key, use));
  };
  std::vector<std::pair<ConstraintRows, CorrectionForm>> variants = {
      {{true, false}, {}}, {{true, true}, {.split = true, .velocity_map = false}}};
  // Those of updated Lagrangian methods, of index 2 and of derivatives only for elements that take little time to
  // compile; others are compiled when they are first used. Forces, such as those of beams, depend on all positions and
  // velocities of their bodies, and their derivatives are far longer than those of constraints.
  const int most_operations = shape().constraints > 0 ? 1500 : 700;
  const bool is_small =
      recording(normalised({Function::kStep, {}, {}})).num_operations() <= most_operations;
  if (is_small) variants.push_back({{true, false}, {.split = false, .velocity_map = true}});
  if (shape().constraints > 0) {
    if (is_small) variants.push_back({{false, true}, {}});
    add({Function::kConstraints, {}, {}}, Use::kValues);
    add({Function::kAcceleration, {}, {}}, Use::kValues);
  }
  for (const auto& [rows, form] : variants) {
    add({Function::kStep, rows, form}, Use::kNewton);
    add({Function::kStep, rows, form}, Use::kValues);
  }
  add({Function::kObservables, {}, {}}, Use::kValues);
  // First derivatives of whole trajectories, of the formulation that is used most.
  if (!is_small) return;
  for (const Use use : {Use::kTangent, Use::kAdjoint}) {
    add({Function::kStep, {true, false}, kDirectForm}, use);
  }
}

}  // namespace liegrad::dae
