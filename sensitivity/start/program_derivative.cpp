#include "liegrad/sensitivity/start/program_derivative.hpp"

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using LinkList = std::vector<ProgramDerivative::Link>;

/// to += from, of columns side by side.
void add_entries(int columns, int count, std::span<const double> from, int first,
                 std::span<double> to, int to_first) {
  const std::size_t source = index(first * columns), target = index(to_first * columns);
  for (std::size_t i = 0; i < index(count * columns); ++i) to[target + i] += from[source + i];
}

void to_variables(const LinkList& links, int columns, std::span<const double> from,
                  std::span<double> variables) {
  for (const auto& [offset, block] : links) {
    add_entries(columns, block.count, from, offset, variables, block.first);
  }
}
void from_variables(const LinkList& links, int columns, std::span<const double> variables,
                    std::span<double> to) {
  for (const auto& [offset, block] : links) {
    add_entries(columns, block.count, variables, block.first, to, offset);
  }
}

}  // namespace

void ProgramDerivative::tangent(int columns, std::span<const double> start,
                                std::span<const double> outer, std::span<double> end) {
  variables_.assign(index(columns * program().size()), 0.0);
  to_variables(links().start, columns, start, variables_);
  to_variables(links().outer, columns, outer, variables_);
  program().tangent(columns, variables_);
  std::fill_n(end.begin(), columns * state_size_, 0.0);
  from_variables(links().end, columns, variables_, end);
}

void ProgramDerivative::adjoint(int columns, std::span<const double> end, std::span<double> start,
                                std::span<double> outer) {
  gradient_.assign(index(columns * program().size()), 0.0);
  to_variables(links().end, columns, end, gradient_);
  program().adjoint(columns, gradient_);
  from_variables(links().start, columns, gradient_, start);
  from_variables(links().outer, columns, gradient_, outer);
}

void ProgramDerivative::second(std::span<const double> start_dot, std::span<const double> outer_dot,
                               const Dual& end, const Dual& start, const Dual& outer) {
  const std::size_t size = index(program().size());
  for (std::vector<double>* list : {&variables_, &gradient_, &gradient_dot_}) {
    list->assign(size, 0.0);
  }
  to_variables(links().start, 1, start_dot, variables_);
  to_variables(links().outer, 1, outer_dot, variables_);
  program().tangent(1, variables_);
  to_variables(links().end, 1, end.value, gradient_);
  to_variables(links().end, 1, end.dot, gradient_dot_);
  program().second(variables_, gradient_, gradient_dot_);
  from_variables(links().start, 1, gradient_, start.value);
  from_variables(links().outer, 1, gradient_, outer.value);
  from_variables(links().start, 1, gradient_dot_, start.dot);
  from_variables(links().outer, 1, gradient_dot_, outer.dot);
}

}  // namespace liegrad::sensitivity
