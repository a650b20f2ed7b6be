#pragma once

namespace liegrad::dae {

enum class LinearSolverKind { kAutomatic, kDense, kSparse, kMinimumNorm };

}  // namespace liegrad::dae
