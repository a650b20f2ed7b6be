// The only translation unit that includes CppADCodeGen, which must come before CppAD.
#include <cppad/cg.hpp>

#include "liegrad/ad/codegen/derive.hpp"

#include <functional>
#include <limits>
#include <unordered_map>

#include "liegrad/ad/codegen/accumulate.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::ad {
namespace {

/// A number that remembers how it was computed.
using Symbol = CppAD::cg::CG<double>;
using Symbols = std::vector<Symbol>;
using SymbolNode = CppAD::cg::OperationNode<double>;
using SymbolOp = CppAD::cg::CGOpCode;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

const std::unordered_map<SymbolOp, Call>& calls() {
  static const std::unordered_map<SymbolOp, Call> table = {
      {SymbolOp::Abs, Call::kAbs},     {SymbolOp::Acos, Call::kAcos},
      {SymbolOp::Acosh, Call::kAcosh}, {SymbolOp::Asin, Call::kAsin},
      {SymbolOp::Asinh, Call::kAsinh}, {SymbolOp::Atan, Call::kAtan},
      {SymbolOp::Atanh, Call::kAtanh}, {SymbolOp::Cos, Call::kCos},
      {SymbolOp::Cosh, Call::kCosh},   {SymbolOp::Erf, Call::kErf},
      {SymbolOp::Erfc, Call::kErfc},   {SymbolOp::Exp, Call::kExp},
      {SymbolOp::Expm1, Call::kExpm1}, {SymbolOp::Log, Call::kLog},
      {SymbolOp::Log1p, Call::kLog1p}, {SymbolOp::Sign, Call::kSign},
      {SymbolOp::Sin, Call::kSin},     {SymbolOp::Sinh, Call::kSinh},
      {SymbolOp::Sqrt, Call::kSqrt},   {SymbolOp::Tan, Call::kTan},
      {SymbolOp::Tanh, Call::kTanh},
  };
  return table;
}

const std::unordered_map<SymbolOp, Comparison>& comparisons() {
  static const std::unordered_map<SymbolOp, Comparison> table = {
      {SymbolOp::ComLt, Comparison::kLt}, {SymbolOp::ComLe, Comparison::kLe},
      {SymbolOp::ComEq, Comparison::kEq}, {SymbolOp::ComGe, Comparison::kGe},
      {SymbolOp::ComGt, Comparison::kGt}, {SymbolOp::ComNe, Comparison::kNe},
  };
  return table;
}

/// Brings symbols into an expression graph; a symbol met twice is brought once.
class Importer {
 public:
  explicit Importer(ExpressionGraph& graph) : graph_(graph) {}

  void is_input(const Symbol& symbol, int index) {
    ids_[symbol.getOperationNode()] = graph_.input(index);
  }

  Id operator()(const Symbol& symbol) {
    if (symbol.isParameter()) return graph_.constant(symbol.getValue());
    // Operands first, with an explicit stack: expressions can be as deep as they are long.
    std::vector<SymbolNode*> pending = {symbol.getOperationNode()};
    while (!pending.empty()) {
      SymbolNode* node = pending.back();
      if (ids_.contains(node)) {
        pending.pop_back();
        continue;
      }
      bool ready = true;
      for (const auto& argument : node->getArguments()) {
        if (argument.getOperation() != nullptr && !ids_.contains(argument.getOperation())) {
          pending.push_back(argument.getOperation());
          ready = false;
        }
      }
      if (!ready) continue;
      ids_[node] = import(*node);
      pending.pop_back();
    }
    return ids_.at(symbol.getOperationNode());
  }

 private:
  Id import(const SymbolNode& node) {
    const auto argument = [&](std::size_t i) {
      const auto& a = node.getArguments()[i];
      return a.getOperation() != nullptr ? ids_.at(a.getOperation())
                                         : graph_.constant(*a.getParameter());
    };
    const SymbolOp op = node.getOperationType();
    switch (op) {
      case SymbolOp::Assign:
      case SymbolOp::Alias: return argument(0);
      case SymbolOp::Add: return graph_.add(argument(0), argument(1));
      case SymbolOp::Sub: return graph_.subtract(argument(0), argument(1));
      case SymbolOp::Mul: return graph_.multiply(argument(0), argument(1));
      case SymbolOp::Div: return graph_.divide(argument(0), argument(1));
      case SymbolOp::UnMinus: return graph_.negate(argument(0));
      case SymbolOp::Pow: return graph_.power(argument(0), argument(1));
      default: break;
    }
    if (const auto call = calls().find(op); call != calls().end()) {
      return graph_.call(call->second, argument(0));
    }
    if (const auto cmp = comparisons().find(op); cmp != comparisons().end()) {
      return graph_.select(cmp->second, argument(0), argument(1), argument(2), argument(3));
    }
    throw Error("an operation has no counterpart in C");
  }

