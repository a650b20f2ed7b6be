#include "liegrad/sensitivity/program_derivative.hpp"

#include "liegrad/dae/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Vector = std::vector<double>;
using Links = std::vector<ProgramDerivative::Link>;

void to_variables(const Links& links, std::span<const double> from, Vector& variables) {
  for (const auto& [offset, block] : links) {
    for (int i = 0; i < block.count; ++i) {
      variables[index(block.first + i)] += from[index(offset + i)];
    }
  }
}
void from_variables(const Links& links, const Vector& variables, std::span<double> to) {
  for (const auto& [offset, block] : links) {
    for (int i = 0; i < block.count; ++i) {
      to[index(offset + i)] += variables[index(block.first + i)];
    }
  }
}

}  // namespace

ProgramDerivative::ProgramDerivative(const dae::System& system, Program program, Links links)
    : state_size_(StateLayout(system).size),
      outer_size_(OuterLayout(system).size),
      program_(std::move(program)),
      links_(std::move(links)) {}

void ProgramDerivative::tangent(int columns, std::span<const double> start,
                                std::span<const double> outer, std::span<double> end) {
  std::fill_n(end.begin(), columns * state_size_, 0.0);
  for (int c = 0; c < columns; ++c) {
    Vector variables(index(program_.size()), 0.0);
    to_variables(links_.start, start.subspan(index(c * state_size_)), variables);
    to_variables(links_.outer, outer.subspan(index(c * outer_size_)), variables);
    program_.tangent(variables);
    from_variables(links_.end, variables, end.subspan(index(c * state_size_)));
  }
}

void ProgramDerivative::adjoint(int columns, std::span<const double> end, std::span<double> start,
                                std::span<double> outer) {
  for (int c = 0; c < columns; ++c) {
    Vector gradient(index(program_.size()), 0.0);
    to_variables(links_.end, end.subspan(index(c * state_size_)), gradient);
    program_.adjoint(gradient);
    from_variables(links_.start, gradient, start.subspan(index(c * state_size_)));
    from_variables(links_.outer, gradient, outer.subspan(index(c * outer_size_)));
  }
}

void ProgramDerivative::second(std::span<const double> start_dot, std::span<const double> outer_dot,
                               const Dual& end, const Dual& start, const Dual& outer) {
  const std::size_t size = index(program_.size());
  Vector direction(size, 0.0), gradient(size, 0.0), gradient_dot(size, 0.0);
  to_variables(links_.start, start_dot, direction);
  to_variables(links_.outer, outer_dot, direction);
  program_.tangent(direction);
  to_variables(links_.end, end.value, gradient);
  to_variables(links_.end, end.dot, gradient_dot);
  program_.second(direction, gradient, gradient_dot);
  from_variables(links_.start, gradient, start.value);
  from_variables(links_.outer, gradient, outer.value);
  from_variables(links_.start, gradient_dot, start.dot);
  from_variables(links_.outer, gradient_dot, outer.dot);
}

}  // namespace liegrad::sensitivity
