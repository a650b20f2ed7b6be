#include "liegrad/dae/alpha/updated_lagrangian.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <vector>

#include "liegrad/ad/kernel.hpp"
#include "liegrad/dae/alpha/alpha_kinematics.hpp"
#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/alpha/local_motion.hpp"
#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

using lie::GroupKind;

constexpr int kNumLocalParameters = 5;

/// (74) and (75) as a recorded function Δq → (v, v̇) of a part that turns; the data are v_n, a_n, v̇_n
/// and the parameters.
template <template <class> class G, class Map>
ad::Recording record_part(const std::string& name) {
  constexpr int kDof = G<double>::kDof;
  constexpr std::size_t kSize = kDof;
  // Any point will do; these avoid divisions by zero.
  std::vector<double> at(4 * kSize, 0.0);
  for (const double parameter : {1.0, 0.25, 0.5, 0.25, 0.5}) at.push_back(parameter);
  return ad::record(
      {.name = name, .variables = kDof, .data = 3 * kDof + kNumLocalParameters, .at = at},
      [](std::span<const ad::Taped> delta_q, std::span<const ad::Taped> d) {
        using S = ad::Taped;
        const auto vector = [](std::span<const S> x) {
          return typename G<S>::Tangent(Eigen::Map<const typename G<S>::Tangent>(x.data()));
        };
        const auto last = d.subspan(3 * kSize);
        const LocalParameters<S> p{last[0], last[1], last[2], last[3], last[4]};
        const auto end = end_of_local_step<G, Map, S>(
            p, vector(delta_q), vector(d), vector(d.subspan(kSize)), vector(d.subspan(2 * kSize)));
        std::vector<S> out(end.v.begin(), end.v.end());
        out.insert(out.end(), end.v_dot.begin(), end.v_dot.end());
        return out;
      });
}

/// The kernels of a part and the arrays that they work on.
template <template <class> class G, class Map>
class Part {
 public:
  static constexpr int kDof = G<double>::kDof;
  using Matrix = NodeMatrix<G, double>;

  explicit Part(const std::string& name)
      : recording_(record_part<G, Map>(name)),
        values_(recording_, {.results = {ad::value()}}),
        // The columns beyond the third of SE(3) follow from the first three, see node_tangent.hpp:
        // all that enters is a function of dual numbers.
        derivatives_(recording_, {.results = {ad::value(), ad::jacobian({0, 1, 2})}}),
        in_(index(values_.layout().num_inputs)),
        out_(index(derivatives_.layout().num_outputs)) {}

  void load(const double* delta_q, const MethodState& start, int dof,
            const LocalParameters<double>& p) {
    double* to = std::copy_n(delta_q, kDof, in_.data());
    for (const double* list : {start.v.data(), alpha_memory(start).a.data(), start.v_dot.data()}) {
      to = std::copy_n(list + dof, kDof, to);
    }
    for (const double x : {p.h, p.alpha_m, p.alpha_f, p.beta, p.gamma}) *to++ = x;
  }
  void evaluate(bool with_derivatives) { (with_derivatives ? derivatives_ : values_)(in_, out_); }
  const double* v() const { return out_.data(); }
  const double* v_dot() const { return out_.data() + kDof; }
  Matrix velocity_derivative() const { return derivative(0); }
  Matrix acceleration_derivative() const { return derivative(kDof); }

 private:
  Matrix derivative(int first_row) const {
    typename G<double>::TangentMap matrix = G<double>::TangentMap::Zero();
    matrix.template leftCols<3>() =
        Eigen::Map<const Eigen::Matrix<double, kDof, 3, Eigen::RowMajor>>(out_.data() + 2 * kDof +
                                                                          3 * first_row);
    return Matrix::of(matrix);
  }

  ad::Recording recording_;
  ad::Kernel values_, derivatives_;
  std::vector<double> in_, out_;
};

