#pragma once

#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/system/drawing.hpp"
#include "liegrad/dae/system/model.hpp"

namespace liegrad::dae {

/// The drawing of an element of a model; its nodes are counted as those of the element.
struct ElementDrawing {
  const PlacedElement* element;
  Drawing drawing;
};

/// Of all elements, with these parameters, at a configuration q; the model must live as long.
std::vector<ElementDrawing> drawings_of(const Model& model, std::span<const double> q,
                                        std::span<const double> parameters);

}  // namespace liegrad::dae
