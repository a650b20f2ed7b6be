#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system/model.hpp"

namespace liegrad::dae {

class Assembly;

/// The named quantities of a system:
///
///     body.x, body.q, body.omega, body.u       of a rigid-body node: position, unit quaternion (w,x,y,z),
///                                              angular velocity in the body, velocity of the origin in
///                                              the inertial frame; of SO(3): q and omega
///     node.x, node.u                           of R^n: coordinates and velocities; SE(2): x, theta,
///                                              omega, u
///     state.c                                  of a first-order state
///     body.omega_dot, body.u_dot, state.c_dot  accelerations: the time derivatives of omega, u and c,
///                                              wherever these are there
///     element.lambda, element.s, element.name  multipliers, algebraic states, what it defines itself
///     energy, energy.kinetic, energy.potential, momentum.linear, momentum.angular
///     residual.position, residual.velocity     largest |Φ| and |dΦ/dt|
class Outputs {
 public:
  explicit Outputs(const Model& model);
  ~Outputs();
  Outputs(Outputs&&) noexcept;
  Outputs& operator=(Outputs&&) noexcept;

  const std::vector<OutputSpec>& list() const { return list_; }
  int size() const { return size_; }
  /// Where the numbers of an output begin; throws InvalidArgument with the nearest name.
  int offset(const std::string& name) const;
  const OutputSpec& spec(const std::string& name) const;
  /// Names of single numbers: "top.x.1" for the first of three, "energy" for one alone.
  std::vector<std::string> column_names() const;
  /// Where a column of that name, or of the form "top.x[1]", stands.
  int column(const std::string& name) const;

  /// Values of all parameters, in place of the defaults of the model.
  void set_parameters(std::span<const double> parameters);
  /// All size() numbers at a state. Throws InvalidArgument when the sizes are not those of the model, and when the
  /// System that this was made from has changed since.
  void evaluate(const State& state, std::span<const double> controls, std::span<double> out);
  bool has_energy() const;

 private:
  void add(const std::string& name, int size, const std::string& meaning);
  int find(const std::string& name) const;
  void check_sizes(const State& state, std::span<const double> controls,
                   std::span<const double> out) const;

  std::shared_ptr<const Model> model_;
  std::unique_ptr<Assembly> assembly_;
  std::vector<OutputSpec> list_;
  std::vector<int> offsets_;
  int size_ = 0;
  std::vector<double> element_outputs_, position_, velocity_;
};

}  // namespace liegrad::dae
