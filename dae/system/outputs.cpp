#include "liegrad/dae/system/outputs.hpp"

#include <algorithm>
#include <array>

#include "liegrad/dae/equations/place_state.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/node_outputs.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {

Outputs::Outputs(const Model& model)
    : model_(model.shared()),
      assembly_(std::make_unique<Assembly>(model, Formulation::kIndex3, false,
                                           LinearSolverKind::kAutomatic)) {
  for (const Node& node : model.nodes()) {
    if (node.first_order) {
      add(node.name + ".c", node.group.n, "first-order state");
      add(node.name + ".c_dot", node.group.n, "its rate");
      continue;
    }
    if (node.group == ground_group()) continue;
    for (const OutputSpec& output : node_output_specs(node.group)) {
      add(node.name + "." + output.name, output.size, output.meaning);
    }
  }
  for (const PlacedElement& element : model.elements()) {
    const ElementShape& shape = model.kind_of(element).shape();
    if (shape.constraints > 0) {
      add(element.name + ".lambda", shape.constraints, "multipliers of its constraints");
    }
    if (shape.algebraic > 0) add(element.name + ".s", shape.algebraic, "algebraic states");
    for (const OutputSpec& output : shape.outputs) {
      add(element.name + "." + output.name, output.size, output.meaning);
    }
  }
  if (assembly_->has_energy()) {
    add("energy", 1, "kinetic and potential energy");
    add("energy.kinetic", 1, "kinetic energy");
    add("energy.potential", 1, "potential energy");
  }
  if (assembly_->has_momentum()) {
    add("momentum.linear", 3, "linear momentum in the inertial frame");
    add("momentum.angular", 3, "angular momentum about the origin, in the inertial frame");
  }
  if (model.num_multipliers() > 0) {
    add("residual.position", 1, "largest residual of the constraints");
    add("residual.velocity", 1, "largest residual of their time derivatives");
  }
  element_outputs_.assign(index(model.num_element_outputs()), 0.0);
  position_.assign(index(model.num_multipliers()), 0.0);
  velocity_ = position_;
}

Outputs::~Outputs() = default;
Outputs::Outputs(Outputs&&) noexcept = default;
Outputs& Outputs::operator=(Outputs&&) noexcept = default;

void Outputs::set_parameters(std::span<const double> parameters) {
  assembly_->set_parameters(parameters);
}
bool Outputs::has_energy() const { return assembly_->has_energy(); }

void Outputs::add(const std::string& name, int size, const std::string& meaning) {
  list_.push_back({name, size, meaning});
  offsets_.push_back(size_);
  size_ += size;
}

int Outputs::find(const std::string& name) const {
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (list_[i].name == name) return static_cast<int>(i);
  }
  std::vector<std::string> names;
  for (const OutputSpec& output : list_) names.push_back(output.name);
  throw InvalidArgument("system '" + model_->name() +
                        "': " + unknown_name_message("output", name, names));
}

int Outputs::offset(const std::string& name) const { return offsets_[index(find(name))]; }
const OutputSpec& Outputs::spec(const std::string& name) const { return list_[index(find(name))]; }

std::vector<std::string> Outputs::column_names() const {
  std::vector<std::string> names;
  for (const OutputSpec& output : list_) {
    if (output.size == 1) {
      names.push_back(output.name);
      continue;
    }
    for (int i = 1; i <= output.size; ++i) names.push_back(output.name + "." + std::to_string(i));
  }
  return names;
}

int Outputs::column(const std::string& name) const {
  std::string plain = name;
  if (!plain.empty() && plain.back() == ']') {
    if (const auto open = plain.find('['); open != std::string::npos) {
      plain = plain.substr(0, open) + "." + plain.substr(open + 1, plain.size() - open - 2);
    }
  }
  const std::vector<std::string> names = column_names();
  const auto found = std::find(names.begin(), names.end(), plain);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  throw InvalidArgument("system '" + model_->name() +
                        "': " + unknown_name_message("output", name, names));
}

void Outputs::check_sizes(const State& state, std::span<const double> controls,
                          std::span<const double> out) const {
  const auto check = [this](const char* what, std::size_t given, std::size_t needed) {
    if (given == needed) return;
    throw InvalidArgument("Outputs of system '" + model_->name() + "' need " +
                          std::to_string(needed) + " numbers as " + what + ", not " +
                          std::to_string(given));
  };
  check("q of the state", state.q.size(), index(model_->configuration_space().num_coeffs()));
  check("v of the state", state.v.size(), index(model_->dof()));
  check("v_dot of the state", state.v_dot.size(), index(model_->dof()));
  check("lambda of the state", state.lambda.size(), index(model_->num_multipliers()));
  check("s of the state", state.s.size(), index(model_->num_algebraic()));
  check("controls", controls.size(), model_->controls().size());
  check("span to write to", out.size(), index(size_));
}

void Outputs::evaluate(const State& state, std::span<const double> controls,
                       std::span<double> out) {
  model_->check_current("its Outputs were");
  check_sizes(state, controls, out);
  assembly_->set_time(state.t);
  place_state(state, *assembly_);
  assembly_->coefficients() = {};
  std::copy(controls.begin(), controls.end(), assembly_->controls().begin());

  std::size_t next = 0;
  const auto put = [&](std::span<const double> numbers) {
    for (const double number : numbers) out[next++] = number;
  };
  const auto put3 = [&](const lie::Vec<double, 3>& vector) { put({vector.data(), 3}); };
  const lie::GroupList& space = model_->configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    const std::span q(state.q.data() + space.coeff_offset(i), index(space.group(i).num_coeffs()));
    const std::span v(state.v.data() + space.dof_offset(i), index(space.group(i).dof()));
    const std::span v_dot(state.v_dot.data() + space.dof_offset(i), v.size());
    if (model_->nodes()[index(i)].first_order) {
      put(v);
      put(v_dot);
      continue;
    }
    next += node_outputs<double>(space.group(i), q, v, v_dot, out.subspan(next));
  }
  const Assembly::Observed observed = assembly_->observe(element_outputs_);
  for (const PlacedElement& element : model_->elements()) {
    const ElementShape& shape = model_->kind_of(element).shape();
    put(std::span(state.lambda).subspan(index(element.first_multiplier), index(shape.constraints)));
    put(std::span(state.s).subspan(index(element.first_algebraic), index(shape.algebraic)));
    int count = 0;
    for (const OutputSpec& output : shape.outputs) count += output.size;
    put(std::span(element_outputs_).subspan(index(element.first_output), index(count)));
  }
  if (assembly_->has_energy()) {
    put(std::array{observed.kinetic + observed.potential, observed.kinetic, observed.potential});
  }
  if (assembly_->has_momentum()) {
    put3(observed.linear_momentum);
    put3(observed.angular_momentum);
  }
  if (!position_.empty()) {
    assembly_->constraint_values(position_, velocity_);
    put(std::array{max_of(position_), max_of(velocity_)});
  }
}

}  // namespace liegrad::dae
