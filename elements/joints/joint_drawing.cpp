#include "liegrad/elements/joints/joint_drawing.hpp"

namespace liegrad::elements {

dae::Drawing joint_drawing(const dae::Position<double>& at, dae::Drawing::JointKind kind,
                           const lie::Vec<double, 3>& point_of_a,
                           const lie::Vec<double, 3>& point_of_b,
                           const lie::Vec<double, 3>& axis_of_b, const std::string& output) {
  dae::Drawing drawing;
  const dae::Drawing::Point points[] = {{0, point_of_a}, {1, point_of_b}};
  for (const dae::Drawing::Point& point : points) {
    if (at.is_ground(point.node)) {
      drawing.supports.push_back({dae::Drawing::kWorld, point.in_body});
    } else if (!point.in_body.isZero()) {
      drawing.rods.push_back({point.node, lie::Vec<double, 3>::Zero(), point.in_body});
    }
  }
  drawing.joints.push_back({kind, points[1], axis_of_b});
  if (!output.empty()) drawing.forces.push_back({output, points[1]});
  return drawing;
}

dae::Drawing frame_joint_drawing(const dae::Position<double>& at, dae::Drawing::JointKind kind) {
  return joint_drawing(at, kind, at.parameter3(0), at.parameter3(kFrameParameters),
                       attached_orientation<double>(at, kFrameParameters).col(2), "force");
}

lie::Vec<double, 3> in_space(const lie::Vec<double, 2>& x) { return {x(0), x(1), 0}; }

dae::Drawing hinge_drawing(const dae::Position<double>& at, const lie::Vec<double, 2>& point_of_a,
                           const lie::Vec<double, 2>& point_of_b) {
  return joint_drawing(at, dae::Drawing::JointKind::kRevolute, in_space(point_of_a),
                       in_space(point_of_b), lie::Vec<double, 3>::UnitZ(), "lambda");
}

}  // namespace liegrad::elements
