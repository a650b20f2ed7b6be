#include "liegrad/sensitivity/step/kernel_sum.hpp"

#include <algorithm>

#include "liegrad/dae/linear/panels.hpp"
#include "liegrad/dae/linear/wide_registers.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
namespace panels = dae::panels;
using panels::Panel;

/// Terms, or columns, evaluated at once; the vector form of a kernel is fastest there.
constexpr int kLanes = 16;
/// Fewer terms are evaluated one by one.
constexpr int kFewTerms = 4;
/// So many columns take the lanes, whatever the number of terms: they stand side by side, terms do not.
constexpr int kManyColumns = 4;

/// Native kernels are called for whole registers: what is left over would be evaluated one by one, as recordings are.
int filled(const ad::Kernel& kernel, int count) {
  const bool is_native = kernel.info().backend_used == ad::Backend::kCompiled;
  return is_native ? panels::kWidth * panels::num_panels(count) : count;
}

std::size_t place_of(ad::ResultKind product) {
  switch (product) {
    case ad::ResultKind::kJacobianTimes: return 0;
    case ad::ResultKind::kTransposeTimes: return 1;
    case ad::ResultKind::kValue: return 3;
    case ad::ResultKind::kSparseJacobian: return 4;
    case ad::ResultKind::kHessian: return 5;
    default: return 2;
  }
}

/// Of rows of kLanes numbers: number k of a list to all lanes of row rows[k].
LIEGRAD_FOR_WIDE_REGISTERS void spread(std::span<const int> rows, const int* list,
                                       const double* numbers, int num_panels, double* lanes) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Panel all = Panel::of(numbers[list[k]]);
    for (int p = 0; p < num_panels; ++p) {
      Panel::at(lanes + rows[k] * kLanes + p * panels::kWidth) = all;
    }
  }
}
/// Entries list[0], list[1], … of columns that stand side by side, `count` of them from the first on, to rows of lanes.
LIEGRAD_FOR_WIDE_REGISTERS void load_rows(std::span<const int> rows, const int* list,
                                          const double* from, int columns, int count,
                                          double* all_lanes) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double* const row = from + list[i] * columns;
    double* const lanes = all_lanes + rows[i] * kLanes;
    int c = 0;
    for (; c + panels::kWidth <= count; c += panels::kWidth)
      Panel::at(lanes + c) = Panel::at(row + c);
    for (; c < count; ++c) lanes[c] = row[c];
  }
}
/// Adds rows of lanes to entries list[0], list[1], …
LIEGRAD_FOR_WIDE_REGISTERS void add_rows(std::span<const int> rows, const int* list,
                                         const double* all_lanes, int columns, int count,
                                         double* to) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double* const row = to + list[i] * columns;
    const double* const lanes = all_lanes + rows[i] * kLanes;
    int c = 0;
    for (; c + panels::kWidth <= count; c += panels::kWidth) {
      Panel::at(row + c).add(1, Panel::at(lanes + c));
    }
    for (; c < count; ++c) row[c] += lanes[c];
  }
}

void enlarge_to(std::vector<double>& list, int size) {
  if (list.size() < index(size)) list.resize(index(size), 0.0);
}

/// From term after term to chunks of lanes; lanes beyond the last term repeat it.
std::vector<int> by_lanes(const std::vector<int>& list, int per_term, int num_terms, int lanes) {
  const int chunks = (num_terms + lanes - 1) / lanes;
  std::vector<int> result(index(chunks * lanes * per_term));
  for (int term = 0; term < chunks * lanes; ++term) {
    const int from = std::min(term, num_terms - 1);
    for (int i = 0; i < per_term; ++i) {
      result[index((term / lanes * per_term + i) * lanes + term % lanes)] =
          list[index(from * per_term + i)];
    }
  }
  return result;
}

/// From the part of a list that a term has to the rows of a kernel.
dae::Moves moves_of_term(int term, const std::vector<int>& list, std::span<const int> rows) {
  std::vector<dae::Moves::Move> moves;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    moves.push_back({list[index(term) * rows.size() + i], rows[i]});
  }
  return dae::Moves(moves);
}

}  // namespace

