#include "liegrad/sensitivity/step/element_sum.hpp"

#include <map>

#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::ElementFunction;
using dae::ElementKind;
using dae::index;
using dae::PlacedElement;

void append_range(std::vector<int>& list, int first, int count) {
  for (int i = 0; i < count; ++i) list.push_back(first + i);
}

/// Where an element's part of a motion stands in a vector in which that of the system is laid out.
class Places {
 public:
  Places(const dae::Model& system, const PlacedElement& element)
      : system_(system), element_(element), shape_(system.kind_of(element).shape()) {}

  void velocities(std::vector<int>& list, int first) const {
    const lie::GroupList& space = system_.configuration_space();
    for (const int node : element_.nodes) {
      append_range(list, first + space.dof_offset(node), space.group(node).dof());
    }
  }
  void multipliers(std::vector<int>& list, int first) const {
    append_range(list, first + element_.first_multiplier, shape_.constraints);
    for (const int i : element_.multipliers_read) list.push_back(first + i);
  }
  void algebraic(std::vector<int>& list, int first) const {
    append_range(list, first + element_.first_algebraic, shape_.algebraic);
  }
  void constraints(std::vector<int>& list, int first) const {
    append_range(list, first + element_.first_multiplier, shape_.constraints);
  }
  void parameters(std::vector<int>& list, int first) const {
    for (const int i : element_.parameters) list.push_back(first + i);
  }
  void controls(std::vector<int>& list, int first) const {
    for (const int i : element_.controls) list.push_back(first + i);
  }

 private:
  const dae::Model& system_;
  const PlacedElement& element_;
  const dae::ElementShape& shape_;
};

}  // namespace

std::vector<int> element_arguments(const dae::Model& system, const PlacedElement& element,
                                   const MotionLayout& layout, bool with_rates) {
  const Places places(system, element);
  std::vector<int> list;
  places.velocities(list, layout.q);
  places.velocities(list, layout.v);
  places.velocities(list, layout.v_dot);
  places.multipliers(list, layout.lambda);
  places.algebraic(list, layout.s);
  places.parameters(list, layout.parameters);
  places.controls(list, layout.controls);
  list.push_back(layout.time);
  if (!with_rates) return list;
  places.velocities(list, layout.rates.q);
  places.velocities(list, layout.rates.v);
  places.velocities(list, layout.rates.v_dot);
  places.multipliers(list, layout.rates.lambda);
  places.algebraic(list, layout.rates.s);
  list.push_back(layout.rates.time);
  return list;
}

namespace {

/// Where each input of an element's function is read; 0 for those that are not read.
std::vector<int> numbers(const dae::Model& system, const PlacedElement& element,
                         const MotionLayout& layout, const MotionPoint::Places& at,
                         bool with_rates) {
  const ElementKind& kind = system.kind_of(element);
  const dae::ElementInputs in = kind.inputs(dae::kDirectForm);
  const Places places(system, element);
  std::vector<int> list(index(in.num_inputs), 0);
  const auto put = [&list](int first, int from, int count) {
    for (int i = 0; i < count; ++i) list[index(first + i)] = from + i;
  };
  const auto put_list = [&list](int first, const std::vector<int>& from) {
    std::copy(from.begin(), from.end(), list.begin() + first);
  };
  const lie::GroupList& space = system.configuration_space();
  for (std::size_t k = 0; k < element.nodes.size(); ++k) {
    const int node = element.nodes[k], dof = space.dof_offset(node);
    put(in.nodes[k].view, at.views[index(node)], dae::NodeView::size(space.group(node)));
    put(in.nodes[k].v, at.v + dof, space.group(node).dof());
    put(in.nodes[k].v_dot, at.v_dot + dof, space.group(node).dof());
  }
  std::vector<int> lambda, s, parameters, controls;
  places.multipliers(lambda, at.lambda);
  places.algebraic(s, at.s);
  places.parameters(parameters, at.parameters);
  places.controls(controls, at.controls);
  put_list(in.multipliers, lambda);
  put_list(in.algebraic, s);
  put_list(in.parameters, parameters);
  put_list(in.controls, controls);
  list[index(in.time)] = at.time;
  if (!with_rates) return list;
  std::vector<int> rates = element_arguments(system, element, layout, true);
  rates.erase(rates.begin(), rates.end() - kind.num_rates());
  for (const int i : rates) list.push_back(at.rates + i - layout.size);
  return list;
}

}  // namespace

