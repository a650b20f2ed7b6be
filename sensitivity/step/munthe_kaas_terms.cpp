#include "liegrad/sensitivity/step/munthe_kaas_terms.hpp"

#include <algorithm>
#include <array>

#include "liegrad/dae/system/node_tangent.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::ElementFunction;
using dae::index;

/// Calls turning(part, dof) and linear(dof) for the parts of a configuration space, of linear ones coordinate by coordinate.
template <class Turning, class Linear>
struct EachPart {
  Turning f;
  Linear g;

  template <template <class> class G>
  void turning(int /*node*/, int dof) {
    f(step_part_of<G>(), dof);
  }
  void linear(int dof, int count) {
    for (int i = dof; i < dof + count; ++i) g(i);
  }
};

void append(std::vector<int>& list, const std::vector<int>& from, int first, int count) {
  list.insert(list.end(), from.begin() + first, from.begin() + first + count);
}
void append_range(std::vector<int>& list, int first, int count) {
  for (int i = 0; i < count; ++i) list.push_back(first + i);
}

}  // namespace

MuntheKaasTerms::MuntheKaasTerms(const dae::Model& system, const dae::ButcherTableau& tableau,
                                 TermList& terms)
    : ElementTerms(system, terms),
      stages_(stage_places(tableau)),
      difference_(difference_recording()),
      share_(increment_share_recording()),
      increments_(increment_recording),
      increment_rates_(increment_rate_recording) {}

int MuntheKaasTerms::num_weights(const dae::ButcherTableau& tableau) {
  int count = 0;
  for (const StagePlace& stage : stage_places(tableau)) {
    count += static_cast<int>(stage.weights.size());
  }
  return count;
}

void MuntheKaasTerms::set_weights(std::span<double> weights) const {
  auto next = weights.begin();
  for (const StagePlace& stage : stages_) next = std::ranges::copy(stage.weights, next).out;
}

std::vector<int> MuntheKaasTerms::increment_numbers(const Increment& by, int dof, int count) const {
  std::vector<int> numbers;
  append(numbers, by.from.motion, layout_.q + dof, count);
  append(numbers, by.to.motion, layout_.q + dof, count);
  append_range(numbers, by.base + dof, count);
  return numbers;
}

void MuntheKaasTerms::add_increment(const Increment& by, int row) {
  dae::for_each_part(system_.configuration_space(),
                     EachPart{[&](StepPart part, int dof) {
                                const int count = step_part_dof(part);
                                terms_.add(increments_[part], increment_numbers(by, dof, count),
                                           ad::range(row + dof, count));
                              },
                              [&](int dof) {
                                terms_.add(difference_, increment_numbers(by, dof, 1),
                                           std::array{row + dof});
                              }});
}

void MuntheKaasTerms::add_increment_rate(const Increment& by, int p, int row) {
  const int v = layout_.v;
  dae::for_each_part(
      system_.configuration_space(),
      EachPart{[&](StepPart part, int dof) {
                 const int count = step_part_dof(part);
                 std::vector<int> numbers = increment_numbers(by, dof, count);
                 append_range(numbers, p + dof, count);
                 append(numbers, by.to.motion, v + dof, count);
                 terms_.add(increment_rates_[part], numbers, ad::range(row + dof, count));
               },
               [&](int dof) {
                 terms_.add(difference_,
                            std::array{by.to.motion[index(v + dof)], p + dof, TermList::kZero},
                            std::array{row + dof});
               }});
}

void MuntheKaasTerms::add_shares(const MuntheKaasPlaces& places, int stage, int row) {
  int weight = places.weights;
  for (int i = 0; i < stage; ++i) weight += static_cast<int>(stages_[index(i)].weights.size());
  const StagePlace& at = stages_[index(stage)];
  for (std::size_t j = 0; j < places.rates.size(); ++j, ++weight) {
    if (at.weights(static_cast<Eigen::Index>(j)) == 0) continue;
    const auto add = [&](int rate, int to) {
      terms_.add(share_, std::array{rate, places.horizon, places.fraction, weight}, std::array{to});
    };
    for (int k = 0; k < system_.dof(); ++k) {
      add(places.rates[j].p + k, row + k);
      add(places.rates[j].u + k, row + system_.dof() + k);
    }
  }
}

void MuntheKaasTerms::add_velocity_change(const MotionPlaces& from, const MotionPlaces& to,
                                          int row) {
  for (int k = 0; k < system_.dof(); ++k) {
    const int v = layout_.v + k;
    terms_.add(difference_, std::array{from.motion[index(v)], to.motion[index(v)], TermList::kZero},
               std::array{row + k});
  }
}

int MuntheKaasTerms::add_stage(const MuntheKaasPlaces& places, int stage, int row) {
  const MuntheKaasPlaces::Stage& at = places.stages[index(stage)];
  const Increment increment = {places.start, at.motion, at.base};
  const int dof = system_.dof();
  add_increment(increment, row);
  add_velocity_change(places.start, at.motion, row + dof);
  add_shares(places, stage, row);
  row += 2 * dof;
  if (at.p) {
    add_increment_rate(increment, *at.p, row);
    row += dof;
  }
  if (stage + 1 == static_cast<int>(stages_.size()) && places.projection) {
    return add_projection(places, row);
  }
  add_accelerations(at.motion, row);
  return row + accelerations_size();
}

/// N of a correction, and what it leaves of its change.
int MuntheKaasTerms::add_correction(const MuntheKaasPlaces& places,
                                    const MuntheKaasPlaces::Correction& by, int row) {
  for (int k = 0; k < system_.dof(); ++k) {
    terms_.add(difference_, std::array{by.change + k, TermList::kZero, TermList::kZero},
               std::array{row + k});
  }
  row += system_.dof();
  // At q̃ and ṽ, with v̇, λ and s of the start.
  MotionPlaces before = places.stages.back().motion;
  const auto copy_of_start = [&](int first, int count) {
    std::copy_n(places.start.motion.begin() + first, count, before.motion.begin() + first);
  };
  copy_of_start(layout_.v_dot, layout_.parameters - layout_.v_dot);
  before.motion.resize(index(layout_.size_with_rates), TermList::kZero);
  before.put(layout_.rates.v_dot, system_.dof(), by.change);
  before.put(layout_.rates.lambda, system_.num_multipliers(), by.multipliers);
  before.put(layout_.rates.s, system_.num_algebraic(), by.algebraic);
  add_elements(ElementFunction::kRate, {}, before, row);
  return row + system_.dof() + system_.num_algebraic();
}

int MuntheKaasTerms::add_projection(const MuntheKaasPlaces& places, int row) {
  const MuntheKaasPlaces::Projection& projection = *places.projection;
  const MotionPlaces& before = places.stages.back().motion;
  add_increment({before, projection.end, projection.base}, row);
  row = add_correction(places, projection.position, row);
  add_velocity_change(before, projection.end, row);
  row = add_correction(places, projection.velocity, row);
  add_elements(ElementFunction::kConstraints, {}, projection.end, row);
  row += 2 * system_.num_multipliers();
  add_accelerations(projection.end, row);
  return row + accelerations_size();
}

void MuntheKaasTerms::add_step(const MuntheKaasPlaces& places, int first_row) {
  int row = first_row;
  for (int i = 0; i < static_cast<int>(stages_.size()); ++i) row = add_stage(places, i, row);
}

}  // namespace liegrad::sensitivity
