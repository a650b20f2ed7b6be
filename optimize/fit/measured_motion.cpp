#include "liegrad/optimize/fit/measured_motion.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "liegrad/dae/equations/place_state.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/measured_output.hpp"

namespace liegrad::optimize {

using dae::ElementFunction;
using dae::index;
using Eigen::Index;
using Vec3 = lie::Vec<double, 3>;
using Vec4 = lie::Vec<double, 4>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace {

std::string name_of_constraints(const std::string& output) { return "measured " + output; }

/// Relative to the largest, of combinations that measured outputs show.
constexpr double kLeastEffect = 1e-6;

}  // namespace

MeasuredMotion::MeasuredMotion(const dae::System& system, const std::vector<Recording>& trials)
    : system_(system),
      own_multipliers_(system.num_multipliers()),
      own_layout_(system),
      point_(system) {
  std::map<std::string, std::vector<Series>> by_output;
  for (const Recording& trial : trials) {
    for (const Series& series : trial.series) {
      std::vector<Series>& known = by_output[series.output];
      const bool is_new = std::ranges::none_of(
          known, [&](const Series& one) { return one.component == series.component; });
      if (is_new) known.push_back({series.output, series.component, series.comparison, {}, {}});
    }
  }
  for (const auto& [output, series] : by_output) {
    if (series.front().comparison == Comparison::kRotation) continue;
    std::vector<int> components;
    for (const Series& one : series) components.push_back(one.component);
    try {
      const MeasuredOutput measured = measured_output(system, output, components);
      system_.add_element(name_of_constraints(output), measured.model, measured.nodes,
                          {.bind = measured.bind});
    } catch (const InvalidArgument&) {
      continue;  // it depends on more than positions
    }
    numbers_.insert(numbers_.end(), series.begin(), series.end());
  }
  scalars_ = size_ = static_cast<int>(numbers_.size());
  for (const auto& [output, series] : by_output) {
    if (series.front().comparison != Comparison::kRotation) continue;
    const int node = system.node_index(output.substr(0, output.rfind('.')));
    const lie::GroupList& space = system.configuration_space();
    rotations_.push_back({space.dof_offset(node), space.coeff_offset(node)});
    numbers_.push_back(series.front());
    size_ += 3;
  }
  layout_.emplace(system_);
  point_ = sensitivity::MotionPoint(system_);
  assembly_.emplace(system_, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kAutomatic);
  constraints_ = sensitivity::element_sum(system_, ElementFunction::kConstraints);
  accelerations_ = sensitivity::element_sum(system_, ElementFunction::kAcceleration);
}

std::vector<SmoothPath> MeasuredMotion::paths_of(const Recording& recording) {
  std::vector<SmoothPath> paths;
  for (const Series& series : recording.series) paths.emplace_back(series);
  return paths;
}

MeasuredMotion::Target MeasuredMotion::target(const Recording& recording,
                                              const std::vector<SmoothPath>& paths,
                                              double t) const {
  Target target;
  target.value = target.rate = target.acceleration = target.weight = Eigen::VectorXd::Zero(size_);
  target.rotations.resize(rotations_.size(), lie::SO3<double>::identity());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const SmoothPath& path = paths[i];
    const auto found = std::ranges::find_if(numbers_, [&](const Series& one) {
      return one.output == recording.series[i].output &&
             one.component == recording.series[i].component;
    });
    if (found == numbers_.end() || !path.exists()) continue;
    if (t < path.first_time() || t > path.last_time()) continue;
    const Index place = found - numbers_.begin();
    if (place < scalars_) {
      const SmoothPath::Number number = path.number(t);
      target.value(place) = number.value;
      target.rate(place) = number.rate;
      target.acceleration(place) = number.acceleration;
      target.weight(place) = 1 / path.noise();
      continue;
    }
    const SmoothPath::Orientation turned = path.orientation(t);
    const Index rotation = place - scalars_, first = scalars_ + 3 * rotation;
    target.rotations[static_cast<std::size_t>(rotation)] = turned.rotation;
    target.rate.segment<3>(first) = turned.omega;
    target.acceleration.segment<3>(first) = turned.omega_dot;
    target.weight.segment<3>(first).setConstant(1 / path.noise());
  }
  return target;
}

