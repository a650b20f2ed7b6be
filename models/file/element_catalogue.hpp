#pragma once

#include <memory>
#include <string>
#include <vector>

#include "liegrad/dae/system/system.hpp"
#include "liegrad/models/file/json_fields.hpp"

namespace liegrad::models {

/// An element of the library, as a reference lists it and as a file asks for it.
struct ListedElement {
  std::string name;    ///< "RigidBody", "DrivenCoordinate<Law>"
  std::string header;  ///< "bodies/rigid_body.hpp"
  dae::ElementShape shape;
  /// What a file says of it beside its nodes and values: "law", "axes".
  std::vector<std::string> keys;
  /// From the entry of a file; with how many multipliers of others it reads.
  std::shared_ptr<const dae::ElementModel> (*make)(const JsonFields& fields, int multipliers_read);

  /// The name without what stands in angle brackets: the type that a file names.
  std::string type() const { return name.substr(0, name.find('<')); }
};

/// All of elements/, by folder.
const std::vector<ListedElement>& listed_elements();

/// A law and its parameters, for values of the unit "u".
struct ListedLaw {
  std::string name;
  std::vector<dae::ParameterSpec> parameters;
};
std::vector<ListedLaw> listed_laws();

}  // namespace liegrad::models
