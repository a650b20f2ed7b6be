#include "report/scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;
using Vector = std::array<double, 3>;

constexpr int kDigits = 6;
/// Lines without a thickness get this part of the size of the scene as radius.
constexpr double kThinRadius = 0.006;
/// Frames are drawn in scenes of few bodies, where they show how a round body turns.
constexpr std::size_t kMostFrames = 3;

/// Columns of the position and, of what turns, of the orientation.
struct PoseColumns {
  std::vector<const std::vector<double>*> position, quaternion;
  const std::vector<double>* angle = nullptr;
};

std::optional<PoseColumns> columns_of(const ordered_json& body, const Motion& motion) {
  const std::string name = body.at("name").get<std::string>();
  const std::string kind = body.at("kind").get<std::string>();
  PoseColumns columns;
  bool is_complete = true;
  const auto take = [&](const std::string& column) -> const std::vector<double>* {
    if (motion.has(column)) return &motion.column(column);
    is_complete = false;
    return nullptr;
  };
  const auto take_all = [&](const std::string& output, int count) {
    std::vector<const std::vector<double>*> list;
    for (int i = 1; i <= count; ++i) list.push_back(take(output + "." + std::to_string(i)));
    return list;
  };
  const bool is_flat = kind == "planar_body" || kind == "planar_point";
  if (kind != "rotation") columns.position = take_all(name + ".x", is_flat ? 2 : 3);
  if (kind == "body" || kind == "rotation") columns.quaternion = take_all(name + ".q", 4);
  if (kind == "planar_body") {
    columns.angle = take(motion.has(name + ".theta") && !motion.has(name + ".x.3") ? name + ".theta"
                                                                                   : name + ".x.3");
  }
  if (!is_complete) return std::nullopt;
  return columns;
}

std::vector<double> pose_at(const PoseColumns& columns, std::size_t i) {
  std::vector<double> pose = {0, 0, 0, 1, 0, 0, 0};
  for (std::size_t k = 0; k < columns.position.size(); ++k) pose[k] = (*columns.position[k])[i];
  for (std::size_t k = 0; k < columns.quaternion.size(); ++k) {
    pose[3 + k] = (*columns.quaternion[k])[i];
  }
  if (columns.angle) {
    pose[3] = std::cos((*columns.angle)[i] / 2);
    pose[6] = std::sin((*columns.angle)[i] / 2);
  }
  return pose;
}

Vector vector_in(const ordered_json& list) { return list.get<Vector>(); }

double length(const Vector& v) { return std::hypot(v[0], v[1], v[2]); }

/// v turned by the orientation of a pose.
Vector turned(const ordered_json& pose, const Vector& v) {
  const double w = pose[3], x = pose[4], y = pose[5], z = pose[6];
  // v + 2 w (r × v) + 2 r × (r × v) with r = (x, y, z).
  const auto cross = [](const Vector& a, const Vector& b) {
    return Vector{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const Vector r = {x, y, z}, once = cross(r, v), twice = cross(r, once);
  Vector result = v;
  for (std::size_t i = 0; i < 3; ++i) result[i] += 2 * (w * once[i] + twice[i]);
  return result;
}

/// Distance from the origin of the body to its farthest shape, about.
double reach(const ordered_json& shapes) {
  double result = 0;
  for (const ordered_json& shape : shapes) {
    for (const char* name : {"from", "to"}) {
      if (shape.contains(name)) result = std::max(result, length(vector_in(shape[name])));
    }
    if (shape.contains("size")) result = std::max(result, length(vector_in(shape["size"])) / 2);
    result = std::max(result, shape.value("radius", 0.0));
  }
  return result;
}

/// Axes that stick out of the solid of a body; of a body of lines, a part of these.
double frame_length(const ordered_json& shapes) {
  double solid = 0;
  for (const ordered_json& shape : shapes) {
    if (shape.contains("size")) {
      const Vector edges = vector_in(shape["size"]);
      solid = std::max(solid, *std::max_element(edges.begin(), edges.end()) / 2);
    }
    solid = std::max(solid, shape.value("radius", 0.0));
  }
  return solid > 0 ? 1.6 * solid : 0.3 * reach(shapes);
}

/// Half the diagonal of a box that holds all bodies at all times, about.
double size_of(const ordered_json& bodies) {
  Vector low = {1e300, 1e300, 1e300}, high = {-1e300, -1e300, -1e300};
  for (const ordered_json& body : bodies) {
    const double extra = reach(body["shapes"]);
    for (const ordered_json& pose : body["pose"]) {
      for (std::size_t i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], pose[i].get<double>() - extra);
        high[i] = std::max(high[i], pose[i].get<double>() + extra);
      }
    }
  }
  const double size = length({high[0] - low[0], high[1] - low[1], high[2] - low[2]}) / 2;
  return size > 0 ? size : 1;
}

