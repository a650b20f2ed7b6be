// Compiled once, into the library and into the program that writes its kernels.

#include "liegrad/sensitivity/observe/node_functions.hpp"

#include "liegrad/dae/run/hermite.hpp"
#include "liegrad/dae/runge_kutta/radau_coefficients.hpp"
#include "liegrad/dae/start/starting_values.hpp"
#include "liegrad/dae/system/node_outputs.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/sensitivity/step/alpha_step_function.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::AlphaVariant;
using dae::index;
using Tapes = std::span<const Taped>;

/// Where functions are recorded; zero would divide by zero.
constexpr double kAnywhere = 0.5;

/// (δ_p, δ) → log(exp(δ_p)∘exp(δ)), a perturbation on top of one by parameters.
NodeFunction moved_start() {
  return {.vectors = 2, .evaluate = [](const lie::GroupList& node, Tapes x, Tapes) {
            std::vector<Taped> q(index(node.num_coeffs())), delta(index(node.dof()));
            node.exp<Taped>(vector_of(node, x, 0), q);
            node.plus<Taped>(q, vector_of(node, x, 1), q);
            node.log<Taped>(q, delta);
            return delta;
          }};
}

/// (a, b) → log(exp(a)⁻¹∘exp(b)) - (b - a).
NodeFunction commutator() {
  return {.vectors = 2, .evaluate = [](const lie::GroupList& node, Tapes x, Tapes) {
            const Tapes from = vector_of(node, x, 0), to = vector_of(node, x, 1);
            std::vector<Taped> q_0(index(node.num_coeffs())), q_1 = q_0, result(index(node.dof()));
            node.exp<Taped>(from, q_0);
            node.exp<Taped>(to, q_1);
            node.minus<Taped>(q_1, q_0, result);
            for (std::size_t i = 0; i < result.size(); ++i) {
              result[i] -= to[i] - from[i];
            }
            return result;
          }};
}

/// (δ, v) → T⁻¹(δ) v, the rate of change of a chart.
NodeFunction chart_rate() {
  return {.vectors = 2, .evaluate = [](const lie::GroupList& node, Tapes x, Tapes) {
            std::vector<Taped> rate(index(node.dof()));
            node.apply_tangent_operator_inverse<Taped>(vector_of(node, x, 0), vector_of(node, x, 1),
                                                       rate);
            return rate;
          }};
}

/// (δ, v, v̇, h) → q∘exp(τv + τ²/2 v̇) in the chart around its value, for τ = c h; data: that value and c.
NodeFunction beside() {
  return {.vectors = 3,
          .scalars = 1,
          .data_vectors = 1,
          .data_scalars = 1,
          .evaluate = [](const lie::GroupList& node, Tapes x, Tapes d) {
            const int dof = node.dof();
            const Tapes v = vector_of(node, x, 1), v_dot = vector_of(node, x, 2);
            const Taped tau = x[index(3 * dof)] * d[index(dof)];
            std::vector<Taped> theta, group(index(node.num_coeffs())), moved = group, base = group,
                                                                       delta(index(dof));
            for (std::size_t i = 0; i < index(dof); ++i) {
              theta.push_back(tau * v[i] + 0.5 * tau * tau * v_dot[i]);
            }
            node.exp<Taped>(vector_of(node, x, 0), group);
            node.plus<Taped>(group, theta, moved);
            node.exp<Taped>(vector_of(node, d, 0), base);
            node.minus<Taped>(moved, base, delta);
            return delta;
          }};
}

