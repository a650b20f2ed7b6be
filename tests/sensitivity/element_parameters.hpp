#pragma once

// Systems for derivatives by the parameters of elements: nodes and joints are placed by poses in space, from
// which the parameters of their frames follow, so that none of them has a special value; and the comparison of
// such derivatives, variable by variable.

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agreement.hpp"
#include "elements/poses.hpp"
#include "liegrad/ad/message.hpp"
#include "liegrad/dae/start/consistency.hpp"

namespace liegrad::testing {

using Values = std::map<std::string, double>;

/// Builds a system in space.
class Workbench {
 public:
  explicit Workbench(const std::string& name) : system(name) {
    poses_.insert({"ground", Pose::identity()});
  }

  void add_node(const std::string& name, const lie::NodeGroup& group, const Pose& pose) {
    system.add_node(name, group);
    const std::vector<double> coeffs = coeffs_of(pose);
    const bool is_point = group == lie::NodeGroup::rn(3);
    system.set_initial_configuration(name, {coeffs.begin() + (is_point ? 4 : 0), coeffs.end()});
    poses_.insert({name, is_point ? Pose(Rotation::identity(), pose.translation()) : pose});
  }
  void add_coordinate(const std::string& name, double value) {
    system.add_node(name, lie::NodeGroup::rn(1));
    system.set_initial_configuration(name, {value});
  }

  /// Values of the parameters of a frame, "a.X1" to "a.e3", that is at a pose in space and attached to a
  /// node. The quaternion is not of length one.
  Values frame(const std::string& prefix, const std::string& node, const Pose& in_space) const {
    const dae::BodyFrame is = body_frame(node, in_space);
    Values values;
    for (std::size_t i = 0; i < 3; ++i) {
      values[prefix + ".X" + std::to_string(i + 1)] = is.position[i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
      values[prefix + ".e" + std::to_string(i)] = is.orientation[i];
    }
    return values;
  }
  /// The same as a frame of the system.
  void add_frame(const std::string& name, const std::string& node, const Pose& in_space) {
    system.add_frame(name, node, body_frame(node, in_space));
  }

  /// An element whose frames a and b are at these poses in space, on the first of its nodes.
  template <class E>
  void attach(const std::string& name, const E& element, const std::vector<std::string>& nodes,
              const std::vector<Pose>& frames, Values values = {},
              const std::vector<std::string>& reads_multipliers_of = {}) {
    const char* const prefixes[] = {"a", "b"};
    Values of_frames;
    for (std::size_t i = 0; i < frames.size(); ++i)
      of_frames.merge(frame(prefixes[i], nodes[i], frames[i]));
    // A point has no orientation.
    for (const dae::ParameterSpec& parameter : element.shape().parameters) {
      const auto found = of_frames.find(parameter.name);
      if (found != of_frames.end()) values.insert(*found);
    }
    system.add(name, element, nodes,
               {.values = values, .reads_multipliers_of = reads_multipliers_of});
  }

  /// Gives all nodes velocities that have nothing special, but agree with the constraints.
  void start_moving(double t = 0) {
    const lie::GroupList& space = system.configuration_space();
    std::vector<double> v(index(space.dof()));
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] = std::sin(2.3 * static_cast<double>(i) + 0.4);
    }
    dae::Consistency consistency(system, {.project = true}, dae::LinearSolverKind::kDense);
    const dae::State state =
        consistency.initial_state(t, {}, {.q = system.initial_configuration(), .v = v});
    for (int i = 0; i < space.size(); ++i) {
      const std::string& name = system.nodes()[index(i)].name;
      if (name == "ground") continue;
      const auto q = state.q.begin() + space.coeff_offset(i);
      const auto own = state.v.begin() + space.dof_offset(i);
      system.set_initial_configuration(name, {q, q + space.group(i).num_coeffs()});
      system.set_initial_velocity(name, {own, own + space.group(i).dof()});
    }
  }

  dae::System system;

 private:
  dae::BodyFrame body_frame(const std::string& node, const Pose& in_space) const {
    constexpr double kLength = 1.3;
    const auto c = (poses_.at(node).inverse() * in_space).coeffs();
    return {.position = {c(4), c(5), c(6)},
            .orientation = {kLength * c(0), kLength * c(1), kLength * c(2), kLength * c(3)}};
  }

  std::map<std::string, Pose> poses_;
};

/// While it lives, kernels that were not used before are interpreted, as on a machine without a C compiler.
class WithoutCompiler {
 public:
  WithoutCompiler() {
    if (const char* const value = std::getenv(kVariable)) before_ = value;
    setenv(kVariable, "liegrad-tests-use-no-compiler", /*overwrite=*/1);
    // That there is no compiler is no news.
    handler_ = ad::set_message_handler({});
  }
  ~WithoutCompiler() {
    ad::set_message_handler(handler_);
    if (before_) {
      setenv(kVariable, before_->c_str(), /*overwrite=*/1);
    } else {
      unsetenv(kVariable);
    }
  }
  WithoutCompiler(const WithoutCompiler&) = delete;

 private:
  static constexpr const char* kVariable = "LIEGRAD_CC";
  std::optional<std::string> before_;
  ad::MessageHandler handler_;
};

