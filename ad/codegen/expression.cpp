#include "liegrad/ad/codegen/expression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace liegrad::ad {
namespace {

bool holds(Comparison cmp, double left, double right) {
  switch (cmp) {
    case Comparison::kLt: return left < right;
    case Comparison::kLe: return left <= right;
    case Comparison::kEq: return left == right;
    case Comparison::kGe: return left >= right;
    case Comparison::kGt: return left > right;
    case Comparison::kNe: return left != right;
  }
  return false;
}

double evaluate(Call function, double x) {
  switch (function) {
    case Call::kAbs: return std::fabs(x);
    case Call::kAcos: return std::acos(x);
    case Call::kAcosh: return std::acosh(x);
    case Call::kAsin: return std::asin(x);
    case Call::kAsinh: return std::asinh(x);
    case Call::kAtan: return std::atan(x);
    case Call::kAtanh: return std::atanh(x);
    case Call::kCos: return std::cos(x);
    case Call::kCosh: return std::cosh(x);
    case Call::kErf: return std::erf(x);
    case Call::kErfc: return std::erfc(x);
    case Call::kExp: return std::exp(x);
    case Call::kExpm1: return std::expm1(x);
    case Call::kLog: return std::log(x);
    case Call::kLog1p: return std::log1p(x);
    case Call::kSign: return x > 0 ? 1 : x < 0 ? -1 : 0;
    case Call::kSin: return std::sin(x);
    case Call::kSinh: return std::sinh(x);
    case Call::kSqrt: return std::sqrt(x);
    case Call::kTan: return std::tan(x);
    case Call::kTanh: return std::tanh(x);
  }
  return x;
}

}  // namespace

bool Node::operator==(const Node& other) const {
  // Constants by their bits: NaN equals itself, 0 and -0 differ.
  return op == other.op && which == other.which && a == other.a && b == other.b && c == other.c &&
         d == other.d && input == other.input &&
         std::bit_cast<std::uint64_t>(constant) == std::bit_cast<std::uint64_t>(other.constant);
}

std::size_t ExpressionGraph::Hash::operator()(const Node& node) const {
  std::uint64_t hash = (std::uint64_t{static_cast<std::uint8_t>(node.op)} << 8) + node.which;
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;  // 2⁶⁴ over the golden ratio
    hash ^= hash >> 29;
  };
  for (const Id operand : {node.a, node.b, node.c, node.d, node.input}) {
    mix(static_cast<std::uint64_t>(operand));
  }
  mix(std::bit_cast<std::uint64_t>(node.constant));
  return hash;
}

Id ExpressionGraph::unique(const Node& node) {
  const auto [place, is_new] = ids_.try_emplace(node, size());
  if (is_new) {
    traits_.push_back(traits_of(node));
    nodes_.push_back(node);
  }
  return place->second;
}

ExpressionGraph::Traits ExpressionGraph::traits_of(const Node& node) const {
  const auto vanishes = [this](Id id) { return is_constant(id, 0) || traits(id).vanishes; };
  const bool a = node.a >= 0 && traits(node.a).is_singular;
  const bool b = node.b >= 0 && traits(node.b).is_singular;
  switch (node.op) {
    case Op::kConstant:
    case Op::kInput: return {};
    case Op::kAdd:
    case Op::kSubtract: return {vanishes(node.a) && vanishes(node.b), a || b};
    case Op::kMultiply: return {vanishes(node.a) || vanishes(node.b), a || b};
    case Op::kNegate: return {vanishes(node.a), a};
    case Op::kDivide:
    case Op::kPower: return {false, true};
    case Op::kCall:
      switch (node.call()) {
        case Call::kAcos:
        case Call::kAcosh:
        case Call::kAsin:
        case Call::kAtanh:
        case Call::kLog:
        case Call::kLog1p:
        case Call::kSqrt:
        case Call::kTan: return {false, true};
        default: return {false, a};
      }
    case Op::kSelect:
      return {vanishes(node.c) || vanishes(node.d),
              traits(node.c).is_singular || traits(node.d).is_singular};
  }
  return {};
}

Id ExpressionGraph::constant(double value) {
  // One zero: which sign it has is of no consequence to the results.
  return unique({.op = Op::kConstant, .constant = value == 0 ? 0.0 : value});
}

