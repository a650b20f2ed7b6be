#include "liegrad/sensitivity/observe/named_outputs.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/system/node_outputs.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/sensitivity/observe/node_functions.hpp"
#include "liegrad/sensitivity/step/element_sum.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using dae::ObservableRows;

/// Where the outputs of each node begin in a list of those of all nodes, and its length.
std::vector<int> node_output_offsets(const lie::GroupList& space) {
  std::vector<int> offsets = {0};
  for (int i = 0; i < space.size(); ++i) {
    offsets.push_back(offsets.back() + dae::num_node_outputs(space.group(i)));
  }
  return offsets;
}

/// Outputs of one kind of group; there are few of them, and they are kept.
std::shared_ptr<const LocalFunction> node_output_function(const lie::NodeGroup& group) {
  static std::mutex mutex;
  using Kept = std::map<lie::GroupKind, std::shared_ptr<const LocalFunction>>;
  static Kept& kept = *new Kept;  // never destroyed: what CppAD needs for that may go before
  const std::lock_guard lock(mutex);
  std::shared_ptr<const LocalFunction>& function = kept[group.kind];
  if (!function) {
    function = std::make_shared<const LocalFunction>(
        node_output_recording(group), ad::range(0, group.dof()), ad::Backend::kCompiled);
  }
  return function;
}

/// That list as a function of the motion, read from v, v̇ and the coefficients of q; only some nodes are
/// evaluated. Coordinates of R^n are evaluated one by one.
class NodeOutputTerms {
 public:
  NodeOutputTerms(const dae::Model& model, KernelSum& sum)
      : space_(model.configuration_space()), layout_(model), sum_(sum) {}

  void add_node(int node, int first_value) {
    const lie::NodeGroup& group = space_.group(node);
    const int dof = space_.dof_offset(node), coefficient = space_.coeff_offset(node);
    if (group.kind != lie::GroupKind::kRn) {
      return add(group, dof, coefficient, ad::range(first_value, dae::num_node_outputs(group)));
    }
    for (int i = 0; i < group.n; ++i) {
      const int value = first_value + i;
      add(lie::NodeGroup::rn(1), dof + i, coefficient + i,
          {value, value + group.n, value + 2 * group.n});
    }
  }

 private:
  struct Known {
    int function;
    std::vector<int> inputs;
  };

  void add(const lie::NodeGroup& group, int first_dof, int coefficient,
           const std::vector<int>& values) {
    auto found = known_.find(group.kind);
    if (found == known_.end()) {
      const KernelSum::Local local = LocalFunction::term(node_output_function(group));
      found = known_.emplace(group.kind, Known{sum_.add_function(local), local.inputs}).first;
    }
    const int dof = group.dof();
    // Where the inputs (δ, v, v̇, q) that are read stand; δ is zero, and is not.
    std::vector<int> places;
    for (const auto& [first, count] :
         {std::pair(first_dof, dof), std::pair(space_.dof() + first_dof, dof),
          std::pair(2 * space_.dof() + coefficient, group.num_coeffs())}) {
      for (int i = 0; i < count; ++i) places.push_back(first + i);
    }
    std::vector<int> numbers, arguments;
    for (const int input : found->second.inputs) numbers.push_back(places[index(input - dof)]);
    for (const int part : {layout_.q, layout_.v, layout_.v_dot}) {
      for (int i = 0; i < dof; ++i) arguments.push_back(part + first_dof + i);
    }
    sum_.add_term(found->second.function, numbers, arguments, values);
  }

  const lie::GroupList& space_;
  MotionLayout layout_;
  KernelSum& sum_;
  std::map<lie::GroupKind, Known> known_;
};

KernelSum node_output_sum(const dae::Model& model, const std::set<int>& nodes) {
  const std::vector<int> offsets = node_output_offsets(model.configuration_space());
  KernelSum sum(MotionLayout(model).size, offsets.back());
  NodeOutputTerms terms(model, sum);
  for (const int node : nodes) terms.add_node(node, offsets[index(node)]);
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
  bool is_acceleration = false;  ///< or may depend on v̇, λ or s
};
using Sources = std::vector<Source>;

