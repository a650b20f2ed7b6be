#include "liegrad/ad/kernel_spec.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

#include "liegrad/ad/codegen/derive.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::ad {
namespace {

using Sparsity = CppAD::sparse_rc<std::vector<std::size_t>>;

[[noreturn]] void reject(const Recording& recording, const std::string& what) {
  throw InvalidArgument("kernel of function '" + recording.name() + "': " + what);
}

/// Position of each input in `wrt`, or -1.
std::vector<int> positions(const Recording& recording, const std::vector<int>& wrt) {
  std::vector<int> position(static_cast<std::size_t>(recording.num_inputs()), -1);
  for (std::size_t i = 0; i < wrt.size(); ++i) {
    position[static_cast<std::size_t>(wrt[i])] = static_cast<int>(i);
  }
  return position;
}

/// The entries of CppAD's pattern, each index mapped through `row` and `column`; -1 drops it.
template <class MapRow, class MapColumn>
Pattern mapped(const Sparsity& sparsity, MapRow row, MapColumn column, bool lower_only) {
  std::set<std::pair<int, int>> entries;
  for (std::size_t k = 0; k < sparsity.nnz(); ++k) {
    const int i = row(sparsity.row()[k]), j = column(sparsity.col()[k]);
    if (i >= 0 && j >= 0 && (!lower_only || j <= i)) entries.emplace(i, j);
  }
  return {entries.begin(), entries.end()};
}

bool uses_weights(ResultKind kind) {
  return kind == ResultKind::kTransposeTimes || kind == ResultKind::kHessian ||
         kind == ResultKind::kHessianTimes;
}

bool uses_directions(ResultKind kind) {
  return kind == ResultKind::kJacobianTimes || kind == ResultKind::kHessianTimes;
}

void check_inputs(const Recording& recording, const std::vector<int>& wrt) {
  std::set<int> seen;
  for (const int input : wrt) {
    if (input < 0 || input >= recording.num_inputs()) {
      reject(recording, "there is no input " + std::to_string(input) + "; it has " +
                            std::to_string(recording.num_inputs()));
    }
    if (!seen.insert(input).second) {
      reject(recording, "input " + std::to_string(input) + " is named twice");
    }
  }
}

std::vector<int> chosen_inputs(const Recording& recording, const Result& result) {
  return result.wrt.empty() ? range(0, recording.num_variables()) : result.wrt;
}

/// Checks what the results ask of the inputs, and lays these out.
void lay_out_inputs(const Recording& recording, const KernelSpec& spec, KernelLayout& layout) {
  for (const Result& result : spec.results) {
    const std::vector<int> wrt = chosen_inputs(recording, result);
    check_inputs(recording, wrt);
    const int n = static_cast<int>(wrt.size());
    if (result.pattern && result.kind != ResultKind::kSparseJacobian &&
        result.kind != ResultKind::kHessian) {
      reject(recording, "a pattern belongs to a sparse Jacobian or a Hessian only");
    }
    if (uses_weights(result.kind)) {
      if (spec.weights < 1) reject(recording, "a product with weights needs at least one weight");
      layout.num_weights = spec.weights;
      layout.weight_size = recording.num_outputs();
    }
    if (uses_directions(result.kind)) {
      if (spec.directions < 1) {
        reject(recording, "a product with directions needs at least one direction");
      }
      if (layout.num_directions > 0 && layout.direction_size != n) {
        reject(recording, "results that share the directions differentiate by " +
                              std::to_string(layout.direction_size) + " and by " +
                              std::to_string(n) + " inputs");
      }
      layout.num_directions = spec.directions;
      layout.direction_size = n;
    }
  }
  layout.weights_offset = layout.num_function_inputs;
  layout.directions_offset = layout.weights_offset + layout.num_weights * layout.weight_size;
  layout.num_inputs = layout.directions_offset + layout.num_directions * layout.direction_size;
}

/// The pattern of a sparse result: what can be non-zero, or what was asked for once checked.
Pattern settled_pattern(const Recording& recording, const Result& result,
                        const std::vector<int>& wrt) {
  const bool is_hessian = result.kind == ResultKind::kHessian;
  if (!result.pattern) {
    return is_hessian ? hessian_pattern(recording, wrt) : jacobian_pattern(recording, wrt);
  }
  const int columns = static_cast<int>(wrt.size());
  const int rows = is_hessian ? columns : recording.num_outputs();
  for (const auto& [i, j] : *result.pattern) {
    if (i < 0 || i >= rows || j < 0 || j >= columns || (is_hessian && j > i)) {
      reject(recording, "entry (" + std::to_string(i) + ", " + std::to_string(j) +
                            ") of the pattern is outside the " +
                            (is_hessian ? "lower triangle of the " : "") + std::to_string(rows) +
                            " by " + std::to_string(columns) + " matrix");
    }
  }
  Pattern sorted = *result.pattern;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    reject(recording, "an entry of the pattern is named twice");
  }
  return *result.pattern;
}

}  // namespace