/// A Radau step, (δ_n, v_n; p_1 …; f_1 …; h) → (δ_i, v_i, v̇_i) of all stages, one after the other:
///
///     θ_i = h Σ_j a_ij p_j,   δ_i = log(exp(-θ_i*)∘exp(δ_n)∘exp(θ_i)),   v_i = T(θ_i) p_i + f_i,
///     v̇_i = Σ_j (A⁻¹)_ij (v_j - v_n) / h.
///
/// Data are θ_1*, …
NodeFunction radau_step(int stages) {
  return {.vectors = 2 + 2 * stages,
          .scalars = 1,
          .data_vectors = stages,
          .values = 3 * stages,
          .zero_vectors = {0},
          .evaluate = [stages](const lie::GroupList& node, Tapes x, Tapes d) {
            const dae::RadauCoefficients radau(stages);
            const std::size_t dof = index(node.dof());
            const Taped h = x[index(2 + 2 * stages) * dof];
            std::vector<Taped> start(index(node.num_coeffs())), place = start, base = start,
                                                                theta(dof), v(dof);
            node.exp<Taped>(vector_of(node, x, 0), start);
            std::vector<Taped> result(index(3 * stages) * dof);
            const auto value = [&](int stage, int i) {
              return std::span(result).subspan(index(3 * stage + i) * dof, dof);
            };
            for (int i = 0; i < stages; ++i) {
              for (std::size_t k = 0; k < dof; ++k) {
                theta[k] = 0;
                for (int j = 0; j < stages; ++j) {
                  theta[k] += h * radau.a(i, j) * vector_of(node, x, 2 + j)[k];
                }
              }
              node.plus<Taped>(start, theta, place);
              node.exp<Taped>(vector_of(node, d, i), base);
              node.minus<Taped>(place, base, value(i, 0));
              node.apply_tangent_operator<Taped>(theta, vector_of(node, x, 2 + i), v);
              const Tapes force = vector_of(node, x, 2 + stages + i);
              for (std::size_t k = 0; k < dof; ++k) value(i, 1)[k] = v[k] + force[k];
            }
            const Tapes v_start = vector_of(node, x, 1);
            for (int i = 0; i < stages; ++i) {
              for (std::size_t k = 0; k < dof; ++k) {
                Taped sum = 0;
                for (int j = 0; j < stages; ++j) {
                  sum += radau.inverse(i, j) * (value(j, 1)[k] - v_start[k]);
                }
                value(i, 2)[k] = sum / h;
              }
            }
            return result;
          }};
}

/// (x, h) → x / (c h).
NodeFunction quotient() {
  return {.vectors = 1,
          .scalars = 1,
          .data_scalars = 1,
          .evaluate = [](const lie::GroupList& node, Tapes y, Tapes d) {
            const std::size_t dof = index(node.dof());
            std::vector<Taped> result;
            for (std::size_t i = 0; i < dof; ++i) {
              result.push_back(y[i] / (d[0] * y[dof]));
            }
            return result;
          }};
}

/// (v, v̇, v̈) → third derivative of the coordinates in which a step is linear, see dae::StartingTerms.
NodeFunction local_jerk() {
  return {.vectors = 3,
          .data_scalars = 2,
          .evaluate = [](const lie::GroupList& node, Tapes x, Tapes d) {
            return dae::local_jerk<Taped>(node, d[0], d[1], vector_of(node, x, 0),
                                          vector_of(node, x, 1), vector_of(node, x, 2));
          }};
}

/// (v, v̇, w, h) → h²(C_q w + b v̂v̇); data: C_q and b.
NodeFunction local_error() {
  return {.vectors = 3,
          .scalars = 1,
          .data_scalars = 2,
          .evaluate = [](const lie::GroupList& node, Tapes x, Tapes d) {
            const int dof = node.dof();
            const Tapes w = vector_of(node, x, 2);
            const Taped& step = x[index(3 * dof)];
            std::vector<Taped> result(index(dof));
            node.apply_ad<Taped>(vector_of(node, x, 0), vector_of(node, x, 1), result);
            for (std::size_t i = 0; i < index(dof); ++i) {
              result[i] = step * step * (d[0] * w[i] + d[1] * result[i]);
            }
            return result;
          }};
}

/// (x, h) → c h x.
NodeFunction step_multiple() {
  return {.vectors = 1,
          .scalars = 1,
          .data_scalars = 1,
          .evaluate = [](const lie::GroupList& node, Tapes y, Tapes d) {
            const std::size_t dof = index(node.dof());
            std::vector<Taped> result;
            for (std::size_t i = 0; i < dof; ++i) {
              result.push_back(d[0] * y[dof] * y[i]);
            }
            return result;
          }};
}

