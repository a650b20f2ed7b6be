#pragma once

// What an element is written with. Where one is added to a system that no library has compiled, element.hpp is needed
// as well.

#include "liegrad/dae/system/drawing.hpp"
#include "liegrad/dae/system/element_shape.hpp"
#include "liegrad/dae/system/motion.hpp"
