#include "liegrad/sensitivity/named_outputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <optional>
#include <set>
#include <utility>

#include "liegrad/dae/assembly.hpp"
#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/outputs.hpp"
#include "liegrad/sensitivity/element_sum.hpp"
#include "liegrad/sensitivity/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using dae::ObservableRows;

/// φ of (cos φ, sin φ). The value is that of dae::Outputs, also where the angle jumps; it is recorded by a
/// formula that is finite in all of its branches.
template <class S>
S angle_of(const S& cosine, const S& sine) {
  if constexpr (std::floating_point<S>) {
    return std::atan2(sine, cosine);
  } else {
    return lie::SO2<S>::from_coeffs({cosine, sine}).angle();
  }
}

/// The outputs of a node, as dae::Outputs lists them.
template <class S>
std::vector<S> node_outputs(const lie::NodeGroup& group, std::span<const S> q, std::span<const S> v,
                            std::span<const S> v_dot) {
  std::vector<S> out;
  const auto put = [&out](const auto& numbers) {
    for (const S& number : numbers) out.push_back(number);
  };
  const auto rotation = [&q] {
    return lie::SO3<S>::from_coeffs(lie::Vec<S, 4>(q[0], q[1], q[2], q[3]));
  };
  switch (group.kind) {
    case lie::GroupKind::kRn:
      put(q);
      put(v);
      put(v_dot);
      break;
    case lie::GroupKind::kSO2:
      put(std::array<S, 3>{angle_of<S>(q[0], q[1]), v[0], v_dot[0]});
      break;
    case lie::GroupKind::kSE2: {
      const auto put_turned = [&](const S& x, const S& y) {
        put(std::array<S, 2>{q[0] * x - q[1] * y, q[1] * x + q[0] * y});
      };
      put(q.subspan(2, 2));
      put(std::array<S, 2>{angle_of<S>(q[0], q[1]), v[0]});
      put_turned(v[1], v[2]);
      put(v_dot.first(1));
      put_turned(v_dot[1] - v[0] * v[2], v_dot[2] + v[0] * v[1]);
      break;
    }
    case lie::GroupKind::kSO3:
      put(rotation().quaternion());
      put(v);
      put(v_dot);
      break;
    case lie::GroupKind::kSO3xR3:
    case lie::GroupKind::kSE3: {
      put(q.subspan(4, 3));
      put(rotation().quaternion());
      put(v.first(3));
      lie::Vec<S, 3> u(v[3], v[4], v[5]), u_dot(v_dot[3], v_dot[4], v_dot[5]);
      if (group.kind == lie::GroupKind::kSE3) {
        const lie::Vec<S, 3> omega(v[0], v[1], v[2]);
        const lie::Mat<S, 3> turn = rotation().matrix();
        u_dot = (turn * (u_dot + lie::rotation::cross<S>(omega, u)).eval()).eval();
        u = (turn * u).eval();
      }
      put(u);
      put(v_dot.first(3));
      put(u_dot);
      break;
    }
  }
  return out;
}

/// The outputs at q∘exp(δ) as a function of (δ, v, v̇); the coefficients of q are data.
KernelSum::Local recorded_node_outputs(const lie::NodeGroup& group) {
  const std::size_t dof = index(group.dof());
  const ad::Recording recording =
      ad::record({.name = "node outputs", .variables = 3 * group.dof(), .data = group.num_coeffs()},
                 [&](std::span<const Taped> x, std::span<const Taped> coeffs) {
                   std::vector<Taped> q(coeffs.size());
                   lie::GroupList({group}).plus<Taped>(coeffs, x.first(dof), q);
                   return node_outputs<Taped>(group, q, x.subspan(dof, dof), x.subspan(2 * dof));
                 });
  return LocalFunction::term(std::make_shared<const LocalFunction>(
      recording, ad::range(0, group.dof()), ad::Backend::kInterpreted));
}

/// Where the outputs of each node begin in a list of those of all nodes, and its length.
std::vector<int> node_output_offsets(const lie::GroupList& space) {
  std::vector<int> offsets = {0};
  for (int i = 0; i < space.size(); ++i) {
    const std::vector<double> q(index(space.group(i).num_coeffs())), v(index(space.group(i).dof()));
    const auto count = node_outputs<double>(space.group(i), q, v, v).size();
    offsets.push_back(offsets.back() + static_cast<int>(count));
  }
  return offsets;
}

