#pragma once

#include <map>
#include <string>
#include <vector>

#include "liegrad/dae/system/system.hpp"
#include "liegrad/elements/beams/beam.hpp"

namespace liegrad::elements {

/// One of the two ends of a row of elements: a node or the ground, or a frame of either, which turns and
/// offsets the section.
struct BeamAttachment {
  std::string name;
  bool is_frame = false;
};

/// A straight row of equal elements between two attachments, which exist.
struct StraightBeam {
  std::string name;
  int elements = 1;
  BeamAttachment from, to;
  lie::NodeGroup group = lie::NodeGroup::so3xr3();
  /// Pose of the first section; x is along the beam.
  lie::SE3<double> start = lie::SE3<double>::identity();
  double length = 1;
  /// Parameters of all elements; L, unless bound, and parts are set.
  std::map<std::string, double> values = {};
  std::map<std::string, std::string> bind = {};
};

inline std::string beam_node_name(const std::string& beam, int i) {
  return beam + "." + std::to_string(i);
}
inline std::string beam_element_name(const std::string& beam, int i) {
  return beam + ".beam" + std::to_string(i);
}

/// Adds the nodes name.1, name.2, … between the ends, where they are without stress.
inline void add_beam_nodes(dae::System& system, const StraightBeam& row) {
  if (row.elements < 1) {
    throw InvalidArgument("beam '" + row.name + "' has " + std::to_string(row.elements) +
                          " elements; it needs at least 1");
  }
  for (int i = 1; i < row.elements; ++i) {
    const double along = row.length * i / row.elements;
    const auto pose = row.start * lie::SE3<double>(lie::SO3<double>::identity(), {along, 0, 0});
    const auto c = pose.coeffs();
    const std::string name = beam_node_name(row.name, i);
    system.add_node(name, row.group);
    system.set_initial_configuration(name, {c.begin(), c.end()});
  }
}

/// Adds the elements name.beam1, name.beam2, … on these nodes, which are like `element` but for where their
/// sections are.
template <class BeamType>
void add_straight_beam(dae::System& system, const StraightBeam& row, const BeamType& element) {
  dae::ElementOptions options{.values = row.values, .bind = row.bind};
  options.values["parts"] = row.elements;
  if (options.bind.count("L") == 0) options.values["L"] = row.length;
  BeamAttachment previous = row.from;
  for (int i = 1; i <= row.elements; ++i) {
    const BeamAttachment next =
        i < row.elements ? BeamAttachment{beam_node_name(row.name, i)} : row.to;
    BeamType placed = element;
    const bool has_frame = previous.is_frame || next.is_frame;
    placed.frames = has_frame ? SectionFrames::kAttached : SectionFrames::kNodes;
    system.add(beam_element_name(row.name, i), placed, {previous.name, next.name}, options);
    previous = next;
  }
}

}  // namespace liegrad::elements
