#pragma once

#include <span>

#include "group_under_test.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::test {

/// Which input of an operation its output shares memory with.
enum class Sharing { kNone, kFirst, kLast };

/// A GroupList as a group: operators become matrices column by column, and matrix(), hat() and vee(),
/// which a list does not have, are those of its parts put on the diagonal.
template <lie::Scalar S>
class GroupListAdaptor final : public GroupUnderTest {
  using Array = std::vector<S>;
  using In = std::span<const S>;
  using Out = std::span<S>;

 public:
  GroupListAdaptor(std::string group, const std::vector<lie::NodeGroup>& node_groups,
                   std::vector<const GroupUnderTest*> parts, Sharing sharing)
      : list_(node_groups), parts_(std::move(parts)), sharing_(sharing) {
    name = std::move(group);
    dof = list_.dof();
    num_coeffs = list_.num_coeffs();
    precision = std::numeric_limits<lie::RealOf<S>>::epsilon();
    derivative_error = DerivativeAlong<S>::relative_error();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (const RotationPart& part : parts_[i]->rotations) {
        rotations.push_back({list_.dof_offset(static_cast<int>(i)) + part.at, part.size});
      }
    }
  }

  std::vector<const GroupUnderTest*> nodes() const override { return parts_; }
  Values rounded(const Values& x) const override { return values(array(x)); }
  Values identity() const override {
    Array g(coeffs());
    list_.identity<S>(g);
    return values(g);
  }
  Values random(std::mt19937& rng) const override {
    Values g(num_coeffs, 1);
    int at = 0;
    for (const GroupUnderTest* part : parts_) {
      g.middleRows(at, part->num_coeffs) = part->random(rng);
      at += part->num_coeffs;
    }
    return g;
  }
  Values compose(const Values& g, const Values& h) const override {
    return values(shared(array(g), array(h), coeffs(),
                         [this](In a, In b, Out out) { list_.compose<S>(a, b, out); }));
  }
  Values inverse(const Values& g) const override {
    return values(shared(
        array(g), array(g), coeffs(), [this](In, In b, Out out) { list_.inverse<S>(b, out); },
        Sharing::kLast));
  }
  Values exp(const Values& v) const override { return values(exp_of(array(v))); }
  Values log(const Values& g) const override { return values(log_of(array(g))); }
  Values Ad(const Values& g) const override {
    return columns([this, q = array(g)](In w, Out out) { list_.apply_Ad<S>(q, w, out); });
  }
  Values ad(const Values& v) const override {
    return columns([this, x = array(v)](In w, Out out) { list_.apply_ad<S>(x, w, out); });
  }
  Values T(const Values& v) const override {
    return columns(
        [this, x = array(v)](In w, Out out) { list_.apply_tangent_operator<S>(x, w, out); });
  }
  Values T_inverse(const Values& v) const override {
    return columns([this, x = array(v)](In w, Out out) {
      list_.apply_tangent_operator_inverse<S>(x, w, out);
    });
  }
  Values T_derivative(const Values& v, const Values& w, const Values& d) const override {
    return values(shared(array(v), array(d), tangents(), [this, y = array(w)](In a, In b, Out out) {
      list_.tangent_operator_derivative<S>(a, y, b, out);
    }));
  }
  Values plus(const Values& q, const Values& w) const override {
    return values(plus_of(array(q), array(w)));
  }
  Values minus(const Values& b, const Values& a) const override {
    Array v(tangents());
    list_.minus<S>(array(b), array(a), v);
    return values(v);
  }
  Values interpolate(const Values& a, const Values& b, Value s) const override {
    return values(shared(array(a), array(b), coeffs(), [this, s](In x, In y, Out out) {
      list_.interpolate<S>(x, y, S(lie::RealOf<S>(s)), out);
    }));
  }
  Value distance(const Values& a, const Values& b) const override { return minus(b, a).norm(); }
  Values transform_point(const Values&, const Values& p) const override { return p; }
  Values transform_vector(const Values&, const Values& p) const override { return p; }

  Values matrix(const Values& g) const override {
    return diagonal([&](const GroupUnderTest& part, int coeff, int) {
      return part.matrix(g.middleRows(coeff, part.num_coeffs));
    });
  }
  Values hat(const Values& v) const override {
    return diagonal([&](const GroupUnderTest& part, int, int dof_at) {
      return part.hat(v.middleRows(dof_at, part.dof));
    });
  }
  Values vee(const Values& m) const override {
    Values v(dof, 1);
    Eigen::Index at = 0, row = 0;
    for (const GroupUnderTest* part : parts_) {
      const Eigen::Index size = part->hat(Values::Zero(part->dof, 1)).rows();
      v.middleRows(at, part->dof) = part->vee(m.block(row, row, size, size));
      at += part->dof, row += size;
    }
    return v;
  }

  Values derivative_of_plus(const Values& q, const Values& v, const Values& w) const override {
    return derivative(
        [=, this](const S& epsilon) { return plus_of(array(q), moved(v, w, epsilon)); });
  }
  Values derivative_of_h(const Values& q, const Values& v, const Values& w) const override {
    return DerivativeAlong<S>::of([=, this](const S& epsilon) -> Column<S> {
      return test_function<S>(column(plus_of(array(q), moved(v, w, epsilon))));
    });
  }
  Values derivative_of_T(const Values& v, const Values& w, const Values& d) const override {
    return derivative([=, this](const S& epsilon) {
      Array out(tangents());
      list_.apply_tangent_operator<S>(moved(v, d, epsilon), array(w), out);
      return out;
    });
  }
  Values derivative_of_log(const Values& v, const Values& w) const override {
    const Values zero = Values::Zero(dof, 1), g = exp(v);
    return derivative(
        [=, this](const S& epsilon) { return log_of(plus_of(array(g), moved(zero, w, epsilon))); });
  }

 private:
  std::size_t coeffs() const { return static_cast<std::size_t>(num_coeffs); }
  std::size_t tangents() const { return static_cast<std::size_t>(dof); }

  static Array array(const Values& x) {
    const Column<S> y = adaptor_detail::to_scalar<S, Column<S>>(x);
    return Array(y.data(), y.data() + y.size());
  }
  static Column<S> column(const Array& x) {
    return Eigen::Map<const Column<S>>(x.data(), static_cast<Eigen::Index>(x.size()));
  }
  static Values values(const Array& x) { return adaptor_detail::to_values(column(x)); }

  /// f(a, b, out) with `out` apart, or in the place of a or of b.
  template <class F>
  Array shared(Array a, Array b, std::size_t size, F&& f, Sharing only = Sharing::kFirst) const {
    const Sharing sharing =
        sharing_ == Sharing::kNone ? sharing_ : (only == Sharing::kLast ? only : sharing_);
    if (sharing == Sharing::kFirst) return f(a, b, a), a;
    if (sharing == Sharing::kLast) return f(a, b, b), b;
    Array out(size);
    return f(a, b, out), out;
  }
  Array exp_of(const Array& v) const {
    Array g(coeffs());
    list_.exp<S>(v, g);
    return g;
  }
  Array log_of(const Array& g) const {
    Array v(tangents());
    list_.log<S>(g, v);
    return v;
  }
  Array plus_of(Array q, const Array& w) const {
    Array g(coeffs());
    Array& out = sharing_ == Sharing::kNone ? g : q;
    list_.plus<S>(q, w, out);
    return out;
  }
  static Array moved(const Values& v, const Values& w, const S& epsilon) {
    Array x = array(v);
    const Array y = array(w);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += epsilon * y[i];
    return x;
  }

  Values columns(const std::function<void(In, Out)>& apply) const {
    Values m(dof, dof);
    for (int j = 0; j < dof; ++j) {
      Array unit = array(Values::Identity(dof, dof).col(j)), apart(tangents());
      Array& out = sharing_ == Sharing::kNone ? apart : unit;
      apply(unit, out);
      m.col(j) = values(out);
    }
    return m;
  }
  static Values derivative(const std::function<Array(const S&)>& f) {
    return DerivativeAlong<S>::of(
        [&f](const S& epsilon) -> Column<S> { return column(f(epsilon)); });
  }
  template <class F>
  Values diagonal(F&& block) const {
    std::vector<Values> blocks;
    Eigen::Index size = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const int node = static_cast<int>(i);
      blocks.push_back(block(*parts_[i], list_.coeff_offset(node), list_.dof_offset(node)));
      size += blocks.back().rows();
    }
    Values m = Values::Zero(size, size);
    Eigen::Index at = 0;
    for (const Values& b : blocks) {
      m.block(at, at, b.rows(), b.cols()) = b;
      at += b.rows();
    }
    return m;
  }

  lie::GroupList list_;
  std::vector<const GroupUnderTest*> parts_;
  Sharing sharing_;
};

}  // namespace liegrad::test