Eigen::MatrixXd MeasuredMotion::moved(const Eigen::MatrixXd& motion) const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(layout_->size, motion.cols());
  const Index dof = system_.dof(), parameters = std::ssize(system_.parameters());
  result.topRows(3 * dof) = motion.topRows(3 * dof);
  result.middleRows(layout_->parameters, parameters) =
      motion.middleRows(own_layout_.parameters, parameters);
  return result;
}

Eigen::MatrixXd MeasuredMotion::derivatives(sensitivity::KernelSum& sum,
                                            const Eigen::MatrixXd& motion) {
  const RowMajor directions = motion;
  RowMajor values = RowMajor::Zero(sum.num_values(), motion.cols());
  sum.tangent(point_.numbers(), static_cast<int>(motion.cols()),
              {directions.data(), static_cast<std::size_t>(directions.size())},
              {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

/// Rows of constraints and of measured numbers, which count by their weights.
bool MeasuredMotion::set_rows(const Target& target, const Eigen::MatrixXd& by_position) {
  const Index dof = system_.dof();
  rows_.constraints = by_position.topRows(own_multipliers_);
  rows_.measured = Eigen::MatrixXd::Zero(size_, dof);
  rows_.measured.topRows(scalars_) = by_position.middleRows(own_multipliers_, scalars_);
  for (std::size_t i = 0; i < rotations_.size(); ++i) {
    rows_.measured.block<3, 3>(scalars_ + 3 * static_cast<Index>(i), rotations_[i].dof)
        .setIdentity();
  }
  rows_.measured = target.weight.asDiagonal() * rows_.measured;
  rows_.null_space = Eigen::MatrixXd::Identity(dof, dof);
  if (own_multipliers_ > 0) {
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows_.constraints.transpose());
    const Eigen::MatrixXd q = qr.householderQ();
    rows_.null_space = q.rightCols(dof - qr.rank());
  }
  rows_.by_null_space = rows_.measured * rows_.null_space;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rows_.by_null_space);
  qr.setThreshold(kLeastEffect);
  return qr.rank() == rows_.null_space.cols();
}

/// Perturbations x of positions, or velocities, with B x = constraints and the least |W (J x - measured)|.
Eigen::MatrixXd MeasuredMotion::solve(const Eigen::MatrixXd& constraints,
                                      const Eigen::MatrixXd& measured) const {
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(system_.dof(), measured.cols());
  if (own_multipliers_ > 0) {
    x = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(rows_.constraints)
            .solve(constraints);
  }
  const Eigen::MatrixXd left = measured - rows_.measured * x;
  x += rows_.null_space *
       Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(rows_.by_null_space).solve(left);
  return x;
}

/// A node that moves without a change of what was measured.
std::string MeasuredMotion::undetermined() const {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows_.by_null_space, Eigen::ComputeFullV);
  const Eigen::VectorXd free = rows_.null_space * svd.matrixV().rightCols<1>();
  Index largest = 0;
  free.cwiseAbs().maxCoeff(&largest);
  const lie::GroupList& space = system_.configuration_space();
  int node = 0;
  while (node + 1 < space.size() && space.dof_offset(node + 1) <= largest) node += 1;
  return "what was measured does not determine the configuration, node '" +
         system_.nodes()[index(node)].name + "' moves without a change of it";
}

void MeasuredMotion::set(const dae::State& state, std::span<const double> controls) {
  dae::State there = state;
  there.lambda.assign(index(system_.num_multipliers()), 0.0);
  point_.set(there, controls);
  assembly_->set_time(state.t);
  std::ranges::copy(controls, assembly_->controls().begin());
  place_state(there, *assembly_);
}