/// That list as a function of the motion, read from v, v̇ and the coefficients of q; only some nodes are
/// evaluated.
KernelSum node_output_sum(const dae::System& system, const std::set<int>& nodes) {
  const lie::GroupList& space = system.configuration_space();
  const MotionLayout layout(system);
  const std::vector<int> offsets = node_output_offsets(space);
  KernelSum sum(layout.size, offsets.back());
  struct Known {
    lie::NodeGroup group;
    int function;
    std::vector<int> inputs;
  };
  std::vector<Known> known;
  for (const int node : nodes) {
    const lie::NodeGroup& group = space.group(node);
    auto found = std::find_if(known.begin(), known.end(),
                              [&](const Known& one) { return one.group == group; });
    if (found == known.end()) {
      const KernelSum::Local local = recorded_node_outputs(group);
      found = known.insert(found, {group, sum.add_function(local), local.inputs});
    }
    const int dof = group.dof(), first_dof = space.dof_offset(node);
    // Where the inputs (δ, v, v̇, q) that are read stand; δ is zero, and is not.
    std::vector<int> places;
    for (const auto& [first, count] :
         {std::pair(first_dof, dof), std::pair(space.dof() + first_dof, dof),
          std::pair(2 * space.dof() + space.coeff_offset(node), group.num_coeffs())}) {
      for (int i = 0; i < count; ++i) places.push_back(first + i);
    }
    std::vector<int> numbers;
    for (const int input : found->inputs) numbers.push_back(places[index(input - dof)]);
    std::vector<int> arguments;
    for (const int part : {layout.q, layout.v, layout.v_dot}) {
      for (int i = 0; i < dof; ++i) arguments.push_back(part + first_dof + i);
    }
    const int first = offsets[index(node)];
    sum.add_term(found->function, numbers, arguments,
                 ad::range(first, offsets[index(node) + 1] - first));
  }
  return sum;
}

/// What a column is, or one of the numbers that it is the sum of.
struct Source {
  enum class Part {
    kMotion,   ///< a number of the motion itself, by its place in MotionLayout
    kNode,     ///< a value of node_output_sum()
    kElement,  ///< a value of element_sum() for kObservables
  };
  Part part;
  int number;
  int node = 0;
};
using Sources = std::vector<Source>;

/// The sources of all columns, in the order of dae::Outputs; residuals have none.
std::vector<Sources> sources_of_columns(const dae::System& system, const dae::Outputs& outputs) {
  using Part = Source::Part;
  const MotionLayout layout(system);
  const lie::GroupList& space = system.configuration_space();
  std::vector<Sources> list;
  const auto add = [&list](Part part, int first, int count, int node = 0) {
    for (int i = 0; i < count; ++i) list.push_back({{part, first + i, node}});
  };
  const std::vector<int> offsets = node_output_offsets(space);
  for (int i = 0; i < space.size(); ++i) {
    if (system.nodes()[index(i)].first_order) {
      add(Part::kMotion, layout.v + space.dof_offset(i), space.group(i).dof());
      add(Part::kMotion, layout.v_dot + space.dof_offset(i), space.group(i).dof());
    } else {
      add(Part::kNode, offsets[index(i)], offsets[index(i) + 1] - offsets[index(i)], i);
    }
  }
  for (const dae::PlacedElement& element : system.elements()) {
    const dae::ElementShape& shape = system.kind_of(element).shape();
    add(Part::kMotion, layout.lambda + element.first_multiplier, shape.constraints);
    add(Part::kMotion, layout.s + element.first_algebraic, shape.algebraic);
    int count = 0;
    for (const dae::OutputSpec& output : shape.outputs) count += output.size;
    add(Part::kElement, ObservableRows::kOutputs + element.first_output, count);
  }
  if (outputs.has_energy()) {
    const Source kinetic{Part::kElement, ObservableRows::kKinetic};
    const Source potential{Part::kElement, ObservableRows::kPotential};
    list.insert(list.end(), {{kinetic, potential}, {kinetic}, {potential}});
  }
  // Momentum, if there is any, stands between these and the two residuals.
  const int residuals = system.num_multipliers() > 0 ? 2 : 0;
  add(Part::kElement, ObservableRows::kMomentum,
      outputs.size() - residuals - static_cast<int>(list.size()));
  list.resize(index(outputs.size()));
  return list;
}

class NamedOutputs final : public Observable {
 public:
  NamedOutputs(const dae::System& system, const std::vector<std::string>& columns);

