#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liegrad/dae/element_kind.hpp"
#include "liegrad/dae/initial_function.hpp"
#include "liegrad/dae/revision.hpp"

namespace liegrad::dae {

/// A node of a system. A first-order state ċ = h_c is a node of R^n whose velocity is c: its position,
/// the integral of c, is never read.
struct Node {
  std::string name;
  lie::NodeGroup group;
  bool first_order = false;
};

/// A frame fixed in a body, or in the ground: position of its origin and orientation as a quaternion
/// (w, x, y, z) of any length but zero, both in the body. Its numbers are parameters of the system.
struct BodyFrame {
  std::array<double, 3> position = {0, 0, 0};
  std::array<double, 4> orientation = {1, 0, 0, 0};
};

/// The same in the plane; the orientation is the direction of its x axis, of any length but zero.
struct PlanarBodyFrame {
  std::array<double, 2> position = {0, 0};
  std::array<double, 2> direction = {1, 0};
};

/// How an element is added: values and bindings of its parameters.
struct ElementOptions {
  /// Values that differ from the defaults of its shape, by the element's own names.
  std::map<std::string, double> values = {};
  /// Parameters shared with others: own name → name in the system, which must exist.
  std::map<std::string, std::string> bind = {};
  /// Elements whose multipliers it reads, in order; together as many as its shape says.
  std::vector<std::string> reads_multipliers_of = {};
};

/// An element in its place: indices into the lists of the system.
struct PlacedElement {
  std::string name;
  int kind = 0;
  std::vector<int> nodes, parameters, controls;
  int first_multiplier = 0, first_algebraic = 0, first_output = 0;
  std::vector<int> multipliers_read;
};

/// Nodes, elements, named parameters, controls and initial values: a mechanical system
///
///     M(q) v̇ + g(q,v,λ,t) + B(q)ᵀλ = 0,   Φ(q,t) = 0,   h_s(q,v,s,t) = 0,   v = (velocities, c).
class System {
 public:
  explicit System(std::string name = "system") : name_(std::move(name)) {}

  const std::string& name() const { return name_; }

  // Building. All throw InvalidArgument: an empty or used name, a value that is not finite, a node or
  // parameter that does not exist, an element that does not fit its nodes or whose functions do not fit its
  // shape. The system is then what it was before.

  /// A parameter of the system itself, for several elements or for initial values.
  void add_parameter(const ParameterSpec& parameter);
  void add_node(const std::string& name, const lie::NodeGroup& group);
  void add_first_order_state(const std::string& name, int n);
  /// A frame of a node, to which elements can be attached by its name. Parameters: name.X1, name.X2,
  /// name.X3 and name.e0 … name.e3; of a planar frame name.X1, name.X2, name.d1, name.d2.
  void add_frame(const std::string& name, const std::string& body, const BodyFrame& frame = {});
  void add_planar_frame(const std::string& name, const std::string& body,
                        const PlanarBodyFrame& frame = {});
  /// An element on nodes, or on frames where its shape says that it has frames. The node "ground" is
  /// always there: it does not move.
  template <Element E>
  void add(const std::string& name, const E& element, const std::vector<std::string>& nodes,
           const ElementOptions& options = {}) {
    add_element(name, std::make_shared<ElementModelOf<E>>(element), nodes, options);
  }
  void add_element(const std::string& name, std::shared_ptr<const ElementModel> model,
                   const std::vector<std::string>& nodes, const ElementOptions& options);

  /// Initial configuration (coefficients) and velocity of one node; identity and zero otherwise.
  void set_initial_configuration(const std::string& node, const std::vector<double>& coeffs);
  void set_initial_velocity(const std::string& node, const std::vector<double>& velocity);
  /// Initial values as a function of parameters, see initial_function.hpp; they replace the above for
  /// the nodes that the function writes.
  template <class F>
  void set_initial_function(const F& f, const std::vector<std::string>& parameters) {
    set_initial(std::make_shared<InitialFunctionOf<F>>(f), parameters);
  }

  // What there is.

