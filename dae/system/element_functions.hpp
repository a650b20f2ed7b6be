#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/system/element_kind.hpp"

namespace liegrad::dae {

/// The functions of an element of which kernels are made, in terms of the inputs of ElementInputs.
/// They are called while CppAD records.
class ElementFunctions {
 public:
  ElementFunctions(const ElementKind& kind, const ElementInputs& in)
      : kind_(kind), model_(kind.model()), groups_(kind.groups()), in_(in) {}

  /// M v̇ + g + Bᵀλ and h_s, then Φ, then dΦ/dt.
  std::vector<Taped> step(std::span<const Taped> x, ConstraintRows rows) const;
  std::vector<Taped> constraint_and_rate(std::span<const Taped> x) const;
  /// The derivative of order 2 or 3 of Φ along the motion with v, v̇ and v̈ = 0.
  std::vector<Taped> constraint_derivative(std::span<const Taped> x, int order) const;
  std::vector<Taped> observables(std::span<const Taped> x) const;
  /// B(q)ᵀλ of the element's own constraints, by AD.
  std::vector<Taped> constraint_force(std::span<const Taped> x) const;

 private:
  using Views = std::vector<std::vector<Taped>>;

  /// Factors of the correction in one kind of row.
  struct Factors {
    Taped position, velocity, acceleration;
  };
  Factors motion_factors(std::span<const Taped> x) const;
  Factors rate_factors(std::span<const Taped> x) const;

  Views corrected_views(std::span<const Taped> x, const Taped& factor) const;
  Motion<Taped> corrected_motion(std::span<const Taped> x, const Factors& factors) const;
  std::vector<Taped> corrected_multipliers(std::span<const Taped> x) const;
  /// Of Φ(t+τ) the coefficient of this power of τ.
  std::vector<Taped> constraint_coefficient(std::span<const Taped> x, const Views& views,
                                            const Factors& factors, int order) const;
  ConstraintTape::Point constraint_point(std::span<const Taped> x, const Views& views) const;
  Position<Taped> position(std::span<const Taped> x, Views views) const;
  std::vector<Taped> values(std::span<const Taped> x, int first, std::size_t count) const;
  std::vector<Taped> velocity(std::span<const Taped> x, std::size_t node,
                              const Taped& factor) const;
  int dof_offset(std::size_t node) const;
  int velocity_correction() const { return in_.form.split ? in_.w_velocity : in_.w; }

  const ElementKind& kind_;
  const ElementModel& model_;
  const std::vector<lie::NodeGroup>& groups_;
  const ElementInputs& in_;
};

/// Q w for the matrix of a node, see node_map_size().
std::vector<Taped> apply_node_map(const lie::NodeGroup& group, std::span<const Taped> map,
                                  std::span<const Taped> w);

}  // namespace liegrad::dae