std::vector<int> range(int first, int count) {
  std::vector<int> indices(static_cast<std::size_t>(std::max(count, 0)));
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

KernelLayout lay_out(const Recording& recording, const KernelSpec& spec) {
  if (spec.results.empty()) reject(recording, "it has no results");
  KernelLayout layout;
  layout.num_function_inputs = recording.num_inputs();
  layout.zero_inputs = spec.zero_inputs;
  check_inputs(recording, spec.zero_inputs);
  lay_out_inputs(recording, spec, layout);

  const int m = recording.num_outputs();
  for (const Result& result : spec.results) {
    KernelLayout::Part part{
        .kind = result.kind, .wrt = chosen_inputs(recording, result), .pattern = {}};
    const int n = static_cast<int>(part.wrt.size());
    switch (part.kind) {
      case ResultKind::kValue: part.size = m; break;
      case ResultKind::kJacobian: part.size = m * n; break;
      case ResultKind::kSparseJacobian:
      case ResultKind::kHessian:
        part.pattern = settled_pattern(recording, result, part.wrt);
        if (!result.pattern && !layout.zero_inputs.empty()) {
          part.pattern = nonzero_entries(recording, layout, part);
        }
        part.size = static_cast<int>(part.pattern.size());
        break;
      case ResultKind::kJacobianTimes: part.size = m * spec.directions; break;
      case ResultKind::kTransposeTimes: part.size = n * spec.weights; break;
      case ResultKind::kHessianTimes: part.size = n * spec.directions; break;
    }
    part.offset = layout.num_outputs;
    layout.num_outputs += part.size;
    layout.parts.push_back(std::move(part));
  }
  return layout;
}

Pattern jacobian_pattern(const Recording& recording, const std::vector<int>& wrt) {
  const std::lock_guard lock(cppad_mutex());
  CppAD::ADFun<double> tape;
  tape = recording.tape();
  Sparsity seed(tape.Domain(), wrt.size(), wrt.size()), found;
  for (std::size_t k = 0; k < wrt.size(); ++k) seed.set(k, static_cast<std::size_t>(wrt[k]), k);
  tape.for_jac_sparsity(seed, /*transpose=*/false, /*dependency=*/false, /*internal_bool=*/false,
                        found);
  const auto same = [](std::size_t i) { return static_cast<int>(i); };
  return mapped(found, same, same, /*lower_only=*/false);
}

Pattern hessian_pattern(const Recording& recording, const std::vector<int>& wrt) {
  const std::lock_guard lock(cppad_mutex());
  CppAD::ADFun<double> tape;
  tape = recording.tape();
  // By reverse mode: CppAD's for_hes_sparsity() does not know azmul() of a constant.
  Sparsity seed(tape.Domain(), wrt.size(), wrt.size()), found;
  for (std::size_t k = 0; k < wrt.size(); ++k) seed.set(k, static_cast<std::size_t>(wrt[k]), k);
  tape.for_jac_sparsity(seed, /*transpose=*/false, /*dependency=*/false, /*internal_bool=*/false,
                        found);
  tape.rev_hes_sparsity(std::vector<bool>(tape.Range(), true), /*transpose=*/false,
                        /*internal_bool=*/false, found);
  const std::vector<int> position = positions(recording, wrt);
  const auto to_position = [&](std::size_t i) { return position[i]; };
  const auto same = [](std::size_t i) { return static_cast<int>(i); };
  return mapped(found, to_position, same, /*lower_only=*/true);
}

std::string canonical_text(const KernelLayout& layout) {
  std::ostringstream text;
  text << "inputs " << layout.num_function_inputs << " weights " << layout.num_weights
       << " directions " << layout.num_directions << " zero";
  for (const int input : layout.zero_inputs) text << ' ' << input;
  for (const KernelLayout::Part& part : layout.parts) {
    text << "; result " << static_cast<int>(part.kind) << " by";
    for (const int input : part.wrt) text << ' ' << input;
    text << " entries";
    for (const auto& [i, j] : part.pattern) text << ' ' << i << ',' << j;
  }
  return text.str();
}

}  // namespace liegrad::ad
