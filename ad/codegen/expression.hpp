#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace liegrad::ad {

enum class Op : std::uint8_t {
  kConstant,
  kInput,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kNegate,
  kPower,
  kCall,
  kSelect,
};

/// Functions of one argument that a kernel may call.
enum class Call : std::uint8_t {
  kAbs,
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kCos,
  kCosh,
  kErf,
  kErfc,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSign,
  kSin,
  kSinh,
  kSqrt,
  kTan,
  kTanh,
};

enum class Comparison : std::uint8_t { kLt, kLe, kEq, kGe, kGt, kNe };

/// Index of a node in its graph.
using Id = std::int32_t;

/// One operation. The operands are a and b; a select is (a cmp b) ? c : d.
struct Node {
  Op op = Op::kConstant;
  std::uint8_t which = 0;  ///< the Call or the Comparison
  Id a = -1, b = -1, c = -1, d = -1;
  std::int32_t input = -1;
  double constant = 0;

  Call call() const { return static_cast<Call>(which); }
  Comparison comparison() const { return static_cast<Comparison>(which); }
  bool operator==(const Node&) const;
};

/// Arithmetic expressions with common subexpressions shared.
///
/// Every operation is built through the functions below, which look the result up before making it:
/// the same operation on the same operands is one node, whatever the order of commuting operands.
/// They also remove what derivative sweeps leave behind: products with 0, 1 and -1, sums with 0,
/// double signs, divisions by constants (a product with the reciprocal) and repeated divisions by
/// the same number (one reciprocal). Operands precede their users, so increasing Id is an order
/// of evaluation.
class ExpressionGraph {
 public:
  Id constant(double value);
  Id input(int index);
  Id add(Id a, Id b);
  Id subtract(Id a, Id b);
  Id multiply(Id a, Id b);
  Id divide(Id a, Id b);
  Id negate(Id a);
  Id power(Id a, Id b);
  Id call(Call function, Id a);
  /// (left cmp right) ? if_true : if_false.
  Id select(Comparison cmp, Id left, Id right, Id if_true, Id if_false);

  const Node& operator[](Id id) const { return nodes_[static_cast<std::size_t>(id)]; }
  Id size() const { return static_cast<Id>(nodes_.size()); }
  bool is_constant(Id id) const { return (*this)[id].op == Op::kConstant; }
  bool is_constant(Id id, double value) const {
    return is_constant(id) && (*this)[id].constant == value;
  }

  /// Builds `node` with the operands given instead of its own, in this graph.
  Id rebuild(const Node& node, Id a, Id b, Id c, Id d);

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };

  Id unique(const Node& node);
  Id binary(Op op, Id a, Id b) { return unique({.op = op, .a = a, .b = b}); }
  /// Whether it is p ? u : 0 or p ? 0 : v.
  bool is_half_select(Id id) const;
  /// Whether both are, with the same p.
  bool half_selects_alike(Id a, Id b) const;

  /// What must be known of a node to multiply it.
  struct Traits {
    /// It is zero where none of some selects wants it: a sum of halves on different conditions.
    bool vanishes = false;
    /// It can be infinite or NaN where its inputs are not.
    bool is_singular = false;
  };
  Traits traits_of(const Node& node) const;
  Traits traits(Id id) const { return traits_[static_cast<std::size_t>(id)]; }

  std::vector<Node> nodes_;
  std::vector<Traits> traits_;
  std::unordered_map<Node, Id, Hash> ids_;
};

/// Nodes of a graph as they are where some inputs are zero.
class AtZero {
 public:
  AtZero(ExpressionGraph& graph, const std::vector<int>& zero_inputs);

  /// The node, made in the same graph, that the given one becomes.
  Id operator()(Id id);

 private:
  ExpressionGraph& graph_;
  std::vector<Id> becomes_;  // for each node, or -1 where not yet asked for
};

/// Calls f(operand) for each operand of the node.
template <class F>
void for_each_operand(const Node& node, F&& f) {
  for (const Id operand : {node.a, node.b, node.c, node.d}) {
    if (operand >= 0) f(operand);
  }
}

/// What a kernel computes: outputs[k] is the node of result k.
struct Program {
  ExpressionGraph graph;
  std::vector<Id> outputs;
};

/// For each node, whether an output needs it.
std::vector<bool> needed(const Program& program);

/// Under which circumstances nodes are needed: always, or only where one condition has one outcome.
struct Needs {
  struct Condition {
    Comparison comparison;
    Id left, right;
  };
  /// -2: never, -1: always, 2k: where condition k holds, 2k+1: where it does not.
  enum : int { kNever = -2, kAlways = -1 };

  std::vector<Condition> conditions;
  std::vector<int> under;         ///< for each node
  std::vector<int> condition_of;  ///< for each needed select, the index of its condition; else -1
};

Needs needs(const Program& program);

/// The cost of the needed nodes in units of one addition, for choosing between equal programs.
double cost(const Program& program);

/// The same program without needless nodes, and with every select removed that is only ever reached
/// under a known outcome of its own condition, such as the safe argument of an unused branch.
Program simplified(const Program& program);

}  // namespace liegrad::ad