int KernelSum::add_function(const Local& function) {
  groups_.emplace_back().function = function;
  return static_cast<int>(groups_.size()) - 1;
}

void KernelSum::add_term(int function, std::span<const int> numbers, std::span<const int> arguments,
                         std::span<const int> values) {
  Group& group = groups_[index(function)];
  const auto append = [](std::vector<int>& list, std::span<const int> more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  append(group.numbers, numbers);
  append(group.arguments, arguments);
  for (const int i : group.function.arguments_read) {
    group.arguments_read.push_back(arguments[index(i)]);
  }
  append(group.values, values);
  group.num_terms += 1;
  group.kernels = {};
  has_jacobian_pattern_ = has_hessian_pattern_ = false;
}

bool KernelSum::depends_on(int argument) const {
  return std::ranges::any_of(groups_, [argument](const Group& group) {
    return std::ranges::find(group.arguments_read, argument) != group.arguments_read.end();
  });
}

const ad::Kernel& KernelSum::kernel_of(Group& group, ad::ResultKind product) {
  const ad::Kernel* const kernel = group.kernels[place_of(product)];
  return kernel != nullptr ? *kernel : prepare(group, product);
}

const ad::Kernel& KernelSum::prepare(Group& group, ad::ResultKind product) {
  const ad::Kernel*& kernel = group.kernels[place_of(product)];
  kernel = &group.function.kernel(product);
  const Local& f = group.function;
  group.lanes = group.num_terms < kFewTerms ? 1 : kLanes;
  const int num_inputs = static_cast<int>(f.inputs.size());
  group.lane_numbers = by_lanes(group.numbers, num_inputs, group.num_terms, group.lanes);
  group.lane_arguments = by_lanes(group.arguments_read, static_cast<int>(f.arguments_read.size()),
                                  group.num_terms, group.lanes);
  group.lane_values = by_lanes(group.values, f.num_values, group.num_terms, group.lanes);
  const int most_rows = std::max(f.num_values, kernel->layout().num_outputs);
  while (std::ssize(group.all_rows) < most_rows) {
    group.all_rows.push_back(static_cast<int>(group.all_rows.size()));
  }
  group.singles.clear();
  for (int term = 0; group.lanes == 1 && term < group.num_terms; ++term) {
    group.singles.push_back(
        {.numbers = moves_of_term(term, group.numbers, f.inputs),
         .arguments = moves_of_term(term, group.arguments_read, f.arguments_read),
         .values = moves_of_term(term, group.values, all_rows(group, f.num_values))});
  }
  enlarge_to(group.inputs, kernel->layout().num_inputs * group.lanes);
  enlarge_to(group.outputs, kernel->layout().num_outputs * group.lanes);
  return *kernel;
}

KernelSum::Side KernelSum::arguments_of(const Group& group) {
  return {group.lane_arguments, group.function.arguments_read, &Group::Single::arguments};
}
KernelSum::Side KernelSum::values_of(const Group& group) {
  return {group.lane_values, all_rows(group, group.function.num_values), &Group::Single::values};
}
std::span<const int> KernelSum::all_rows(const Group& group, int count) {
  return std::span(group.all_rows).first(index(count));
}

void KernelSum::load(const Group& group, const Side& side, int first, const double* from,
                     const Place& place, double* to) {
  if (group.lanes == 1 && side.moves != nullptr && place.num_columns == 1) {
    return (group.singles[index(first)].*side.moves).copy(from, to);
  }
  const int* next = side.list.data() + first * side.per_term();
  for (const int row : side.rows) {
    double* const lanes = to + row * group.lanes;
    for (int lane = 0; lane < group.lanes; ++lane) {
      lanes[lane] = from[*next++ * place.num_columns + place.column];
    }
  }
}

/// Lanes beyond the last term repeat it.
void KernelSum::call(Group& group, const ad::Kernel& kernel, int count) {
  if (group.lanes == 1) {
    kernel(group.inputs, group.outputs);
  } else {
    kernel.batch(filled(kernel, count), group.inputs, group.lanes, group.outputs, group.lanes);
  }
}

void KernelSum::add(const Group& group, const Side& side, int first, int count, const Place& place,
                    double* to) {
  if (group.lanes == 1 && side.moves != nullptr && place.num_columns == 1) {
    return (group.singles[index(first)].*side.moves).add_back(group.outputs.data(), to);
  }
  const int* next = side.list.data() + first * side.per_term();
  for (const int row : side.rows) {
    const double* const lanes = group.outputs.data() + row * group.lanes;
    for (int lane = 0; lane < count; ++lane) {
      to[next[lane] * place.num_columns + place.column] += lanes[lane];
    }
    next += group.lanes;
  }
}

/// A function without arguments has values, but no derivatives.
bool KernelSum::has_nothing(const Group& group, ad::ResultKind product) {
  return group.num_terms == 0 ||
         (group.function.num_arguments == 0 && product != ad::ResultKind::kValue);
}

template <class Columns>
void KernelSum::for_each_chunk(Group& group, const ad::Kernel& kernel,
                               std::span<const double> numbers, Columns&& columns) {
  const std::vector<int>& inputs = group.function.inputs;
  const int num_inputs = static_cast<int>(inputs.size());
  for (int first = 0; first < group.num_terms; first += group.lanes) {
    const int* const chunk = group.lane_numbers.data() + first * num_inputs;
    double* const to = group.inputs.data();
    if (group.lanes == 1) {
      group.singles[index(first)].numbers.copy(numbers.data(), to);
    } else {
      for (int i = 0; i < num_inputs; ++i) {
        for (int lane = 0; lane < kLanes; ++lane) {
          to[inputs[index(i)] * kLanes + lane] = numbers[index(chunk[i * kLanes + lane])];
        }
      }
    }
    columns(group, kernel, first, std::min(group.lanes, group.num_terms - first));
  }
}

template <class Columns>
void KernelSum::for_each_chunk(ad::ResultKind product, std::span<const double> numbers,
                               Columns&& columns) {
  for (Group& group : groups_) {
    if (has_nothing(group, product)) continue;
    for_each_chunk(group, kernel_of(group, product), numbers, columns);
  }
}

void KernelSum::multiply_singles(ad::ResultKind product, Group& group, const ad::Kernel& kernel,
                                 const double* numbers, const double* from, double* to) {
  const bool is_tangent = product == ad::ResultKind::kJacobianTimes;
  const int offset =
      is_tangent ? kernel.layout().directions_offset : kernel.layout().weights_offset;
  double* const inputs = group.inputs.data();
  for (const Group::Single& term : group.singles) {
    term.numbers.copy(numbers, inputs);
    (is_tangent ? term.arguments : term.values).copy(from, inputs + offset);
    kernel(group.inputs, group.outputs);
    (is_tangent ? term.values : term.arguments).add_back(group.outputs.data(), to);
  }
}

void KernelSum::multiply(ad::ResultKind product, std::span<const double> numbers, int columns,
                         const double* from, double* to) {
  const bool is_tangent = product == ad::ResultKind::kJacobianTimes;
  for (Group& group : groups_) {
    if (has_nothing(group, product)) continue;
    if (columns >= kManyColumns) {
      multiply_columns(product, group, numbers, columns, from, to);
      continue;
    }
    const ad::Kernel& kernel = kernel_of(group, product);
    if (columns == 1 && group.lanes == 1) {
      multiply_singles(product, group, kernel, numbers.data(), from, to);
      continue;
    }
    const Side arguments = arguments_of(group), values = values_of(group);
    const Side &in = is_tangent ? arguments : values, &out = is_tangent ? values : arguments;
    const int offset =
        is_tangent ? kernel.layout().directions_offset : kernel.layout().weights_offset;
    for_each_chunk(group, kernel, numbers, [&](Group&, const ad::Kernel&, int first, int count) {
      for (int c = 0; c < columns; ++c) {
        load(group, in, first, from, {c, columns}, group.inputs.data() + offset * group.lanes);
        call(group, kernel, count);
        add(group, out, first, count, {c, columns}, to);
      }
    });
  }
}

void KernelSum::multiply_columns(ad::ResultKind product, Group& group,
                                 std::span<const double> numbers, int columns, const double* from,
                                 double* to) {
  const ad::Kernel& kernel = kernel_of(group, product);
  const Local& f = group.function;
  const bool is_tangent = product == ad::ResultKind::kJacobianTimes;
  /// Rows of the kernel, and where they stand term after term.
  struct Part {
    std::span<const int> rows;
    const std::vector<int>& list;
    const int* of(int term) const { return list.data() + term * std::ssize(rows); }
  };
  const Part arguments{f.arguments_read, group.arguments_read};
  const Part values{all_rows(group, f.num_values), group.values};
  const Part &in = is_tangent ? arguments : values, &out = is_tangent ? values : arguments;
  std::vector<double>& inputs = group.wide_inputs[is_tangent ? 0 : 1];
  enlarge_to(inputs, kernel.layout().num_inputs * kLanes);
  enlarge_to(group.wide_outputs, kernel.layout().num_outputs * kLanes);
  const int offset =
      is_tangent ? kernel.layout().directions_offset : kernel.layout().weights_offset;
  const int num_panels = panels::num_panels(std::min(columns, kLanes));
  const int num_inputs = static_cast<int>(f.inputs.size());
  for (int term = 0; term < group.num_terms; ++term) {
    spread(f.inputs, group.numbers.data() + term * num_inputs, numbers.data(), num_panels,
           inputs.data());
    for (int first = 0; first < columns; first += kLanes) {
      const int count = std::min(kLanes, columns - first);
      load_rows(in.rows, in.of(term), from + first, columns, count,
                inputs.data() + offset * kLanes);
      kernel.batch(filled(kernel, count), inputs, kLanes, group.wide_outputs, kLanes);
      add_rows(out.rows, out.of(term), group.wide_outputs.data(), columns, count, to + first);
    }
  }
}

void KernelSum::tangent(std::span<const double> numbers, int columns,
                        std::span<const double> directions, std::span<double> values) {
  multiply(ad::ResultKind::kJacobianTimes, numbers, columns, directions.data(), values.data());
}

void KernelSum::multiply_points(Group& group, int points, std::span<const double> numbers,
                                int columns, const double* from, double* to) {
  const ad::Kernel& kernel = kernel_of(group, ad::ResultKind::kJacobianTimes);
  const Local& f = group.function;
  std::vector<double>& inputs = group.wide_inputs[0];
  enlarge_to(inputs, kernel.layout().num_inputs * kLanes);
  enlarge_to(group.wide_outputs, kernel.layout().num_outputs * kLanes);
  double* const directions = inputs.data() + kernel.layout().directions_offset * kLanes;
  const std::ptrdiff_t numbers_of_point = std::ssize(numbers) / points;
  const std::ptrdiff_t values_of_point = num_values_ * columns;
  for (int first = 0; first < points * columns; first += kLanes) {
    const int count = std::min(kLanes, points * columns - first);
    std::array<std::ptrdiff_t, kLanes> point, column;
    for (int lane = 0; lane < count; ++lane) {
      point[index(lane)] = (first + lane) / columns;
      column[index(lane)] = (first + lane) % columns;
    }
    for (int term = 0; term < group.num_terms; ++term) {
      const auto part_of = [term](const std::vector<int>& list, std::size_t size) {
        return std::span(list).subspan(static_cast<std::size_t>(term) * size, size);
      };
      const auto places = part_of(group.numbers, f.inputs.size());
      for (std::size_t i = 0; i < places.size(); ++i) {
        double* const lanes = inputs.data() + f.inputs[i] * kLanes;
        for (int lane = 0; lane < count; ++lane) {
          lanes[lane] = numbers.data()[point[index(lane)] * numbers_of_point + places[i]];
        }
      }
      const auto arguments = part_of(group.arguments_read, f.arguments_read.size());
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        double* const lanes = directions + f.arguments_read[i] * kLanes;
        const double* const row = from + arguments[i] * columns;
        for (int lane = 0; lane < count; ++lane) lanes[lane] = row[column[index(lane)]];
      }
      kernel.batch(filled(kernel, count), inputs, kLanes, group.wide_outputs, kLanes);
      const auto values = part_of(group.values, index(f.num_values));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double* const lanes = group.wide_outputs.data() + i * kLanes;
        for (int lane = 0; lane < count; ++lane) {
          to[point[index(lane)] * values_of_point + values[i] * columns + column[index(lane)]] +=
              lanes[lane];
        }
      }
    }
  }
}