  const std::vector<Node>& nodes() const { return nodes_; }
  const lie::GroupList& configuration_space() const { return space_; }
  const std::vector<PlacedElement>& elements() const { return elements_; }
  const std::vector<std::shared_ptr<const ElementKind>>& kinds() const { return kinds_; }
  const ElementKind& kind_of(const PlacedElement& element) const {
    return *kinds_[static_cast<std::size_t>(element.kind)];
  }
  int dof() const { return space_.dof(); }
  int num_multipliers() const { return num_multipliers_; }
  int num_algebraic() const { return num_algebraic_; }
  int num_element_outputs() const { return num_element_outputs_; }
  /// "element[i]" of a constraint, counted over the whole system.
  std::string constraint_name(int multiplier) const;
  /// "node: what" of one velocity coordinate.
  std::string coordinate_name(int dof) const;
  std::string algebraic_name(int state) const;

  const std::vector<ParameterSpec>& parameters() const { return parameters_; }
  std::vector<double> parameter_values() const;
  /// Throws InvalidArgument with the nearest name when there is none such, or for a value that is
  /// not finite.
  void set_parameter(const std::string& name, double value);
  double parameter(const std::string& name) const;
  int parameter_index(const std::string& name) const;
  const std::vector<std::string>& controls() const { return controls_; }
  int node_index(const std::string& name) const;
  /// Of a first element with multipliers or outputs; -1 if there is none of that name.
  int find_element(std::string_view name) const;

  /// Of the lists of nodes, elements, parameters and controls: what was made for the system as it is stays
  /// usable as long as this is the same.
  const Revision& structure_revision() const { return structure_revision_; }
  /// Of the values of parameters.
  const Revision& parameter_revision() const { return parameter_revision_; }

  /// Coefficients of q and v at the start for the current parameters, not yet checked.
  std::vector<double> initial_configuration() const;
  std::vector<double> initial_velocity() const;
  const InitialFunction* initial_function() const { return initial_function_.get(); }
  const std::vector<int>& initial_parameters() const { return initial_parameters_; }

 private:
  struct Frame {
    int node = 0;
    std::vector<std::string> names;  ///< X1, …
    std::vector<int> parameters;
  };
  struct Attachment {
    int node = 0;  ///< that of the ground may be yet to come, after all others
    lie::NodeGroup group;
    const Frame* frame = nullptr;
  };
  /// Parameters of an element or a frame: their indices, and those that are yet to be added.
  struct PlacedParameters {
    std::vector<int> indices;
    std::vector<ParameterSpec> added;
  };

  void append_node(const std::string& name, const lie::NodeGroup& group, bool first_order);
  void append_parameters(const std::vector<ParameterSpec>& parameters);
  /// Appends the ground if one of these is on it and it is not there yet.
  void append_ground_for(const std::vector<Attachment>& attachments);
  void add_node_with(const std::string& name, const lie::NodeGroup& group, bool first_order);
  void add_frame_with(const std::string& name, const std::string& body,
                      const std::vector<ParameterSpec>& parameters);
  /// The node of that name, or the frame.
  Attachment attachment(const std::string& element, const std::string& name) const;
  /// Those of an element, which must differ.
  std::vector<Attachment> attachments(const std::string& element,
                                      const std::vector<std::string>& nodes) const;
  /// Parameters of the element that are those of frames, with their indices in the system.
  std::map<std::string, int> frame_parameters(const std::string& element, const ElementShape& shape,
                                              const std::vector<Attachment>& attachments) const;
  const std::string& node_name(int i) const { return nodes_[static_cast<std::size_t>(i)].name; }
  void set_initial(std::shared_ptr<const InitialFunction> f,
                   const std::vector<std::string>& parameters);
  void check_new_name(const char* what, const std::string& name) const;
  /// Checks it, and appends it to those to be added.
  void place_new_parameter(const ParameterSpec& parameter, PlacedParameters& placed) const;
  PlacedParameters place_parameters(const std::string& element, const ElementShape& shape,
                                    const ElementOptions& options,
                                    const std::map<std::string, int>& of_frames) const;
  /// One of kinds(), or a new one.
  std::shared_ptr<const ElementKind> kind_for(const std::string& element,
                                              std::shared_ptr<const ElementModel> model,
                                              const std::vector<lie::NodeGroup>& groups) const;
  std::vector<int> multipliers_of(const std::string& element, const ElementShape& shape,
                                  const std::vector<std::string>& others) const;
  void apply_initial_function(std::vector<double>& q, std::vector<double>& v) const;

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
  Revision structure_revision_, parameter_revision_;
};

}  // namespace liegrad::dae
