#include "liegrad/dae/system/element_functions.hpp"

#include <algorithm>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

using Span = std::span<const Taped>;

void append(std::vector<Taped>& list, const std::vector<Taped>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// v̂ w, the commutator of the node's algebra.
std::vector<Taped> commutator(const lie::NodeGroup& group, const std::vector<Taped>& v,
                              const std::vector<Taped>& w) {
  std::vector<Taped> result(v.size());
  lie::GroupList({group}).apply_ad<Taped>(v, w, result);
  return result;
}

}  // namespace

std::vector<Taped> apply_node_map(const lie::NodeGroup& group, Span map, Span w) {
  std::vector<Taped> delta(w.begin(), w.end());
  using M3 = Eigen::Map<const lie::Mat<Taped, 3>>;
  using V3 = lie::Vec<Taped, 3>;
  const auto store = [&delta](std::size_t first, const V3& value) {
    for (std::size_t i = 0; i < 3; ++i) delta[first + i] = value(static_cast<Eigen::Index>(i));
  };
  switch (group.kind) {
    case lie::GroupKind::kRn:
    case lie::GroupKind::kSO2: break;
    case lie::GroupKind::kSO3:
    case lie::GroupKind::kSO3xR3:
    case lie::GroupKind::kSE2: store(0, M3(map.data()) * V3(w[0], w[1], w[2])); break;
    case lie::GroupKind::kSE3: {
      const V3 omega(w[0], w[1], w[2]), u(w[3], w[4], w[5]);
      store(0, M3(map.data()) * omega);
      store(3, M3(map.data() + 9) * omega + M3(map.data()) * u);
      break;
    }
  }
  return delta;
}

std::vector<Taped> ElementFunctions::values(Span x, int first, std::size_t count) const {
  const Span part = x.subspan(index(first), count);
  return {part.begin(), part.end()};
}

int ElementFunctions::dof_offset(std::size_t node) const {
  int offset = 0;
  for (std::size_t i = 0; i < node; ++i) offset += groups_[i].dof();
  return offset;
}

ElementFunctions::Factors ElementFunctions::motion_factors(Span x) const {
  if (in_.form.direct)
    return {.position = Taped(1), .velocity = Taped(0), .acceleration = Taped(0)};
  const Span c = x.subspan(index(in_.coefficients), kNumCoefficients);
  return {.position = c[2], .velocity = c[1], .acceleration = c[0]};
}
ElementFunctions::Factors ElementFunctions::rate_factors(Span x) const {
  if (in_.form.direct) return motion_factors(x);
  const Span c = x.subspan(index(in_.coefficients), kNumCoefficients);
  return {.position = c[4], .velocity = c[3], .acceleration = Taped(0)};
}

ElementFunctions::Views ElementFunctions::corrected_views(Span x, const Taped& factor) const {
  Views views;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const lie::NodeGroup& group = groups_[i];
    const Span w = x.subspan(index(in_.w + dof_offset(i)), index(group.dof()));
    std::vector<Taped> delta(w.begin(), w.end());
    if (!in_.form.direct) {
      delta =
          apply_node_map(group, x.subspan(index(in_.nodes[i].map), index(node_map_size(group))), w);
      for (Taped& component : delta) component *= factor;
    }
    std::vector<Taped> view = values(x, in_.nodes[i].view, index(NodeView::size(group)));
    std::vector<Taped> displaced(view.size());
    NodeView::displaced<Taped>(group, view, delta, displaced);
    views.push_back(std::move(displaced));
  }
  return views;
}

std::vector<Taped> ElementFunctions::velocity(Span x, std::size_t node, const Taped& factor) const {
  const lie::NodeGroup& group = groups_[node];
  const Span w = x.subspan(index(velocity_correction() + dof_offset(node)), index(group.dof()));
  std::vector<Taped> correction(w.begin(), w.end());
  if (in_.form.velocity_map) {
    correction = apply_node_map(
        group, x.subspan(index(in_.nodes[node].velocity_map), index(node_map_size(group))), w);
  }
  std::vector<Taped> v = values(x, in_.nodes[node].v, index(group.dof()));
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += factor * correction[k];
  return v;
}

Position<Taped> ElementFunctions::position(Span x, Views views) const {
  std::vector<Position<Taped>::Node> nodes;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    nodes.push_back({groups_[i], std::move(views[i])});
  }
  const ElementShape& shape = model_.shape();
  return {std::move(nodes),
          values(x, in_.parameters, shape.parameters.size()),
          values(x, in_.controls, shape.controls.size()),
          x[index(in_.time)],
          "an element of type '" + shape.type + "'",
          names_of(shape.parameters)};
}