  int size() const override { return static_cast<int>(values_.size()); }
  void set_parameters(std::span<const double> parameters) override;
  void set_state(const dae::State& state, std::span<const double> controls) override;
  std::span<const double> values() const override { return values_; }
  void tangent(int columns, std::span<const double> directions, std::span<double> values) override;
  void adjoint(std::span<const double> weights, std::span<double> gradient) override;
  void second(std::span<const double> weights, std::span<const double> direction,
              std::span<double> gradient) override;

 private:
  /// A column, and a number of some list that is added to it.
  struct Link {
    int column, number;
  };
  /// Columns that are values of a sum.
  struct Part {
    KernelSum sum;
    std::span<const double> numbers = {};  ///< the state, as the sum reads it
    std::vector<double> values = {};       ///< of the sum at the state
    std::vector<double> work = {};         ///< perturbations or weights of its values
    std::vector<Link> links = {};
  };

  void evaluate_nodes(const dae::State& state);
  void evaluate_elements(const dae::State& state, std::span<const double> controls);
  double motion_value(const dae::State& state, int place) const;
  std::span<const double> weights_of(Part& part, std::span<const double> weights) const;
  template <class F>
  void for_each_part(F&& f) {
    if (nodes_) f(*nodes_);
    if (elements_) f(*elements_);
  }

  const dae::System& system_;
  MotionLayout layout_;
  std::vector<double> values_;
  std::vector<Link> motion_links_;

  std::optional<Part> nodes_;
  std::set<int> chosen_nodes_;
  std::vector<int> node_offsets_;     // in the values of that sum
  std::vector<double> node_numbers_;  // v, v̇, then the coefficients of q

  std::optional<Part> elements_;
  std::optional<dae::Assembly> assembly_;  // for the values
  MotionPoint point_;
};

NamedOutputs::NamedOutputs(const dae::System& system, const std::vector<std::string>& columns)
    : system_(system), layout_(system), values_(columns.size(), 0.0), point_(system) {
  const dae::Outputs outputs(system);
  const std::vector<Sources> sources = sources_of_columns(system, outputs);
  std::vector<Link> node_links, element_links;
  for (int column = 0; column < size(); ++column) {
    const std::string& name = columns[index(column)];
    const Sources& chosen = sources[index(outputs.column(name))];
    if (chosen.empty()) {
      throw InvalidArgument("system '" + system.name() + "': output '" + name +
                            "' is a largest magnitude, which has no derivative; choose another");
    }
    for (const Source& source : chosen) {
      const Link link{column, source.number};
      switch (source.part) {
        case Source::Part::kMotion: motion_links_.push_back(link); break;
        case Source::Part::kElement: element_links.push_back(link); break;
        case Source::Part::kNode:
          node_links.push_back(link);
          chosen_nodes_.insert(source.node);
          break;
      }
    }
  }
  if (!node_links.empty()) {
    node_offsets_ = node_output_offsets(system.configuration_space());
    nodes_.emplace(Part{.sum = node_output_sum(system, chosen_nodes_), .links = node_links});
  }
  if (!element_links.empty()) {
    const auto is_wanted = [&](const dae::PlacedElement& element) {
      const int first = ObservableRows::kOutputs + element.first_output;
      int end = first;
      for (const dae::OutputSpec& output : system.kind_of(element).shape().outputs) {
        end += output.size;
      }
      // Energies and momentum are those of all elements.
      return std::any_of(element_links.begin(), element_links.end(), [=](const Link& link) {
        return link.number < ObservableRows::kOutputs ||
               (link.number >= first && link.number < end);
      });
    };
    elements_.emplace(
        Part{.sum = element_sum(system, dae::ElementFunction::kObservables, {}, is_wanted),
             .links = element_links});
    assembly_.emplace(system, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kAutomatic);
  }
  for_each_part([](Part& part) { part.values.assign(index(part.sum.num_values()), 0.0); });
  set_parameters(system.parameter_values());
}

void NamedOutputs::set_parameters(std::span<const double> parameters) {
  point_.set_parameters(parameters);
  if (assembly_) assembly_->set_parameters(parameters);
}

void NamedOutputs::set_state(const dae::State& state, std::span<const double> controls) {
  if (nodes_) evaluate_nodes(state);
  if (elements_) evaluate_elements(state, controls);
  std::fill(values_.begin(), values_.end(), 0.0);
  for (const auto& [column, place] : motion_links_) {
    values_[index(column)] = motion_value(state, place);
  }
  for_each_part([this](const Part& part) {
    for (const auto& [column, number] : part.links) {
      values_[index(column)] += part.values[index(number)];
    }
  });
}