/// Δq moves by J⁻¹w, where w is a correction of v̇ in units of c_a/h and J that of ∂v̇/∂Δq; then
///
///     δ = h T J⁻¹ w = h Q w,   dv = ∂v/∂Δq J⁻¹ w = (c_v/h) V w.
///
/// J is near T: all three matrices are near I for small rotations within a step.
template <class Map>
class UpdatedLagrangian final : public Kinematics {
 public:
  UpdatedLagrangian(const lie::GroupList& space, const AlphaParameters& parameters)
      : space_(space), parameters_(parameters) {
    const std::size_t dof = index(space.dof());
    for (std::vector<double>* list : {&delta_q_, &v_, &v_dot_, &a_, &step_}) list->assign(dof, 0.0);
    for (int i = 0; i < space.size(); ++i) {
      start_view_.emplace_back(index(NodeView::size(space.group(i))));
    }
    increment_map_.resize(index(space.size()));
    for_each_part(space, MakeParts{*this});
  }

  void begin(const MethodState& start, double h, Assembly& assembly) override {
    start_ = &start;
    start_a_ = alpha_memory(start).a;
    const AlphaParameters& p = parameters_;
    local_ = {h, p.alpha_m, p.alpha_f, p.beta, p.gamma};
    for (int i = 0; i < space_.size(); ++i) {
      NodeView::of<double>(space_.group(i),
                           std::span(start.q).subspan(index(space_.coeff_offset(i))),
                           start_view_[index(i)]);
    }
    assembly.coefficients() = alpha_coefficients(p, h);
  }

  void guess_increment(std::span<const double> delta_q) override {
    std::copy(delta_q.begin(), delta_q.end(), delta_q_.begin());
  }

  /// As if q̈_1 = v̇: T - I and Ṫq̇ are left to the iteration.
  void guess_acceleration(std::span<const double> v_dot) override {
    const AlphaParameters& p = parameters_;
    for (std::size_t i = 0; i < delta_q_.size(); ++i) {
      const double a =
          ((1 - p.alpha_f) * v_dot[i] + p.alpha_f * start_->v_dot[i] - p.alpha_m * start_a_[i]) /
          (1 - p.alpha_m);
      delta_q_[i] = start_->v[i] + local_.h * ((0.5 - p.beta) * start_a_[i] + p.beta * a);
    }
  }

  std::span<const double> increment() const override { return delta_q_; }

  void evaluate(Assembly& assembly, bool with_maps) override {
    for_each_part(space_, Evaluate{*this, assembly, with_maps});
    NodeStore& nodes = assembly.nodes();
    for (int i = 0; i < space_.size(); ++i) {
      move_view(i, nodes.view(i));
      const int first = space_.dof_offset(i), count = space_.group(i).dof();
      std::copy_n(v_.data() + first, count, nodes.v(i));
      std::copy_n(v_dot_.data() + first, count, nodes.v_dot(i));
    }
  }

  void correct(std::span<const double> w, std::span<const double> /*eta*/,
               double fraction) override {
    std::copy(w.begin(), w.end(), step_.begin());
    apply_increment_map(step_);
    for (std::size_t i = 0; i < step_.size(); ++i) delta_q_[i] += fraction * step_[i];
  }

  void apply_increment_map(std::span<double> w) const override {
    for_each_part(space_, ApplyMap{*this, w, false});
  }
  void apply_increment_map_transposed(std::span<double> x) const override {
    for_each_part(space_, ApplyMap{*this, x, true});
  }

  void finish(MethodState& end) override {
    for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = local_.h * delta_q_[i];
    if constexpr (kIsExponential) {
      space_.plus<double>(start_->q, step_, end.q);
    } else {
      for (int i = 0; i < space_.size(); ++i) compose(i, end.q);
    }
    end.v = v_;
    end.v_dot = v_dot_;
    const AlphaMemory<double> memory = alpha_memory(end);
    std::ranges::copy(a_, memory.a.begin());
    std::ranges::copy(delta_q_, memory.increment.begin());
  }

 private:
  static constexpr bool kIsExponential = std::is_same_v<Map, lie::ExponentialMap>;

  /// make_updated_lagrangian() lets no other groups pass.
  template <template <class> class G>
  static constexpr bool kHasMap = kIsExponential || std::is_same_v<G<double>, lie::SO3<double>>;

