#pragma once

// Derivatives inside a function that is itself going to be differentiated.
//
// The scalar S may be double, a recorded scalar or a recorded one of those; the function is called with
// the scalar one level up, AD<S>, and its derivative comes back in S. Where S is being recorded, the
// operations of the derivative become part of the recording, and nothing of the inner tape remains.
//
//     Bᵀλ of a constraint Φ on a group:  constraint_force(Φ, q, λ)
//
// What f captures from outside in the scalar S enters it through cast<T>(), for example
//
//     const auto phi = [&]<class T>(const SE3<T>& q) { return q.transform_point(X.template cast<T>()); };

#include <mutex>

#include "liegrad/ad/recording.hpp"
#include "liegrad/lie/lie_group.hpp"

namespace liegrad::ad {

namespace nested_detail {

/// Records f at x with the scalar above S, and evaluates it there. The tape is the caller's: returned by value it
/// might be moved, and CppAD's move constructor reads members that it has not set.
template <lie::Scalar S, int N, class F>
void record_at(const F& f, const lie::Vec<S, N>& x, CppAD::ADFun<S>& tape) {
  using Upper = CppAD::AD<S>;
  std::vector<Upper> inputs(x.begin(), x.end());
  CppAD::Independent(inputs);
  try {
    const auto y = f(lie::Vec<Upper, N>(Eigen::Map<const lie::Vec<Upper, N>>(inputs.data())));
    std::vector<Upper> outputs(y.begin(), y.end());
    tape.Dependent(inputs, outputs);
    tape.check_for_nan(false);
    tape.Forward(0, std::vector<S>(x.begin(), x.end()));
  } catch (...) {
    Upper::abort_recording();
    throw;
  }
}

template <lie::Scalar S, int N>
lie::Vec<S, N> to_vec(const std::vector<S>& values) {
  return Eigen::Map<const lie::Vec<S, N>>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace nested_detail

/// J(x)ᵀ w for f: Vec<T, N> → Vec<T, M>.
template <lie::Scalar S, int N, int M, class F>
lie::Vec<S, N> nested_transpose_times(const F& f, const lie::Vec<S, N>& x,
                                      const lie::Vec<S, M>& w) {
  const std::lock_guard lock(cppad_mutex());
  CppAD::ADFun<S> tape;
  nested_detail::record_at<S, N>(f, x, tape);
  return nested_detail::to_vec<S, N>(tape.Reverse(1, std::vector<S>(w.begin(), w.end())));
}

/// J(x) d for f: Vec<T, N> → Vec<T, M>.
template <int M, lie::Scalar S, int N, class F>
lie::Vec<S, M> nested_jacobian_times(const F& f, const lie::Vec<S, N>& x, const lie::Vec<S, N>& d) {
  const std::lock_guard lock(cppad_mutex());
  CppAD::ADFun<S> tape;
  nested_detail::record_at<S, N>(f, x, tape);
  return nested_detail::to_vec<S, M>(tape.Forward(1, std::vector<S>(d.begin(), d.end())));
}

/// J(x) for f: Vec<T, N> → Vec<T, M>, row by row in reverse.
template <int M, lie::Scalar S, int N, class F>
lie::Mat<S, M, N> nested_jacobian(const F& f, const lie::Vec<S, N>& x) {
  const std::lock_guard lock(cppad_mutex());
  CppAD::ADFun<S> tape;
  nested_detail::record_at<S, N>(f, x, tape);
  lie::Mat<S, M, N> jacobian;
  for (int i = 0; i < M; ++i) {
    std::vector<S> unit(static_cast<std::size_t>(M), S(0));
    unit[static_cast<std::size_t>(i)] = S(1);
    jacobian.row(i) = nested_detail::to_vec<S, N>(tape.Reverse(1, unit)).transpose();
  }
  return jacobian;
}

namespace nested_detail {

/// δ ↦ Φ(q∘exp(δ)), whose derivative at δ = 0 is the left-trivialised one.
template <template <class> class G, lie::Scalar S, class Phi>
auto around(const Phi& phi, const G<S>& q) {
  return [&phi, &q]<class T>(const lie::Vec<T, G<S>::kDof>& delta) {
    return phi(q.template cast<T>() * G<T>::exp(delta));
  };
}

}  // namespace nested_detail

/// B(q)ᵀ λ, where B(q) w = d/dε Φ(q∘exp(εw)) at ε = 0.
template <template <class> class G, lie::Scalar S, int M, class Phi>
typename G<S>::Tangent constraint_force(const Phi& phi, const G<S>& q,
                                        const lie::Vec<S, M>& lambda) {
  using Tangent = typename G<S>::Tangent;
  const Tangent zero = Tangent::Constant(S(0));
  return nested_transpose_times<S, G<S>::kDof, M>(nested_detail::around<G, S>(phi, q), zero,
                                                  lambda);
}

/// B(q) v.
template <int M, template <class> class G, lie::Scalar S, class Phi>
lie::Vec<S, M> constraint_rate(const Phi& phi, const G<S>& q, const typename G<S>::Tangent& v) {
  using Tangent = typename G<S>::Tangent;
  const Tangent zero = Tangent::Constant(S(0));
  return nested_jacobian_times<M, S, G<S>::kDof>(nested_detail::around<G, S>(phi, q), zero, v);
}

}  // namespace liegrad::ad