Id ExpressionGraph::input(int index) { return unique({.op = Op::kInput, .input = index}); }

bool ExpressionGraph::is_half_select(Id id) const {
  const Node& x = (*this)[id];
  return x.op == Op::kSelect && (is_constant(x.c, 0) || is_constant(x.d, 0));
}

bool ExpressionGraph::half_selects_alike(Id a, Id b) const {
  const Node &x = (*this)[a], &y = (*this)[b];
  return is_half_select(a) && is_half_select(b) && x.which == y.which && x.a == y.a && x.b == y.b;
}

Id ExpressionGraph::negate(Id a) {
  const Node x = (*this)[a];
  if (x.op == Op::kConstant) return constant(-x.constant);
  if (x.op == Op::kNegate) return x.a;
  if (x.op == Op::kSubtract) return subtract(x.b, x.a);
  if (x.op == Op::kMultiply && is_constant(x.a)) return multiply(negate(x.a), x.b);
  if (is_half_select(a)) return select(x.comparison(), x.a, x.b, negate(x.c), negate(x.d));
  return unique({.op = Op::kNegate, .a = a});
}

Id ExpressionGraph::add(Id a, Id b) {
  const Node x = (*this)[a], y = (*this)[b];
  if (is_constant(a) && is_constant(b)) return constant(x.constant + y.constant);
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (y.op == Op::kNegate) return subtract(a, y.a);
  if (x.op == Op::kNegate) return subtract(b, x.a);
  // (p ? u : 0) + (p ? 0 : v) is p ? u : v. Derivatives of a select come in such halves.
  if (half_selects_alike(a, b)) {
    return select(x.comparison(), x.a, x.b, add(x.c, y.c), add(x.d, y.d));
  }
  if (a > b) std::swap(a, b);
  return binary(Op::kAdd, a, b);
}

Id ExpressionGraph::subtract(Id a, Id b) {
  const Node x = (*this)[a], y = (*this)[b];
  if (is_constant(a) && is_constant(b)) return constant(x.constant - y.constant);
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return negate(b);
  if (y.op == Op::kNegate) return add(a, y.a);
  if (x.op == Op::kNegate) return negate(add(x.a, b));
  if (half_selects_alike(a, b)) {
    return select(x.comparison(), x.a, x.b, subtract(x.c, y.c), subtract(x.d, y.d));
  }
  // b - a, where it exists already, saves a subtraction.
  if (const auto found = ids_.find({.op = Op::kSubtract, .a = b, .b = a}); found != ids_.end()) {
    return unique({.op = Op::kNegate, .a = found->second});
  }
  return binary(Op::kSubtract, a, b);
}

