#include "liegrad/optimize/fit/whole_state.hpp"

#include <cmath>
#include <span>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using Eigen::Index;
using lie::GroupKind;
using Vec2 = lie::Vec<double, 2>;
using Vec3 = lie::Vec<double, 3>;
using Vec4 = lie::Vec<double, 4>;

/// 2 vec(q*⊗d): the perturbation δ of q∘exp(δ) for the perturbation d of its coefficients.
Vec3 left_trivialised(const Vec4& q, const Vec4& d) {
  const Vec3 v = q.tail<3>(), e = d.tail<3>();
  return 2 * (q(0) * e - d(0) * v - lie::rotation::cross<double>(v, e));
}

lie::Mat<double, 2> planar_rotation(double angle) {
  lie::Mat<double, 2> turn;
  turn << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  return turn;
}

lie::Mat<double, 3> rotation(const Vec4& q) { return lie::SO3<double>::from_coeffs(q).matrix(); }

}  // namespace

WholeState::WholeState(const dae::Model& model)
    : space_(model.configuration_space()), default_(model.initial_values()), dof_(model.dof()) {
  int value = 0;
  const auto add = [&](const std::string& name, int size) {
    for (int i = 1; i <= size; ++i) {
      columns_.push_back(size == 1 ? name : name + "." + std::to_string(i));
    }
    value += size;
  };
  for (int i = 0; i < space_.size(); ++i) {
    const dae::Node& node = model.nodes()[index(i)];
    if (node.group.dof() == 0) continue;
    nodes_.push_back(
        {node.group, node.first_order, value, space_.coeff_offset(i), space_.dof_offset(i)});
    if (node.first_order) {
      add(node.name + ".c", node.group.n);
      continue;
    }
    switch (node.group.kind) {
      case GroupKind::kRn:
        add(node.name + ".x", node.group.n);
        add(node.name + ".u", node.group.n);
        break;
      case GroupKind::kSO2:
        add(node.name + ".theta", 1);
        add(node.name + ".omega", 1);
        break;
      case GroupKind::kSE2:
        add(node.name + ".theta", 1);
        add(node.name + ".x", 2);
        add(node.name + ".omega", 1);
        add(node.name + ".u", 2);
        break;
      case GroupKind::kSO3:
        add(node.name + ".q", 4);
        add(node.name + ".omega", 3);
        break;
      case GroupKind::kSO3xR3:
      case GroupKind::kSE3:
        add(node.name + ".q", 4);
        add(node.name + ".x", 3);
        add(node.name + ".omega", 3);
        add(node.name + ".u", 3);
        break;
    }
  }
}

dae::InitialValues WholeState::state(const Eigen::VectorXd& values) const {
  dae::InitialValues result = default_;
  for (const Node& node : nodes_) {
    const Eigen::VectorXd own = values.tail(values.size() - node.value);
    double* const q = result.q.data() + node.coefficient;
    double* const v = result.v.data() + node.dof;
    const auto put = [](double* to, const auto& from) {
      for (Index i = 0; i < from.size(); ++i) to[i] = from(i);
    };
    if (node.is_first_order) {
      put(v, own.head(node.group.n));
      continue;
    }
    switch (node.group.kind) {
      case GroupKind::kRn:
        put(q, own.head(node.group.n));
        put(v, own.segment(node.group.n, node.group.n));
        break;
      case GroupKind::kSO2:
        put(q, Vec2(std::cos(own(0)), std::sin(own(0))));
        v[0] = own(1);
        break;
      case GroupKind::kSE2:
        put(q, Vec2(std::cos(own(0)), std::sin(own(0))));
        put(q + 2, own.segment<2>(1));
        v[0] = own(3);
        put(v + 1, Vec2(planar_rotation(own(0)).transpose() * own.segment<2>(4)));
        break;
      case GroupKind::kSO3:
        put(q, own.head<4>().normalized());
        put(v, own.segment<3>(4));
        break;
      case GroupKind::kSO3xR3:
      case GroupKind::kSE3: {
        const Vec4 turn = own.head<4>().normalized();
        const Vec3 u = own.segment<3>(10);
        put(q, turn);
        put(q + 4, own.segment<3>(4));
        put(v, own.segment<3>(7));
        put(v + 3, node.group.kind == GroupKind::kSE3 ? Vec3(rotation(turn).transpose() * u) : u);
        break;
      }
    }
  }
  return result;
}

Eigen::MatrixXd WholeState::perturbations(const Eigen::VectorXd& values,
                                          const Eigen::MatrixXd& derivatives) const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size(), derivatives.cols());
  for (const Node& node : nodes_) {
    const Eigen::VectorXd own = values.tail(values.size() - node.value);
    for (Index j = 0; j < derivatives.cols(); ++j) {
      const auto d = derivatives.col(j).tail(values.size() - node.value);
      auto delta = result.col(j).segment(node.dof, node.group.dof());
      auto w = result.col(j).segment(dof_ + node.dof, node.group.dof());
      if (node.is_first_order) {
        w = d.head(node.group.n);
        continue;
      }
      switch (node.group.kind) {
        case GroupKind::kRn:
          delta = d.head(node.group.n);
          w = d.segment(node.group.n, node.group.n);
          break;
        case GroupKind::kSO2:
          delta(0) = d(0);
          w(0) = d(1);
          break;
        case GroupKind::kSE2: {
          // U = Rᵀu, so that dU = Rᵀdu - dθ (-U_2, U_1).
          const lie::Mat<double, 2> turn = planar_rotation(own(0));
          const Vec2 body = turn.transpose() * own.segment<2>(4);
          delta(0) = d(0);
          delta.tail(2) = turn.transpose() * d.segment(1, 2);
          w(0) = d(3);
          w.tail(2) = turn.transpose() * d.segment(4, 2) - d(0) * Vec2(-body(1), body(0));
          break;
        }
        case GroupKind::kSO3:
          delta = left_trivialised(own.head<4>(), d.head(4));
          w = d.segment(4, 3);
          break;
        case GroupKind::kSO3xR3:
        case GroupKind::kSE3: {
          const Vec3 turned = left_trivialised(own.head<4>(), d.head(4));
          delta.head(3) = turned;
          w.head(3) = d.segment(7, 3);
          if (node.group.kind == GroupKind::kSO3xR3) {
            delta.tail(3) = d.segment(4, 3);
            w.tail(3) = d.segment(10, 3);
            break;
          }
          // U = Rᵀu, so that dU = Rᵀdu - δ × U.
          const lie::Mat<double, 3> back = rotation(own.head<4>().normalized()).transpose();
          const Vec3 body = back * own.segment<3>(10);
          delta.tail(3) = back * d.segment(4, 3);
          w.tail(3) = back * d.segment(10, 3) - lie::rotation::cross<double>(turned, body);
          break;
        }
      }
    }
  }
  return result;
}

dae::InitialValues WholeState::moved(const dae::InitialValues& state,
                                     const Eigen::VectorXd& by) const {
  dae::InitialValues result = state;
  space_.plus<double>(state.q, std::span(by.data(), index(dof_)), result.q);
  for (int i = 0; i < dof_; ++i) result.v[index(i)] += by(dof_ + i);
  return result;
}

Eigen::VectorXd WholeState::difference(const dae::InitialValues& from,
                                       const dae::InitialValues& to) const {
  Eigen::VectorXd result(size());
  space_.minus<double>(to.q, from.q, std::span(result.data(), index(dof_)));
  for (int i = 0; i < dof_; ++i) result(dof_ + i) = to.v[index(i)] - from.v[index(i)];
  return result;
}

}  // namespace liegrad::optimize
