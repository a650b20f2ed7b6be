#include "liegrad/ad/codegen/accumulate.hpp"

#include <cmath>
#include <numbers>
#include <set>

namespace liegrad::ad {
namespace {

/// ∂(call)/∂(argument); `self` is the node of the call.
Id derivative_of_call(ExpressionGraph& g, Call function, Id x, Id self) {
  const Id one = g.constant(1);
  const auto square = [&](Id y) { return g.multiply(y, y); };
  const auto reciprocal = [&](Id y) { return g.divide(g.constant(1), y); };
  const auto root = [&](Id y) { return g.call(Call::kSqrt, y); };
  const double two_over_root_pi = 2 * std::numbers::inv_sqrtpi;
  const auto bell = [&](double scale) {
    return g.multiply(g.constant(scale), g.call(Call::kExp, g.negate(square(x))));
  };
  switch (function) {
    case Call::kAbs: return g.call(Call::kSign, x);
    case Call::kAcos: return g.negate(reciprocal(root(g.subtract(one, square(x)))));
    case Call::kAcosh: return reciprocal(root(g.subtract(square(x), one)));
    case Call::kAsin: return reciprocal(root(g.subtract(one, square(x))));
    case Call::kAsinh: return reciprocal(root(g.add(one, square(x))));
    case Call::kAtan: return reciprocal(g.add(one, square(x)));
    case Call::kAtanh: return reciprocal(g.subtract(one, square(x)));
    case Call::kCos: return g.negate(g.call(Call::kSin, x));
    case Call::kCosh: return g.call(Call::kSinh, x);
    case Call::kErf: return bell(two_over_root_pi);
    case Call::kErfc: return bell(-two_over_root_pi);
    case Call::kExp: return self;
    case Call::kExpm1: return g.add(self, one);
    case Call::kLog: return reciprocal(x);
    case Call::kLog1p: return reciprocal(g.add(one, x));
    case Call::kSign: return g.constant(0);
    case Call::kSin: return g.call(Call::kCos, x);
    case Call::kSinh: return g.call(Call::kCosh, x);
    case Call::kSqrt: return g.divide(g.constant(0.5), self);
    case Call::kTan: return g.add(one, square(self));
    case Call::kTanh: return g.subtract(one, square(self));
  }
  return -1;
}

/// Calls edge(operand, ∂node/∂operand) for the operands that carry a derivative.
template <class Edge>
void for_each_partial(ExpressionGraph& g, Id id, Edge&& edge) {
  const Node x = g[id];
  switch (x.op) {
    case Op::kConstant:
    case Op::kInput: break;
    case Op::kAdd:
      edge(x.a, g.constant(1));
      edge(x.b, g.constant(1));
      break;
    case Op::kSubtract:
      edge(x.a, g.constant(1));
      edge(x.b, g.constant(-1));
      break;
    case Op::kMultiply:
      edge(x.a, x.b);
      edge(x.b, x.a);
      break;
    case Op::kDivide: {
      const Id reciprocal = g.divide(g.constant(1), x.b);
      edge(x.a, reciprocal);
      edge(x.b, g.negate(g.multiply(id, reciprocal)));
      break;
    }
    case Op::kNegate: edge(x.a, g.constant(-1)); break;
    case Op::kPower:
      if (!g.is_constant(x.a)) {
        const Id lower = g.power(x.a, g.subtract(x.b, g.constant(1)));
        edge(x.a, g.multiply(x.b, lower));
      }
      if (!g.is_constant(x.b)) edge(x.b, g.multiply(g.call(Call::kLog, x.a), id));
      break;
    case Op::kCall: edge(x.a, derivative_of_call(g, x.call(), x.a, id)); break;
    case Op::kSelect: {
      const Id one = g.constant(1), zero = g.constant(0);
      edge(x.c, g.select(x.comparison(), x.a, x.b, one, zero));
      edge(x.d, g.select(x.comparison(), x.a, x.b, zero, one));
      break;
    }
  }
}

/// The graph of partial derivatives between the vertices that depend on the chosen inputs. Outputs
/// are vertices of their own behind the nodes, so that a node may be an output and feed others.
class Elimination {
 public:
  Elimination(ExpressionGraph& graph, const std::vector<Id>& outputs, const std::vector<Id>& inputs,
              AtZero& at_zero, EliminationOrder order)
      : graph_(graph), order_(order), first_output_(graph.size()) {
    const auto count = static_cast<std::size_t>(first_output_) + outputs.size();
    entering_.resize(count);
    leaving_.resize(count);
    is_input_.resize(count, false);
    queued_as_.resize(count);
    std::vector<bool> varies(count, false);
    for (const Id input : inputs) {
      is_input_[at(input)] = true;
      varies[at(input)] = true;
    }
    const std::vector<bool> reached = reachable_from(outputs);
    for (Id id = 0; id < first_output_; ++id) {
      if (!reached[at(id)]) continue;
      for_each_partial(graph_, id, [&](Id operand, Id partial) {
        if (varies[at(operand)]) {
          varies[at(id)] = true;
          connect(operand, id, at_zero(partial));
        }
      });
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (varies[at(outputs[k])]) {
        connect(outputs[k], first_output_ + static_cast<Id>(k), graph_.constant(1));
      }
    }
  }