std::optional<std::string> MeasuredMotion::find(const Target& target,
                                                std::span<const double> controls,
                                                dae::State& state) {
  const lie::GroupList& space = system_.configuration_space();
  const Index dof = system_.dof(), numbers = own_multipliers_ + scalars_;
  constexpr int kMost = 100;
  constexpr double kLongest = 0.3, kSmall = 1e-10;
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(layout_->size, dof);
  directions.topRows(dof).setIdentity();
  Eigen::VectorXd all(2 * numbers);
  std::ranges::fill(state.v, 0.0);
  const auto evaluate = [&] {
    set(state, controls);
    const std::size_t count = static_cast<std::size_t>(numbers);
    assembly_->constraint_values({all.data(), count}, {all.data() + count, count});
  };
  bool has_converged = false;
  for (int i = 0; i < kMost && !has_converged; ++i) {
    evaluate();
    if (!all.allFinite()) return "outputs and constraints are not finite there";
    if (!set_rows(target, derivatives(*constraints_, directions))) {
      return undetermined();
    }
    Eigen::VectorXd measured = target.value;
    measured.head(scalars_) -= all.segment(own_multipliers_, scalars_);
    for (Index k = 0; k < scalars_; ++k) {
      if (numbers_[index(static_cast<int>(k))].comparison != Comparison::kAngle) continue;
      measured(k) = std::remainder(measured(k), 2 * std::numbers::pi);
    }
    for (std::size_t k = 0; k < rotations_.size(); ++k) {
      const Vec4 q(Eigen::Map<const Vec4>(&state.q[index(rotations_[k].coefficient)]));
      measured.segment<3>(scalars_ + 3 * static_cast<Index>(k)) =
          (lie::SO3<double>::from_coeffs(q).inverse() * target.rotations[k]).log();
    }
    Eigen::VectorXd step = solve(-all.head(own_multipliers_), target.weight.cwiseProduct(measured));
    const double size = step.lpNorm<Eigen::Infinity>();
    if (size > kLongest) step *= kLongest / size;
    const std::vector<double> before = state.q;
    space.plus<double>(before, {step.data(), index(static_cast<int>(dof))}, state.q);
    has_converged = size < kSmall;
  }
  if (!has_converged) return "no configuration on the constraints is near what was measured";
  evaluate();
  set_rows(target, derivatives(*constraints_, directions));
  Eigen::VectorXd rates = target.rate;
  rates.head(scalars_) -= all.segment(numbers + own_multipliers_, scalars_);
  const Eigen::VectorXd v =
      solve(-all.segment(numbers, own_multipliers_), target.weight.cwiseProduct(rates));
  std::copy(v.begin(), v.end(), state.v.begin());
  return {};
}

Eigen::VectorXd MeasuredMotion::residual(const Target& target, const dae::State& state,
                                         std::span<const double> controls) {
  set(state, controls);
  std::vector<double> values(index(system_.num_multipliers()));
  assembly_->constraint_accelerations(values);
  Eigen::VectorXd now(size_);
  for (int k = 0; k < scalars_; ++k) now(k) = values[index(own_multipliers_ + k)];
  for (std::size_t k = 0; k < rotations_.size(); ++k) {
    now.segment<3>(scalars_ + 3 * static_cast<Index>(k)) =
        Eigen::Map<const Vec3>(&state.v_dot[index(rotations_[k].dof)]);
  }
  return target.weight.cwiseProduct(target.acceleration - now);
}

void MeasuredMotion::follow(const Target& target, Eigen::MatrixXd& motion) {
  const Index dof = system_.dof(), numbers = own_multipliers_ + scalars_;
  const auto with_rotations = [&](const Eigen::MatrixXd& of_scalars) -> Eigen::MatrixXd {
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size_, of_scalars.cols());
    all.topRows(scalars_) = of_scalars;
    return target.weight.asDiagonal() * all;
  };
  for (int order = 0; order < 2; ++order) {
    const Eigen::MatrixXd changes = derivatives(*constraints_, moved(motion));
    const Index first = order * numbers;
    motion.middleRows(order * dof, dof) =
        solve(-changes.middleRows(first, own_multipliers_),
              with_rotations(-changes.middleRows(first + own_multipliers_, scalars_)));
  }
}

Eigen::MatrixXd MeasuredMotion::residual_derivative(const Target& target,
                                                    const Eigen::MatrixXd& motion) {
  const Eigen::MatrixXd changes = derivatives(*accelerations_, moved(motion));
  Eigen::MatrixXd result(size_, motion.cols());
  result.topRows(scalars_) = changes.middleRows(own_multipliers_, scalars_);
  for (std::size_t k = 0; k < rotations_.size(); ++k) {
    result.middleRows(scalars_ + 3 * static_cast<Index>(k), 3) =
        motion.middleRows(2 * system_.dof() + rotations_[k].dof, 3);
  }
  return -(target.weight.asDiagonal() * result);
}

}  // namespace liegrad::optimize