void KernelSum::tangents(int points, std::span<const double> numbers, int columns,
                         std::span<const double> directions, std::span<double> values) {
  for (Group& group : groups_) {
    if (has_nothing(group, ad::ResultKind::kJacobianTimes)) continue;
    multiply_points(group, points, numbers, columns, directions.data(), values.data());
  }
}

void KernelSum::adjoint(std::span<const double> numbers, int columns,
                        std::span<const double> weights, std::span<double> gradient) {
  multiply(ad::ResultKind::kTransposeTimes, numbers, columns, weights.data(), gradient.data());
}

void KernelSum::second(std::span<const double> numbers, std::span<const double> weights,
                       std::span<const double> direction, std::span<double> gradient) {
  for_each_chunk(ad::ResultKind::kHessianTimes, numbers,
                 [&](Group& group, const ad::Kernel& kernel, int first, int count) {
                   double* const inputs = group.inputs.data();
                   load(group, values_of(group), first, weights.data(), {},
                        inputs + kernel.layout().weights_offset * group.lanes);
                   load(group, arguments_of(group), first, direction.data(), {},
                        inputs + kernel.layout().directions_offset * group.lanes);
                   call(group, kernel, count);
                   add(group, arguments_of(group), first, count, {}, gradient.data());
                 });
}

