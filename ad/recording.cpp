#include "liegrad/ad/recording.hpp"

#include <charconv>

#include "liegrad/lie/error.hpp"

template class CppAD::ADFun<double, double>;

namespace liegrad::ad {
namespace {

/// Calls f(operation) for all operations of a graph.
template <class F>
void for_each_operation(const CppAD::cpp_graph& graph, F&& f) {
  auto place = graph.begin();
  for (std::size_t i = 0; i < graph.operator_vec_size(); ++i) {
    if (i > 0) ++place;  // not beyond the last: a debug build of CppAD reads there
    f(*place);
  }
}

/// Whether the outcome of a comparison is part of the recording. A number compared with itself is
/// not: that is how a debug build of CppAD looks for NaN.
bool compares_values(const CppAD::cpp_graph& graph) {
  using namespace CppAD::graph;
  bool found = false;
  for_each_operation(graph, [&found](const auto& operation) {
    switch (operation.op_enum) {
      case comp_eq_graph_op:
      case comp_le_graph_op:
      case comp_lt_graph_op:
      case comp_ne_graph_op:
        found = found || (*operation.arg_node_ptr)[0] != (*operation.arg_node_ptr)[1];
        break;
      default: break;
    }
  });
  return found;
}

/// Of an optimised tape, whose operations all lead to outputs.
std::vector<int> inputs_read_by(const CppAD::cpp_graph& graph, std::size_t num_inputs) {
  std::vector<bool> is_read(num_inputs, false);
  // Inputs are the first nodes, counted from one.
  const auto read = [&is_read](std::size_t node) {
    if (node >= 1 && node <= is_read.size()) is_read[node - 1] = true;
  };
  for_each_operation(graph, [&read](const auto& operation) {
    for (std::size_t k = 0; k < operation.arg_node_ptr->size(); ++k) {
      read((*operation.arg_node_ptr)[k]);
    }
  });
  for (std::size_t i = 0; i < graph.dependent_vec_size(); ++i) read(graph.dependent_vec_get(i));
  std::vector<int> inputs;
  for (std::size_t i = 0; i < num_inputs; ++i) {
    if (is_read[i]) inputs.push_back(static_cast<int>(i));
  }
  return inputs;
}

}  // namespace

std::recursive_mutex& cppad_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

std::vector<Taped> recording_detail::start(const RecordOptions& options) {
  const auto count = static_cast<std::size_t>(std::max(options.variables + options.data, 0));
  if (options.variables < 0 || options.data < 0 || count == 0) {
    throw InvalidArgument("function '" + options.name + "' has " +
                          std::to_string(options.variables) + " variables and " +
                          std::to_string(options.data) + " data; it needs at least one input");
  }
  if (!options.at.empty() && options.at.size() != count) {
    throw InvalidArgument("function '" + options.name + "' is to be recorded at " +
                          std::to_string(options.at.size()) + " values but has " +
                          std::to_string(count) + " inputs");
  }
  std::vector<Taped> inputs(count, Taped(0.0));
  std::copy(options.at.begin(), options.at.end(), inputs.begin());
  return inputs;
}

void recording_detail::check_outputs(const RecordOptions& options,
                                     const std::vector<Taped>& outputs) {
  if (outputs.empty()) {
    throw InvalidArgument("function '" + options.name + "' returned no outputs");
  }
}

Recording::Recording(RecordOptions options, std::unique_ptr<CppAD::ADFun<double>> tape)
    : options_(std::move(options)) {
  // CppAD's operation graph does not have it, and says nothing.
  if (tape->size_VecAD() > 0) {
    throw InvalidArgument("function '" + options_.name +
                          "' uses CppAD::VecAD, of which no kernel can be made; use select_lt() "
                          "instead of an index that depends on the inputs");
  }
  // A NaN is a result like any other; the caller sees it.
  tape->check_for_nan(false);
  // Cumulative sums and conditional skips have no counterpart in CppAD's operation graph.
  tape->optimize("no_conditional_skip no_cumulative_sum_op");
  auto graph = std::make_unique<CppAD::cpp_graph>();
  tape->function_name_set(options_.name);
  tape->to_graph(*graph);

  if (!options_.allow_comparisons && compares_values(*graph)) {
    throw InvalidArgument("function '" + options_.name +
                          "' compares recorded scalars, which freezes one branch; use select_lt() "
                          "instead of if, or set allow_comparisons");
  }
  inputs_read_ = inputs_read_by(*graph, tape->Domain());
  // Their memory goes back to CppAD's store, which all threads share.
  const auto locked_delete = [](const auto* object) {
    const std::lock_guard lock(cppad_mutex());
    delete object;
  };
  tape_ = {tape.release(), locked_delete};
  graph_ = {graph.release(), locked_delete};
}

std::string Recording::canonical_text() const {
  std::string text;
  const auto number = [&text](auto value) {
    char digits[32];  // the shortest form that reads back as the same number
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text.append(digits, end).push_back(' ');
  };
  const CppAD::cpp_graph& g = *graph_;
  number(num_inputs());
  text += "constants ";
  for (std::size_t i = 0; i < g.constant_vec_size(); ++i) number(g.constant_vec_get(i));
  text += "operators ";
  for (std::size_t i = 0; i < g.operator_vec_size(); ++i) number(int{g.operator_vec_get(i)});
  text += "arguments ";
  for (std::size_t i = 0; i < g.operator_arg_size(); ++i) number(g.operator_arg_get(i));
  text += "outputs ";
  for (std::size_t i = 0; i < g.dependent_vec_size(); ++i) number(g.dependent_vec_get(i));
  return text;
}

}  // namespace liegrad::ad
