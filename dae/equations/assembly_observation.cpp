// What is asked of the elements beside the equations of a step: constraints and their derivatives in time,
// energies, outputs, and which of them is not finite.

#include <algorithm>
#include <cmath>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

void Assembly::constraint_values(std::span<double> position, std::span<double> velocity) {
  for (Group& group : groups_) {
    const int each = group.kind->shape().constraints;
    if (each == 0) continue;
    if (group.constraints == nullptr) group.constraints = &group.kind->constraints();
    for_each_chunk(group, [&](int first, int count) {
      load_and_call(group, *group.constraints, first, count, Load::kForSteps);
      for (int lane = 0; lane < count; ++lane) {
        const int multiplier = group.first_multipliers[index(first + lane)];
        for (int i = 0; i < each; ++i) {
          position[index(multiplier + i)] = group.outputs[index(i * group.lanes + lane)];
          velocity[index(multiplier + i)] = group.outputs[index((each + i) * group.lanes + lane)];
        }
      }
    });
  }
}

void Assembly::constraint_derivative(int order, std::span<double> out) {
  for (Group& group : groups_) {
    const int each = group.kind->shape().constraints;
    if (each == 0) continue;
    if (order == 2 && group.acceleration == nullptr) {
      group.acceleration = &group.kind->constraint_acceleration();
    }
    const ad::Kernel& kernel = order == 3 ? group.kind->constraint_jerk() : *group.acceleration;
    for_each_chunk(group, [&](int first, int count) {
      load_and_call(group, kernel, first, count);
      for (int lane = 0; lane < count; ++lane) {
        const int multiplier = group.first_multipliers[index(first + lane)];
        for (int i = 0; i < each; ++i) {
          out[index(multiplier + i)] = group.outputs[index(i * group.lanes + lane)];
        }
      }
    });
  }
}

void Assembly::residual_rate(std::span<const double> direction, double time_rate,
                             std::span<double> motion, std::span<double> algebraic) {
  std::fill(motion.begin(), motion.end(), 0.0);
  std::fill(algebraic.begin(), algebraic.end(), 0.0);
  collect_last_inputs();
  for (Group& group : groups_) {
    const bool reads_time =
        std::ranges::any_of(group.last_runs, [](const Group::Run& run) { return run.from == 0; });
    if (time_rate != 0 && reads_time) {
      add_rate_in_time(group, direction, time_rate, motion, algebraic);
    } else {
      add_rate_along(group, direction, motion, algebraic);
    }
  }
}

/// The derivatives that steps have anyway, times the direction.
void Assembly::add_rate_along(Group& group, std::span<const double> direction,
                              std::span<double> motion, std::span<double> algebraic) {
  const ad::Pattern& entries = group.newton->layout().parts[1].pattern;
  const int dof = group.kind->dof(), lanes = group.lanes;
  for_each_chunk(group, [&](int first, int count) {
    load_and_call(group, *group.newton, first, count, Load::kForSteps);
    for (int lane = 0; lane < count; ++lane) {
      const PlaceTable::Element row = group.rows_of_outputs.of(first + lane);
      const double* const derivative = group.outputs.data() + group.matrix_offset * lanes + lane;
      for (int i = 0; i < std::ssize(entries); ++i) {
        const auto& [output, variable] = entries[index(i)];
        if (output >= group.rows.position || variable >= group.in.multiplier_corrections) continue;
        const double rate = derivative[i * lanes] * direction[index(row[variable % dof])];
        const int to = motion_index(row[output]);
        (to < dof_ ? motion[index(to)] : algebraic[index(to - dof_)]) += rate;
      }
    }
  });
}

/// Nothing else needs derivatives by time: their kernels are interpreted.
void Assembly::add_rate_in_time(Group& group, std::span<const double> direction, double time_rate,
                                std::span<double> motion, std::span<double> algebraic) {
  const ad::Kernel& kernel = group.kind->residual_rate();
  const ad::KernelLayout& layout = kernel.layout();
  const ElementRows rows = group.kind->rows({});
  std::vector<double> in(index(layout.num_inputs)), out(index(layout.num_outputs));
  for (int e = 0; e < group.num_elements(); ++e) {
    const PlacedElement& element = system_->elements()[index(group.elements[index(e)])];
    load(group, e, 1);
    const std::span<const double> loaded = group.inputs_of(e);
    for (int i = 0; i < group.in.velocity_maps; ++i) in[index(i)] = loaded[index(i * group.lanes)];
    const int dof = group.kind->dof();
    for (int i = 0; i < dof; ++i) {
      in[index(layout.directions_offset + i)] = direction[index(row_of(element, group, i))];
    }
    in[index(layout.directions_offset + dof)] = time_rate;
    kernel(in, out);
    for (int i = 0; i < dof; ++i) motion[index(row_of(element, group, i))] += out[index(i)];
    for (int i = rows.algebraic; i < rows.position; ++i) {
      algebraic[index(element.first_algebraic + i - rows.algebraic)] += out[index(i)];
    }
  }
}

Assembly::Observed Assembly::observe(std::span<double> element_outputs) {
  Observed observed;
  observed.linear_momentum.setZero();
  observed.angular_momentum.setZero();
  for (Group& group : groups_) {
    if (group.observables == nullptr) group.observables = &group.kind->observables();
    int num_outputs = 0;
    for (const OutputSpec& output : group.kind->shape().outputs) num_outputs += output.size;
    for_each_chunk(group, [&](int first, int count) {
      load_and_call(group, *group.observables, first, count);
      for (int lane = 0; lane < count; ++lane) {
        const auto out = [&](int i) { return group.outputs[index(i * group.lanes + lane)]; };
        observed.kinetic += out(ObservableRows::kKinetic);
        observed.potential += out(ObservableRows::kPotential);
        for (int i = 0; i < 3; ++i) {
          observed.linear_momentum(i) += out(ObservableRows::kMomentum + i);
          observed.angular_momentum(i) += out(ObservableRows::kMomentum + 3 + i);
        }
        const int first_output =
            system_->elements()[index(group.elements[index(first + lane)])].first_output;
        for (int i = 0; i < num_outputs; ++i) {
          element_outputs[index(first_output + i)] = out(ObservableRows::kOutputs + i);
        }
      }
    });
  }
  return observed;
}

std::string Assembly::nonfinite_element() {
  for (Group& group : groups_) {
    for (int e = 0; e < group.num_elements(); ++e) {
      load_and_call(group, *group.values, e, 1);
      for (int i = 0; i < group.rows.num_outputs; ++i) {
        if (!std::isfinite(group.outputs[index(i * group.lanes)])) {
          return system_->elements()[index(group.elements[index(e)])].name;
        }
      }
    }
  }
  return {};
}

}  // namespace liegrad::dae
