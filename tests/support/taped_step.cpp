#include "support/taped_step.hpp"

#include "liegrad/dae/system/element_functions.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::testing {

using namespace dae;

namespace {

/// The inputs of an element's functions, see ElementInputs, with corrections of zero.
std::vector<Taped> element_inputs(const Model& system, const PlacedElement& element,
                                  const StepEnd<Taped>& motion, const TapedStep& step,
                                  std::span<const Taped> multipliers, const Taped& time) {
  const ElementKind& kind = system.kind_of(element);
  const ElementInputs in = kind.inputs({});
  const lie::GroupList& space = system.configuration_space();
  std::vector<Taped> x(index(in.num_inputs), Taped(0));
  const auto put = [&x](int first, std::span<const Taped> values) {
    std::copy(values.begin(), values.end(), x.begin() + first);
  };
  for (std::size_t k = 0; k < element.nodes.size(); ++k) {
    const int node = element.nodes[k];
    const lie::NodeGroup& group = space.group(node);
    const std::size_t dof = index(group.dof());
    NodeView::of<Taped>(group, std::span(motion.q).subspan(index(space.coeff_offset(node))),
                        std::span(x).subspan(index(in.nodes[k].view)));
    put(in.nodes[k].v, std::span(motion.v).subspan(index(space.dof_offset(node)), dof));
    put(in.nodes[k].v_dot, std::span(motion.v_dot).subspan(index(space.dof_offset(node)), dof));
    set_identity_map(group, x.data() + in.nodes[k].map);
  }
  const ElementShape& shape = kind.shape();
  put(in.multipliers,
      multipliers.subspan(index(element.first_multiplier), index(shape.constraints)));
  for (std::size_t i = 0; i < element.multipliers_read.size(); ++i) {
    x[index(in.multipliers + shape.constraints) + i] =
        multipliers[index(element.multipliers_read[i])];
  }
  put(in.algebraic,
      std::span(step.s).subspan(index(element.first_algebraic), index(shape.algebraic)));
  for (std::size_t i = 0; i < element.parameters.size(); ++i) {
    x[index(in.parameters) + i] = step.parameters[index(element.parameters[i])];
  }
  for (std::size_t i = 0; i < element.controls.size(); ++i) {
    x[index(in.controls) + i] = step.controls[index(element.controls[i])];
  }
  x[index(in.time)] = time;
  return x;
}

/// Adds the rows of an element's nodes to those of the system.
void add_to_nodes(const Model& system, const PlacedElement& element, std::span<const Taped> rows,
                  const Taped& scale, std::vector<Taped>& sum) {
  const lie::GroupList& space = system.configuration_space();
  std::size_t next = 0;
  for (const int node : element.nodes) {
    for (int k = 0; k < space.group(node).dof(); ++k) {
      sum[index(space.dof_offset(node) + k)] += scale * rows[next++];
    }
  }
}

}  // namespace

std::vector<Taped> TapedStep::residual(const Model& system, Formulation formulation,
                                       const AlphaMethod& method, StepEnd<Taped>& end) const {
  const std::size_t dof = index(system.dof()), constraints = index(system.num_multipliers());
  std::vector<Taped> stabilizer(dof, Taped(0));
  if (formulation == Formulation::kStabilized) {
    for (const PlacedElement& element : system.elements()) {
      const ElementKind& kind = system.kind_of(element);
      if (kind.shape().constraints == 0) continue;
      const ElementInputs in = kind.inputs({});
      const ElementFunctions functions(kind, in);
      const Taped t_start = t_end - h;
      add_to_nodes(
          system, element,
          functions.constraint_force(element_inputs(system, element, start, *this, eta, t_start)),
          Taped(1), stabilizer);
    }
  }
  end = end_of_step<Taped>(system.configuration_space(), method, h, start, delta_q, stabilizer);

  const ConstraintRows rows = constraint_rows(formulation);
  std::vector<Taped> motion(dof, Taped(0)), position(constraints), velocity(constraints),
      algebraic(index(system.num_algebraic()));
  for (const PlacedElement& element : system.elements()) {
    const ElementKind& kind = system.kind_of(element);
    const ElementInputs in = kind.inputs({});
    const ElementFunctions functions(kind, in);
    const std::vector<Taped> out =
        functions.step(element_inputs(system, element, end, *this, lambda, t_end), rows);
    const ElementRows at = kind.rows(rows);
    add_to_nodes(system, element, out, h, motion);
    for (int i = 0; i < kind.shape().algebraic; ++i) {
      algebraic[index(element.first_algebraic + i)] = h * out[index(at.algebraic + i)];
    }
    for (int i = 0; i < kind.shape().constraints; ++i) {
      const std::size_t multiplier = index(element.first_multiplier + i);
      if (rows.position) position[multiplier] = out[index(at.position + i)] / h;
      if (rows.velocity) velocity[multiplier] = out[index(at.velocity + i)];
    }
  }
  std::vector<Taped> all = motion;
  const auto append = [&all](const std::vector<Taped>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(formulation == Formulation::kIndex2 ? velocity : position);
  append(algebraic);
  if (formulation == Formulation::kStabilized) append(velocity);
  return all;
}

}  // namespace liegrad::testing
