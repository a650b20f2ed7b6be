#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "liegrad/lie/operations.hpp"
#include "liegrad/lie/rn.hpp"
#include "liegrad/lie/se2.hpp"
#include "liegrad/lie/se3.hpp"
#include "liegrad/lie/so2.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/lie/so3xr3.hpp"

namespace liegrad::lie {

enum class GroupKind { kRn, kSO2, kSO3, kSE2, kSO3xR3, kSE3 };

/// The group of one node of a system.
struct NodeGroup {
  GroupKind kind = GroupKind::kRn;
  int n = 1;  ///< dimension of R^n; of no meaning for the other kinds

  static NodeGroup rn(int n) { return {GroupKind::kRn, n}; }
  static NodeGroup so2() { return {GroupKind::kSO2}; }
  static NodeGroup so3() { return {GroupKind::kSO3}; }
  static NodeGroup se2() { return {GroupKind::kSE2}; }
  static NodeGroup so3xr3() { return {GroupKind::kSO3xR3}; }
  static NodeGroup se3() { return {GroupKind::kSE3}; }

  int dof() const;
  int num_coeffs() const;
  bool operator==(const NodeGroup&) const = default;
};

/// The direct product of a run-time list of node groups: the configuration space of a system.
///
/// Elements are flat arrays: coefficients node after node, tangent vectors likewise. All functions
/// write to the caller's array and allocate nothing; an output may be the same array as an input of
/// its own kind (element or tangent vector).
/// Arrays shorter than num_coeffs() or dof() are a programming error (asserted).
class GroupList {
 public:
  GroupList() = default;
  explicit GroupList(const std::vector<NodeGroup>& nodes);

  void append(const NodeGroup& node);