void KernelSum::values(std::span<const double> numbers, std::span<double> values) {
  for_each_chunk(ad::ResultKind::kValue, numbers,
                 [&](Group& group, const ad::Kernel& kernel, int first, int count) {
                   call(group, kernel, count);
                   add(group, values_of(group), first, count, {}, values.data());
                 });
}

template <class Found>
void KernelSum::for_each_entry(ad::ResultKind kind, Found&& found) {
  for (Group& group : groups_) {
    if (has_nothing(group, kind)) continue;
    const ad::Pattern& local = kernel_of(group, kind).layout().parts.front().pattern;
    const Local& f = group.function;
    for (int term = 0; term < group.num_terms; ++term) {
      const int* const arguments = group.arguments.data() + term * f.num_arguments;
      const int* const rows =
          kind == ad::ResultKind::kHessian ? arguments : group.values.data() + term * f.num_values;
      for (std::size_t i = 0; i < local.size(); ++i) {
        int row = rows[local[i].first], column = arguments[local[i].second];
        if (kind == ad::ResultKind::kHessian && row < column) std::swap(row, column);
        found(group, term, static_cast<int>(i), row, column);
      }
    }
  }
}

/// Collects the columns of each row, and tells each group where its entries went.
ad::Pattern KernelSum::find_pattern(ad::ResultKind kind, std::vector<int> Group::*lane_entries) {
  const int num_rows = kind == ad::ResultKind::kHessian ? num_arguments_ : num_values_;
  std::vector<std::vector<int>> columns(index(num_rows));
  for_each_entry(
      kind, [&](Group&, int, int, int row, int column) { columns[index(row)].push_back(column); });
  ad::Pattern pattern;
  std::vector<int> first_entry;
  for (int row = 0; row < num_rows; ++row) {
    std::vector<int>& list = columns[index(row)];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    first_entry.push_back(static_cast<int>(pattern.size()));
    for (const int column : list) pattern.emplace_back(row, column);
  }
  std::vector<int> entries;  // of one group, term after term
  Group* current = nullptr;
  const auto finish = [&] {
    if (current == nullptr) return;
    const int per_term = static_cast<int>(entries.size()) / current->num_terms;
    current->*lane_entries = by_lanes(entries, per_term, current->num_terms, current->lanes);
    entries.clear();
  };
  for_each_entry(kind, [&](Group& group, int, int, int row, int column) {
    if (&group != current) finish();
    current = &group;
    const std::vector<int>& list = columns[index(row)];
    const auto place = std::lower_bound(list.begin(), list.end(), column) - list.begin();
    entries.push_back(first_entry[index(row)] + static_cast<int>(place));
  });
  finish();
  return pattern;
}

