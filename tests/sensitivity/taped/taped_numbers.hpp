#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "liegrad/ad/recording.hpp"

namespace liegrad::testing {

using ad::Taped;
using Tapes = std::vector<Taped>;
using TapeSpan = std::span<const Taped>;

inline std::vector<double> values_of(TapeSpan x) {
  std::vector<double> values;
  for (const Taped& entry : x) values.push_back(CppAD::Value(CppAD::Var2Par(entry)));
  return values;
}
inline Tapes constants(std::span<const double> x) { return {x.begin(), x.end()}; }
inline Tapes joined(std::initializer_list<TapeSpan> parts) {
  Tapes all;
  for (const TapeSpan& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace liegrad::testing