double NamedOutputs::motion_value(const dae::State& state, int place) const {
  if (place >= layout_.s) return state.s[index(place - layout_.s)];
  if (place >= layout_.lambda) return state.lambda[index(place - layout_.lambda)];
  if (place >= layout_.v_dot) return state.v_dot[index(place - layout_.v_dot)];
  return state.v[index(place - layout_.v)];
}

void NamedOutputs::evaluate_nodes(const dae::State& state) {
  node_numbers_ = state.v;
  node_numbers_.insert(node_numbers_.end(), state.v_dot.begin(), state.v_dot.end());
  node_numbers_.insert(node_numbers_.end(), state.q.begin(), state.q.end());
  nodes_->numbers = node_numbers_;
  const lie::GroupList& space = system_.configuration_space();
  for (const int node : chosen_nodes_) {
    const lie::NodeGroup& group = space.group(node);
    const std::vector<double> outputs = node_outputs<double>(
        group,
        std::span(state.q).subspan(index(space.coeff_offset(node)), index(group.num_coeffs())),
        std::span(state.v).subspan(index(space.dof_offset(node)), index(group.dof())),
        std::span(state.v_dot).subspan(index(space.dof_offset(node)), index(group.dof())));
    std::copy(outputs.begin(), outputs.end(), nodes_->values.begin() + node_offsets_[index(node)]);
  }
}

void NamedOutputs::evaluate_elements(const dae::State& state, std::span<const double> controls) {
  point_.set(state, controls);
  elements_->numbers = point_.numbers();
  assembly_->set_time(state.t);
  assembly_->set_configuration(state.q);
  assembly_->set_velocity(state.v);
  assembly_->set_acceleration(state.v_dot);
  std::copy(controls.begin(), controls.end(), assembly_->controls().begin());
  std::copy(state.lambda.begin(), state.lambda.end(), assembly_->multipliers().begin());
  std::copy(state.s.begin(), state.s.end(), assembly_->algebraic().begin());
  const dae::Assembly::Observed observed =
      assembly_->observe(std::span(elements_->values).subspan(ObservableRows::kOutputs));
  elements_->values[ObservableRows::kKinetic] = observed.kinetic;
  elements_->values[ObservableRows::kPotential] = observed.potential;
  auto next = elements_->values.begin() + ObservableRows::kMomentum;
  next = std::copy_n(observed.linear_momentum.data(), 3, next);
  std::copy_n(observed.angular_momentum.data(), 3, next);
}

void NamedOutputs::tangent(int columns, std::span<const double> directions,
                           std::span<double> values) {
  for (int c = 0; c < columns; ++c) {
    for (const auto& [column, place] : motion_links_) {
      values[index(c * size() + column)] += directions[index(c * layout_.size + place)];
    }
  }
  for_each_part([&](Part& part) {
    const int num_values = part.sum.num_values();
    part.work.assign(index(columns * num_values), 0.0);
    part.sum.tangent(part.numbers, columns, directions, part.work);
    for (int c = 0; c < columns; ++c) {
      for (const auto& [column, number] : part.links) {
        values[index(c * size() + column)] += part.work[index(c * num_values + number)];
      }
    }
  });
}

std::span<const double> NamedOutputs::weights_of(Part& part,
                                                 std::span<const double> weights) const {
  part.work.assign(index(part.sum.num_values()), 0.0);
  for (const auto& [column, number] : part.links) {
    part.work[index(number)] += weights[index(column)];
  }
  return part.work;
}

void NamedOutputs::adjoint(std::span<const double> weights, std::span<double> gradient) {
  for (const auto& [column, place] : motion_links_) {
    gradient[index(place)] += weights[index(column)];
  }
  for_each_part(
      [&](Part& part) { part.sum.adjoint(part.numbers, 1, weights_of(part, weights), gradient); });
}

void NamedOutputs::second(std::span<const double> weights, std::span<const double> direction,
                          std::span<double> gradient) {
  // Numbers of the motion itself are linear.
  for_each_part([&](Part& part) {
    part.sum.second(part.numbers, weights_of(part, weights), direction, gradient);
  });
}

}  // namespace

std::unique_ptr<Observable> named_outputs(const dae::System& system,
                                          const std::vector<std::string>& columns) {
  return std::make_unique<NamedOutputs>(system, columns);
}

}  // namespace liegrad::sensitivity