  int size() const { return static_cast<int>(nodes_.size()); }
  const NodeGroup& group(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
  int dof() const { return dof_offsets_.back(); }
  int num_coeffs() const { return coeff_offsets_.back(); }
  /// Where the tangent coordinates and the coefficients of a node begin.
  int dof_offset(int node) const { return dof_offsets_[static_cast<std::size_t>(node)]; }
  int coeff_offset(int node) const { return coeff_offsets_[static_cast<std::size_t>(node)]; }

  template <Scalar S>
  void identity(std::span<S> g) const {
    for_each<S>([&]<class G>(At at) { store<G>(G::identity(), at, g); });
  }
  template <Scalar S>
  void compose(std::span<const S> a, std::span<const S> b, std::span<S> g) const {
    for_each<S>([&]<class G>(At at) { store<G>(load<G>(at, a) * load<G>(at, b), at, g); });
  }
  template <Scalar S>
  void inverse(std::span<const S> a, std::span<S> g) const {
    for_each<S>([&]<class G>(At at) { store<G>(load<G>(at, a).inverse(), at, g); });
  }
  template <Scalar S>
  void exp(std::span<const S> v, std::span<S> g) const {
    for_each<S>([&]<class G>(At at) { store<G>(G::exp(load_tangent<G>(at, v)), at, g); });
  }
  template <Scalar S>
  void log(std::span<const S> g, std::span<S> v) const {
    for_each<S>([&]<class G>(At at) { store_tangent<G>(load<G>(at, g).log(), at, v); });
  }
  /// q∘exp(w).
  template <Scalar S>
  void plus(std::span<const S> q, std::span<const S> w, std::span<S> g) const {
    for_each<S>([&]<class G>(At at) {
      store<G>(lie::plus<G>(load<G>(at, q), load_tangent<G>(at, w)), at, g);
    });
  }
  /// log(a⁻¹∘b).
  template <Scalar S>
  void minus(std::span<const S> b, std::span<const S> a, std::span<S> v) const {
    for_each<S>([&]<class G>(At at) {
      store_tangent<G>(lie::minus<G>(load<G>(at, b), load<G>(at, a)), at, v);
    });
  }
  /// a∘exp(s log(a⁻¹∘b)).
  template <Scalar S>
  void interpolate(std::span<const S> a, std::span<const S> b, const S& s, std::span<S> g) const {
    for_each<S>([&]<class G>(At at) {
      store<G>(lie::interpolate<G>(load<G>(at, a), load<G>(at, b), s), at, g);
    });
  }

  // The operators, applied to a tangent vector w; as matrices they are block-diagonal.

  template <Scalar S>
  void apply_Ad(std::span<const S> g, std::span<const S> w, std::span<S> out) const {
    for_each<S>([&]<class G>(At at) {
      store_tangent<G>(load<G>(at, g).Ad() * load_tangent<G>(at, w), at, out);
    });
  }
  template <Scalar S>
  void apply_ad(std::span<const S> v, std::span<const S> w, std::span<S> out) const {
    for_each<S>([&]<class G>(At at) {
      store_tangent<G>(G::ad(load_tangent<G>(at, v)) * load_tangent<G>(at, w), at, out);
    });
  }
  template <Scalar S>
  void apply_tangent_operator(std::span<const S> v, std::span<const S> w, std::span<S> out) const {
    for_each<S>([&]<class G>(At at) {
      store_tangent<G>(G::tangent_operator(load_tangent<G>(at, v)) * load_tangent<G>(at, w), at,
                       out);
    });
  }
  template <Scalar S>
  void apply_tangent_operator_inverse(std::span<const S> v, std::span<const S> w,
                                      std::span<S> out) const {
    for_each<S>([&]<class G>(At at) {
      store_tangent<G>(G::tangent_operator_inverse(load_tangent<G>(at, v)) * load_tangent<G>(at, w),
                       at, out);
    });
  }
  /// d/dε T(v + εd) w.
  template <Scalar S>
  void tangent_operator_derivative(std::span<const S> v, std::span<const S> w, std::span<const S> d,
                                   std::span<S> out) const {
    for_each<S>([&]<class G>(At at) {
      store_tangent<G>(G::tangent_operator_derivative(
                           load_tangent<G>(at, v), load_tangent<G>(at, w), load_tangent<G>(at, d)),
                       at, out);
    });
  }

 private:
  /// Where a node's coefficients and tangent coordinates begin.
  struct At {
    int coeff, dof;
  };

  template <class G>
  static G load(At at, std::span<const typename G::ScalarType> g) {
    assert(static_cast<int>(g.size()) >= at.coeff + G::kNumCoeffs);
    return G::from_coeffs(Eigen::Map<const typename G::Coeffs>(g.data() + at.coeff));
  }
  template <class G>
  static void store(const G& element, At at, std::span<typename G::ScalarType> g) {
    assert(static_cast<int>(g.size()) >= at.coeff + G::kNumCoeffs);
    Eigen::Map<typename G::Coeffs>(g.data() + at.coeff) = element.coeffs();
  }
  template <class G>
  static typename G::Tangent load_tangent(At at, std::span<const typename G::ScalarType> v) {
    assert(static_cast<int>(v.size()) >= at.dof + G::kDof);
    return Eigen::Map<const typename G::Tangent>(v.data() + at.dof);
  }
  template <class G>
  static void store_tangent(const typename G::Tangent& w, At at,
                            std::span<typename G::ScalarType> v) {
    assert(static_cast<int>(v.size()) >= at.dof + G::kDof);
    Eigen::Map<typename G::Tangent>(v.data() + at.dof) = w;
  }

  /// Calls f.template operator()<G>(at) for each node with its group G; R^n is n times R¹.
  template <Scalar S, class F>
  void for_each(F&& f) const {
    for (int i = 0; i < size(); ++i) {
      At at{coeff_offset(i), dof_offset(i)};
      switch (group(i).kind) {
        case GroupKind::kRn:
          for (int j = 0; j < group(i).n; ++j, ++at.coeff, ++at.dof) {
            f.template operator()<Rn<S, 1>>(at);
          }
          break;
        case GroupKind::kSO2: f.template operator()<SO2<S>>(at); break;
        case GroupKind::kSO3: f.template operator()<SO3<S>>(at); break;
        case GroupKind::kSE2: f.template operator()<SE2<S>>(at); break;
        case GroupKind::kSO3xR3: f.template operator()<SO3xR3<S>>(at); break;
        case GroupKind::kSE3: f.template operator()<SE3<S>>(at); break;
      }
    }
  }

  std::vector<NodeGroup> nodes_;
  std::vector<int> dof_offsets_{0}, coeff_offsets_{0};  // one more than nodes: the last is the sum
};

inline int NodeGroup::dof() const {
  switch (kind) {
    case GroupKind::kRn: return n;
    case GroupKind::kSO2: return SO2<double>::kDof;
    case GroupKind::kSO3: return SO3<double>::kDof;
    case GroupKind::kSE2: return SE2<double>::kDof;
    case GroupKind::kSO3xR3: return SO3xR3<double>::kDof;
    case GroupKind::kSE3: return SE3<double>::kDof;
  }
  return 0;
}

inline int NodeGroup::num_coeffs() const {
  switch (kind) {
    case GroupKind::kRn: return n;
    case GroupKind::kSO2: return SO2<double>::kNumCoeffs;
    case GroupKind::kSO3: return SO3<double>::kNumCoeffs;
    case GroupKind::kSE2: return SE2<double>::kNumCoeffs;
    case GroupKind::kSO3xR3: return SO3xR3<double>::kNumCoeffs;
    case GroupKind::kSE3: return SE3<double>::kNumCoeffs;
  }
  return 0;
}

inline GroupList::GroupList(const std::vector<NodeGroup>& nodes) {
  for (const NodeGroup& node : nodes) append(node);
}

inline void GroupList::append(const NodeGroup& node) {
  if (node.kind == GroupKind::kRn && node.n < 0) {
    throw InvalidArgument("R^n of a node has n = " + std::to_string(node.n) +
                          "; n must be at least 0");
  }
  nodes_.push_back(node);
  dof_offsets_.push_back(dof_offsets_.back() + node.dof());
  coeff_offsets_.push_back(coeff_offsets_.back() + node.num_coeffs());
}

}  // namespace liegrad::lie
