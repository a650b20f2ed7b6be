#pragma once

#include <string>
#include <vector>

#include "liegrad/lie/scalar.hpp"

namespace liegrad::dae {

/// What an element looks like, in pictures of a motion. Each part is fixed in a node of the element, counted from 0 as
/// in its shape(), and given in the frame of that node, in metres. Planar bodies are in the plane z = 0.
struct Drawing {
  using V3 = lie::Vec<double, 3>;
  /// The node of a point that does not move.
  static constexpr int kWorld = -1;

  struct Point {
    int node = 0;
    V3 in_body = V3::Zero();
  };
  /// Edges along the axes of the body.
  struct Box {
    Point centre;
    V3 edges;
  };
  struct Sphere {
    Point centre;
    double radius = 0;
  };
  /// From one point of a body to another. Without a radius it is as thin as the picture likes.
  struct Rod {
    int node = 0;
    V3 from, to;
    double radius = 0;
  };
  enum class JointKind { kSpherical, kRevolute, kPrismatic, kRigid };
  struct Joint {
    JointKind kind = JointKind::kSpherical;
    Point at;
    V3 axis = V3::UnitZ();
  };
  /// A line between points of two nodes: a spring, a massless rod, a part of a beam.
  struct Link {
    Point from, to;
  };
  /// An output of the element that is a force of two or three numbers, in the inertial frame or in the body.
  struct Force {
    std::string output;
    Point at;
    bool is_in_body = false;
  };

  std::vector<Box> boxes = {};
  std::vector<Sphere> spheres = {};
  std::vector<Rod> rods = {};
  std::vector<Joint> joints = {};
  std::vector<Point> supports = {};  ///< points of the world that hold something
  std::vector<Link> links = {};
  std::vector<Force> forces = {};
};

}  // namespace liegrad::dae