  ExpressionGraph& graph_;
  std::unordered_map<const SymbolNode*, Id> ids_;
};

/// Sweeps and orders of elimination are compared up to this many operations; beyond, one order of
/// elimination is taken without comparison.
constexpr double kMaxSweptOperations = 3e6;
constexpr Id kMaxCompared = 50000;

class Deriver {
 public:
  Deriver(const Recording& recording, const KernelLayout& layout)
      : layout_(layout), import_(program_.graph), at_zero_(program_.graph, layout.zero_inputs) {
    function_.from_graph(recording.graph());
    inputs_.resize(at(layout.num_inputs));
    handler_.makeVariables(inputs_);
    for (int i = 0; i < layout.num_inputs; ++i) import_.is_input(inputs_[at(i)], i);
    x_.assign(inputs_.begin(), inputs_.begin() + layout.num_function_inputs);
    value_ = function_.Forward(0, x_);
  }

  Program run() {
    for (const KernelLayout::Part& part : layout_.parts) {
      switch (part.kind) {
        case ResultKind::kValue: append(value_); break;
        case ResultKind::kJacobian: append_jacobian(part, full_pattern(part)); break;
        case ResultKind::kSparseJacobian: append_jacobian(part, part.pattern); break;
        case ResultKind::kJacobianTimes:
          for (int k = 0; k < layout_.num_directions; ++k) {
            append(function_.Forward(1, scattered(part, direction(k))));
          }
          break;
        case ResultKind::kTransposeTimes:
          for (int k = 0; k < layout_.num_weights; ++k) append(gradient(part, weight(k)));
          break;
        case ResultKind::kHessian: append_hessian(part); break;
        case ResultKind::kHessianTimes:
          for (int k = 0; k < layout_.num_directions; ++k) {
            append(hessian_times(part, scattered(part, direction(k))));
          }
          break;
      }
    }
    return finished();
  }

  Pattern nonzero_entries(const KernelLayout::Part& part) {
    const bool is_hessian = part.kind == ResultKind::kHessian;
    const std::vector<Id> rows = import_all(is_hessian ? gradient(part, weight(0)) : value_);
    const SymbolicJacobian entries =
        eliminate(program_.graph, rows, columns(part), at_zero_, EliminationOrder::kFewestProducts);
    Pattern found;
    for (const auto& place : part.pattern) {
      const auto entry = entries.find(place);
      if (entry != entries.end() && !program_.graph.is_constant(entry->second, 0)) {
        found.push_back(place);
      }
    }
    return found;
  }

 private:
  using Part = KernelLayout::Part;
  /// Gives the entry (row, column) of a matrix as a node of the program's graph.
  using Entry = std::function<Id(int row, int column)>;

  int num_outputs() const { return static_cast<int>(value_.size()); }
  Symbol weight_entry(int k, int i) const {
    return inputs_[at(layout_.weights_offset + k * layout_.weight_size + i)];
  }
  Symbols weight(int k) const {
    Symbols w;
    for (int i = 0; i < num_outputs(); ++i) w.push_back(weight_entry(k, i));
    return w;
  }
  Symbols direction(int k) const {
    const auto first = inputs_.begin() + layout_.directions_offset + k * layout_.direction_size;
    return {first, first + layout_.direction_size};
  }
  /// A vector over the chosen inputs as one over all inputs.
  Symbols scattered(const Part& part, const Symbols& chosen) const {
    Symbols all(x_.size(), Symbol(0.0));
    for (std::size_t j = 0; j < part.wrt.size(); ++j) all[at(part.wrt[j])] = chosen[j];
    return all;
  }
  Symbols unit(std::size_t size, int index) const {
    Symbols e(size, Symbol(0.0));
    e[at(index)] = 1.0;
    return e;
  }

  /// Jᵀw for the chosen inputs.
  Symbols gradient(const Part& part, const Symbols& w) {
    const Symbols all = function_.Reverse(1, w);
    Symbols chosen;
    for (const int input : part.wrt) chosen.push_back(all[at(input)]);
    return chosen;
  }
  /// H d for the first weight: the second-order part of a reverse sweep along d.
  Symbols hessian_times(const Part& part, const Symbols& d) {
    function_.Forward(1, d);
    const Symbols all = function_.Reverse(2, weight(0));
    Symbols chosen;
    for (const int input : part.wrt) chosen.push_back(all[2 * at(input) + 1]);
    return chosen;
  }

  void append(const Symbols& results) {
    for (const Symbol& result : results) program_.outputs.push_back(import_(result));
  }

  Pattern full_pattern(const Part& part) const {
    Pattern all;
    for (int i = 0; i < num_outputs(); ++i) {
      for (int j = 0; j < static_cast<int>(part.wrt.size()); ++j) all.emplace_back(i, j);
    }
    return all;
  }

  bool worth_sweeping(int sweeps) const {
    return static_cast<double>(sweeps) * static_cast<double>(function_.size_op()) <
           kMaxSweptOperations;
  }