  template <template <class> class G>
  using Optional = std::optional<Part<G, Map>>;

  struct MakeParts {
    UpdatedLagrangian& self;
    template <template <class> class G>
    void turning(int /*node*/, int /*dof*/) const {
      if constexpr (kHasMap<G>) {
        auto& part = self.template part<G>();
        if (!part) part.emplace(name<G>());
      }
    }
    void linear(int /*dof*/, int /*count*/) const {}
  };

  struct Evaluate {
    UpdatedLagrangian& self;
    Assembly& assembly;
    bool with_maps;
    template <template <class> class G>
    void turning(int node, int dof) const {
      if constexpr (kHasMap<G>) self.template turn<G>(node, dof, assembly.nodes(), with_maps);
    }
    void linear(int dof, int count) const {
      for (std::size_t i = index(dof); i < index(dof + count); ++i) self.move_linearly(i);
    }
  };

  struct ApplyMap {
    const UpdatedLagrangian& self;
    std::span<double> x;
    bool transposed;
    template <template <class> class G>
    void turning(int node, int dof) const {
      Eigen::Map<typename G<double>::Tangent> part(x.data() + dof);
      const typename G<double>::Tangent given = part;
      const NodeMatrix<G, double> map = self.template stored<G>(node);
      part = transposed ? map.transposed_times(given) : map * given;
    }
    void linear(int /*dof*/, int /*count*/) const {}
  };

  template <template <class> class G>
  static std::string name() {
    const std::string map = kIsExponential ? "exp" : "crv";
    return "updated_lagrangian_" + map + "_" +
           (std::is_same_v<G<double>, lie::SE3<double>>   ? "se3"
            : std::is_same_v<G<double>, lie::SE2<double>> ? "se2"
                                                          : "so3");
  }

  template <template <class> class G>
  Optional<G>& part() {
    if constexpr (std::is_same_v<G<double>, lie::SO3<double>>) {
      return so3_;
    } else if constexpr (std::is_same_v<G<double>, lie::SE3<double>>) {
      return se3_;
    } else {
      return se2_;
    }
  }

  /// J⁻¹ of a node, as it is kept.
  template <template <class> class G>
  NodeMatrix<G, double> stored(int node) const {
    const std::array<double, 18>& map = increment_map_[index(node)];
    if constexpr (G<double>::kDof == 6) {
      return {Eigen::Map<const lie::Mat<double, 3>>(map.data()),
              Eigen::Map<const lie::Mat<double, 3>>(map.data() + 9)};
    } else {
      return {Eigen::Map<const lie::Mat<double, 3>>(map.data())};
    }
  }

  /// T = I: plain generalized-α.
  void move_linearly(std::size_t i) {
    const auto local =
        local_motion<double>(local_, delta_q_[i], start_->v[i], start_a_[i], start_->v_dot[i]);
    v_[i] = local.velocity;
    v_dot_[i] = local.acceleration;
    a_[i] = local.a;
  }

  template <template <class> class G>
  void turn(int node, int dof, NodeStore& nodes, bool with_maps) {
    using Tangent = typename G<double>::Tangent;
    using Matrix = NodeMatrix<G, double>;
    Part<G, Map>& p = *this->template part<G>();
    p.load(delta_q_.data() + dof, *start_, dof, local_);
    p.evaluate(with_maps);
    std::copy_n(p.v(), G<double>::kDof, v_.data() + dof);
    std::copy_n(p.v_dot(), G<double>::kDof, v_dot_.data() + dof);

    // (76) less (75): a_{n+1} = v̇_{n+1} + T (a_1 - q̈_1).
    Tangent position, surplus;
    for (int k = 0; k < G<double>::kDof; ++k) {
      const std::size_t i = index(dof + k);
      const auto local =
          local_motion<double>(local_, delta_q_[i], start_->v[i], start_a_[i], start_->v_dot[i]);
      position(k) = local_.h * delta_q_[i];
      surplus(k) = local.a - local.acceleration;
    }
    const Matrix tangent = Matrix::of(Map::template tangent_operator<G<double>>(position));
    Eigen::Map<Tangent>{a_.data() + dof} =
        Eigen::Map<const Tangent>(v_dot_.data() + dof) + tangent * surplus;
    if (!with_maps) return;

    const Matrix inverse =
        p.acceleration_derivative().scaled(local_.h / parameters_.acceleration_factor()).inverse();
    inverse.store(increment_map_[index(node)].data());
    (tangent * inverse).store(nodes.map(node));
    (p.velocity_derivative().scaled(1 / parameters_.velocity_factor()) * inverse)
        .store(nodes.velocity_map(node));
  }

