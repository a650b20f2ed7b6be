#include "liegrad/optimize/fit/measured_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "liegrad/dae/system/element_kind.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/so2.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using dae::Taped;
using Position = dae::Position<Taped>;

/// Of an element, at rest. Velocities are no numbers, so that what depends on them is none.
struct OutputOfElement {
  std::shared_ptr<const dae::ElementModel> element;
  std::vector<int> places;      ///< among its outputs
  std::vector<int> parameters;  ///< that these depend on
  bool operator==(const OutputOfElement&) const = default;

  dae::ElementShape shape() const {
    dae::ElementShape shape{.type = "output_of_" + element->shape().type,
                            .nodes = element->shape().nodes,
                            .constraints = static_cast<int>(places.size())};
    // An element that is attached to frames has their parameters, here bound like all others.
    for (dae::NodeSlot& slot : shape.nodes) slot.frame.clear();
    for (const int i : parameters) {
      shape.parameters.push_back(element->shape().parameters[index(i)]);
    }
    return shape;
  }
  std::vector<Taped> constraint(const Position& at) const {
    const std::vector<dae::ParameterSpec>& all = element->shape().parameters;
    std::vector<Taped> values;
    for (const dae::ParameterSpec& parameter : all) values.push_back(Taped(parameter.value));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      values[index(parameters[i])] = at.parameter(static_cast<int>(i));
    }
    return at_rest(at, std::move(values));
  }
  std::vector<Taped> at_rest(const Position& at, std::vector<Taped> values) const {
    const Taped none(std::numeric_limits<double>::quiet_NaN());
    std::vector<Position::Node> nodes;
    std::vector<dae::Motion<Taped>::Rates> rates;
    for (std::size_t i = 0; i < element->shape().nodes.size(); ++i) {
      const lie::NodeGroup& group = at.group(static_cast<int>(i));
      nodes.push_back({group, view_of(at, static_cast<int>(i))});
      const std::vector<Taped> unknown(index(group.dof()), none);
      rates.push_back({unknown, unknown});
    }
    const Position there(std::move(nodes), std::move(values), {}, at.time(),
                         "the output of an element of type '" + element->shape().type + "'",
                         dae::names_of(element->shape().parameters));
    const std::vector<Taped> all = element->outputs({there, std::move(rates), {}, {}});
    std::vector<Taped> chosen;
    for (const int place : places) chosen.push_back(all[index(place)]);
    return chosen;
  }
};

/// Of a node itself: coordinates, the position of a body, the angle of a planar one.
struct PositionOfNode {
  lie::NodeGroup group;
  bool is_angle;
  std::vector<int> components;
  bool operator==(const PositionOfNode&) const = default;

  dae::ElementShape shape() const {
    dae::NodeSlot slot{dae::NodeRole::kRigidBody};
    if (dae::is_linear(group)) slot = {dae::NodeRole::kCoordinates, group.n};
    if (group.kind == lie::GroupKind::kSE2) slot = {dae::NodeRole::kPlanarBody};
    return {.type = "position_of_node",
            .nodes = {slot},
            .constraints = static_cast<int>(components.size())};
  }
  std::vector<Taped> constraint(const Position& at) const {
    std::vector<Taped> values;
    for (const int component : components) {
      const int i = std::max(component, 1) - 1;
      if (dae::is_linear(group)) {
        values.push_back(at.coordinates(0)(i));
      } else if (group.kind == lie::GroupKind::kSE2) {
        const lie::PlanarFrame<Taped> frame = at.planar_frame(0);
        values.push_back(is_angle ? lie::SO2<Taped>::from_coeffs({frame.cosine, frame.sine}).angle()
                                  : frame.position(i));
      } else {
        values.push_back(at.frame(0).position(i));
      }
    }
    return values;
  }
};