/// The sources of all columns, in the order of dae::Outputs; residuals have none.
std::vector<Sources> sources_of_columns(const dae::Model& system, const dae::Outputs& outputs) {
  using Part = Source::Part;
  const MotionLayout layout(system);
  const lie::GroupList& space = system.configuration_space();
  std::vector<Sources> list;
  const auto add = [&](Part part, int first, int count, int node = 0) {
    for (int i = 0; i < count; ++i) {
      const bool is_acceleration =
          part == Part::kElement || (part == Part::kMotion && first >= layout.v_dot);
      list.push_back({{part, first + i, node, is_acceleration}});
    }
  };
  const auto add_node = [&](int node, int first, int count) {
    add(Part::kNode, first, count, node);
    // Accelerations stand last.
    for (int i = 0; i < space.group(node).dof(); ++i) {
      list[list.size() - 1 - index(i)].front().is_acceleration = true;
    }
  };
  const std::vector<int> offsets = node_output_offsets(space);
  for (int i = 0; i < space.size(); ++i) {
    if (system.nodes()[index(i)].first_order) {
      add(Part::kMotion, layout.v + space.dof_offset(i), space.group(i).dof());
      add(Part::kMotion, layout.v_dot + space.dof_offset(i), space.group(i).dof());
    } else {
      add_node(i, offsets[index(i)], offsets[index(i) + 1] - offsets[index(i)]);
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
  NamedOutputs(const dae::Model& system, const std::vector<std::string>& columns);

  NamedOutputs(const NamedOutputs& other);
  NamedOutputs& operator=(const NamedOutputs&) = delete;

  std::unique_ptr<Observable> clone() const override {
    return std::make_unique<NamedOutputs>(*this);
  }
  int size() const override { return static_cast<int>(values_.size()); }
  bool reads_accelerations() const override { return reads_accelerations_; }
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

  void make_assembly();

  std::shared_ptr<const dae::Model> system_;
  MotionLayout layout_;
  std::vector<double> values_;
  bool reads_accelerations_ = false;
  std::vector<Link> motion_links_;

  std::optional<Part> nodes_;
  std::set<int> chosen_nodes_;
  std::vector<int> node_offsets_;     // in the values of that sum
  std::vector<double> node_numbers_;  // v, v̇, then the coefficients of q

  std::optional<Part> elements_;
  std::optional<dae::Assembly> assembly_;  // for the values
  MotionPoint point_;
};

NamedOutputs::NamedOutputs(const dae::Model& system, const std::vector<std::string>& columns)
    : system_(system.shared()), layout_(system), values_(columns.size(), 0.0), point_(system) {
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
      if (source.is_acceleration) reads_accelerations_ = true;
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
    make_assembly();
  }
  for_each_part([](Part& part) { part.values.assign(index(part.sum.num_values()), 0.0); });
  set_parameters(system.parameter_values());
}

/// What the columns are is known already.
NamedOutputs::NamedOutputs(const NamedOutputs& other)
    : Observable(other),
      system_(other.system_),
      layout_(other.layout_),
      values_(other.values_),
      reads_accelerations_(other.reads_accelerations_),
      motion_links_(other.motion_links_),
      nodes_(other.nodes_),
      chosen_nodes_(other.chosen_nodes_),
      node_offsets_(other.node_offsets_),
      elements_(other.elements_),
      point_(other.point_) {
  for_each_part([](Part& part) { part.numbers = {}; });
  if (elements_) make_assembly();
  set_parameters(system_->parameter_values());
}

void NamedOutputs::make_assembly() {
  assembly_.emplace(*system_, dae::Formulation::kIndex3, false, dae::LinearSolverKind::kAutomatic);
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
  node_numbers_.assign(state.v.begin(), state.v.end());
  node_numbers_.insert(node_numbers_.end(), state.v_dot.begin(), state.v_dot.end());
  node_numbers_.insert(node_numbers_.end(), state.q.begin(), state.q.end());
  nodes_->numbers = node_numbers_;
  const lie::GroupList& space = system_->configuration_space();
  for (const int node : chosen_nodes_) {
    const lie::NodeGroup& group = space.group(node);
    dae::node_outputs<double>(
        group,
        std::span(state.q).subspan(index(space.coeff_offset(node)), index(group.num_coeffs())),
        std::span(state.v).subspan(index(space.dof_offset(node)), index(group.dof())),
        std::span(state.v_dot).subspan(index(space.dof_offset(node)), index(group.dof())),
        std::span(nodes_->values).subspan(index(node_offsets_[index(node)])));
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
  const auto add = [columns, &values](int column, std::span<const double> from, int entry) {
    const double* const source = from.data() + entry * columns;
    double* const to = values.data() + column * columns;
    for (int c = 0; c < columns; ++c) to[c] += source[c];
  };
  for (const auto& [column, place] : motion_links_) add(column, directions, place);
  for_each_part([&](Part& part) {
    part.work.assign(index(columns * part.sum.num_values()), 0.0);
    part.sum.tangent(part.numbers, columns, directions, part.work);
    for (const auto& [column, number] : part.links) add(column, part.work, number);
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

std::unique_ptr<Observable> named_outputs(const dae::Model& system,
                                          const std::vector<std::string>& columns) {
  return std::make_unique<NamedOutputs>(system, columns);
}

}  // namespace liegrad::sensitivity
