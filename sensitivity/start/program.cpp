#include "liegrad/sensitivity/start/program.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {

using dae::index;

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
  const int count = term.function->num_arguments();
  arguments_.assign(index(columns * count), 0.0);
  for (int c = 0; c < columns; ++c) {
    double* const to = arguments_.data() + c * count;
    const double* const from = variables.data() + c * size_;
    for (const auto& [argument, block, scale] : term.arguments) {
      for (int i = 0; i < block.count; ++i) to[argument + i] += scale * from[block.first + i];
    }
  }
}

/// Adds gradients in arguments_ to those with respect to the variables.
void Program::scatter(const Term& term, int columns, std::span<double> variables) const {
  const int count = term.function->num_arguments();
  for (int c = 0; c < columns; ++c) {
    const double* const from = arguments_.data() + c * count;
    double* const to = variables.data() + c * size_;
    for (const auto& [argument, block, scale] : term.arguments) {
      for (int i = 0; i < block.count; ++i) {
        to[block.first + i] += term.factor * scale * from[argument + i];
      }
    }
  }
}

/// The weights of a term's values in values_, from those of the rows.
void Program::load_weights(const Term& term, int columns, int num_rows,
                           std::span<const double> weights) {
  const int count = term.function->num_values();
  values_.assign(index(columns * count), 0.0);
  for (int c = 0; c < columns; ++c) {
    std::copy_n(weights.begin() + c * num_rows + term.first_row, term.num_values,
                values_.begin() + c * count + term.first_value);
  }
}

/// The sum of all terms in rows_.
void Program::add_rows(const Relation& relation, int columns, std::span<const double> variables) {
  const int num_rows = relation.y().count;
  rows_.assign(index(columns * num_rows), 0.0);
  for (const Term& term : relation.terms()) {
    gather(term, columns, variables);
    const int count = term.function->num_values();
    values_.assign(index(columns * count), 0.0);
    term.function->tangent(term.numbers, columns, arguments_, values_);
    for (int c = 0; c < columns; ++c) {
      for (int i = 0; i < term.num_values; ++i) {
        rows_[index(c * num_rows + term.first_row + i)] +=
            term.factor * values_[index(c * count + term.first_value + i)];
      }
    }
  }
  for (const auto& [block, first, factor] : relation.linear_terms()) {
    for (int c = 0; c < columns; ++c) {
      for (int i = 0; i < block.count; ++i) {
        rows_[index(c * num_rows + first + i)] +=
            factor * variables[index(c * size_ + block.first + i)];
      }
    }
  }
}

/// The weights of a relation's rows in rows_ that belong to gradients with respect to y.
void Program::find_weights(const Relation& relation, int columns,
                           std::span<const double> gradient) {
  const int num_rows = relation.y().count;
  rows_.resize(index(columns * num_rows));
  for (int c = 0; c < columns; ++c) {
    const std::span<double> weights =
        std::span(rows_).subspan(index(c * num_rows), index(num_rows));
    std::copy_n(gradient.begin() + c * size_ + relation.y().first, num_rows, weights.begin());
    if (relation.matrix() == nullptr) continue;
    relation.matrix()->solve_transposed(weights);
    for (double& weight : weights) weight = -weight;
  }
}

void Program::add_adjoint(const Relation& relation, int columns, std::span<double> gradient) {
  const int num_rows = relation.y().count;
  for (const Term& term : relation.terms()) {
    load_weights(term, columns, num_rows, rows_);
    arguments_.assign(index(columns * term.function->num_arguments()), 0.0);
    term.function->adjoint(term.numbers, columns, values_, arguments_);
    scatter(term, columns, gradient);
  }
  for (const auto& [block, first, factor] : relation.linear_terms()) {
    for (int c = 0; c < columns; ++c) {
      for (int i = 0; i < block.count; ++i) {
        gradient[index(c * size_ + block.first + i)] +=
            factor * rows_[index(c * num_rows + first + i)];
      }
    }
  }
}

void Program::add_second(const Relation& relation, std::span<const double> direction,
                         std::span<double> gradient) {
  for (const Term& term : relation.terms()) {
    load_weights(term, 1, relation.y().count, rows_);
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
    const auto of_column = [&](int c) {
      return variables.subspan(index(c * size_ + y.first), index(y.count));
    };
    for (int c = 0; c < columns; ++c) std::ranges::fill(of_column(c), 0.0);
    add_rows(relation, columns, variables);
    for (int c = 0; c < columns; ++c) {
      const std::span<double> rows = std::span(rows_).subspan(index(c * y.count), index(y.count));
      if (relation.matrix() != nullptr) {
        relation.matrix()->solve(rows);
        for (double& entry : rows) entry = -entry;
      }
      std::ranges::copy(rows, of_column(c).begin());
    }
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