  void run() {
    for (Id id = 0; id < first_output_; ++id) enqueue(id);
    while (!queue_.empty()) {
      const Id vertex = outputs_first() ? -queue_.begin()->second : queue_.begin()->second;
      queue_.erase(queue_.begin());
      remove(vertex);
    }
  }

  /// What enters output k: pairs of an input and the derivative.
  const std::map<Id, Id>& into_output(std::size_t k) const {
    return entering_[static_cast<std::size_t>(first_output_) + k];
  }

 private:
  using Key = std::pair<long, Id>;  // cost, and the vertex signed for the order among equals

  static std::size_t at(Id id) { return static_cast<std::size_t>(id); }

  std::vector<bool> reachable_from(const std::vector<Id>& outputs) const {
    std::vector<bool> reached(at(first_output_), false);
    for (const Id output : outputs) reached[at(output)] = true;
    for (Id id = first_output_ - 1; id >= 0; --id) {
      if (reached[at(id)]) {
        for_each_operand(graph_[id], [&](Id operand) { reached[at(operand)] = true; });
      }
    }
    return reached;
  }

  void connect(Id from, Id to, Id partial) {
    if (graph_.is_constant(partial, 0)) return;
    const auto [edge, is_new] = entering_[at(to)].try_emplace(from, partial);
    if (!is_new) edge->second = graph_.add(edge->second, partial);
    leaving_[at(from)].insert(to);
  }

  bool outputs_first() const {
    return order_ == EliminationOrder::kFewestProductsLast ||
           order_ == EliminationOrder::kFewestEdgesLast;
  }
  long cost(Id id) const {
    const auto in = static_cast<long>(entering_[at(id)].size());
    const auto out = static_cast<long>(leaving_[at(id)].size());
    if (order_ == EliminationOrder::kFewestProducts ||
        order_ == EliminationOrder::kFewestProductsLast) {
      return in * out;
    }
    long new_edges = 0;
    for (const Id to : leaving_[at(id)]) {
      for (const auto& [from, partial] : entering_[at(id)]) {
        new_edges += entering_[at(to)].contains(from) ? 0 : 1;
      }
    }
    return new_edges - in - out;
  }
  bool is_between(Id id) const {
    return id < first_output_ && !is_input_[at(id)] &&
           (!entering_[at(id)].empty() || !leaving_[at(id)].empty());
  }
  void enqueue(Id id) {
    if (!is_between(id)) return;
    queued_as_[at(id)] = {cost(id), outputs_first() ? -id : id};
    queue_.insert(queued_as_[at(id)]);
  }
  void dequeue(Id id) { queue_.erase(queued_as_[at(id)]); }

  void remove(Id vertex) {
    // The neighbours change their place in the queue.
    for (const auto& [from, partial] : entering_[at(vertex)]) dequeue(from);
    for (const Id to : leaving_[at(vertex)]) dequeue(to);
    const std::map<Id, Id> entering = std::move(entering_[at(vertex)]);
    const std::set<Id> leaving = std::move(leaving_[at(vertex)]);
    entering_[at(vertex)].clear();
    leaving_[at(vertex)].clear();
    for (const Id to : leaving) {
      const auto edge = entering_[at(to)].find(vertex);
      const Id second = edge->second;
      entering_[at(to)].erase(edge);
      for (const auto& [from, first] : entering) connect(from, to, graph_.multiply(second, first));
    }
    for (const auto& [from, partial] : entering) {
      leaving_[at(from)].erase(vertex);
      enqueue(from);
    }
    for (const Id to : leaving) enqueue(to);
  }

  ExpressionGraph& graph_;
  EliminationOrder order_;
  Id first_output_;
  std::vector<std::map<Id, Id>> entering_;  // from → partial derivative
  std::vector<std::set<Id>> leaving_;
  std::vector<bool> is_input_;
  std::set<Key> queue_;
  std::vector<Key> queued_as_;
};

}  // namespace

SymbolicJacobian eliminate(ExpressionGraph& graph, const std::vector<Id>& outputs,
                           const std::vector<Id>& inputs, AtZero& at_zero, EliminationOrder order) {
  Elimination elimination(graph, outputs, inputs, at_zero, order);
  elimination.run();
  std::map<Id, int> column;
  for (std::size_t j = 0; j < inputs.size(); ++j) column[inputs[j]] = static_cast<int>(j);
  SymbolicJacobian jacobian;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (const auto& [input, derivative] : elimination.into_output(k)) {
      jacobian[{static_cast<int>(k), column.at(input)}] = derivative;
    }
  }
  return jacobian;
}

}  // namespace liegrad::ad
