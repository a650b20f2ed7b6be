#pragma once

#include <optional>
#include <vector>

#include "liegrad/ad/codegen/expression.hpp"

namespace liegrad::ad {

/// A program without calls of the mathematical library, valid where its guards hold.
///
/// In a select that calls the library on one side only (the closed form of a function that has a series
/// near zero), the other side is taken for granted and the condition becomes a guard. What is left
/// is straight-line arithmetic that vector registers can do for several instances at once; an instance
/// whose guards fail is done again by the full program.
struct VectorForm {
  struct Guard {
    Comparison comparison;
    Id left, right;
    bool outcome;  ///< what the comparison must give
  };

  Program program;
  std::vector<Guard> guards;
};

/// Empty where calls remain that are needed always or on both sides.
std::optional<VectorForm> vector_form(const Program& program);

}  // namespace liegrad::ad
