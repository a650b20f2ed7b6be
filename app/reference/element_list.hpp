#pragma once

#include <string>
#include <vector>

#include "liegrad/dae/system/element.hpp"

namespace liegrad::app {

/// An element of the library.
struct ListedElement {
  std::string name;    ///< "RigidBody"
  std::string header;  ///< "bodies/rigid_body.hpp"
  dae::ElementShape shape;
};

/// All of elements/, by folder.
std::vector<ListedElement> listed_elements();

/// A law and its parameters, for values of the unit "u".
struct ListedLaw {
  std::string name;
  std::vector<dae::ParameterSpec> parameters;
};
std::vector<ListedLaw> listed_laws();

}  // namespace liegrad::app
