#include "liegrad/sensitivity/program.hpp"

#include <algorithm>

#include "liegrad/dae/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using Vector = std::vector<double>;

/// The arguments of a term's function from the variables, and back.
Vector gathered(const Term& term, std::span<const double> variables) {
  Vector arguments(index(term.function->num_arguments()), 0.0);
  for (const auto& [argument, block, scale] : term.arguments) {
    for (int i = 0; i < block.count; ++i) {
      arguments[index(argument + i)] += scale * variables[index(block.first + i)];
    }
  }
  return arguments;
}
void scatter(const Term& term, const Vector& arguments, double factor,
             std::span<double> variables) {
  for (const auto& [argument, block, scale] : term.arguments) {
    for (int i = 0; i < block.count; ++i) {
      variables[index(block.first + i)] += factor * scale * arguments[index(argument + i)];
    }
  }
}

/// The weights of a term's values, from those of the rows.
Vector weights_of(const Term& term, std::span<const double> weights) {
  Vector result(index(term.function->num_values()), 0.0);
  for (int i = 0; i < term.num_values; ++i) {
    result[index(term.first_value + i)] = weights[index(term.first_row + i)];
  }
  return result;
}

std::span<double> block_of(std::span<double> variables, const Block& block) {
  return variables.subspan(index(block.first), index(block.count));
}

/// The weights of a relation's rows that belong to gradients with respect to y.
Vector solved_weights(const Relation& relation, std::span<const double> gradient) {
  Vector weights(gradient.begin(), gradient.end());
  if (!relation.solve_transposed) return weights;
  relation.solve_transposed(weights);
  for (double& weight : weights) weight = -weight;
  return weights;
}

}  // namespace

Block Program::add_variables(int count) {
  const Block block{size_, count};
  size_ += count;
  return block;
}

Vector Program::rows(const Relation& relation, std::span<const double> direction) const {
  Vector sum(index(relation.y.count), 0.0);
  for (const Term& term : relation.terms) {
    Vector values(index(term.function->num_values()), 0.0);
    term.function->tangent(term.numbers, 1, gathered(term, direction), values);
    for (int i = 0; i < term.num_values; ++i) {
      sum[index(term.first_row + i)] += term.factor * values[index(term.first_value + i)];
    }
  }
  for (const auto& [block, first, factor] : relation.linear_terms) {
    for (int i = 0; i < block.count; ++i) {
      sum[index(first + i)] += factor * direction[index(block.first + i)];
    }
  }
  return sum;
}

void Program::add_adjoint(const Relation& relation, std::span<const double> weights,
                          std::span<double> gradient) const {
  for (const Term& term : relation.terms) {
    Vector arguments(index(term.function->num_arguments()), 0.0);
    term.function->adjoint(term.numbers, 1, weights_of(term, weights), arguments);
    scatter(term, arguments, term.factor, gradient);
  }
  for (const auto& [block, first, factor] : relation.linear_terms) {
    for (int i = 0; i < block.count; ++i) {
      gradient[index(block.first + i)] += factor * weights[index(first + i)];
    }
  }
}

void Program::add_second(const Relation& relation, std::span<const double> weights,
                         std::span<const double> direction, std::span<double> gradient) const {
  for (const Term& term : relation.terms) {
    Vector arguments(index(term.function->num_arguments()), 0.0);
    term.function->second(term.numbers, weights_of(term, weights), gathered(term, direction),
                          arguments);
    scatter(term, arguments, term.factor, gradient);
  }
}

void Program::tangent(std::span<double> variables) const {
  for (const Relation& relation : relations_) {
    const std::span<double> y = block_of(variables, relation.y);
    std::fill(y.begin(), y.end(), 0.0);
    Vector right = rows(relation, variables);
    if (relation.solve) {
      relation.solve(right);
      for (double& entry : right) entry = -entry;
    }
    std::copy(right.begin(), right.end(), y.begin());
  }
}

void Program::adjoint(std::span<double> gradient) const {
  for (auto relation = relations_.rbegin(); relation != relations_.rend(); ++relation) {
    add_adjoint(*relation, solved_weights(*relation, block_of(gradient, relation->y)), gradient);
  }
}

void Program::second(std::span<const double> direction, std::span<double> gradient,
                     std::span<double> gradient_dot) const {
  for (auto relation = relations_.rbegin(); relation != relations_.rend(); ++relation) {
    const Vector weights = solved_weights(*relation, block_of(gradient, relation->y));
    add_adjoint(*relation, weights, gradient);
    add_second(*relation, weights, direction, gradient_dot);
    add_adjoint(*relation, solved_weights(*relation, block_of(gradient_dot, relation->y)),
                gradient_dot);
  }
}

}  // namespace liegrad::sensitivity
