#pragma once

#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/state.hpp"
#include "liegrad/dae/system.hpp"

namespace liegrad::app {

/// q, v and λ at the given times from a table as `simulate --out` writes it. Throws InvalidArgument:
/// a file that cannot be read, a column or a time that is missing, a cell that is not a number.
std::vector<dae::State> read_reference(const std::string& file, const dae::System& system,
                                       std::span<const double> times);

}  // namespace liegrad::app