/// The interpolation on the group as a function of (δ_start, v_start, v̇_start, δ_end, v_end, v̇_end, τ, h) with values
/// (δ, v, v̇), in the charts around q_start, q_end and the result q_start∘exp(θ̄):
///
///     θ_1 = log(exp(-δ_start)∘exp(θ_0)∘exp(δ_end)),     θ_0 = log(q_start⁻¹∘q_end) a constant,
///     θ   = polynomial of τ/h with values 0, θ_1 and the two derivatives at both ends that v and v̇ give,
///     δ   = log(exp(-θ̄)∘exp(δ_start)∘exp(θ)),           v = T(θ) dθ/dτ.
std::vector<Taped> interpolate(const lie::GroupList& node, Tapes x, Tapes data) {
  const std::size_t dof = index(node.dof());
  const Tapes v_start = vector_of(node, x, 1), v_dot_start = vector_of(node, x, 2);
  const Tapes v_end = vector_of(node, x, 4), v_dot_end = vector_of(node, x, 5);
  const Taped &tau = x[6 * dof], &h = x[6 * dof + 1];
  const std::vector<Taped> group(index(node.num_coeffs()));

  std::vector<Taped> start = group, end = group, base = group;
  node.exp<Taped>(vector_of(node, x, 0), start);
  node.exp<Taped>(vector_of(node, data, 0), base);
  node.plus<Taped>(base, vector_of(node, x, 3), end);
  std::vector<Taped> whole(dof), rate_end(dof), second_rate_end(dof);
  node.minus<Taped>(end, start, whole);
  dae::rates_of_increment<Taped>(node, whole, v_end, v_dot_end, rate_end, second_rate_end);

  const Taped s = tau / h;
  const dae::QuinticHermite<Taped> to = dae::quintic_hermite(s);
  const dae::QuinticHermite<Taped> slope = dae::quintic_hermite_slopes(s);
  std::vector<Taped> theta(dof), rate(dof);
  for (std::size_t i = 0; i < dof; ++i) {
    theta[i] = to.end_value * whole[i] +
               h * (to.start_slope * v_start[i] + to.end_slope * rate_end[i]) +
               h * h * (to.start_second * v_dot_start[i] + to.end_second * second_rate_end[i]);
    rate[i] = slope.end_value * whole[i] / h + slope.start_slope * v_start[i] +
              slope.end_slope * rate_end[i] +
              h * (slope.start_second * v_dot_start[i] + slope.end_second * second_rate_end[i]);
  }

  std::vector<Taped> moved = group, result(3 * dof);
  const std::span<Taped> delta = std::span(result).first(dof);
  node.plus<Taped>(start, theta, moved);
  node.exp<Taped>(vector_of(node, data, 1), base);
  node.minus<Taped>(moved, base, delta);
  node.apply_tangent_operator<Taped>(theta, rate, std::span(result).subspan(dof, dof));
  for (std::size_t i = 0; i < dof; ++i) {
    result[2 * dof + i] =
        dae::interpolated_acceleration(s, h, v_start[i], v_end[i], v_dot_start[i], v_dot_end[i]);
  }
  return result;
}

NodeFunction dense_output() {
  return {.vectors = 6,
          .scalars = 2,
          .data_vectors = 2,
          .values = 3,
          .zero_vectors = {0, 3},
          .evaluate = interpolate};
}

void list_products(const ad::Recording& recording, const std::vector<int>& zero_inputs,
                   ad::KernelList& list) {
  for (const ad::ResultKind product :
       {ad::ResultKind::kJacobianTimes, ad::ResultKind::kTransposeTimes}) {
    list.add(recording, product_spec(product, zero_inputs));
  }
}

}  // namespace

ad::Recording node_output_recording(const lie::NodeGroup& group) {
  const std::size_t dof = index(group.dof());
  return ad::record(
      {.name = "node outputs", .variables = 3 * group.dof(), .data = group.num_coeffs()},
      [&](Tapes x, Tapes coeffs) {
        std::vector<Taped> q(coeffs.size()), out(index(dae::num_node_outputs(group)));
        lie::GroupList({group}).plus<Taped>(coeffs, x.first(dof), q);
        dae::node_outputs<Taped>(group, q, x.subspan(dof, dof), x.subspan(2 * dof), out);
        return out;
      });
}

