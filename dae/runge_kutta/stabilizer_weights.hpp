#pragma once

#include <span>
#include <vector>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/equations/unknown_units.hpp"

namespace liegrad::dae {

/// W of RadauEquations: the inverse of inertias at the initial configuration of the system, one number for the angles and
/// one for the translations of a node, and powers of four, so that derivatives by parameters do not feel them. They depend
/// on the system and its parameters only: a step that is made again has the same.
class StabilizerWeights {
 public:
  explicit StabilizerWeights(const Model& system);

  /// With the parameters of an assembly of (19), which is left at the initial configuration. Allocates nothing after the
  /// first time.
  std::span<const double> find(Assembly& matrix);

 private:
  void set(int first, int count);

  std::vector<double> initial_, none_, weights_;
  UnknownUnits units_;
};

}  // namespace liegrad::dae