std::vector<int> element_values(const dae::Model& system, const PlacedElement& element,
                                ElementFunction function, dae::ConstraintRows wanted) {
  const EquationRows rows(system, wanted);
  const Places places(system, element);
  std::vector<int> list;
  switch (function) {
    case ElementFunction::kStep:
      places.velocities(list, rows.motion);
      places.algebraic(list, rows.algebraic);
      if (wanted.position) places.constraints(list, rows.position);
      if (wanted.velocity) places.constraints(list, rows.velocity);
      break;
    case ElementFunction::kRate:
      places.velocities(list, rows.motion);
      places.algebraic(list, rows.algebraic);
      break;
    case ElementFunction::kConstraints:
      places.constraints(list, 0);
      places.constraints(list, system.num_multipliers());
      break;
    case ElementFunction::kAcceleration:
    case ElementFunction::kJerk: places.constraints(list, 0); break;
    case ElementFunction::kConstraintForce: places.velocities(list, 0); break;
    case ElementFunction::kObservables: {
      append_range(list, 0, dae::ObservableRows::kOutputs);
      int next = dae::ObservableRows::kOutputs + element.first_output;
      for (const dae::OutputSpec& output : system.kind_of(element).shape().outputs) {
        append_range(list, next, output.size);
        next += output.size;
      }
      break;
    }
  }
  return list;
}

namespace {

int num_values(const dae::Model& system, ElementFunction function, dae::ConstraintRows rows) {
  switch (function) {
    case ElementFunction::kStep: return EquationRows(system, rows).size;
    case ElementFunction::kRate: return EquationRows(system, {}).position;
    case ElementFunction::kConstraints: return 2 * system.num_multipliers();
    case ElementFunction::kAcceleration:
    case ElementFunction::kJerk: return system.num_multipliers();
    case ElementFunction::kConstraintForce: return system.dof();
    case ElementFunction::kObservables:
      return dae::ObservableRows::kOutputs + system.num_element_outputs();
  }
  return 0;
}

}  // namespace

bool is_about_constraints(ElementFunction function) {
  return function == ElementFunction::kConstraints || function == ElementFunction::kAcceleration ||
         function == ElementFunction::kJerk || function == ElementFunction::kConstraintForce;
}

EquationRows::EquationRows(const dae::Model& system, dae::ConstraintRows rows)
    : algebraic(system.dof()),
      position(algebraic + system.num_algebraic()),
      velocity(position + (rows.position ? system.num_multipliers() : 0)),
      size(velocity + (rows.velocity ? system.num_multipliers() : 0)) {}

KernelSum element_sum(const dae::Model& system, ElementFunction function, dae::ConstraintRows rows,
                      const std::function<bool(const PlacedElement&)>& is_wanted, dae::Runs runs) {
  const MotionLayout layout(system);
  const MotionPoint point(system);
  const bool with_rates = function == ElementFunction::kRate;
  KernelSum sum(with_rates ? layout.size_with_rates : layout.size,
                num_values(system, function, rows));
  struct Known {
    int function;
    std::vector<int> inputs;
  };
  std::map<int, Known> by_kind;
  for (const PlacedElement& element : system.elements()) {
    if (is_wanted && !is_wanted(element)) continue;
    const ElementKind& kind = system.kind_of(element);
    if (is_about_constraints(function) && kind.shape().constraints == 0) continue;
    auto found = by_kind.find(element.kind);
    if (found == by_kind.end()) {
      const ad::Recording& recording = kind.function_recording(function, rows);
      const std::vector<int> arguments = kind.arguments(function);
      const KernelSum::Local local{
          .kernel = [&kind, function, rows, runs](ad::ResultKind product) -> const ad::Kernel& {
            return kind.product(function, rows, product, runs);
          },
          .inputs =
              inputs_read(recording, ad::range(0, kind.inputs(dae::kDirectForm).num_variables)),
          .num_arguments = static_cast<int>(arguments.size()),
          .num_values = recording.num_outputs(),
          .arguments_read = arguments_read(recording, arguments)};
      found = by_kind.emplace(element.kind, Known{sum.add_function(local), local.inputs}).first;
    }
    const std::vector<int> all = numbers(system, element, layout, point.places(), with_rates);
    std::vector<int> read;
    for (const int input : found->second.inputs) read.push_back(all[index(input)]);
    sum.add_term(found->second.function, read,
                 element_arguments(system, element, layout, with_rates),
                 element_values(system, element, function, rows));
  }
  return sum;
}

}  // namespace liegrad::sensitivity