ad::Recording orientation_recording() {
  return ad::record(
      {.name = "orientation", .variables = 3, .data = 8, .at = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}},
      [](Tapes delta, Tapes data) {
        using Rotation = lie::SO3<Taped>;
        const auto rotation = [data](std::size_t i) {
          return Rotation::from_coeffs(
              lie::Vec<Taped, 4>(data[i], data[i + 1], data[i + 2], data[i + 3]));
        };
        const Rotation here =
            rotation(0) * Rotation::exp(lie::Vec<Taped, 3>(delta[0], delta[1], delta[2]));
        const lie::Vec<Taped, 3> vector = (here.inverse() * rotation(4)).log();
        return std::vector<Taped>(vector.begin(), vector.end());
      });
}

NodeFunction node_function(NodeMap map) {
  switch (map) {
    case NodeMap::kMovedStart: return moved_start();
    case NodeMap::kCommutator: return commutator();
    case NodeMap::kChartRate: return chart_rate();
    case NodeMap::kBeside: return beside();
    case NodeMap::kQuotient: return quotient();
    case NodeMap::kStepMultiple: return step_multiple();
    case NodeMap::kLocalJerk: return local_jerk();
    case NodeMap::kLocalError: return local_error();
    case NodeMap::kDenseOutput: return dense_output();
    case NodeMap::kRadauStep2: return radau_step(2);
    case NodeMap::kRadauStep3: return radau_step(3);
    case NodeMap::kAlphaStep:
      return alpha_step_function(AlphaVariant::kLieGroup, dae::SigmaForm::kZero);
    case NodeMap::kAlphaStepOne:
      return alpha_step_function(AlphaVariant::kLieGroup, dae::SigmaForm::kOne);
    case NodeMap::kAlphaStepSigma:
      return alpha_step_function(AlphaVariant::kLieGroup, dae::SigmaForm::kOther);
    case NodeMap::kLocalStepExp:
      return alpha_step_function(AlphaVariant::kUpdatedLagrangianExp, dae::SigmaForm::kZero);
    case NodeMap::kLocalStepCrv:
      return alpha_step_function(AlphaVariant::kUpdatedLagrangianCrv, dae::SigmaForm::kZero);
  }
  return {};
}

std::vector<int> zero_inputs(NodeMap map, const lie::NodeGroup& part) {
  const NodeFunction f = node_function(map);
  std::vector<int> list;
  for (const int vector : f.zero_vectors) {
    for (int k = 0; k < part.dof(); ++k) list.push_back(vector * part.dof() + k);
  }
  for (const int scalar : f.zero_scalars) list.push_back(f.vectors * part.dof() + scalar);
  return list;
}

ad::Recording node_recording(NodeMap map, const lie::NodeGroup& part) {
  const NodeFunction f = node_function(map);
  const lie::GroupList node({part});
  const int variables = f.vectors * part.dof() + f.scalars;
  const int data = f.data_vectors * part.dof() + f.data_scalars;
  return ad::record({.name = "node_function_" + std::to_string(static_cast<int>(map)),
                     .variables = variables,
                     .data = data,
                     .at = std::vector<double>(index(variables + data), kAnywhere)},
                    [&](Tapes x, Tapes d) { return f.evaluate(node, x, d); });
}

void list_node_kernels(ad::KernelList& list) {
  for (int i = 0; i < kNumNodeMaps; ++i) {
    const auto map = static_cast<NodeMap>(i);
    if (map == NodeMap::kLocalStepExp || map == NodeMap::kLocalStepCrv) continue;
    for (const lie::NodeGroup& part :
         {lie::NodeGroup::rn(1), lie::NodeGroup::rn(3), lie::NodeGroup::so3(),
          lie::NodeGroup::se3(), lie::NodeGroup::se2()}) {
      const ad::Recording recording = node_recording(map, part);
      const std::vector<int> zero = zero_inputs(map, part);
      list_products(recording, zero, list);
      if (map != NodeMap::kAlphaStep) continue;
      list.add(recording, product_spec(ad::ResultKind::kHessianTimes, zero));
    }
  }
  using Group = lie::NodeGroup;
  for (const Group& group :
       {Group::rn(1), Group::so2(), Group::se2(), Group::so3(), Group::so3xr3(), Group::se3()}) {
    list_products(node_output_recording(group), ad::range(0, group.dof()), list);
  }
  list_products(orientation_recording(), ad::range(0, 3), list);
}

}  // namespace liegrad::sensitivity
