#include "liegrad/dae/equations_of_motion.hpp"

#include <vector>

#include "liegrad/dae/start/consistency.hpp"

namespace liegrad::dae {

EquationsOfMotion::EquationsOfMotion(const Model& model, const ConsistencyOptions& options)
    : model_(model.shared()),
      consistency_(std::make_unique<Consistency>(*model_, options, LinearSolverKind::kAutomatic)) {}
EquationsOfMotion::~EquationsOfMotion() = default;
EquationsOfMotion::EquationsOfMotion(EquationsOfMotion&&) noexcept = default;
EquationsOfMotion& EquationsOfMotion::operator=(EquationsOfMotion&&) noexcept = default;

State EquationsOfMotion::initial_state(double t) {
  // A copy: it is read while they are written.
  const std::vector<double> controls(this->controls().begin(), this->controls().end());
  return consistency_->initial_state(t, controls);
}

void EquationsOfMotion::set_accelerations(State& state) { consistency_->set_accelerations(state); }

std::span<double> EquationsOfMotion::controls() { return consistency_->controls(); }

}  // namespace liegrad::dae
