#include "liegrad/ad/codegen/vector_form.hpp"

#include <algorithm>

namespace liegrad::ad {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Whether vector registers lack the operation.
bool is_library_call(const Node& x) {
  return x.op == Op::kPower ||
         (x.op == Op::kCall && x.call() != Call::kSqrt && x.call() != Call::kAbs);
}

}  // namespace

std::optional<VectorForm> vector_form(const Program& program) {
  const ExpressionGraph& graph = program.graph;

  // The side of each condition that is taken for granted: the one without calls.
  const Needs need = needs(program);
  std::vector<bool> calls_if_true(need.conditions.size()), calls_if_false(need.conditions.size());
  for (Id id = 0; id < graph.size(); ++id) {
    const int under = need.under[at(id)];
    if (under < 0 || !is_library_call(graph[id])) continue;
    (under % 2 == 0 ? calls_if_true : calls_if_false)[at(under / 2)] = true;
  }
  enum class Side { kBoth, kTrue, kFalse };
  const auto side = [&](Id id) {
    const int k = need.condition_of[at(id)];
    if (k < 0 || calls_if_true[at(k)] == calls_if_false[at(k)]) return Side::kBoth;
    return calls_if_true[at(k)] ? Side::kFalse : Side::kTrue;
  };

  // What is still needed then.
  std::vector<bool> is_needed(at(graph.size()), false);
  for (const Id output : program.outputs) is_needed[at(output)] = true;
  for (Id id = graph.size() - 1; id >= 0; --id) {
    if (!is_needed[at(id)]) continue;
    const Node& x = graph[id];
    if (is_library_call(x)) return std::nullopt;
    for_each_operand(x, [&](Id operand) {
      const bool dropped = (side(id) == Side::kTrue && operand == x.d) ||
                           (side(id) == Side::kFalse && operand == x.c);
      if (!dropped) is_needed[at(operand)] = true;
    });
  }

  VectorForm form;
  std::vector<Id> moved(at(graph.size()), -1);
  const auto to_new = [&](Id id) { return id < 0 ? id : moved[at(id)]; };
  for (Id id = 0; id < graph.size(); ++id) {
    if (!is_needed[at(id)]) continue;
    const Node& x = graph[id];
    if (side(id) == Side::kBoth) {
      moved[at(id)] =
          form.program.graph.rebuild(x, to_new(x.a), to_new(x.b), to_new(x.c), to_new(x.d));
      continue;
    }
    const bool outcome = side(id) == Side::kTrue;
    moved[at(id)] = to_new(outcome ? x.c : x.d);
    const VectorForm::Guard guard{x.comparison(), to_new(x.a), to_new(x.b), outcome};
    const bool known = std::any_of(form.guards.begin(), form.guards.end(), [&](const auto& other) {
      return other.comparison == guard.comparison && other.left == guard.left &&
             other.right == guard.right && other.outcome == guard.outcome;
    });
    if (!known) form.guards.push_back(guard);
  }
  for (const Id output : program.outputs) form.program.outputs.push_back(to_new(output));
  return form;
}

}  // namespace liegrad::ad
