#include "liegrad/models/models.hpp"

#include "liegrad/dae/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

/// Defined in the file that the build writes, see liegrad_add_kernels(): its kernels are found from
/// then on.
extern "C" void liegrad_models_register_kernels();

namespace liegrad::models {

const std::vector<Model>& all_models() {
  static const std::vector<Model> models = {
      {"heavy_top", "a top held at a point, by constraints on a free body", true, heavy_top},
      {"spinning_top", "the same top with its fixed point built in, on SO(3)", false, spinning_top},
      {"free_body", "one rigid body in free flight with a tracked point", true, free_body},
      {"pendulum", "a planar pendulum in Cartesian coordinates", false, pendulum},
      {"torsional_ball", "a ball on a damped torsional spring, on SO(3)", false, torsional_ball},
  };
  return models;
}

const Model& find_model(const std::string& name) {
  std::vector<std::string> names;
  for (const Model& model : all_models()) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  throw InvalidArgument(dae::unknown_name_message("built-in system", name, names));
}

dae::System make_model(const std::string& name, const lie::NodeGroup& body_group) {
  liegrad_models_register_kernels();
  return find_model(name).make(body_group);
}

}  // namespace liegrad::models
