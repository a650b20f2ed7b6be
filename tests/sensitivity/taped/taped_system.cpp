#include "taped_system.hpp"

#include <algorithm>
#include <array>

#include "liegrad/dae/system/element_functions.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::testing {
namespace {

using dae::index;
using Span = TapeSpan;

/// The inputs of an element's functions, see dae::ElementInputs, with corrections of zero.
Tapes element_inputs(const dae::System& system, const dae::PlacedElement& element,
                     const TapedState& at) {
  const dae::ElementKind& kind = system.kind_of(element);
  const dae::ElementInputs in = kind.inputs({});
  const lie::GroupList& space = system.configuration_space();
  Tapes x(index(in.num_inputs), Taped(0));
  for (std::size_t k = 0; k < element.nodes.size(); ++k) {
    const int node = element.nodes[k];
    const lie::NodeGroup& group = space.group(node);
    dae::NodeView::of<Taped>(group, Span(at.q).subspan(index(space.coeff_offset(node))),
                             std::span(x).subspan(index(in.nodes[k].view)));
    std::copy_n(at.v.begin() + space.dof_offset(node), group.dof(), x.begin() + in.nodes[k].v);
    std::copy_n(at.v_dot.begin() + space.dof_offset(node), group.dof(),
                x.begin() + in.nodes[k].v_dot);
    dae::set_identity_map(group, x.data() + in.nodes[k].map);
  }
  const dae::ElementShape& shape = kind.shape();
  std::copy_n(at.lambda.begin() + element.first_multiplier, shape.constraints,
              x.begin() + in.multipliers);
  auto next = x.begin() + in.multipliers + shape.constraints;
  for (const int i : element.multipliers_read) *next++ = at.lambda[index(i)];
  std::copy_n(at.s.begin() + element.first_algebraic, shape.algebraic, x.begin() + in.algebraic);
  next = x.begin() + in.parameters;
  for (const int i : element.parameters) *next++ = at.parameters[index(i)];
  next = x.begin() + in.controls;
  for (const int i : element.controls) *next++ = at.controls[index(i)];
  x[index(in.time)] = at.t;
  return x;
}

}  // namespace

Rows rows_at(const dae::System& system, const TapedState& at) {
  const lie::GroupList& space = system.configuration_space();
  Rows sum{Tapes(index(system.dof()), Taped(0)), {}, {}, {}, {}};
  sum.algebraic.resize(index(system.num_algebraic()));
  for (Tapes* const rows : {&sum.position, &sum.velocity, &sum.acceleration}) {
    rows->resize(index(system.num_multipliers()));
  }
  constexpr dae::ConstraintRows kAll = {.position = true, .velocity = true};
  for (const dae::PlacedElement& element : system.elements()) {
    const dae::ElementKind& kind = system.kind_of(element);
    const dae::ElementInputs in = kind.inputs({});
    const dae::ElementFunctions functions(kind, in);
    const Tapes x = element_inputs(system, element, at);
    const Tapes out = functions.step(x, kAll);
    std::size_t next = 0;
    for (const int node : element.nodes) {
      for (int k = 0; k < space.group(node).dof(); ++k) {
        sum.motion[index(space.dof_offset(node) + k)] += out[next++];
      }
    }
    for (int i = 0; i < kind.shape().algebraic; ++i) {
      sum.algebraic[index(element.first_algebraic + i)] = out[next++];
    }
    if (kind.shape().constraints == 0) continue;
    const Tapes accelerations = functions.constraint_derivative(x, 2);
    for (int i = 0; i < kind.shape().constraints; ++i) {
      const std::size_t row = index(element.first_multiplier + i);
      sum.position[row] = out[next + index(i)];
      sum.velocity[row] = out[next + index(kind.shape().constraints + i)];
      sum.acceleration[row] = accelerations[index(i)];
    }
  }
  return sum;
}