void set_thin_radius(ordered_json& object, double size) {
  if (object.value("radius", 0.0) == 0) object["radius"] = kThinRadius * size;
}

/// A force of the drawing with its values; nothing when the motion does not have them.
std::optional<ordered_json> arrow_of(const ordered_json& force, const ordered_json& bodies,
                                     const Motion& motion) {
  std::vector<const std::vector<double>*> columns;
  const std::string output = force.at("output").get<std::string>();
  for (int i = 1; i <= 3; ++i) {
    const std::string name = output + "." + std::to_string(i);
    if (motion.has(name)) columns.push_back(&motion.column(name));
  }
  if (columns.size() < 2) return std::nullopt;
  const auto axes = std::find_if(bodies.begin(), bodies.end(), [&](const ordered_json& body) {
    return force.contains("axes") && body["name"] == force["axes"];
  });
  const double factor = force.value("factor", 1.0);
  ordered_json vectors = ordered_json::array();
  for (std::size_t i = 0; i < motion.size(); ++i) {
    Vector v = {0, 0, 0};
    for (std::size_t k = 0; k < columns.size(); ++k) v[k] = factor * (*columns[k])[i];
    if (axes != bodies.end()) v = turned((*axes)["pose"][i], v);
    vectors.push_back(rounded({v[0], v[1], v[2]}, kDigits));
  }
  ordered_json arrow = {{"name", output}, {"unit", "N"}, {"vector", vectors}};
  for (const char* name : {"body", "point"}) {
    if (force.contains(name)) arrow[name] = force[name];
  }
  return arrow;
}

}  // namespace

std::optional<ordered_json> poses_of(const ordered_json& body, const Motion& motion) {
  const std::optional<PoseColumns> columns = columns_of(body, motion);
  if (!columns) return std::nullopt;
  ordered_json poses = ordered_json::array();
  for (std::size_t i = 0; i < motion.size(); ++i) {
    poses.push_back(rounded(pose_at(*columns, i), kDigits));
  }
  return poses;
}

std::optional<ordered_json> scene_of(const ordered_json& drawing, const Motion& motion) {
  ordered_json bodies = ordered_json::array();
  for (const ordered_json& body : drawing.at("bodies")) {
    const std::optional<ordered_json> poses = poses_of(body, motion);
    if (!poses) continue;
    bodies.push_back({{"name", body["name"]},
                      {"shapes", body.value("shapes", ordered_json::array())},
                      {"pose", *poses}});
  }
  if (bodies.empty()) return std::nullopt;
  const double size = size_of(bodies);
  const bool has_frames = bodies.size() <= kMostFrames;
  for (ordered_json& body : bodies) {
    const double axes = frame_length(body["shapes"]);
    for (ordered_json& shape : body["shapes"]) {
      if (shape["kind"] == "cylinder") set_thin_radius(shape, size);
    }
    if (has_frames && axes > 0) body["shapes"].push_back({{"kind", "frame"}, {"length", axes}});
  }
  ordered_json scene = {{"time", rounded(motion.times())}, {"bodies", bodies}};
  const ordered_json& drawn = drawing["bodies"];
  const bool is_planar = std::all_of(drawn.begin(), drawn.end(), [](const ordered_json& body) {
    return body["kind"].get<std::string>().starts_with("planar");
  });
  if (is_planar) scene["up"] = "y";
  for (const char* name : {"joints", "curves"}) {
    if (drawing.contains(name)) scene[name] = drawing[name];
  }
  if (scene.contains("curves")) {
    for (ordered_json& curve : scene["curves"]) set_thin_radius(curve, size);
  }
  for (const ordered_json& force : drawing.value("forces", ordered_json::array())) {
    if (const auto arrow = arrow_of(force, bodies, motion)) scene["arrows"].push_back(*arrow);
  }
  const std::string last = bodies.back()["name"].get<std::string>();
  if (motion.has(last + ".x.1")) {
    scene["trails"].push_back({{"name", "path of " + last + ".x"}, {"body", last}});
  }
  return scene;
}

}  // namespace liegrad::app