const ad::Pattern& KernelSum::jacobian_pattern() {
  if (!has_jacobian_pattern_) {
    jacobian_pattern_ = find_pattern(ad::ResultKind::kSparseJacobian, &Group::lane_jacobian);
    has_jacobian_pattern_ = true;
  }
  return jacobian_pattern_;
}

const ad::Pattern& KernelSum::hessian_pattern() {
  if (has_hessian_pattern_) return hessian_pattern_;
  hessian_pattern_ = find_pattern(ad::ResultKind::kHessian, &Group::lane_hessian);
  has_hessian_pattern_ = true;
  // Two arguments of a term that are one of the sum meet off the diagonal of the term, on that of the sum.
  for (Group& group : groups_) group.lane_factors.clear();
  for_each_entry(ad::ResultKind::kHessian, [](Group& group, int term, int entry, int row,
                                              int column) {
    const auto& [i, j] =
        group.kernels[place_of(ad::ResultKind::kHessian)]->layout().parts.front().pattern[index(
            entry)];
    if (row != column || i == j) return;
    group.lane_factors.resize(group.lane_hessian.size(), 1.0);
    const auto per_term = static_cast<int>(
        group.kernels[place_of(ad::ResultKind::kHessian)]->layout().parts.front().pattern.size());
    const int first = term / group.lanes * group.lanes;
    group.lane_factors[index(first * per_term + entry * group.lanes + term - first)] = 2.0;
  });
  return hessian_pattern_;
}

