#include "liegrad/optimize/fit/initial_coordinates.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

/// "top.v0[3]" → top, velocity, 3; entry 0: all of them.
struct Parsed {
  std::string node;
  bool is_velocity = false;
  int entry = 0;
};

std::optional<Parsed> parsed(const dae::Model& model, const std::string& name) {
  const std::size_t bracket = name.find('[');
  const std::string plain = name.substr(0, bracket);
  if (plain.size() < 4) return {};
  const std::string end = plain.substr(plain.size() - 3);
  if (end != ".q0" && end != ".v0") return {};
  Parsed result{plain.substr(0, plain.size() - 3), end == ".v0", 0};
  if (std::none_of(model.nodes().begin(), model.nodes().end(),
                   [&](const dae::Node& node) { return node.name == result.node; })) {
    return {};
  }
  if (bracket == std::string::npos) return result;
  const std::string digits = name.substr(bracket + 1, name.size() - bracket - 2);
  const bool is_number = name.back() == ']' && !digits.empty() && digits.size() < 8 &&
                         digits.find_first_not_of("0123456789") == std::string::npos;
  const int dof = model.nodes()[index(model.node_index(result.node))].group.dof();
  result.entry = is_number ? std::stoi(digits) : 0;
  if (result.entry >= 1 && result.entry <= dof) return result;
  throw InvalidArgument("'" + name + "': node '" + result.node + "' has entries [1] to [" +
                        std::to_string(dof) + "]; choose one of them");
}

}  // namespace

Eigen::MatrixXd tangential_part(dae::Consistency& consistency, const dae::State& state,
                                const std::vector<int>& columns) {
  const Eigen::Index dof = std::ssize(state.v);
  Eigen::MatrixXd result(dof, std::ssize(columns));
  std::vector<double> unit(index(static_cast<int>(dof)), 0.0);
  for (Eigen::Index j = 0; j < result.cols(); ++j) {
    const std::size_t column = index(columns[static_cast<std::size_t>(j)]);
    unit[column] = 1;
    const std::vector<double>& normal = consistency.normal_part(state, unit);
    result.col(j) = -Eigen::Map<const Eigen::VectorXd>(normal.data(), dof);
    result(static_cast<Eigen::Index>(column), j) += 1;
    unit[column] = 0;
  }
  return result;
}

bool InitialCoordinates::has_form(const dae::Model& model, const std::string& name) {
  const bool is_parameter =
      std::any_of(model.parameters().begin(), model.parameters().end(),
                  [&name](const dae::ParameterSpec& one) { return one.name == name; });
  return !is_parameter && parsed(model, name).has_value();
}

InitialCoordinates::InitialCoordinates(const dae::System& system, double t,
                                       const std::vector<std::string>& names,
                                       const std::optional<dae::InitialValues>& base)
    : base_(base ? *base : static_cast<const dae::Model&>(system).initial_values()),
      has_constraints_(system.num_multipliers() > 0) {
  const lie::GroupList& space = system.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    const dae::Node& node = system.nodes()[index(i)];
    for (int k = 1; k <= node.group.dof(); ++k) {
      dof_names_.push_back(node.name + ".%0[" + std::to_string(k) + "]");
      is_first_order_.push_back(node.first_order);
    }
  }
  std::vector<bool> wanted(dof_names_.size(), false);
  std::vector<Parsed> typed;
  for (const std::string& name : names) {
    if (!has_form(system, name)) continue;
    const Parsed one = *parsed(system, name);
    const int node = system.node_index(one.node), first = space.dof_offset(node);
    if (!one.is_velocity && system.nodes()[index(node)].first_order) {
      throw InvalidArgument("'" + name + "': node '" + one.node + "' has no configuration; name '" +
                            one.node + ".v0'");
    }
    for (int k = 0; k < space.group(node).dof(); ++k) {
      if (one.entry == 0 || one.entry == k + 1) wanted[index(first + k)] = true;
    }
    typed.push_back(one);
  }
  if (typed.empty()) return;
  choose_independent(system, t, wanted);
  for (const Parsed& one : typed) {
    const int node = system.node_index(one.node), first = space.dof_offset(node);
    for (int k = 0; k < space.group(node).dof(); ++k) {
      if (one.entry != 0 && one.entry != k + 1) continue;
      const int dof = first + k;
      const std::string name = name_of(dof, one.is_velocity);
      const bool is_independent =
          std::find(independent_.begin(), independent_.end(), dof) != independent_.end();
      const bool is_known = std::any_of(free_.begin(), free_.end(),
                                        [&](const Entry& entry) { return entry.name == name; });
      if (is_independent && !is_known) free_.push_back({dof, one.is_velocity, name});
      if (is_independent || one.entry == 0) continue;
      throw InvalidArgument("'" + name +
                            "' follows from the constraints and the other initial values that are "
                            "unknown; leave it out");
    }
  }
}

