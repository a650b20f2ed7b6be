#include "liegrad/models/models.hpp"

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

/// Defined in the file that the build writes, see liegrad_add_kernels(): its kernels are found from
/// then on.
extern "C" void liegrad_models_register_kernels();

namespace liegrad::models {

const Model& find_model(const std::string& name) {
  std::vector<std::string> names;
  for (const Model& model : all_models()) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  throw InvalidArgument(dae::unknown_name_message("built-in system", name, names));
}

dae::System make_model(const std::string& name, const Structure& structure) {
  liegrad_models_register_kernels();
  const Model& model = find_model(name);
  if (structure.bodies == 0) {
    Structure sized = structure;
    sized.bodies = model.default_bodies;
    return model.make(sized);
  }
  if (model.default_bodies == 0) {
    throw InvalidArgument("system '" + name + "' has a fixed number of " + model.size_name);
  }
  if (structure.bodies < 1) {
    throw InvalidArgument("system '" + name + "' cannot have " + std::to_string(structure.bodies) +
                          " " + model.size_name + "; it needs at least 1");
  }
  return model.make(structure);
}

}  // namespace liegrad::models
