#pragma once

#include <span>

#include "liegrad/dae/equations/stabilizer.hpp"
#include "liegrad/sensitivity/step/entries.hpp"

namespace liegrad::sensitivity {

/// to += factor · N η, of columns side by side.
inline void add_stabilizer(const dae::Stabilizer& n, int columns, double factor,
                           std::span<const double> eta, std::span<double> to) {
  const Entries entries(columns);
  const double* number = n.numbers().data();
  n.for_each([&](int coordinate, int multiplier) {
    entries.add_multiple(factor * *number++, eta, multiplier, 1, to, coordinate);
  });
}

/// eta += factor · Nᵀ x.
inline void add_transposed_stabilizer(const dae::Stabilizer& n, int columns, double factor,
                                      std::span<const double> x, std::span<double> eta) {
  const Entries entries(columns);
  const double* number = n.numbers().data();
  n.for_each([&](int coordinate, int multiplier) {
    entries.add_multiple(factor * *number++, x, coordinate, 1, eta, multiplier);
  });
}

}  // namespace liegrad::sensitivity
