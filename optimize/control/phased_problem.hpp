#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "liegrad/control/problem.hpp"

namespace liegrad::control {

/// What joins the end of a phase with the start of the next one.
///
/// Nodes that both have by the same name and of the same group are continuous, configuration and velocity, unless they are
/// freed; nodes that only the next phase has start from the initial values of its system. Controls may jump unless they are
/// kept. Joints that only the next phase has, or whose nodes may jump, are satisfied by its start because they are asked
/// for there.
///
/// All throw InvalidArgument, for names that a system does not have with the nearest one.
class Link {
 public:
  using Snapshot = sensitivity::Snapshot<ad::Taped>;
  using Function =
      std::function<std::vector<ad::Taped>(const Snapshot& end, const Snapshot& start)>;
  struct Condition {
    std::string name;
    Function function;
    Interval interval;
  };
  /// A coordinate or a control of the phase before, and the same of the phase behind.
  struct Pair {
    int before, after;
  };

  Link(const dae::Model& before, const dae::Model& after, std::string place);

  /// The configuration of a node, or some coordinates of a node in R^n, may jump.
  void free_configuration(const std::string& node, const std::vector<int>& coordinates = {});
  /// The velocity of a node, or some of its coordinates, may jump.
  void free_velocity(const std::string& node, const std::vector<int>& coordinates = {});
  /// A control does not jump.
  void keep_control(const std::string& control);
  /// A function of both sides, of any scalar, that returns one number or several, within an interval:
  ///
  ///     link.add_condition("momentum", [](const auto& end, const auto& start) {
  ///       return end.parameter("cart.m") * end.velocity("cart")(0) -
  ///              start.parameter("cart.m") * start.velocity("cart")(0);
  ///     });
  template <class F>
  void add_condition(const std::string& name, const F& f, const Interval& interval = {0, 0}) {
    add(
        name,
        [f](const Snapshot& end, const Snapshot& start) {
          const auto& result = f(end, start);
          if constexpr (requires { std::begin(result); }) {
            return std::vector<ad::Taped>(std::begin(result), std::end(result));
          } else {
            return std::vector<ad::Taped>{ad::Taped(result)};
          }
        },
        interval);
  }

  // What there is.

  /// Nodes that both have, by their places.
  const std::vector<Pair>& nodes() const { return nodes_; }
  /// Coordinates that are equal on both sides.
  const std::vector<Pair>& positions() const { return positions_; }
  const std::vector<Pair>& velocities() const { return velocities_; }
  const std::vector<Pair>& controls() const { return controls_; }
  const std::vector<Condition>& conditions() const { return conditions_; }
  /// Whether a coordinate of the start is that of the initial values of its system.
  const std::vector<bool>& given_positions() const { return given_positions_; }
  const std::vector<bool>& given_velocities() const { return given_velocities_; }
  /// The configuration behind the link where the phase before ends at `end`: that of the initial values for nodes that
  /// only the next phase has.
  std::vector<double> start_behind(const std::vector<double>& end) const;
  /// Elements whose constraints nothing before the start satisfies.
  std::vector<int> new_constraints() const;

 private:
  void add(const std::string& name, Function f, const Interval& interval);
  /// Coordinates of a node of the phase behind.
  std::vector<int> dofs_of(const std::string& node, const std::vector<int>& coordinates) const;
  bool inherits(const dae::PlacedElement& element) const;
  [[noreturn]] void refuse(const std::string& sentence) const;

  const dae::Model& before_;
  const dae::Model& after_;
  std::string place_;
  std::vector<Pair> nodes_, positions_, velocities_, controls_;
  std::vector<bool> given_positions_, given_velocities_;
  std::vector<Condition> conditions_;
};

/// Problems one after the other, each with a system, a horizon, costs and limits of its own, joined by links: the sum of
/// their costs is to be least. Each counts its time from 0. Free parameters of the same name are one.
///
///     PhasedProblem both("carry and return");
///     both.add_phase(carry, 100);
///     both.add_phase(back, 100);
///     both.link(1).free_velocity("hook");
class PhasedProblem {
 public:
  struct Phase {
    Problem problem;
    int steps;
    std::vector<double> mesh;  ///< as in TranscriptionOptions
  };

  explicit PhasedProblem(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  /// Returns its number, counted from 0. Throws InvalidArgument for a periodic problem, and for too few steps.
  int add_phase(Problem problem, int steps, std::vector<double> mesh = {});
  /// Replaces the grid of a phase. Throws InvalidArgument for too few steps.
  void set_grid(int phase, int steps, std::vector<double> mesh = {});
  /// Replaces the problem of a phase by one of the same system, with another guess or other limits. Throws
  /// InvalidArgument if it is one of another system.
  void set_problem(int phase, Problem problem);
  /// The link that leads to a phase, from 1 on.
  Link& link(int phase) { return links_[link_index(phase)]; }
  const Link& link(int phase) const { return links_[link_index(phase)]; }
  /// Bounds of the time of all phases together.
  void bound_total_time(const Interval& bounds);

  int size() const { return static_cast<int>(phases_.size()); }
  const Phase& phase(int i) const { return phases_.at(static_cast<std::size_t>(i)); }
  const Interval& total_time() const { return total_time_; }
  bool has_total_time() const { return has_total_time_; }

 private:
  std::size_t link_index(int phase) const;
  std::size_t phase_index(int phase) const;
  std::string place_of(std::size_t phase) const;
  void check_grid(std::size_t phase, int steps, const std::vector<double>& mesh) const;

  std::string name_;
  std::deque<Phase> phases_;
  std::deque<Link> links_;
  Interval total_time_;
  bool has_total_time_ = false;
};

}  // namespace liegrad::control
