#include "liegrad/dae/system/system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/initial_function.hpp"

namespace liegrad::dae {
namespace {

void check_initial(const std::string& what, const std::string& node, std::size_t expected,
                   const std::vector<double>& values) {
  if (values.size() != expected) {
    throw InvalidArgument("initial " + what + " of node '" + node + "' has " +
                          std::to_string(values.size()) + " numbers; the node has " +
                          std::to_string(expected));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw InvalidArgument("initial " + what + " of node '" + node + "' is not finite in entry " +
                          std::to_string(i + 1) + "; give it a number");
  }
}

}  // namespace

System::System(std::string name) : model_(new Model(std::move(name))) {}

System::System(const System& other) : model_(new Model(*other.model_)) {}

System::System(System&& other) : System() { std::swap(model_, other.model_); }

System& System::operator=(System&& other) {
  std::swap(model_, other.model_);
  return *this;
}

std::shared_ptr<const Model> System::build() {
  model_->is_built_ = true;
  return model_;
}

Model& System::edit() {
  if (model_.use_count() > 1) {
    const std::shared_ptr<Model> shared =
        std::exchange(model_, std::shared_ptr<Model>(new Model(*model_)));
    if (!shared->is_built_) shared->is_outdated_ = true;
  }
  return *model_;
}

void System::set_initial_configuration(const std::string& node, const std::vector<double>& coeffs) {
  const int i = node_index(node);
  const lie::GroupList& space = configuration_space();
  check_initial("configuration", node, static_cast<std::size_t>(space.group(i).num_coeffs()),
                coeffs);
  std::ranges::copy(coeffs, edit().configuration_.begin() + space.coeff_offset(i));
}

void System::set_initial_velocity(const std::string& node, const std::vector<double>& velocity) {
  const int i = node_index(node);
  const lie::GroupList& space = configuration_space();
  check_initial("velocity", node, static_cast<std::size_t>(space.group(i).dof()), velocity);
  std::ranges::copy(velocity, edit().velocity_.begin() + space.dof_offset(i));
}

void System::set_initial(std::shared_ptr<const InitialFunction> f,
                         const std::vector<std::string>& parameters) {
  std::vector<int> indices;
  for (const std::string& name : parameters) indices.push_back(parameter_index(name));
  Model& model = edit();
  model.initial_function_ = std::move(f);
  model.initial_parameters_ = std::move(indices);
}

void System::set_parameter(const std::string& name, double value) {
  const int i = parameter_index(name);
  if (!std::isfinite(value)) {
    throw InvalidArgument("the value of parameter '" + name + "' is not finite; give it a number");
  }
  edit().parameters_[static_cast<std::size_t>(i)].value = value;
}

}  // namespace liegrad::dae
