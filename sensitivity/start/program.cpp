#include "liegrad/sensitivity/start/program.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {

using dae::index;

namespace {

/// to += factor · from.
void add_multiple(double factor, std::span<const double> from, std::span<double> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += factor * from[i];
}

/// Some entries of columns that stand side by side.
template <class T>
std::span<T> entries(std::span<T> list, int columns, int first, int count) {
  return list.subspan(index(columns * first), index(columns * count));
}
std::span<double> entries(std::vector<double>& list, int columns, int first, int count) {
  return entries(std::span<double>(list), columns, first, count);
}

}  // namespace

void Relation::begin(const Block& y) {
  y_ = y;
  num_terms_ = 0;
  linear_terms_.clear();
  matrix_ = nullptr;
}

Term& Relation::add_term() {
  if (num_terms_ == terms_.size()) terms_.emplace_back();
  Term& term = terms_[num_terms_++];
  term.numbers.clear();
  term.arguments.clear();
  term.first_value = term.num_values = term.first_row = 0;
  term.factor = 1;
  term.is_stationary = false;
  return term;
}

void Program::begin() {
  size_ = 0;
  num_relations_ = 0;
}

Block Program::add_variables(int count) {
  const Block block{size_, count};
  size_ += count;
  return block;
}

Relation& Program::add_relation(const Block& y) {
  if (num_relations_ == relations_.size()) relations_.emplace_back();
  Relation& relation = relations_[num_relations_++];
  relation.begin(y);
  return relation;
}

/// arguments_ of a term's function from the variables.
void Program::gather(const Term& term, int columns, std::span<const double> variables) {
  arguments_.assign(index(columns * term.function->num_arguments()), 0.0);
  for (const auto& [argument, block, scale] : term.arguments) {
    add_multiple(scale, entries(variables, columns, block.first, block.count),
                 entries(arguments_, columns, argument, block.count));
  }
}

/// Adds gradients in arguments_ to those with respect to the variables.
void Program::scatter(const Term& term, int columns, std::span<double> variables) const {
  for (const auto& [argument, block, scale] : term.arguments) {
    add_multiple(term.factor * scale,
                 entries(std::span<const double>(arguments_), columns, argument, block.count),
                 entries(variables, columns, block.first, block.count));
  }
}

/// The weights of a term's values in values_, from those of the rows.
void Program::load_weights(const Term& term, int columns, std::span<const double> weights) {
  values_.assign(index(columns * term.function->num_values()), 0.0);
  std::ranges::copy(entries(weights, columns, term.first_row, term.num_values),
                    entries(values_, columns, term.first_value, term.num_values).begin());
}

/// The sum of all terms in rows_.
void Program::add_rows(const Relation& relation, int columns, std::span<const double> variables) {
  rows_.assign(index(columns * relation.y().count), 0.0);
  for (const Term& term : relation.terms()) {
    if (term.is_stationary) continue;
    gather(term, columns, variables);
    values_.assign(index(columns * term.function->num_values()), 0.0);
    term.function->tangent(term.numbers, columns, arguments_, values_);
    add_multiple(term.factor, entries(values_, columns, term.first_value, term.num_values),
                 entries(rows_, columns, term.first_row, term.num_values));
  }
  for (const auto& [block, first, factor] : relation.linear_terms()) {
    add_multiple(factor, entries(variables, columns, block.first, block.count),
                 entries(rows_, columns, first, block.count));
  }
}

/// The weights of a relation's rows in rows_ that belong to gradients with respect to y.
void Program::find_weights(const Relation& relation, int columns,
                           std::span<const double> gradient) {
  const Block& y = relation.y();
  const std::span<const double> own = entries(gradient, columns, y.first, y.count);
  rows_.assign(own.begin(), own.end());
  if (relation.matrix() == nullptr) return;
  relation.matrix()->solve_transposed(columns, rows_);
  for (double& weight : rows_) weight = -weight;
}

void Program::add_adjoint(const Relation& relation, int columns, std::span<double> gradient) {
  for (const Term& term : relation.terms()) {
    if (term.is_stationary) continue;
    load_weights(term, columns, rows_);
    arguments_.assign(index(columns * term.function->num_arguments()), 0.0);
    term.function->adjoint(term.numbers, columns, values_, arguments_);
    scatter(term, columns, gradient);
  }
  for (const auto& [block, first, factor] : relation.linear_terms()) {
    add_multiple(factor, entries(rows_, columns, first, block.count),
                 entries(gradient, columns, block.first, block.count));
  }
}

void Program::add_second(const Relation& relation, std::span<const double> direction,
                         std::span<double> gradient) {
  for (const Term& term : relation.terms()) {
    load_weights(term, 1, rows_);
    gather(term, 1, direction);
    std::swap(arguments_, directions_);
    arguments_.assign(index(term.function->num_arguments()), 0.0);
    term.function->second(term.numbers, values_, directions_, arguments_);
    scatter(term, 1, gradient);
  }
}

void Program::tangent(int columns, std::span<double> variables) {
  for (std::size_t i = 0; i < num_relations_; ++i) {
    const Relation& relation = relations_[i];
    const Block& y = relation.y();
    const std::span<double> own = entries(variables, columns, y.first, y.count);
    std::ranges::fill(own, 0.0);
    add_rows(relation, columns, variables);
    if (relation.matrix() != nullptr) {
      relation.matrix()->solve(columns, rows_);
      for (double& entry : rows_) entry = -entry;
    }
    std::ranges::copy(rows_, own.begin());
  }
}

void Program::adjoint(int columns, std::span<double> gradient) {
  for (std::size_t i = num_relations_; i-- > 0;) {
    find_weights(relations_[i], columns, gradient);
    add_adjoint(relations_[i], columns, gradient);
  }
}

void Program::second(std::span<const double> direction, std::span<double> gradient,
                     std::span<double> gradient_dot) {
  for (std::size_t i = num_relations_; i-- > 0;) {
    const Relation& relation = relations_[i];
    find_weights(relation, 1, gradient);
    add_adjoint(relation, 1, gradient);
    add_second(relation, direction, gradient_dot);
    find_weights(relation, 1, gradient_dot);
    add_adjoint(relation, 1, gradient_dot);
  }
}

}  // namespace liegrad::sensitivity
