#pragma once

// The tangent operator T of a node and what a step makes of it, in the short form of
// node_map_size(): nothing for a commutative group, A for rotations, A and C of (A 0; C A) for SE(3),
// the whole matrix for SE(2). Products and inverses of such matrices have the same form.

#include <type_traits>

#include <Eigen/LU>

#include "liegrad/ad/eigen_alignment.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::dae {

/// A 3×3 matrix: SO(3), the rotations of SO(3)×R³, SE(2).
template <lie::Scalar S>
struct FullNodeMatrix {
  lie::Mat<S, 3> a;

  static FullNodeMatrix identity() { return {lie::Mat<S, 3>::Identity()}; }
  static FullNodeMatrix of(const lie::Mat<S, 3>& m) { return {m}; }
  void store(S* map) const { Eigen::Map<lie::Mat<S, 3>>{map} = a; }
  lie::Vec<S, 3> operator*(const lie::Vec<S, 3>& w) const { return a * w; }
  lie::Vec<S, 3> transposed_times(const lie::Vec<S, 3>& w) const { return a.transpose() * w; }
  FullNodeMatrix operator*(const FullNodeMatrix& b) const { return {a * b.a}; }
  FullNodeMatrix operator+(const FullNodeMatrix& b) const { return {a + b.a}; }
  FullNodeMatrix scaled(const S& factor) const { return {factor * a}; }
  FullNodeMatrix inverse() const { return {a.inverse()}; }
};

/// (A 0; C A), the matrix of a function of dual numbers: A its value and C its derivative.
template <lie::Scalar S>
struct DualNodeMatrix {
  lie::Mat<S, 3> a, c;

  static DualNodeMatrix identity() { return {lie::Mat<S, 3>::Identity(), lie::Mat<S, 3>::Zero()}; }
  static DualNodeMatrix of(const lie::Mat<S, 6>& m) {
    return {m.template topLeftCorner<3, 3>(), m.template bottomLeftCorner<3, 3>()};
  }
  void store(S* map) const {
    Eigen::Map<lie::Mat<S, 3>>{map} = a;
    Eigen::Map<lie::Mat<S, 3>>{map + 9} = c;
  }
  lie::Vec<S, 6> operator*(const lie::Vec<S, 6>& w) const {
    lie::Vec<S, 6> result;
    result << a * w.template head<3>(), c * w.template head<3>() + a * w.template tail<3>();
    return result;
  }
  lie::Vec<S, 6> transposed_times(const lie::Vec<S, 6>& w) const {
    lie::Vec<S, 6> result;
    result << a.transpose() * w.template head<3>() + c.transpose() * w.template tail<3>(),
        a.transpose() * w.template tail<3>();
    return result;
  }
  DualNodeMatrix operator*(const DualNodeMatrix& b) const { return {a * b.a, c * b.a + a * b.c}; }
  DualNodeMatrix operator+(const DualNodeMatrix& b) const { return {a + b.a, c + b.c}; }
  DualNodeMatrix scaled(const S& factor) const { return {factor * a, factor * c}; }
  DualNodeMatrix inverse() const {
    const lie::Mat<S, 3> inverse = a.inverse();
    return {inverse, -inverse * c * inverse};
  }
};

template <template <class> class G, lie::Scalar S>
using NodeMatrix = std::conditional_t<G<S>::kDof == 6, DualNodeMatrix<S>, FullNodeMatrix<S>>;

/// T(θ).
template <template <class> class G, lie::Scalar S>
NodeMatrix<G, S> node_tangent(const typename G<S>::Tangent& theta) {
  return NodeMatrix<G, S>::of(G<S>::tangent_operator(theta));
}

/// The matrix D with D x = d/dε T(θ + εx) u.
template <template <class> class G, lie::Scalar S>
NodeMatrix<G, S> node_tangent_derivative(const typename G<S>::Tangent& theta,
                                         const typename G<S>::Tangent& u) {
  typename G<S>::TangentMap matrix = G<S>::TangentMap::Zero();
  // The columns beyond the third of SE(3) follow from the first three.
  for (int i = 0; i < 3; ++i) {
    matrix.col(i) = G<S>::tangent_operator_derivative(theta, u, G<S>::Tangent::Unit(i));
  }
  return NodeMatrix<G, S>::of(matrix);
}

/// Visits the parts of a configuration space that move by themselves: f.turning<G>(node, dof) for SO(3)
/// (also that of SO(3)×R³), SE(3), SE(2), and f.linear(dof, count) for coordinates that commute.
template <class F>
void for_each_part(const lie::GroupList& space, F&& f) {
  for (int i = 0; i < space.size(); ++i) {
    const int dof = space.dof_offset(i);
    switch (space.group(i).kind) {
      case lie::GroupKind::kRn: f.linear(dof, space.group(i).n); break;
      case lie::GroupKind::kSO2: f.linear(dof, 1); break;
      case lie::GroupKind::kSO3: f.template turning<lie::SO3>(i, dof); break;
      case lie::GroupKind::kSE2: f.template turning<lie::SE2>(i, dof); break;
      case lie::GroupKind::kSO3xR3:
        f.template turning<lie::SO3>(i, dof);
        f.linear(dof + 3, 3);
        break;
      case lie::GroupKind::kSE3: f.template turning<lie::SE3>(i, dof); break;
    }
  }
}

}  // namespace liegrad::dae