  /// The view of q_n∘μ(hΔq), (73) and (80).
  void move_view(int node, double* view) {
    const lie::NodeGroup& group = space_.group(node);
    const std::vector<double>& start = start_view_[index(node)];
    double theta[6];
    const double* const delta = delta_q_.data() + space_.dof_offset(node);
    if (group.kind == GroupKind::kRn) {
      for (int k = 0; k < group.n; ++k) view[k] = start[index(k)] + local_.h * delta[k];
      return;
    }
    for (int k = 0; k < group.dof(); ++k) theta[k] = local_.h * delta[k];
    if constexpr (kIsExponential) {
      NodeView::displaced<double>(group, start, std::span(theta, index(group.dof())),
                                  std::span(view, start.size()));
    } else {
      Eigen::Map<lie::Mat<double, 3>>{view} =
          Eigen::Map<const lie::Mat<double, 3>>(start.data()) *
          Map::template to_group<lie::SO3<double>>(Eigen::Map<const lie::Vec<double, 3>>(theta))
              .matrix();
      for (std::size_t k = 9; k < start.size(); ++k) view[k] = start[k] + theta[k - 6];
    }
  }

  /// The same in coefficients, for groups that are products of SO(3) and R^n; hΔq stands in step_.
  void compose(int node, std::vector<double>& q) const {
    const double* const from = start_->q.data() + space_.coeff_offset(node);
    const double* const step = step_.data() + space_.dof_offset(node);
    double* const to = q.data() + space_.coeff_offset(node);
    const lie::NodeGroup& group = space_.group(node);
    if (group.kind == GroupKind::kRn) {
      for (int k = 0; k < group.n; ++k) to[k] = from[k] + step[k];
      return;
    }
    using SO3 = lie::SO3<double>;
    const SO3 turned = SO3::from_coeffs(Eigen::Map<const SO3::Coeffs>(from)) *
                       Map::template to_group<SO3>(Eigen::Map<const SO3::Tangent>(step));
    std::copy_n(turned.coeffs().data(), 4, to);
    for (int k = 4; k < group.num_coeffs(); ++k) to[k] = from[k] + step[k - 1];
  }

  const lie::GroupList& space_;
  AlphaParameters parameters_;
  LocalParameters<double> local_{};
  const MethodState* start_ = nullptr;
  std::span<const double> start_a_;
  std::vector<std::vector<double>> start_view_;
  std::vector<double> delta_q_, v_, v_dot_, a_, step_;
  std::vector<std::array<double, 18>> increment_map_;
  Optional<lie::SO3> so3_;
  Optional<lie::SE2> se2_;
  Optional<lie::SE3> se3_;
};

}  // namespace

std::unique_ptr<Kinematics> make_updated_lagrangian(const lie::GroupList& space,
                                                    const AlphaParameters& parameters, bool crv) {
  if (!crv) return std::make_unique<UpdatedLagrangian<lie::ExponentialMap>>(space, parameters);
  for (int i = 0; i < space.size(); ++i) {
    const GroupKind kind = space.group(i).kind;
    if (kind == GroupKind::kRn || kind == GroupKind::kSO3 || kind == GroupKind::kSO3xR3) continue;
    throw InvalidArgument(
        "conformal rotation vectors are coordinates of SO(3), SO(3)xR^3 and R^n, "
        "but node " +
        std::to_string(i) + " is of another group; choose the exponential map or another group");
  }
  return std::make_unique<UpdatedLagrangian<lie::ConformalRotationVector>>(space, parameters);
}

}  // namespace liegrad::dae
