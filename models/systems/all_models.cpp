// The list of the built-in systems, for the library and for the program that writes its kernels.

#include "liegrad/models/models.hpp"

namespace liegrad::models {

const std::vector<Model>& all_models() {
  static const std::vector<Model> models = {
      {"heavy_top", "a top held at a point, by constraints on a free body", true, heavy_top},
      {"spinning_top", "the same top with its fixed point built in, on SO(3)", false, spinning_top},
      {"free_body", "one rigid body in free flight with a tracked point", true, free_body},
      {"pendulum", "a planar pendulum in Cartesian coordinates", false, pendulum},
      {"torsional_ball", "a ball on a damped torsional spring, on SO(3)", false, torsional_ball},
      {"chain", "rods on spherical joints, released horizontally", true, chain, 10},
      {"slider_crank", "a planar slider-crank with a sprung mass and a massless hinge", false,
       slider_crank},
      // The end of the published test set; β is then within 1e-4 of its 15.8.
      {.name = "andrews",
       .description = "Andrews' squeezing mechanism, seven planar bodies",
       .make = andrews,
       .default_t_end = 0.03,
       .default_step = 1e-5},
      {"slider_crank_3d", "a spatial slider-crank under gravity, with four kinds of joints", true,
       slider_crank_3d},
      // The step of [HolzingerArnoldGerstmayr2025, Figure 6]: thirty in a turn.
      {.name = "rotor",
       .description = "a rotor at 200000 rpm in elastic bearings, under a torque",
       .has_bodies = true,
       .make = rotor,
       .default_step = 1e-5},
      {"double_pendulum", "two arms in a vertical plane on pivots with friction", false,
       double_pendulum},
      {.name = "cantilever",
       .description = "a clamped beam with a load at its tip, under gravity",
       .has_bodies = true,
       .make = cantilever,
       .default_bodies = 8,
       .size_name = "elements"},
      {.name = "right_angle_beam",
       .description = "two flexible legs, clamped, under a force out of their plane",
       .has_bodies = true,
       .make = right_angle_beam,
       .default_bodies = 5,
       .size_name = "elements",
       .default_t_end = 30,
       .default_step = 0.2},
      {.name = "four_bar",
       .description = "three flexible bars on four hinges, of which one is tilted",
       .has_bodies = true,
       .make = four_bar,
       .default_bodies = 10,
       .size_name = "elements",
       .default_t_end = 5,
       .default_step = 0.02},
  };
  return models;
}

}  // namespace liegrad::models