std::string InitialCoordinates::name_of(int dof, bool is_velocity) const {
  std::string name = dof_names_[index(dof)];
  name[name.rfind('%')] = is_velocity ? 'v' : 'q';
  return name;
}

void InitialCoordinates::choose_independent(const dae::System& system, double t,
                                            const std::vector<bool>& wanted) {
  const int dof = static_cast<int>(dof_names_.size());
  const lie::GroupList& space = system.configuration_space();
  std::vector<int> order;
  for (const bool is_wanted : {true, false}) {
    for (int node = 0; node < space.size(); ++node) {
      const int size = space.group(node).dof();
      for (int k = 0; k < size; ++k) {
        // Angles of planar bodies in Rⁿ come last.
        const bool is_reversed = space.group(node).kind == lie::GroupKind::kRn;
        const int i = space.dof_offset(node) + (is_reversed ? size - 1 - k : k);
        if (wanted[index(i)] == is_wanted) order.push_back(i);
      }
    }
  }
  if (!has_constraints_) {
    independent_ = order;
    std::sort(independent_.begin(), independent_.end());
    return;
  }
  dae::ConsistencyOptions options;
  options.project = options.allow_redundant = true;
  options.check_elements = false;
  dae::Consistency consistency(system, options, dae::LinearSolverKind::kAutomatic);
  const dae::State state =
      consistency.initial_state(t, std::vector<double>(system.controls().size(), 0.0), base_);
  std::vector<int> all(static_cast<std::size_t>(dof));
  for (int i = 0; i < dof; ++i) all[index(i)] = i;
  // Rows of a basis of ker B: a set of entries fixes the motion where its rows are independent.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(tangential_part(consistency, state, all));
  constexpr double kRounding = 1e-9;
  Eigen::Index freedom = 0;
  while (freedom < dof &&
         std::abs(qr.matrixR()(freedom, freedom)) > kRounding * std::abs(qr.matrixR()(0, 0)))
    ++freedom;
  const Eigen::MatrixXd basis = qr.householderQ() * Eigen::MatrixXd::Identity(dof, freedom);
  // The first that are not nearly given by those before them, then with less and less care.
  Eigen::MatrixXd chosen(freedom, 0);
  for (const double least : {0.1, 1e-2, 1e-4, 1e-6}) {
    for (const int i : order) {
      if (chosen.cols() == freedom) break;
      const Eigen::VectorXd row = basis.row(i).transpose();
      const Eigen::VectorXd rest = row - chosen * (chosen.transpose() * row);
      const bool is_new = row.norm() > kRounding && rest.norm() > least * row.norm();
      if (!is_new) continue;
      chosen.conservativeResize(Eigen::NoChange, chosen.cols() + 1);
      chosen.col(chosen.cols() - 1) = rest.normalized();
      independent_.push_back(i);
    }
  }
  std::sort(independent_.begin(), independent_.end());
}

std::vector<std::string> InitialCoordinates::singles(const std::string& name) const {
  std::vector<std::string> found;
  for (const Entry& entry : free_) {
    const std::string plain = entry.name.substr(0, entry.name.find('['));
    if (entry.name == name || plain == name) found.push_back(entry.name);
  }
  return found.empty() ? std::vector{name} : found;
}

std::vector<std::string> InitialCoordinates::names() const {
  std::vector<std::string> list;
  for (const Entry& entry : free_) list.push_back(entry.name);
  return list;
}

double InitialCoordinates::start(const std::string& name) const {
  for (const Entry& entry : free_) {
    if (entry.name == name && entry.is_velocity) return base_.v[index(entry.dof)];
  }
  return 0;
}

}  // namespace liegrad::optimize
