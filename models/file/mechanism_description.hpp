#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "liegrad/elements/mechanism/mechanism.hpp"
#include "liegrad/models/file/json_fields.hpp"

namespace liegrad::models {

/// The part of a system that is a drawing: bodies, joints and frames in the world.
class MechanismDescription {
 public:
  MechanismDescription(const std::string& name, const JsonFields& file,
                       const elements::MechanismOptions& options);

  /// Whether this is a coordinate of a joint, by its name or by that of a joint that has only one.
  bool has_coordinate(const std::string& name) const { return coordinates_.contains(name); }
  std::vector<std::string> coordinates() const;
  /// Makes it a node; returns the name.
  std::string add_coordinate_node(const std::string& name, const JsonPlace& place);
  void set_initial(const std::string& coordinate, const JsonFields::Json& value,
                   const JsonPlace& place);
  /// With all initial values.
  dae::System make_system(const JsonPlace& place) const;

 private:
  struct Velocity {
    std::array<double, 3> omega = {0, 0, 0}, u = {0, 0, 0};
    bool is_given = false;
    JsonPlace place;
  };
  void add_body(const std::string& name, const JsonFields::Json& entry, const JsonPlace& place);
  void add_joint(const std::string& name, const JsonFields::Json& entry, const JsonPlace& place);
  void add_frame(const std::string& name, const JsonFields::Json& entry, const JsonPlace& place);
  void set_velocity(dae::System& system, const std::string& body, const Velocity& velocity) const;

  elements::Mechanism mechanism_;
  elements::MechanismOptions options_;
  std::map<std::string, Velocity> velocities_;      ///< of all bodies
  std::map<std::string, std::string> coordinates_;  ///< their full names
};

/// Calls f, and gives the place to what it refuses.
template <class F>
auto with_place(const JsonPlace& place, const F& f) {
  try {
    return f();
  } catch (const InvalidArgument& error) {
    place.refuse(error.what());
  }
}

/// {"at": […], "orientation": […]}, or in place of the orientation the "axis" that z is along.
dae::BodyFrame frame_in(const JsonFields& fields);

}  // namespace liegrad::models
