#include "liegrad/dae/system/constraint_tape.hpp"

#include <algorithm>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::dae {
namespace {

/// The nodes at the identity, the parameters of the shape, and zeros.
std::vector<Taped> recorded_point(const ElementShape& shape,
                                  const std::vector<lie::NodeGroup>& groups) {
  std::vector<Taped> x;
  for (const lie::NodeGroup& group : groups) x.insert(x.end(), index(group.dof()), Taped(0));
  for (const lie::NodeGroup& group : groups) {
    std::vector<double> identity(index(group.num_coeffs())), view(index(NodeView::size(group)));
    lie::GroupList({group}).identity(std::span<double>(identity));
    NodeView::of<double>(group, identity, view);
    x.insert(x.end(), view.begin(), view.end());
  }
  for (const ParameterSpec& parameter : shape.parameters) x.push_back(Taped(parameter.value));
  x.insert(x.end(), shape.controls.size() + 1, Taped(0));
  return x;
}

/// The view of q∘exp(δ) up to the third order in δ, which are all that derivatives at δ = 0 see. The exponential map
/// itself chooses between a series and a closed form, and of a choice between constants, here δ = 0, CppAD remembers
/// the number but not where it came from.
std::vector<Taped> nearby_view(const lie::NodeGroup& group, std::span<const Taped> view,
                               std::span<const Taped> delta) {
  using V3 = lie::Vec<Taped, 3>;
  std::vector<Taped> moved(view.begin(), view.end());
  const auto turn = [&] { return V3(delta[0], delta[1], delta[2]); };
  // Factors of exp(θ~) = I + c₁ θ~ + c₂ θ~² and of the translation, I + c₂ θ~ + c₃ θ~², at x = |θ|².
  const auto c1 = [](const Taped& x) { return Taped(1.0 - x / 6.0); };
  const auto c2 = [](const Taped& x) { return Taped(0.5 - x / 24.0); };
  const auto c3 = [](const Taped& x) { return Taped(1.0 / 6.0 - x / 120.0); };
  using Matrix = Eigen::Map<const lie::Mat<Taped, 3>>;
  const auto set_rotation = [&] {
    const V3 theta = turn();
    const Taped x = lie::rotation::dot<Taped>(theta, theta);
    Eigen::Map<lie::Mat<Taped, 3>>(moved.data()) =
        Matrix(view.data()) * lie::rotation::quadratic<Taped>(c1(x), c2(x), theta);
  };
  switch (group.kind) {
    case lie::GroupKind::kRn:
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += delta[i];
      break;
    case lie::GroupKind::kSO3: set_rotation(); break;
    case lie::GroupKind::kSO3xR3:
      set_rotation();
      for (std::size_t i = 0; i < 3; ++i) moved[9 + i] += delta[3 + i];
      break;
    case lie::GroupKind::kSE3: {
      set_rotation();
      const V3 theta = turn(), u(delta[3], delta[4], delta[5]);
      const Taped x = lie::rotation::dot<Taped>(theta, theta);
      const V3 way = lie::rotation::quadratic<Taped>(c2(x), c3(x), theta) * u;
      const V3 shift = Matrix(view.data()) * way;
      for (std::size_t i = 0; i < 3; ++i) moved[9 + i] += shift(static_cast<Eigen::Index>(i));
      break;
    }
    case lie::GroupKind::kSO2:
    case lie::GroupKind::kSE2: {
      // As complex numbers: z becomes z exp(iθ).
      const Taped &theta = delta[0], x = theta * theta;
      const Taped cosine = 1.0 - c2(x) * x, sine = c1(x) * theta;
      moved[0] = view[0] * cosine - view[1] * sine;
      moved[1] = view[1] * cosine + view[0] * sine;
      if (group.kind == lie::GroupKind::kSO2) break;
      const Taped across = c2(x) * theta;
      const Taped way[] = {c1(x) * delta[1] - across * delta[2],
                           c1(x) * delta[2] + across * delta[1]};
      moved[2] += view[0] * way[0] - view[1] * way[1];
      moved[3] += view[1] * way[0] + view[0] * way[1];
      break;
    }
  }
  return moved;
}

/// Φ of the inputs of the tape: δ, then those of a ConstraintTape::Point.
std::vector<Taped> displaced_constraint(const ElementModel& model,
                                        const std::vector<lie::NodeGroup>& groups,
                                        std::span<const Taped> x) {
  const auto take = [&x](std::size_t count) {
    const std::span<const Taped> part = x.first(count);
    x = x.subspan(count);
    return part;
  };
  std::vector<std::span<const Taped>> deltas;
  for (const lie::NodeGroup& group : groups) deltas.push_back(take(index(group.dof())));
  std::vector<Position<Taped>::Node> nodes;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::span<const Taped> view = take(index(NodeView::size(groups[i])));
    nodes.push_back({groups[i], nearby_view(groups[i], view, deltas[i])});
  }
  const auto list = [&take](std::size_t count) {
    const std::span<const Taped> part = take(count);
    return std::vector<Taped>(part.begin(), part.end());
  };
  const ElementShape& shape = model.shape();
  std::vector<Taped> parameters = list(shape.parameters.size());
  std::vector<Taped> controls = list(shape.controls.size());
  return constraint_at(model,
                       {std::move(nodes), std::move(parameters), std::move(controls), x.front(),
                        "an element of type '" + shape.type + "'", names_of(shape.parameters)});
}

