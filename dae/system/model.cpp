#include "liegrad/dae/system/model.hpp"

#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/initial_function.hpp"
#include "liegrad/dae/system/nearest_name.hpp"

namespace liegrad::dae {

Model::Model(const Model& other)
    : std::enable_shared_from_this<Model>(),
      name_(other.name_),
      nodes_(other.nodes_),
      space_(other.space_),
      kinds_(other.kinds_),
      elements_(other.elements_),
      parameters_(other.parameters_),
      controls_(other.controls_),
      configuration_(other.configuration_),
      velocity_(other.velocity_),
      initial_function_(other.initial_function_),
      initial_parameters_(other.initial_parameters_),
      num_multipliers_(other.num_multipliers_),
      num_algebraic_(other.num_algebraic_),
      num_element_outputs_(other.num_element_outputs_),
      node_by_name_(other.node_by_name_),
      parameter_by_name_(other.parameter_by_name_),
      frames_(other.frames_),
      element_by_name_(other.element_by_name_) {}

void Model::list_kernels(ad::KernelList& list) const {
  for (const std::shared_ptr<const ElementKind>& kind : kinds_) kind->list_kernels(list);
}

const ElementShape& Model::shape_of(const PlacedElement& element) const {
  return kind_of(element).shape();
}

std::string Model::constraint_name(int multiplier) const {
  for (const PlacedElement& element : elements_) {
    const int i = multiplier - element.first_multiplier;
    if (i >= 0 && i < kind_of(element).shape().constraints) {
      return element.name + "[" + std::to_string(i + 1) + "]";
    }
  }
  return "constraint " + std::to_string(multiplier + 1);
}

std::string Model::algebraic_name(int state) const {
  for (const PlacedElement& element : elements_) {
    const int i = state - element.first_algebraic;
    if (i >= 0 && i < kind_of(element).shape().algebraic) {
      return element.name + ".s[" + std::to_string(i + 1) + "]";
    }
  }
  return "algebraic state " + std::to_string(state + 1);
}

std::string Model::coordinate_name(int dof) const {
  for (int i = 0; i < space_.size(); ++i) {
    const int k = dof - space_.dof_offset(i);
    if (k >= 0 && k < space_.group(i).dof()) {
      return nodes_[static_cast<std::size_t>(i)].name + ".v[" + std::to_string(k + 1) + "]";
    }
  }
  return "velocity " + std::to_string(dof + 1);
}

std::vector<double> Model::parameter_values() const {
  std::vector<double> values;
  values.reserve(parameters_.size());
  for (const ParameterSpec& parameter : parameters_) values.push_back(parameter.value);
  return values;
}

int Model::parameter_index(const std::string& name) const {
  const auto found = parameter_by_name_.find(name);
  if (found != parameter_by_name_.end()) return found->second;
  throw InvalidArgument("system '" + name_ +
                        "': " + unknown_name_message("parameter", name, names_of(parameters_)));
}

double Model::parameter(const std::string& name) const {
  return parameters_[static_cast<std::size_t>(parameter_index(name))].value;
}

int Model::node_index(const std::string& name) const {
  const auto found = node_by_name_.find(name);
  if (found != node_by_name_.end()) return found->second;
  throw InvalidArgument("system '" + name_ +
                        "': " + unknown_name_message("node", name, names_of(nodes_)));
}

int Model::find_element(std::string_view name) const {
  const auto found = element_by_name_.find(name);
  return found == element_by_name_.end() ? -1 : found->second;
}

void Model::initial_values(std::span<const double> of_parameters, InitialValues& initial) const {
  initial.q = configuration_;
  initial.v = velocity_;
  if (initial_function_ != nullptr) (*initial_function_)(of_parameters, initial.q, initial.v);
}

InitialValues Model::initial_values() const {
  std::vector<double> of_parameters;
  for (const int i : initial_parameters_) {
    of_parameters.push_back(parameters_[static_cast<std::size_t>(i)].value);
  }
  InitialValues initial;
  initial_values(of_parameters, initial);
  return initial;
}

void Model::check_current(const char* user) const {
  if (!is_outdated_) return;
  throw InvalidArgument("system '" + name_ + "' was changed after " + user +
                        " made from it; make new ones, or make them from System::build(), which "
                        "keeps the model as it was");
}

}  // namespace liegrad::dae
