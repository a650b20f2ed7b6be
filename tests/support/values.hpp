#pragma once

// Plain numbers of any size, in which tests compare what the groups computed in their own scalar.

#include <vector>

#include <Eigen/Core>

namespace liegrad::test {

using Value = long double;
using Values = Eigen::Matrix<Value, Eigen::Dynamic, Eigen::Dynamic>;

/// A tangent vector's coordinates that are a rotation vector (3) or an angle (1).
struct RotationPart {
  int at, size;
};

inline Value largest_entry(const Values& m) {
  return m.size() == 0 ? Value(0) : m.cwiseAbs().maxCoeff();
}

/// Rotation angle of each rotation part; the largest.
inline Value largest_angle(const Values& v, const std::vector<RotationPart>& parts) {
  Value largest = 0;
  for (const RotationPart& part : parts) {
    largest = std::max(largest, Value(v.middleRows(part.at, part.size).norm()));
  }
  return largest;
}

}  // namespace liegrad::test
