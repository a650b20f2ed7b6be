#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liegrad/dae/system/model.hpp"

namespace liegrad::dae {

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

/// Defined in initial_function.hpp.
template <class F>
class InitialFunctionOf;

/// How an element is added: values and bindings of its parameters.
struct ElementOptions {
  /// Values that differ from the defaults of its shape, by the element's own names.
  std::map<std::string, double> values = {};
  /// Parameters shared with others: own name → name in the system, which must exist.
  std::map<std::string, std::string> bind = {};
  /// Elements whose multipliers it reads, in order; together as many as its shape says.
  std::vector<std::string> reads_multipliers_of = {};
};

/// Builds a Model: nodes, elements, named parameters, controls and initial values of a mechanical system.
///
/// A System can be passed wherever a Model is asked for. What is made from it keeps the model as it is then; an edit
/// afterwards makes a new one, and objects made without build() refuse to go on with the old one.
class System {
 public:
  explicit System(std::string name = "system");
  /// A copy has a model of its own.
  System(const System& other);
  System& operator=(const System& other) { return *this = System(other); }
  /// Leaves an empty system behind.
  System(System&& other);
  System& operator=(System&& other);
  ~System() = default;

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
    static_assert(
        requires { sizeof(ElementModelOf<E>); },
        "no library has compiled this element: include liegrad/dae/system/element.hpp, so that it "
        "is "
        "compiled here");
    add_element(name, ElementModelOf<E>::make(element), nodes, options);
  }
  void add_element(const std::string& name, std::shared_ptr<const ElementModel> model,
                   const std::vector<std::string>& nodes, const ElementOptions& options);

  /// Default value of a parameter.
  void set_parameter(const std::string& name, double value);
  /// Initial configuration (coefficients) and velocity of one node; identity and zero otherwise.
  void set_initial_configuration(const std::string& node, const std::vector<double>& coeffs);
  void set_initial_velocity(const std::string& node, const std::vector<double>& velocity);
  /// Initial values as a function of parameters, see initial_function.hpp, which is to be included; they replace the
  /// above for the nodes that the function writes.
  template <class F>
  void set_initial_function(const F& f, const std::vector<std::string>& parameters) {
    static_assert(
        requires { sizeof(InitialFunctionOf<F>); },
        "set_initial_function() needs liegrad/dae/system/initial_function.hpp; include it");
    set_initial(std::make_shared<InitialFunctionOf<F>>(f), parameters);
  }

  /// The model as it is now, for many runs and threads. Later edits of the System do not concern it.
  std::shared_ptr<const Model> build();

  // The model as it is now, see Model.

  operator const Model&() const { return *model_; }  // NOLINT(google-explicit-constructor)
  const std::string& name() const { return model_->name(); }
  const std::vector<Node>& nodes() const { return model_->nodes(); }
  const lie::GroupList& configuration_space() const { return model_->configuration_space(); }
  const std::vector<PlacedElement>& elements() const { return model_->elements(); }
  const std::vector<std::shared_ptr<const ElementKind>>& kinds() const { return model_->kinds(); }
  const ElementKind& kind_of(const PlacedElement& element) const {
    return model_->kind_of(element);
  }
  const ElementShape& shape_of(const PlacedElement& element) const {
    return model_->shape_of(element);
  }
  void list_kernels(ad::KernelList& list) const { model_->list_kernels(list); }
  int dof() const { return model_->dof(); }
  int num_multipliers() const { return model_->num_multipliers(); }
  int num_algebraic() const { return model_->num_algebraic(); }
  int num_element_outputs() const { return model_->num_element_outputs(); }
  std::string constraint_name(int multiplier) const { return model_->constraint_name(multiplier); }
  std::string coordinate_name(int dof) const { return model_->coordinate_name(dof); }
  std::string algebraic_name(int state) const { return model_->algebraic_name(state); }
  const std::vector<ParameterSpec>& parameters() const { return model_->parameters(); }
  std::vector<double> parameter_values() const { return model_->parameter_values(); }
  double parameter(const std::string& name) const { return model_->parameter(name); }
  int parameter_index(const std::string& name) const { return model_->parameter_index(name); }
  const std::vector<std::string>& controls() const { return model_->controls(); }
  int node_index(const std::string& name) const { return model_->node_index(name); }
  int find_element(std::string_view name) const { return model_->find_element(name); }
  std::vector<double> initial_configuration() const { return model_->initial_configuration(); }
  std::vector<double> initial_velocity() const { return model_->initial_velocity(); }
  const InitialFunction* initial_function() const { return model_->initial_function(); }
  const std::vector<int>& initial_parameters() const { return model_->initial_parameters(); }

 private:
  using Frame = Model::Frame;
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

  /// The model to change: a copy of the present one when something was made from it.
  Model& edit();
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
  const std::string& node_name(int i) const { return nodes()[static_cast<std::size_t>(i)].name; }
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

  std::shared_ptr<Model> model_;
};

}  // namespace liegrad::dae
