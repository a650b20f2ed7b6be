#pragma once

#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/dae/system/system.hpp"

namespace liegrad::optimize {

/// Initial values that can be unknowns without being parameters: "top.q0[i]" is the i-th entry of ℓ in q_s∘exp(ℓ), where
/// q_s is the initial configuration of the system, and "top.v0[i]" of the initial velocity.
///
/// Constraints leave fewer of them than nodes have. A set of independent entries, as many as the mechanism has degrees
/// of freedom, fixes all others by Φ = 0 and B v + Φ_t = 0. Those that are named are chosen first, in the order of their
/// nodes, rotations before translations (in Rⁿ the last first: planar bodies have their angles there); the rest keep the
/// values of the system.
class InitialCoordinates {
 public:
  InitialCoordinates() = default;
  /// `names` as typed: "top.q0" and "top.v0" for all independent entries of a node, "top.q0[1]" for one of them; other
  /// names are ignored. Entries count from `base`, the initial values of the system unless given. Throws
  /// InvalidArgument for an entry that the node does not have or that constraints and the others fix.
  InitialCoordinates(const dae::System& system, double t, const std::vector<std::string>& names,
                     const std::optional<dae::InitialValues>& base);

  /// Whether a name has this form for a node of the system, and is no parameter.
  static bool has_form(const dae::Model& model, const std::string& name);
  /// Single entries that a name stands for; the name itself where it is no initial value.
  std::vector<std::string> singles(const std::string& name) const;

  bool is_empty() const { return free_.empty(); }
  /// Names of the unknown entries.
  std::vector<std::string> names() const;
  /// In the order of names(): 0 for configurations, the velocity of the system for velocities.
  double start(const std::string& name) const;
  const dae::InitialValues& base() const { return base_; }

 private:
  friend class InitialChart;

  /// One entry: of a velocity or of a configuration, at that degree of freedom of all nodes.
  struct Entry {
    int dof = 0;
    bool is_velocity = false;
    std::string name;
  };

  void choose_independent(const dae::System& system, double t, const std::vector<bool>& wanted);
  std::string name_of(int dof, bool is_velocity) const;

  std::vector<std::string> dof_names_;  ///< "top.%0[1]" with q or v in place of %
  std::vector<bool> is_first_order_;    ///< by degree of freedom
  std::vector<int> independent_;        ///< degrees of freedom
  std::vector<Entry> free_;
  dae::InitialValues base_;
  bool has_constraints_ = false;
};

/// Columns of I - M⁻¹Bᵀ(BM⁻¹Bᵀ)⁻¹B at a state: motions along the constraints.
Eigen::MatrixXd tangential_part(dae::Consistency& consistency, const dae::State& state,
                                const std::vector<int>& columns);

}  // namespace liegrad::optimize
