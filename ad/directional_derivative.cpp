#include "liegrad/ad/directional_derivative.hpp"

namespace liegrad::ad {

Recording directional_derivative(const Recording& recording, const std::vector<int>& wrt) {
  const std::size_t num_inputs = static_cast<std::size_t>(recording.num_inputs());
  // Of a product with the constant zero CppAD keeps the value that it has while recording, which must not
  // be NaN.
  std::vector<double> at = recording.recorded_at();
  at.resize(num_inputs + wrt.size(), 0.0);
  return record({.name = recording.name(),
                 .variables = recording.num_variables(),
                 .data = recording.num_data() + static_cast<int>(wrt.size()),
                 .at = at},
                [&](std::span<const Taped> x, std::span<const Taped> d) {
                  std::vector<Taped> inputs(x.begin(), x.end());
                  inputs.insert(inputs.end(), d.begin(), d.end());
                  std::vector<Taped> direction(num_inputs, Taped(0));
                  for (std::size_t i = 0; i < wrt.size(); ++i) {
                    direction[static_cast<std::size_t>(wrt[i])] = inputs[num_inputs + i];
                  }
                  inputs.resize(num_inputs);
                  CppAD::ADFun<Taped, double> function = recording.tape().base2ad();
                  function.check_for_nan(false);
                  function.Forward(0, inputs);
                  return function.Forward(1, direction);
                });
}

}  // namespace liegrad::ad
