#include "liegrad/dae/supplied_forces.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "liegrad/dae/element_functions.hpp"
#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/text.hpp"

namespace liegrad::dae {
namespace {

constexpr double kTolerance = 1e-10;
/// Configurations that are compared: the initial one and some around it.
constexpr int kTrials = 4;

/// The largest difference of the two forces, relative to the larger.
double difference(const Model& system, const PlacedElement& element, std::span<const double> q,
                  std::mt19937& rng) {
  const ElementKind& kind = system.kind_of(element);
  const ElementInputs in = kind.inputs({});
  const lie::GroupList& space = system.configuration_space();
  std::normal_distribution<double> normal;
  std::vector<Taped> x(index(in.num_inputs), Taped(0));
  for (std::size_t k = 0; k < element.nodes.size(); ++k) {
    const lie::NodeGroup& group = space.group(element.nodes[k]);
    std::vector<double> view(index(NodeView::size(group)));
    NodeView::of<double>(group, q.subspan(index(space.coeff_offset(element.nodes[k]))), view);
    std::copy(view.begin(), view.end(), x.begin() + in.nodes[k].view);
  }
  for (int i = 0; i < kind.shape().constraints; ++i) x[index(in.multipliers + i)] = normal(rng);
  for (std::size_t i = 0; i < element.parameters.size(); ++i) {
    x[index(in.parameters) + i] = system.parameters()[index(element.parameters[i])].value;
  }
  const ElementFunctions functions(kind.model(), kind.groups(), in);
  const std::vector<Taped> given = functions.constraint_force(x);
  const std::vector<Taped> derived = functions.constraint_force_by_ad(x);
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    largest = std::max(largest, std::abs(CppAD::Value(given[i]) - CppAD::Value(derived[i])));
    scale = std::max(scale, std::abs(CppAD::Value(derived[i])));
  }
  return scale > 0 ? largest / scale : largest;
}

}  // namespace

std::vector<std::string> check_supplied_forces(const Model& system) {
  const std::lock_guard lock(ad::cppad_mutex());
  std::mt19937 rng(1);
  std::normal_distribution<double> normal;
  std::vector<std::string> sentences;
  for (const PlacedElement& element : system.elements()) {
    if (!system.kind_of(element).model().has_constraint_force()) continue;
    double worst = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> q = system.initial_configuration();
      std::vector<double> shift(index(system.dof()));
      for (double& entry : shift) entry = trial == 0 ? 0.0 : 0.3 * normal(rng);
      system.configuration_space().plus<double>(q, shift, q);
      worst = std::max(worst, difference(system, element, q, rng));
    }
    if (worst <= kTolerance) continue;
    sentences.push_back("the constraint_force of element '" + element.name +
                        "' differs from the derivative of its constraint by " + number_text(worst) +
                        " of its size; correct it, or leave it to AD");
  }
  return sentences;
}

}  // namespace liegrad::dae