/// Derivatives by all parameters of a system, of all outputs at the end of a run.
class ParameterDerivatives {
 public:
  ParameterDerivatives(dae::System system, double step, int steps)
      : problem_(std::move(system), step, steps * step) {
    problem_.options.variables.initial_configuration = false;
    problem_.options.variables.initial_velocity = false;
    problem_.options.variables.t_end = problem_.options.variables.step = false;
    // Longer than elsewhere: the rounding of multipliers, which is that of positions over h², counts less.
    problem_.options.difference_step = 0.03;
    for (const std::string& column : dae::Outputs(problem_.system).column_names()) {
      if (!column.starts_with("residual")) problem_.read(column);
    }
  }

  /// That all modes agree, relative to the largest derivative by the same parameter; and that this one is
  /// far from zero for all parameters but those that are named, which have no effect at all.
  void expect_agreement(const std::set<std::string>& without_effect = {}) {
    // Differences take thousands of runs, whose kernels are worth to be compiled; the others are evaluated a
    // few times.
    const Derivatives differences = problem_.by(Mode::kDifference);
    const WithoutCompiler interpreted;
    forward_ = problem_.by(Mode::kForward);
    set_scales();
    const Derivatives adjoint = problem_.by(Mode::kAdjoint);
    const TapedRun tape = problem_.by_tape();
    double worst_adjoint = 0, worst_tape = 0, worst_difference = 0, least_effect = 1;
    for (Eigen::Index j = 0; j < forward_.jacobian.cols(); ++j) {
      const std::string& name = forward_.variable_names[static_cast<std::size_t>(j)];
      SCOPED_TRACE(name);
      if (without_effect.contains(name)) {
        constexpr double kRounding = 1e-15;  // of a velocity that was projected to zero
        EXPECT_LT(forward_.jacobian.col(j).cwiseAbs().maxCoeff(), kRounding);
        EXPECT_LT(adjoint.jacobian.col(j).cwiseAbs().maxCoeff(), kRounding);
        EXPECT_LT(differences.jacobian.col(j).cwiseAbs().maxCoeff(), kRounding);
        continue;
      }
      const double effect = effect_on_motion(j);
      EXPECT_GT(effect, kLeastEffect) << "without an effect on the motion";
      least_effect = std::min(least_effect, effect);
      const Eigen::VectorXd column = scaled(forward_.jacobian, j);
      const double size = column.cwiseAbs().maxCoeff();
      const auto expect_near = [&](const Eigen::MatrixXd& other, const char* by, double& worst) {
        const double error = (scaled(other, j) - column).cwiseAbs().maxCoeff() / size;
        EXPECT_LE(error, kTolerance) << by;
        worst = std::max(worst, error);
      };
      expect_near(adjoint.jacobian, "adjoint", worst_adjoint);
      expect_near(tape.jacobian, "tape", worst_tape);
      // Of the many estimates of a parameter's differences some are too small by luck.
      const Eigen::VectorXd difference = (scaled(differences.jacobian, j) - column).cwiseAbs();
      const double estimate = scaled(differences.jacobian_error, j).maxCoeff();
      EXPECT_LE(difference.maxCoeff(), std::max(kDifferenceTolerance, 10 * estimate));
      // Differences that know nothing would agree with anything.
      EXPECT_LE(difference.maxCoeff(), kWorstDifference * size) << "estimate " << estimate;
      worst_difference = std::max(worst_difference, difference.maxCoeff() / size);
    }
    for (const std::string& name : without_effect) problem_.system.parameter_index(name);
    std::printf(
        "%s: %d values by %d parameters; adjoint %.1e, tape %.1e, differences %.1e, least "
        "effect %.1e\n",
        problem_.system.name().c_str(), static_cast<int>(forward_.jacobian.rows()),
        static_cast<int>(forward_.jacobian.cols()), worst_adjoint, worst_tape, worst_difference,
        least_effect);
  }

 private:
  static constexpr double kLeastEffect = 1e-4, kWorstDifference = 1e-5;

  void set_scales() {
    sizes_ = problem_.sizes(forward_);
    rows_ = (forward_.jacobian * sizes_.asDiagonal()).cwiseAbs().rowwise().maxCoeff();
  }
  /// Of one variable, in its size, and relative to the largest derivative of the same value. Values that depend on
  /// nothing, such as the velocity of what stands still, have derivatives that are rounding.
  Eigen::VectorXd scaled(const Eigen::MatrixXd& jacobian, Eigen::Index j) const {
    constexpr double kRounding = 1e-12;
    Eigen::VectorXd column = sizes_(j) * jacobian.col(j);
    for (Eigen::Index i = 0; i < column.size(); ++i) {
      if (rows_(i) > kRounding) column(i) /= rows_(i);
    }
    return column;
  }
  /// The largest derivative of a position, a velocity or a multiplier: outputs of elements may depend on
  /// their parameters while the motion does not.
  double effect_on_motion(Eigen::Index j) const {
    const Eigen::VectorXd column = scaled(forward_.jacobian, j);
    double largest = 0;
    for (Eigen::Index i = 0; i < column.size(); ++i) {
      const std::string& name = forward_.value_names[static_cast<std::size_t>(i)];
      const std::string what = name.substr(name.find('.') + 1);
      const bool of_motion = what.starts_with("x") || what.starts_with("q") ||
                             what.starts_with("theta") || what.starts_with("u") ||
                             what.starts_with("omega") || what.starts_with("lambda");
      if (of_motion) largest = std::max(largest, std::abs(column(i)));
    }
    return largest;
  }

  Problem problem_;
  Derivatives forward_;
  Eigen::VectorXd sizes_, rows_;
};

}  // namespace liegrad::testing