/// Parameters that outputs of an element depend on. Throws InvalidArgument where they depend on more than positions.
std::vector<int> parameters_read(const OutputOfElement& of_all,
                                 const std::vector<lie::NodeGroup>& groups) {
  const std::lock_guard lock(ad::cppad_mutex());
  std::vector<Taped> x;
  for (const lie::NodeGroup& group : groups) {
    std::vector<double> identity(index(group.num_coeffs())),
        view(index(dae::NodeView::size(group)));
    lie::GroupList({group}).identity(std::span<double>(identity));
    dae::NodeView::of<double>(group, identity, view);
    x.insert(x.end(), view.begin(), view.end());
  }
  const std::size_t first = x.size();
  for (const dae::ParameterSpec& parameter : of_all.element->shape().parameters) {
    x.push_back(Taped(parameter.value));
  }
  CppAD::Independent(x);
  try {
    std::vector<Position::Node> nodes;
    auto next = x.begin();
    for (const lie::NodeGroup& group : groups) {
      const auto end = next + dae::NodeView::size(group);
      nodes.push_back({group, {next, end}});
      next = end;
    }
    const std::vector<Taped> parameters(next, x.end());
    std::vector<Taped> y = of_all.at_rest({std::move(nodes), parameters, {}, Taped(0)}, parameters);
    for (const Taped& value : y) {
      if (std::isnan(CppAD::Value(CppAD::Var2Par(value)))) {
        throw InvalidArgument("it depends on more than positions");
      }
    }
    CppAD::ADFun<double> f;
    f.Dependent(x, y);
    const std::size_t n = x.size();
    std::vector<bool> each(n * n, false);
    for (std::size_t i = 0; i < n; ++i) each[i * n + i] = true;
    const std::vector<bool> depends = f.ForSparseJac(n, each);
    std::vector<int> read;
    for (std::size_t j = first; j < n; ++j) {
      bool is_read = false;
      for (std::size_t i = 0; i < y.size(); ++i) is_read = is_read || depends[i * n + j];
      if (is_read) read.push_back(static_cast<int>(j - first));
    }
    return read;
  } catch (...) {
    Taped::abort_recording();
    throw;
  }
}

/// Of an element, "arm1.theta"; nothing if there is none such.
std::optional<MeasuredOutput> output_of_element(const dae::System& system,
                                                const std::string& output,
                                                const std::vector<int>& components) {
  const std::size_t dot = output.rfind('.');
  const int found = system.find_element(output.substr(0, dot));
  if (found < 0) return {};
  const dae::PlacedElement& element = system.elements()[index(found)];
  const dae::ElementKind& kind = system.kind_of(element);
  int first = 0, size = 0;
  for (const dae::OutputSpec& one : kind.shape().outputs) {
    size = one.name == output.substr(dot + 1) ? one.size : 0;
    if (size > 0) break;
    first += one.size;
  }
  if (size == 0) return {};
  if (!kind.shape().controls.empty()) throw InvalidArgument("its element has controls");
  OutputOfElement function{{system.kinds()[index(element.kind)], &kind.model()}, {}, {}};
  for (const int component : components) {
    function.places.push_back(first + std::max(component, 1) - 1);
  }
  function.parameters = parameters_read(function, kind.groups());
  MeasuredOutput result{.model = {}, .nodes = {}, .groups = kind.groups()};
  for (const int node : element.nodes) {
    result.nodes.push_back(system.nodes()[index(node)].name);
  }
  for (const int i : function.parameters) {
    result.bind[kind.shape().parameters[index(i)].name] =
        system.parameters()[index(element.parameters[index(i)])].name;
  }
  result.model = std::make_shared<dae::RecordedElement<OutputOfElement>>(function);
  return result;
}

}  // namespace

std::vector<Taped> view_of(const Position& at, int node) {
  const lie::NodeGroup& group = at.group(node);
  std::vector<Taped> view;
  const auto append = [&view](const auto& numbers) {
    view.insert(view.end(), numbers.data(), numbers.data() + numbers.size());
  };
  if (at.is_ground(node)) return view;
  if (dae::is_linear(group)) {
    append(at.coordinates(node));
  } else if (group.kind == lie::GroupKind::kSE2) {
    const lie::PlanarFrame<Taped> frame = at.planar_frame(node);
    view = {frame.cosine, frame.sine};
    append(frame.position);
  } else {
    append(at.rotation(node));
    if (dae::is_rigid_body(group)) append(at.frame(node).position);
  }
  return view;
}

MeasuredOutput measured_output(const dae::System& system, const std::string& output,
                               const std::vector<int>& components) {
  if (auto found = output_of_element(system, output, components)) return *found;
  const std::size_t dot = output.rfind('.');
  const std::string name = output.substr(0, dot), what = output.substr(dot + 1);
  for (const dae::Node& node : system.nodes()) {
    const bool is_angle = what == "theta" && node.group.kind == lie::GroupKind::kSE2;
    if (node.name != name || node.first_order || (what != "x" && !is_angle)) continue;
    return {std::make_shared<dae::RecordedElement<PositionOfNode>>(
                PositionOfNode{node.group, is_angle, components}),
            {name},
            {node.group}};
  }
  throw InvalidArgument("it is no position");
}

}  // namespace liegrad::optimize