void KernelSum::jacobian(std::span<const double> numbers, std::span<double> entries) {
  (void)jacobian_pattern();
  for_each_chunk(
      ad::ResultKind::kSparseJacobian, numbers,
      [&](Group& group, const ad::Kernel& kernel, int first, int count) {
        call(group, kernel, count);
        const Side side{group.lane_jacobian, all_rows(group, kernel.layout().num_outputs)};
        add(group, side, first, count, {}, entries.data());
      });
}

void KernelSum::hessian(std::span<const double> numbers, std::span<const double> weights,
                        std::span<double> entries) {
  (void)hessian_pattern();
  for_each_chunk(ad::ResultKind::kHessian, numbers,
                 [&](Group& group, const ad::Kernel& kernel, int first, int count) {
                   const int per_term = kernel.layout().num_outputs;
                   if (per_term == 0) return;
                   load(group, values_of(group), first, weights.data(), {},
                        group.inputs.data() + kernel.layout().weights_offset * group.lanes);
                   call(group, kernel, count);
                   if (!group.lane_factors.empty()) {
                     const double* const factors = group.lane_factors.data() + first * per_term;
                     for (int i = 0; i < per_term * group.lanes; ++i) {
                       group.outputs[index(i)] *= factors[i];
                     }
                   }
                   const Side side{group.lane_hessian, all_rows(group, per_term)};
                   add(group, side, first, count, {}, entries.data());
                 });
}

}  // namespace liegrad::sensitivity