Tapes outputs_at(const dae::System& system, const TapedState& at) {
  Tapes out;
  const auto put = [&out](const auto& numbers) {
    out.insert(out.end(), std::begin(numbers), std::end(numbers));
  };
  const lie::GroupList& space = system.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    const Span q = Span(at.q).subspan(index(space.coeff_offset(i)), index(group.num_coeffs()));
    const Span v = Span(at.v).subspan(index(space.dof_offset(i)), index(group.dof()));
    const Span v_dot = Span(at.v_dot).subspan(index(space.dof_offset(i)), index(group.dof()));
    if (system.nodes()[index(i)].first_order) {
      put(v);
      put(v_dot);
      continue;
    }
    switch (group.kind) {
      case lie::GroupKind::kRn:
        put(q);
        put(v);
        put(v_dot);
        break;
      case lie::GroupKind::kSO2:
        put(std::array<Taped, 3>{CppAD::atan2(q[1], q[0]), v[0], v_dot[0]});
        break;
      case lie::GroupKind::kSE2: {
        // u = U z and u' = (U' + i ω U) z with complex numbers z = (q1, q2), U = (v2, v3).
        const std::array<Taped, 2> u = {q[0] * v[1] - q[1] * v[2], q[1] * v[1] + q[0] * v[2]};
        put(q.subspan(2, 2));
        put(std::array<Taped, 2>{CppAD::atan2(q[1], q[0]), v[0]});
        put(u);
        put(std::array<Taped, 3>{v_dot[0], q[0] * v_dot[1] - q[1] * v_dot[2] - v[0] * u[1],
                                 q[1] * v_dot[1] + q[0] * v_dot[2] + v[0] * u[0]});
        break;
      }
      case lie::GroupKind::kSO3:
      case lie::GroupKind::kSO3xR3:
      case lie::GroupKind::kSE3: {
        const auto rotation =
            lie::SO3<Taped>::from_coeffs(lie::Vec<Taped, 4>(q[0], q[1], q[2], q[3]));
        const bool turns_only = group.kind == lie::GroupKind::kSO3;
        if (!turns_only) put(q.subspan(4, 3));
        put(rotation.quaternion());
        put(v.first(3));
        if (turns_only) {
          put(v_dot);
          break;
        }
        lie::Vec<Taped, 3> u(v[3], v[4], v[5]), u_dot(v_dot[3], v_dot[4], v_dot[5]);
        if (group.kind == lie::GroupKind::kSE3) {
          // With the angular velocity in the inertial frame: u' = R U' + ω × u.
          const lie::Mat<Taped, 3> turn = rotation.matrix();
          const lie::Vec<Taped, 3> omega = turn * lie::Vec<Taped, 3>(v[0], v[1], v[2]);
          u = (turn * u).eval();
          u_dot = (turn * u_dot + lie::rotation::cross<Taped>(omega, u)).eval();
        }
        put(u);
        put(v_dot.first(3));
        put(u_dot);
        break;
      }
    }
  }
  // Kinetic and potential energy, linear and angular momentum.
  Tapes sums(index(dae::ObservableRows::kOutputs), Taped(0));
  bool has_energy = false, has_momentum = false;
  for (const dae::PlacedElement& element : system.elements()) {
    const dae::ElementKind& kind = system.kind_of(element);
    const dae::ElementInputs in = kind.inputs({});
    const Tapes observed =
        dae::ElementFunctions(kind, in).observables(element_inputs(system, element, at));
    put(Span(at.lambda).subspan(index(element.first_multiplier), index(kind.shape().constraints)));
    put(Span(at.s).subspan(index(element.first_algebraic), index(kind.shape().algebraic)));
    put(Span(observed).subspan(sums.size()));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += observed[i];
    has_energy |= kind.model().has_kinetic_energy() || kind.model().has_potential_energy();
    has_momentum |= kind.model().has_momentum();
  }
  if (has_energy) put(std::array<Taped, 3>{sums[0] + sums[1], sums[0], sums[1]});
  if (has_momentum) put(Span(sums).subspan(2));
  return out;
}

}  // namespace liegrad::testing