Id ExpressionGraph::multiply(Id a, Id b) {
  // A constant comes first, otherwise the older node.
  if (is_constant(b) || (!is_constant(a) && a > b)) std::swap(a, b);
  const Node x = (*this)[a], y = (*this)[b];
  if (is_constant(a)) {
    if (is_constant(b)) return constant(x.constant * y.constant);
    if (x.constant == 0) return a;
    if (x.constant == 1) return b;
    if (x.constant == -1) return negate(b);
    if (y.op == Op::kNegate) return multiply(constant(-x.constant), y.a);
    if (y.op == Op::kMultiply && is_constant(y.a)) return multiply(multiply(a, y.a), y.b);
  }
  if (x.op == Op::kNegate) return negate(multiply(x.a, b));
  if (y.op == Op::kNegate) return negate(multiply(a, y.a));
  // (p ? u : 0) v is p ? u v : 0: the product is needed on one side only.
  for (const auto& [half, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (!is_half_select(half)) continue;
    const Node h = (*this)[half];
    return select(h.comparison(), h.a, h.b, multiply(h.c, other), multiply(h.d, other));
  }
  // Where no select wants a number, the other factor may be NaN and must not be seen, as in the
  // sweeps of CppAD (azmul).
  for (const auto& [sum, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (a == b || !traits(sum).vanishes || !traits(other).is_singular) continue;
    const Id zero = constant(0);
    return select(Comparison::kEq, sum, zero, zero, binary(Op::kMultiply, a, b));
  }
  return binary(Op::kMultiply, a, b);
}

Id ExpressionGraph::divide(Id a, Id b) {
  const Node x = (*this)[a], y = (*this)[b];
  if (is_constant(a) && is_constant(b)) return constant(x.constant / y.constant);
  if (is_constant(b)) return multiply(constant(1 / y.constant), a);
  if (is_constant(a, 0)) return a;
  if (y.op == Op::kNegate) return negate(divide(a, y.a));
  if (!is_constant(a, 1)) return multiply(a, divide(constant(1), b));
  return binary(Op::kDivide, a, b);
}

Id ExpressionGraph::power(Id a, Id b) {
  if (is_constant(b)) {
    const double exponent = (*this)[b].constant;
    if (is_constant(a)) return constant(std::pow((*this)[a].constant, exponent));
    if (exponent == 0) return constant(1);
    if (exponent == 1) return a;
    if (exponent == 2) return multiply(a, a);
    if (exponent == 3) return multiply(a, multiply(a, a));
    if (exponent == -1) return divide(constant(1), a);
  }
  return binary(Op::kPower, a, b);
}

Id ExpressionGraph::call(Call function, Id a) {
  if (is_constant(a)) return constant(evaluate(function, (*this)[a].constant));
  return unique({.op = Op::kCall, .which = static_cast<std::uint8_t>(function), .a = a});
}

Id ExpressionGraph::select(Comparison cmp, Id left, Id right, Id if_true, Id if_false) {
  if (is_constant(left) && is_constant(right)) {
    return holds(cmp, (*this)[left].constant, (*this)[right].constant) ? if_true : if_false;
  }
  // A select on the same condition inside a branch has a known outcome there.
  const auto settled = [&](Id branch, bool outcome) {
    const Node& x = (*this)[branch];
    const bool same = x.op == Op::kSelect && x.comparison() == cmp && x.a == left && x.b == right;
    return !same ? branch : outcome ? x.c : x.d;
  };
  if_true = settled(if_true, true);
  if_false = settled(if_false, false);
  if (if_true == if_false) return if_true;
  return unique({.op = Op::kSelect,
                 .which = static_cast<std::uint8_t>(cmp),
                 .a = left,
                 .b = right,
                 .c = if_true,
                 .d = if_false});
}

Id ExpressionGraph::rebuild(const Node& node, Id a, Id b, Id c, Id d) {
  switch (node.op) {
    case Op::kConstant: return constant(node.constant);
    case Op::kInput: return input(node.input);
    case Op::kAdd: return add(a, b);
    case Op::kSubtract: return subtract(a, b);
    case Op::kMultiply: return multiply(a, b);
    case Op::kDivide: return divide(a, b);
    case Op::kNegate: return negate(a);
    case Op::kPower: return power(a, b);
    case Op::kCall: return call(node.call(), a);
    case Op::kSelect: return select(node.comparison(), a, b, c, d);
  }
  return -1;
}

AtZero::AtZero(ExpressionGraph& graph, const std::vector<int>& zero_inputs) : graph_(graph) {
  for (const int input : zero_inputs) {
    const Id id = graph_.input(input);
    becomes_.resize(std::max(becomes_.size(), static_cast<std::size_t>(id) + 1), -1);
    becomes_[static_cast<std::size_t>(id)] = graph_.constant(0);
  }
}

Id AtZero::operator()(Id id) {
  becomes_.resize(static_cast<std::size_t>(graph_.size()), -1);
  // Operands first, with an explicit stack: expressions can be as deep as they are long.
  std::vector<Id> pending = {id};
  while (!pending.empty()) {
    const Id here = pending.back();
    if (becomes_[static_cast<std::size_t>(here)] >= 0) {
      pending.pop_back();
      continue;
    }
    const Node x = graph_[here];
    bool ready = true;
    for_each_operand(x, [&](Id operand) {
      if (becomes_[static_cast<std::size_t>(operand)] < 0) {
        pending.push_back(operand);
        ready = false;
      }
    });
    if (!ready) continue;
    const auto to = [&](Id operand) {
      return operand < 0 ? operand : becomes_[static_cast<std::size_t>(operand)];
    };
    becomes_[static_cast<std::size_t>(here)] =
        graph_.rebuild(x, to(x.a), to(x.b), to(x.c), to(x.d));
    pending.pop_back();
  }
  return becomes_[static_cast<std::size_t>(id)];
}

std::vector<bool> needed(const Program& program) {
  std::vector<bool> result(static_cast<std::size_t>(program.graph.size()), false);
  for (const Id output : program.outputs) result[static_cast<std::size_t>(output)] = true;
  for (Id id = program.graph.size() - 1; id >= 0; --id) {
    if (!result[static_cast<std::size_t>(id)]) continue;
    for_each_operand(program.graph[id],
                     [&](Id operand) { result[static_cast<std::size_t>(operand)] = true; });
  }
  return result;
}

double cost(const Program& program) {
  const std::vector<bool> is_needed = needed(program);
  double sum = 0;
  for (Id id = 0; id < program.graph.size(); ++id) {
    if (!is_needed[static_cast<std::size_t>(id)]) continue;
    switch (program.graph[id].op) {
      case Op::kConstant:
      case Op::kInput: break;
      case Op::kDivide: sum += 8; break;
      case Op::kPower:
      case Op::kCall: sum += 30; break;
      default: sum += 1;
    }
  }
  return sum;
}

Needs needs(const Program& program) {
  const ExpressionGraph& graph = program.graph;
  const auto count = static_cast<std::size_t>(graph.size());
  Needs result;
  result.under.assign(count, Needs::kNever);
  result.condition_of.assign(count, -1);
  std::map<std::tuple<std::uint8_t, Id, Id>, int> known;
  const auto condition_of = [&](const Node& x) {
    const auto [place, is_new] =
        known.try_emplace({x.which, x.a, x.b}, static_cast<int>(result.conditions.size()));
    if (is_new) result.conditions.push_back({x.comparison(), x.a, x.b});
    return place->second;
  };
  const auto use = [&](Id id, int under) {
    int& current = result.under[static_cast<std::size_t>(id)];
    if (current == Needs::kNever) {
      current = under;
    } else if (current != under) {
      current = Needs::kAlways;
    }
  };
  // Users come after their operands, so one pass from the end sees all uses of a node in time.
  for (const Id output : program.outputs) use(output, Needs::kAlways);
  for (Id id = graph.size() - 1; id >= 0; --id) {
    const int under = result.under[static_cast<std::size_t>(id)];
    if (under == Needs::kNever) continue;
    const Node& x = graph[id];
    if (x.op != Op::kSelect) {
      for_each_operand(x, [&](Id operand) { use(operand, under); });
      continue;
    }
    const int k = condition_of(x);
    result.condition_of[static_cast<std::size_t>(id)] = k;
    if (under >= 0 && under / 2 == k) {
      use(under % 2 == 0 ? x.c : x.d, under);  // the outcome is known here
    } else {
      use(x.a, under);
      use(x.b, under);
      use(x.c, under == Needs::kAlways ? 2 * k : under);
      use(x.d, under == Needs::kAlways ? 2 * k + 1 : under);
    }
  }
  return result;
}

Program simplified(const Program& program) {
  const ExpressionGraph& graph = program.graph;
  const Needs need = needs(program);
  Program result;
  std::vector<Id> moved(static_cast<std::size_t>(graph.size()), -1);
  const auto to_new = [&](Id id) { return id < 0 ? id : moved[static_cast<std::size_t>(id)]; };
  for (Id id = 0; id < graph.size(); ++id) {
    const int under = need.under[static_cast<std::size_t>(id)];
    if (under == Needs::kNever) continue;
    const Node& x = graph[id];
    // A select with a known outcome becomes that branch.
    const bool known = under >= 0 && under / 2 == need.condition_of[static_cast<std::size_t>(id)];
    moved[static_cast<std::size_t>(id)] =
        known ? to_new(under % 2 == 0 ? x.c : x.d)
              : result.graph.rebuild(x, to_new(x.a), to_new(x.b), to_new(x.c), to_new(x.d));
  }
  for (const Id output : program.outputs) result.outputs.push_back(to_new(output));
  return result;
}

}  // namespace liegrad::ad