  void append_jacobian(const Part& part, const Pattern& pattern) {
    const int columns = static_cast<int>(part.wrt.size()), rows = num_outputs();
    std::vector<Entry> ways = eliminations(import_all(value_), part);
    if (worth_sweeping(columns)) {
      std::vector<Symbols> column;
      for (const int input : part.wrt)
        column.push_back(function_.Forward(1, unit(x_.size(), input)));
      ways.push_back([this, column](int i, int j) { return import_(column[at(j)][at(i)]); });
    }
    if (worth_sweeping(rows)) {
      std::vector<Symbols> row;
      for (int i = 0; i < rows; ++i) row.push_back(gradient(part, unit(value_.size(), i)));
      ways.push_back([this, row](int i, int j) { return import_(row[at(i)][at(j)]); });
    }
    append_cheapest(ways, pattern);
  }

  void append_hessian(const Part& part) {
    const std::vector<Id> first = import_all(gradient(part, weight(0)));
    std::vector<Entry> ways = eliminations(first, part);
    if (worth_sweeping(static_cast<int>(part.wrt.size()))) {
      std::vector<Symbols> column;
      for (const int input : part.wrt)
        column.push_back(hessian_times(part, unit(x_.size(), input)));
      ways.push_back([this, column](int i, int j) { return import_(column[at(j)][at(i)]); });
    }
    append_cheapest(ways, part.pattern);
  }

  Program finished() {
    std::vector<Id> at_zero;
    for (const Id output : program_.outputs) at_zero.push_back(at_zero_(output));
    std::swap(program_.outputs, at_zero);
    Program result = simplified(program_);
    std::swap(program_.outputs, at_zero);
    return result;
  }

  std::vector<Id> import_all(const Symbols& symbols) {
    std::vector<Id> ids;
    for (const Symbol& symbol : symbols) ids.push_back(import_(symbol));
    return ids;
  }

  /// The nodes of the inputs to differentiate by.
  std::vector<Id> columns(const Part& part) {
    std::vector<Id> inputs;
    for (const int input : part.wrt) inputs.push_back(program_.graph.input(input));
    return inputs;
  }

  /// Vertex elimination in several orders.
  std::vector<Entry> eliminations(const std::vector<Id>& rows, const Part& part) {
    std::vector<Entry> ways;
    for (const EliminationOrder order : kEliminationOrders) {
      if (!ways.empty() && program_.graph.size() > kMaxCompared) break;
      const SymbolicJacobian entries =
          eliminate(program_.graph, rows, columns(part), at_zero_, order);
      ways.push_back([this, entries](int i, int j) {
        const auto found = entries.find({i, j});
        return found == entries.end() ? program_.graph.constant(0) : found->second;
      });
    }
    return ways;
  }

  /// Adds the entries of the pattern, computed in the way that makes the whole program cheapest.
  void append_cheapest(const std::vector<Entry>& ways, const Pattern& pattern) {
    const std::vector<Id> before = program_.outputs;
    std::vector<Id> best;
    double best_cost = std::numeric_limits<double>::infinity();
    for (const Entry& entry : ways) {
      program_.outputs = before;
      for (const auto& [i, j] : pattern) program_.outputs.push_back(entry(i, j));
      const double this_cost = cost(finished());
      if (this_cost < best_cost) {
        best_cost = this_cost;
        best = program_.outputs;
      }
    }
    program_.outputs = best;
  }

  const KernelLayout& layout_;
  Program program_;
  Importer import_;
  AtZero at_zero_;
  CppAD::ADFun<Symbol> function_;
  CppAD::cg::CodeHandler<double> handler_;
  Symbols inputs_, x_, value_;
};

/// Throws Error if the recording calls what has no C; CppAD would end the program.
void check_calls(const CppAD::cpp_graph& graph) {
  if (graph.discrete_name_vec_size() > 0) {
    throw Error("it calls the discrete function " + graph.discrete_name_vec_get(0));
  }
  if (graph.atomic_name_vec_size() > 0) {
    throw Error("it calls the atomic function " + graph.atomic_name_vec_get(0));
  }
}

/// Runs f on a Deriver; what fails inside says which function it was.
template <class F>
auto derived(const Recording& recording, const KernelLayout& layout, const F& f) {
  const std::lock_guard lock(cppad_mutex());
  try {
    check_calls(recording.graph());
    Deriver deriver(recording, layout);
    return f(deriver);
  } catch (const std::exception& failure) {
    throw Error("function '" + recording.name() + "' cannot be compiled: " + failure.what());
  }
}

}  // namespace

Program derive(const Recording& recording, const KernelLayout& layout) {
  return derived(recording, layout, [](Deriver& deriver) { return deriver.run(); });
}

Pattern nonzero_entries(const Recording& recording, const KernelLayout& layout,
                        const KernelLayout::Part& part) {
  return derived(recording, layout,
                 [&](Deriver& deriver) { return deriver.nonzero_entries(part); });
}

}  // namespace liegrad::ad
