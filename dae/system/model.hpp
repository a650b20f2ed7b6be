#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liegrad/dae/system/element_shape.hpp"
#include "liegrad/lie/group_list.hpp"

namespace liegrad::ad {
class KernelList;
}

namespace liegrad::dae {

class ElementKind;
class InitialFunction;

/// A node of a system. A first-order state ċ = h_c is a node of R^n whose velocity is c: its position,
/// the integral of c, is never read.
struct Node {
  std::string name;
  lie::NodeGroup group;
  bool first_order = false;
};

/// An element in its place: indices into the lists of the model.
struct PlacedElement {
  std::string name;
  int kind = 0;
  std::vector<int> nodes, parameters, controls;
  int first_multiplier = 0, first_algebraic = 0, first_output = 0;
  std::vector<int> multipliers_read;
};

/// Coefficients of a configuration, and a velocity.
struct InitialValues {
  std::vector<double> q, v;
};

/// A mechanical system as it is used: nodes, elements, named parameters with their default values, controls and
/// initial values of
///
///     M(q) v̇ + g(q,v,λ,t) + B(q)ᵀλ = 0,   Φ(q,t) = 0,   h_s(q,v,s,t) = 0,   v = (velocities, c).
///
/// A model never changes and is shared by all that is made from it, in any number of threads. Only a System makes one.
class Model : public std::enable_shared_from_this<Model> {
 public:
  const std::string& name() const { return name_; }

  const std::vector<Node>& nodes() const { return nodes_; }
  const lie::GroupList& configuration_space() const { return space_; }
  const std::vector<PlacedElement>& elements() const { return elements_; }
  const std::vector<std::shared_ptr<const ElementKind>>& kinds() const { return kinds_; }
  const ElementKind& kind_of(const PlacedElement& element) const {
    return *kinds_[static_cast<std::size_t>(element.kind)];
  }
  const ElementShape& shape_of(const PlacedElement& element) const;
  /// Adds the kernels that simulations use to those compiled when a program is built.
  void list_kernels(ad::KernelList& list) const;
  int dof() const { return space_.dof(); }
  int num_multipliers() const { return num_multipliers_; }
  int num_algebraic() const { return num_algebraic_; }
  int num_element_outputs() const { return num_element_outputs_; }
  /// "element[i]" of a constraint, counted over the whole model.
  std::string constraint_name(int multiplier) const;
  /// "node.v[i]" of one velocity coordinate.
  std::string coordinate_name(int dof) const;
  std::string algebraic_name(int state) const;

  const std::vector<ParameterSpec>& parameters() const { return parameters_; }
  /// Default values of all parameters.
  std::vector<double> parameter_values() const;
  /// Throws InvalidArgument with the nearest name when there is none such.
  double parameter(const std::string& name) const;
  int parameter_index(const std::string& name) const;
  const std::vector<std::string>& controls() const { return controls_; }
  int node_index(const std::string& name) const;
  /// Index of an element; -1 if there is none of that name.
  int find_element(std::string_view name) const;

  // Initial values, not yet checked.

  std::vector<double> initial_configuration() const { return initial_values().q; }
  std::vector<double> initial_velocity() const { return initial_values().v; }
  /// q and v for the default values of the parameters.
  InitialValues initial_values() const;
  /// q and v for given values of initial_parameters(), in their order. Copies nothing to new memory when q and v have
  /// their lengths.
  void initial_values(std::span<const double> of_parameters, InitialValues& initial) const;
  /// What the initial function starts from.
  InitialValues constant_initial_values() const { return {configuration_, velocity_}; }
  const InitialFunction* initial_function() const { return initial_function_.get(); }
  const std::vector<int>& initial_parameters() const { return initial_parameters_; }

  std::shared_ptr<const Model> shared() const { return shared_from_this(); }
  /// Throws InvalidArgument when the System of this model was edited since, unless it was asked to build() it: numbers
  /// would be those of another system than the user has in mind. `user` as in "its Outputs were".
  void check_current(const char* user) const;

 private:
  friend class System;

  /// A frame of a node to which elements can be attached.
  struct Frame {
    int node = 0;
    std::vector<std::string> names;  ///< X1, …
    std::vector<int> parameters;
  };

  explicit Model(std::string name) : name_(std::move(name)) {}
  Model(const Model& other);

  std::string name_;
  std::vector<Node> nodes_;
  lie::GroupList space_;
  std::vector<std::shared_ptr<const ElementKind>> kinds_;
  std::vector<PlacedElement> elements_;
  std::vector<ParameterSpec> parameters_;
  std::vector<std::string> controls_;
  std::vector<double> configuration_, velocity_;
  std::shared_ptr<const InitialFunction> initial_function_;
  std::vector<int> initial_parameters_;
  int num_multipliers_ = 0, num_algebraic_ = 0, num_element_outputs_ = 0;
  std::map<std::string, int> node_by_name_, parameter_by_name_;
  std::map<std::string, Frame> frames_;
  std::map<std::string, int, std::less<>> element_by_name_;
  bool is_built_ = false;  ///< asked for by build(): edits of the System are no mistake
  std::atomic<bool> is_outdated_ = false;  ///< the System was edited since
};

}  // namespace liegrad::dae