/// A function of recorded numbers.
std::unique_ptr<CppAD::ADFun<Taped, double>> record_constraint(
    const ElementModel& model, const std::vector<lie::NodeGroup>& groups) {
  const std::lock_guard lock(ad::cppad_mutex());
  std::vector<Taped> x = recorded_point(model.shape(), groups);
  CppAD::Independent(x);
  try {
    std::vector<Taped> phi = displaced_constraint(model, groups, x);
    CppAD::ADFun<double> tape;
    tape.Dependent(x, phi);
    // Made in place: CppAD's move constructor reads members that it has not set.
    std::unique_ptr<CppAD::ADFun<Taped, double>> lifted(
        new CppAD::ADFun<Taped, double>(tape.base2ad()));
    lifted->check_for_nan(false);
    return lifted;
  } catch (...) {
    Taped::abort_recording();
    throw;
  }
}

}  // namespace

ConstraintTape::ConstraintTape(const ElementModel& model, const std::vector<lie::NodeGroup>& groups)
    : tape_(record_constraint(model, groups)) {
  for (const lie::NodeGroup& group : groups) dof_ += index(group.dof());
}

ConstraintTape::~ConstraintTape() {
  const std::lock_guard lock(ad::cppad_mutex());
  tape_.reset();
}

/// Of a law's choice between pieces at a constant time CppAD would forget where the number came from, so that
/// constants are made to depend on a variable, by nothing.
std::vector<Taped> ConstraintTape::inputs(const Point& at) const {
  std::vector<Taped> x(dof_, Taped(0));
  x.insert(x.end(), at.begin(), at.end());
  const auto variable = std::ranges::find_if(at, [](const Taped& y) { return Variable(y); });
  if (variable == at.end()) return x;
  for (std::size_t i = dof_; i < x.size(); ++i) {
    if (!Variable(x[i])) x[i] += *variable - *variable;
  }
  return x;
}

std::vector<Taped> ConstraintTape::force(const Point& at, const std::vector<Taped>& lambda) const {
  tape_->Forward(0, inputs(at));
  std::vector<Taped> gradient = tape_->Reverse(1, lambda);
  gradient.resize(dof_);
  return gradient;
}

std::vector<Taped> ConstraintTape::coefficient(const Point& at,
                                               const std::vector<std::vector<Taped>>& delta) const {
  std::vector<Taped> result = tape_->Forward(0, inputs(at));
  for (std::size_t order = 1; order <= delta.size(); ++order) {
    std::vector<Taped> x = delta[order - 1];
    x.resize(tape_->Domain(), Taped(0));
    if (order == 1) x.back() = Taped(1);  // time
    result = tape_->Forward(order, x);
  }
  return result;
}

std::vector<Taped> constraint_at(const ElementModel& model, const Position<Taped>& at) {
  std::vector<Taped> phi = model.constraint(at);
  check_returned_size(model.shape(), "constraint()", phi.size(), model.shape().constraints);
  return phi;
}

void check_returned_size(const ElementShape& shape, const char* function, std::size_t given,
                         int expected) {
  if (given == index(expected)) return;
  throw InvalidArgument("the " + std::string(function) + " of an element of type '" + shape.type +
                        "' returns " + std::to_string(given) + " numbers; its shape() says " +
                        std::to_string(expected));
}

}  // namespace liegrad::dae
