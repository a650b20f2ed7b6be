#include "liegrad/sensitivity/step/radau_terms.hpp"

#include "liegrad/dae/equations/formulation.hpp"
#include "liegrad/dae/runge_kutta/stabilizer_weights.hpp"
#include "liegrad/dae/start/acceleration_solver.hpp"
#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::ElementFunction;
using dae::index;

constexpr dae::ConstraintRows kBothLevels = {.position = true, .velocity = true};

std::vector<double> weights_of(const dae::Model& system) {
  if (system.num_multipliers() == 0) return std::vector<double>(index(system.dof()), 1.0);
  dae::AccelerationSolver solver(system, false, dae::LinearSolverKind::kAutomatic);
  dae::StabilizerWeights weights(system);
  const std::span<const double> found = weights.find(solver.assembly());
  return {found.begin(), found.end()};
}

}  // namespace

/// Adds the relations between the start and one stage, part by part of a configuration space.
class RadauTerms::Parts {
 public:
  Parts(RadauTerms& owner, const RadauPlaces& places, int stage, int first_row)
      : owner_(owner),
        layout_(owner.layout_),
        places_(places),
        stage_(stage),
        num_stages_(owner.coefficients_.stages),
        positions_(first_row),
        velocities_(first_row + owner.system_.dof()) {}

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    const StepPart part = step_part_of<G>();
    const int count = step_part_dof(part);
    const std::vector<int> rows = ad::range(positions_ + dof, count);
    const auto append = [count](std::vector<int>& numbers, const std::vector<int>& from,
                                int first) {
      numbers.insert(numbers.end(), from.begin() + first, from.begin() + first + count);
    };
    for (int j = 0; j < num_stages_; ++j) {
      std::vector<int> numbers;
      append(numbers, places_.start.motion, layout_.q + dof);
      append(numbers, at(stage_).motion, layout_.q + dof);
      append(numbers, at(j).motion, (j == stage_ ? layout_.v : layout_.q) + dof);
      for (int i = 0; i < count; ++i) numbers.push_back(base(stage_) + dof + i);
      if (j == stage_) {
        numbers.insert(numbers.end(), {places_.horizon, places_.fraction});
      } else {
        for (int i = 0; i < count; ++i) numbers.push_back(base(j) + dof + i);
      }
      numbers.push_back(inverse(j));
      for (int i = 0; i < count; ++i) numbers.push_back(mass() + dof + i);
      owner_.terms_.add(j == stage_ ? owner_.own_turns_[part] : owner_.other_turns_[part], numbers,
                        rows);
    }
    for (int i = 0; i < count; ++i) add_velocity(dof + i);
  }
  void linear(int dof, int count) {
    for (int i = dof; i < dof + count; ++i) {
      add_rate(layout_.q + i, layout_.v + i, i, mass() + i, positions_ + i);
      add_velocity(i);
    }
  }

 private:
  const MotionPlaces& at(int stage) const { return places_.stages[index(stage)]; }
  int base(int stage) const { return places_.bases[index(stage)]; }
  int inverse(int j) const { return places_.method + stage_ * num_stages_ + j; }
  int mass() const { return places_.method + num_stages_ * num_stages_; }
  int one() const { return mass() + owner_.system_.dof(); }

  void add_velocity(int dof) {
    add_rate(layout_.v + dof, layout_.v_dot + dof, TermList::kZero, one(), velocities_ + dof);
  }
  /// y and its rate r as parts of a motion; ȳ_j as offset of bases, if there are any.
  void add_rate(int y, int r, int base_offset, int weight, int row) {
    std::vector<int> numbers = {places_.start.motion[index(y)]};
    for (int j = 0; j < num_stages_; ++j) numbers.push_back(at(j).motion[index(y)]);
    for (int j = 0; j < num_stages_; ++j) {
      numbers.push_back(base_offset == TermList::kZero ? TermList::kZero : base(j) + base_offset);
    }
    numbers.push_back(at(stage_).motion[index(r)]);
    numbers.insert(numbers.end(), {places_.horizon, places_.fraction});
    for (int j = 0; j < num_stages_; ++j) numbers.push_back(inverse(j));
    numbers.push_back(weight);
    owner_.terms_.add(owner_.rate_, numbers, std::array{row});
  }

  RadauTerms& owner_;
  const MotionLayout& layout_;
  const RadauPlaces& places_;
  int stage_, num_stages_, positions_, velocities_;
};

RadauTerms::RadauTerms(const dae::Model& system, int stages, TermList& terms)
    : ElementTerms(system, terms),
      coefficients_(stages),
      rows_(system, kBothLevels),
      weights_(weights_of(system)),
      rate_(rate_recording(stages)),
      own_turns_(own_turn_recording),
      other_turns_(other_turn_recording) {}

int RadauTerms::num_method_numbers(const dae::Model& system, int stages) {
  return stages * stages + system.dof() + 1;
}

void RadauTerms::set_method_numbers(std::span<double> numbers) const {
  std::size_t next = 0;
  for (int i = 0; i < coefficients_.stages; ++i) {
    for (int j = 0; j < coefficients_.stages; ++j) numbers[next++] = coefficients_.inverse(i, j);
  }
  for (const double w : weights_) numbers[next++] = 1 / w;
  numbers[next] = 1;
}

void RadauTerms::add_stages(const RadauPlaces& places, int first_row) {
  for (int i = 0; i < coefficients_.stages; ++i) {
    const int row = first_row + i * stage_size();
    dae::for_each_part(system_.configuration_space(), Parts(*this, places, i, row));
    if (system_.num_multipliers() > 0) {
      MotionPlaces start = places.start;
      start.put(layout_.lambda, system_.num_multipliers(), places.stabilizers[index(i)]);
      add_elements(ElementFunction::kConstraintForce, {}, start, row);
    }
    add_elements(ElementFunction::kStep, kBothLevels, places.stages[index(i)],
                 row + first_element_row());
  }
}

}  // namespace liegrad::sensitivity
