#include "liegrad/optimize/manifold.hpp"

#include <array>

#include <ceres/jet.h>
#include <ceres/manifold.h>

#include "liegrad/ad/jet_scalar.hpp"

namespace liegrad::optimize {
namespace {

/// Derivatives come from the formulas of the group themselves, on dual numbers.
class GroupManifold final : public ceres::Manifold {
 public:
  explicit GroupManifold(const lie::NodeGroup& group) : group_({group}) {}

  int AmbientSize() const override { return group_.num_coeffs(); }
  int TangentSize() const override { return group_.dof(); }

  bool Plus(const double* x, const double* delta, double* x_plus_delta) const override {
    group_.plus<double>(span(x, AmbientSize()), span(delta, TangentSize()),
                        {x_plus_delta, size(AmbientSize())});
    return true;
  }
  bool Minus(const double* y, const double* x, double* y_minus_x) const override {
    group_.minus<double>(span(y, AmbientSize()), span(x, AmbientSize()),
                         {y_minus_x, size(TangentSize())});
    return true;
  }

  bool PlusJacobian(const double* x, double* jacobian) const override {
    std::array<Dual, kMost> q, delta, result;
    for (int i = 0; i < AmbientSize(); ++i) q[size(i)] = Dual(x[i]);
    for (int i = 0; i < TangentSize(); ++i) delta[size(i)] = Dual(0.0, i);
    group_.plus<Dual>(std::span<const Dual>(q), std::span<const Dual>(delta), result);
    store(result, AmbientSize(), TangentSize(), jacobian);
    return true;
  }
  bool MinusJacobian(const double* x, double* jacobian) const override {
    std::array<Dual, kMost> from, to, result;
    for (int i = 0; i < AmbientSize(); ++i) {
      from[size(i)] = Dual(x[i]);
      to[size(i)] = Dual(x[i], i);
    }
    group_.minus<Dual>(std::span<const Dual>(to), std::span<const Dual>(from), result);
    store(result, TangentSize(), AmbientSize(), jacobian);
    return true;
  }

 private:
  /// Coefficients of SE(3).
  static constexpr int kMost = 7;
  using Dual = ceres::Jet<double, kMost>;

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  static std::span<const double> span(const double* first, int n) { return {first, size(n)}; }
  static void store(const std::array<Dual, kMost>& values, int rows, int columns,
                    double* jacobian) {
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) jacobian[i * columns + j] = values[size(i)].v(j);
    }
  }

  lie::GroupList group_;
};

}  // namespace

std::unique_ptr<ceres::Manifold> manifold_of(const lie::NodeGroup& group) {
  if (group.kind == lie::GroupKind::kRn) {
    return std::make_unique<ceres::EuclideanManifold<ceres::DYNAMIC>>(group.n);
  }
  return std::make_unique<GroupManifold>(group);
}

}  // namespace liegrad::optimize
