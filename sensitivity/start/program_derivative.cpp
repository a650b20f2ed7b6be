#include "liegrad/sensitivity/start/program_derivative.hpp"

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using LinkList = std::vector<ProgramDerivative::Link>;

void to_variables(const LinkList& links, std::span<const double> from,
                  std::span<double> variables) {
  for (const auto& [offset, block] : links) {
    for (int i = 0; i < block.count; ++i) {
      variables[index(block.first + i)] += from[index(offset + i)];
    }
  }
}
void from_variables(const LinkList& links, std::span<const double> variables,
                    std::span<double> to) {
  for (const auto& [offset, block] : links) {
    for (int i = 0; i < block.count; ++i) {
      to[index(offset + i)] += variables[index(block.first + i)];
    }
  }
}

}  // namespace

void ProgramDerivative::tangent(int columns, std::span<const double> start,
                                std::span<const double> outer, std::span<double> end) {
  const int size = program().size();
  variables_.assign(index(columns * size), 0.0);
  const auto of_column = [&](int c) { return std::span(variables_).subspan(index(c * size)); };
  for (int c = 0; c < columns; ++c) {
    to_variables(links().start, start.subspan(index(c * state_size_)), of_column(c));
    to_variables(links().outer, outer.subspan(index(c * outer_size_)), of_column(c));
  }
  program().tangent(columns, variables_);
  std::fill_n(end.begin(), columns * state_size_, 0.0);
  for (int c = 0; c < columns; ++c) {
    from_variables(links().end, of_column(c), end.subspan(index(c * state_size_)));
  }
}

void ProgramDerivative::adjoint(int columns, std::span<const double> end, std::span<double> start,
                                std::span<double> outer) {
  const int size = program().size();
  gradient_.assign(index(columns * size), 0.0);
  const auto of_column = [&](int c) { return std::span(gradient_).subspan(index(c * size)); };
  for (int c = 0; c < columns; ++c) {
    to_variables(links().end, end.subspan(index(c * state_size_)), of_column(c));
  }
  program().adjoint(columns, gradient_);
  for (int c = 0; c < columns; ++c) {
    from_variables(links().start, of_column(c), start.subspan(index(c * state_size_)));
    from_variables(links().outer, of_column(c), outer.subspan(index(c * outer_size_)));
  }
}

void ProgramDerivative::second(std::span<const double> start_dot, std::span<const double> outer_dot,
                               const Dual& end, const Dual& start, const Dual& outer) {
  const std::size_t size = index(program().size());
  for (std::vector<double>* list : {&variables_, &gradient_, &gradient_dot_}) {
    list->assign(size, 0.0);
  }
  to_variables(links().start, start_dot, variables_);
  to_variables(links().outer, outer_dot, variables_);
  program().tangent(1, variables_);
  to_variables(links().end, end.value, gradient_);
  to_variables(links().end, end.dot, gradient_dot_);
  program().second(variables_, gradient_, gradient_dot_);
  from_variables(links().start, gradient_, start.value);
  from_variables(links().outer, gradient_, outer.value);
  from_variables(links().start, gradient_dot_, start.dot);
  from_variables(links().outer, gradient_dot_, outer.dot);
}

}  // namespace liegrad::sensitivity
