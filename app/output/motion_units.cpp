#include "output/motion_units.hpp"

#include <map>

#include "liegrad/dae/system/element_kind.hpp"

namespace liegrad::app {
namespace {

using dae::NodeRole;

constexpr const char *kMetre = "m", *kRadian = "rad", *kNewton = "N", *kNewtonMetre = "N m";

/// How many multipliers of a joint are forces; those behind are torques.
const std::map<std::string, int> kForcesOfJoints = {
    {"spherical_joint", 3},       {"revolute_joint", 3},     {"universal_joint", 3},
    {"fixed_joint", 3},           {"fixed_point", 3},        {"cylindrical_joint", 2},
    {"prismatic_joint", 2},       {"plane_joint", 1},        {"point_on_line", 2},
    {"distance_joint", 1},        {"joint_displacement", 1}, {"joint_angle", 0},
    {"planar_revolute_joint", 2}, {"planar_fixed_joint", 2}, {"planar_prismatic_joint", 1},
    {"planar_point_on_line", 1},  {"planar_rod_joint", 2},   {"planar_rod_on_slider", 2}};

const std::map<std::string, const char*> kUnitsOfActuators = {
    {"actuator_force", kNewton}, {"actuator_torque", kNewtonMetre}, {"planar_motor", kNewtonMetre}};

/// Elements that say what the coordinates of their node in R^n are.
const std::map<std::string, const char*> kUnitsOfCoordinates = {{"joint_angle", kRadian},
                                                                {"joint_displacement", kMetre},
                                                                {"point_mass", kMetre},
                                                                {"slider", kMetre}};

/// The force that works along a position.
const char* force_along(const std::string& position) {
  return position == kMetre ? kNewton : position == kRadian ? kNewtonMetre : "";
}

template <class T>
T found(const std::map<std::string, T>& list, const std::string& key, T otherwise) {
  const auto at = list.find(key);
  return at == list.end() ? otherwise : at->second;
}

}  // namespace

MotionUnits::MotionUnits(const control::Problem& problem)
    : positions_(static_cast<std::size_t>(problem.system().dof())),
      controls_(problem.system().controls().size()),
      multipliers_(static_cast<std::size_t>(problem.system().num_multipliers())) {
  find_positions(problem);
  find_controls(problem);
  find_multipliers(problem.system());
}

void MotionUnits::find_positions(const control::Problem& problem) {
  const dae::Model& system = problem.system();
  const lie::GroupList& space = system.configuration_space();
  const auto put = [&](int node, int first, int end, const char* unit) {
    for (int k = first; k < end; ++k) {
      positions_[static_cast<std::size_t>(space.dof_offset(node) + k)] = unit;
    }
  };
  for (int node = 0; node < space.size(); ++node) {
    const lie::NodeGroup& group = space.group(node);
    const int dof = group.dof();
    switch (group.kind) {
      case lie::GroupKind::kRn: break;  // what it is made of says it below
      case lie::GroupKind::kSO2:
      case lie::GroupKind::kSO3: put(node, 0, dof, kRadian); break;
      case lie::GroupKind::kSE2:
        put(node, 0, 1, kRadian);
        put(node, 1, dof, kMetre);
        break;
      default: put(node, 0, 3, kRadian); put(node, 3, dof, kMetre);
    }
  }
  for (const dae::PlacedElement& element : system.elements()) {
    const dae::ElementShape& shape = system.kind_of(element).shape();
    for (std::size_t i = 0; i < element.nodes.size(); ++i) {
      const int node = element.nodes[i];
      if (node < 0 || space.group(node).kind != lie::GroupKind::kRn) continue;
      const int dof = space.group(node).dof();
      const NodeRole role = shape.nodes[i].role;
      const bool is_planar = role == NodeRole::kPlanarBody || role == NodeRole::kPlanarFrame ||
                             role == NodeRole::kPlanarPoint;
      if (is_planar && dof == 3) {  // (x, y, θ)
        put(node, 0, 2, kMetre);
        put(node, 2, 3, kRadian);
      } else if (is_planar || role == NodeRole::kPoint) {
        put(node, 0, dof, kMetre);
      } else if (const char* const unit =
                     found<const char*>(kUnitsOfCoordinates, shape.type, nullptr)) {
        put(node, 0, dof, unit);
      }
    }
  }
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    if (!problem.coordinate_units()[i].empty()) positions_[i] = problem.coordinate_units()[i];
  }
}

void MotionUnits::find_controls(const control::Problem& problem) {
  const dae::Model& system = problem.system();
  for (const dae::PlacedElement& element : system.elements()) {
    const dae::ElementShape& shape = system.kind_of(element).shape();
    std::string unit = found<const char*>(kUnitsOfActuators, shape.type, "");
    if (shape.type == "coordinate_actuator") {
      unit = force_along(position(system.configuration_space().dof_offset(element.nodes.front())));
    }
    for (const int i : element.controls) controls_[static_cast<std::size_t>(i)] = unit;
  }
  for (std::size_t i = 0; i < controls_.size(); ++i) {
    if (!problem.control_units()[i].empty()) controls_[i] = problem.control_units()[i];
  }
}

void MotionUnits::find_multipliers(const dae::Model& system) {
  for (const dae::PlacedElement& element : system.elements()) {
    const dae::ElementShape& shape = system.kind_of(element).shape();
    const auto first = static_cast<std::size_t>(element.first_multiplier);
    if (shape.type == "driven_coordinate") {
      multipliers_[first] =
          force_along(position(system.configuration_space().dof_offset(element.nodes.front())));
    }
    const int forces = found(kForcesOfJoints, shape.type, -1);
    for (int i = 0; forces >= 0 && i < shape.constraints; ++i) {
      multipliers_[first + static_cast<std::size_t>(i)] = i < forces ? kNewton : kNewtonMetre;
    }
  }
}

std::string MotionUnits::velocity(int dof) const {
  return position(dof).empty() ? "" : position(dof) + "/s";
}

std::string MotionUnits::costate(int dof) const {
  return position(dof).empty() ? "" : "cost/" + position(dof);
}

std::string MotionUnits::switching(int i) const {
  return control(i).empty() ? "" : "cost/(s " + control(i) + ")";
}

}  // namespace liegrad::app
