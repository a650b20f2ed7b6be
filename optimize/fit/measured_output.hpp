#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "liegrad/dae/system/element.hpp"
#include "liegrad/dae/system/system.hpp"

namespace liegrad::optimize {

/// Components of an output as a function y(q) of the positions of some nodes: the constraint of an element that is on no
/// system. Its parameters are those that the output depends on.
struct MeasuredOutput {
  std::shared_ptr<const dae::ElementModel> model;
  std::vector<std::string> nodes;
  std::vector<lie::NodeGroup> groups;
  std::map<std::string, std::string> bind = {};  ///< its parameters to those of the system
};

/// The numbers of a node as dae::NodeView has them. Throws InvalidArgument for a node of SO(2).
std::vector<dae::Taped> view_of(const dae::Position<dae::Taped>& at, int node);

/// Components as in Series. Throws InvalidArgument for an output that depends on more than positions.
MeasuredOutput measured_output(const dae::System& system, const std::string& output,
                               const std::vector<int>& components);

}  // namespace liegrad::optimize
