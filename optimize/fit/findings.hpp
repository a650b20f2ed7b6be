#pragma once

#include <string>
#include <vector>

#include "liegrad/optimize/fit/fit.hpp"
#include "liegrad/optimize/fit/unknowns.hpp"

namespace liegrad::optimize {

/// What a reader of the result should know, in plain sentences.
std::vector<std::string> findings_of(const FitResult& result, const Unknowns& unknowns);

}  // namespace liegrad::optimize