Motion<Taped> ElementFunctions::corrected_motion(Span x, const Factors& factors) const {
  std::vector<Motion<Taped>::Rates> rates;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::size_t dof = index(groups_[i].dof());
    std::vector<Taped> v_dot = values(x, in_.nodes[i].v_dot, dof);
    for (std::size_t k = 0; k < dof; ++k) {
      v_dot[k] += factors.acceleration * x[index(velocity_correction() + dof_offset(i)) + k];
    }
    rates.push_back({velocity(x, i, factors.velocity), std::move(v_dot)});
  }
  const ElementShape& shape = model_.shape();
  const auto corrected = [&](int first, int corrections, int count) {
    std::vector<Taped> list = values(x, first, index(count));
    for (std::size_t i = 0; i < list.size(); ++i) list[i] += x[index(corrections) + i];
    return list;
  };
  return {position(x, corrected_views(x, factors.position)), std::move(rates),
          corrected(in_.multipliers, in_.multiplier_corrections,
                    shape.constraints + shape.multipliers_read),
          corrected(in_.algebraic, in_.algebraic_corrections, shape.algebraic)};
}

/// λ of the element's own constraints.
std::vector<Taped> ElementFunctions::corrected_multipliers(Span x) const {
  std::vector<Taped> lambda = values(x, in_.multipliers, index(model_.shape().constraints));
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    lambda[i] += x[index(in_.multiplier_corrections) + i];
  }
  return lambda;
}

ConstraintTape::Point ElementFunctions::constraint_point(Span x, const Views& views) const {
  const ElementShape& shape = model_.shape();
  ConstraintTape::Point point;
  for (const std::vector<Taped>& view : views) append(point, view);
  append(point, values(x, in_.parameters, shape.parameters.size()));
  append(point, values(x, in_.controls, shape.controls.size()));
  point.push_back(x[index(in_.time)]);
  return point;
}

std::vector<Taped> ElementFunctions::constraint_force(Span x) const {
  const Views views = corrected_views(x, motion_factors(x).position);
  return kind_.constraint_tape().force(constraint_point(x, views), corrected_multipliers(x));
}

/// Along q∘exp(τv + τ²/2 v̇ + τ³/12 v̂v̇), which is the motion with v̈ = 0, [ArnoldCardonaBruels2015, Eq. (68)].
std::vector<Taped> ElementFunctions::constraint_coefficient(Span x, const Views& views,
                                                            const Factors& factors,
                                                            int order) const {
  std::vector<std::vector<Taped>> delta(index(order));
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::size_t dof = index(groups_[i].dof());
    const std::vector<Taped> v = velocity(x, i, factors.velocity);
    const std::vector<Taped> v_dot = values(x, in_.nodes[i].v_dot, dof);
    append(delta[0], v);
    if (order >= 2) {
      for (const Taped& component : v_dot) delta[1].push_back(0.5 * component);
    }
    if (order >= 3) {
      for (const Taped& component : commutator(groups_[i], v, v_dot)) {
        delta[2].push_back(component / 12.0);
      }
    }
  }
  return kind_.constraint_tape().coefficient(constraint_point(x, views), delta);
}

std::vector<Taped> ElementFunctions::step(Span x, ConstraintRows rows) const {
  const ElementShape& shape = model_.shape();
  const Motion<Taped> at = corrected_motion(x, motion_factors(x));
  Balance<Taped> balance(at, static_cast<int>(groups_.size()));
  model_.residual(at, balance);
  std::vector<Taped> result;
  for (const std::vector<Taped>& row : balance.rows()) append(result, row);
  if (shape.constraints > 0) {
    const std::vector<Taped> force = constraint_force(x);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += force[i];
  }

  const std::vector<Taped> algebraic = model_.algebraic(at);
  check_returned_size(shape, "algebraic()", algebraic.size(), shape.algebraic);
  append(result, algebraic);

  if (shape.constraints > 0 && rows.position) {
    append(result, constraint_at(model_, position(x, corrected_views(x, Taped(1)))));
  }
  if (shape.constraints > 0 && rows.velocity) {
    const Factors factors = rate_factors(x);
    append(result, constraint_coefficient(x, corrected_views(x, factors.position), factors, 1));
  }
  return result;
}

std::vector<Taped> ElementFunctions::constraint_and_rate(Span x) const {
  const Views views = corrected_views(x, Taped(1));
  std::vector<Taped> result = constraint_at(model_, position(x, views));
  append(result, constraint_coefficient(x, views, rate_factors(x), 1));
  return result;
}

std::vector<Taped> ElementFunctions::constraint_derivative(Span x, int order) const {
  const Views views = corrected_views(x, Taped(1));
  std::vector<Taped> result = constraint_coefficient(x, views, rate_factors(x), order);
  const double factorial = order == 2 ? 2 : 6;
  for (Taped& derivative : result) derivative *= factorial;
  return result;
}

std::vector<Taped> ElementFunctions::observables(Span x) const {
  const Motion<Taped> at = corrected_motion(x, motion_factors(x));
  const Momentum<Taped> momentum = model_.momentum(at);
  std::vector<Taped> result = {model_.kinetic_energy(at), model_.potential_energy(at)};
  result.insert(result.end(), momentum.linear.begin(), momentum.linear.end());
  result.insert(result.end(), momentum.angular.begin(), momentum.angular.end());
  const std::vector<Taped> outputs = model_.outputs(at);
  std::size_t expected = 0;
  for (const OutputSpec& output : model_.shape().outputs) expected += index(output.size);
  check_returned_size(model_.shape(), "outputs()", outputs.size(), static_cast<int>(expected));
  append(result, outputs);
  return result;
}

}  // namespace liegrad::dae
