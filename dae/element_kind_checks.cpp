// What is found out when an element is added: that its functions fit its shape, and that they read what the
// shape declares. A function whose name is misspelt is not there, but what it would have read is.

#include <algorithm>

#include "liegrad/dae/element_functions.hpp"
#include "liegrad/dae/element_kind.hpp"

namespace liegrad::dae {
namespace {

/// What else could be attached in the place of a node, on which forces and moments all have an effect.
lie::NodeGroup body_in_place_of(const NodeSlot& slot, const lie::NodeGroup& group) {
  switch (slot.role) {
    case NodeRole::kFrame:
    case NodeRole::kPoint: return is_rigid_body(group) ? group : lie::NodeGroup::so3xr3();
    case NodeRole::kPlanarFrame:
    case NodeRole::kPlanarPoint: return is_planar_body(group) ? group : lie::NodeGroup::se2();
    default: return group;
  }
}

}  // namespace

void ElementKind::check_functions() const {
  const std::string element = "an element of type '" + shape().type + "'";
  const auto check = [&element](bool has_function, int count, const std::string& name) {
    const std::string entry = " ." + name + " = " + std::to_string(count);
    if (count < 0) {
      throw InvalidArgument("the shape() of " + element + " says" + entry +
                            ", which must not be negative");
    }
    const std::string function = name == "constraints" ? "constraint()" : name + "()";
    if (has_function && count == 0) {
      throw InvalidArgument(element + " has a function " + function + ", but its shape() says" +
                            entry + "; say there how many numbers the function returns");
    }
    if (!has_function && count > 0) {
      throw InvalidArgument("the shape() of " + element + " says" + entry +
                            ", but it has no function " + function + "; is its name misspelt?");
    }
  };
  check(model_->has_constraint(), shape().constraints, "constraints");
  check(model_->has_algebraic(), shape().algebraic, "algebraic");
  check(shape().multipliers_read > 0, shape().multipliers_read, "multipliers_read");
  int num_outputs = 0;
  for (const OutputSpec& output : shape().outputs) {
    if (output.size < 1) {
      throw InvalidArgument("output '" + output.name + "' of " + element + " has " +
                            std::to_string(output.size) + " numbers; it needs at least one");
    }
    num_outputs += output.size;
  }
  check(model_->has_outputs(), num_outputs, "outputs");

  const std::string unread = unread_part();
  if (unread.empty()) return;
  std::vector<lie::NodeGroup> bodies;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    bodies.push_back(body_in_place_of(shape().nodes[k], groups_[k]));
  }
  if (bodies != groups_) {
    (void)ElementKind(model_, bodies);
    return;
  }
  throw InvalidArgument("no function of " + element + " reads " + unread +
                        "; take it out of shape(), or is the name of a function misspelt?");
}

std::string ElementKind::unread_part() const {
  const ElementInputs in = inputs({});
  std::vector<bool> is_read(static_cast<std::size_t>(in.num_inputs), false);
  for (const Function function : {Function::kStep, Function::kObservables}) {
    for (const int input : recording({function, {}, {}}).inputs_read()) {
      is_read[static_cast<std::size_t>(input)] = true;
    }
  }
  const auto reads = [&is_read](int first, int count) {
    const auto begin = is_read.begin() + first;
    return std::find(begin, begin + count, true) != begin + count;
  };
  for (std::size_t i = 0; i < shape().parameters.size(); ++i) {
    if (reads(in.parameters + static_cast<int>(i), 1)) continue;
    return "its parameter '" + shape().parameters[i].name + "'";
  }
  for (std::size_t i = 0; i < shape().controls.size(); ++i) {
    if (reads(in.controls + static_cast<int>(i), 1)) continue;
    return "its control '" + shape().controls[i] + "'";
  }
  for (int i = 0; i < shape().algebraic; ++i) {
    if (!reads(in.algebraic + i, 1)) return "its algebraic state " + std::to_string(i);
  }
  for (int i = 0; i < shape().multipliers_read; ++i) {
    const int multiplier = shape().constraints + i;
    if (!reads(in.multipliers + multiplier, 1)) return "multiplier " + std::to_string(multiplier);
  }
  int dof = 0;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const int count = groups_[k].dof(), first = std::exchange(dof, dof + count);
    if (count == 0) continue;
    if (reads(in.nodes[k].view, NodeView::size(groups_[k])) || reads(in.nodes[k].v, count) ||
        reads(in.nodes[k].v_dot, count) || adds_to_rows(first, count)) {
      continue;
    }
    return "node " + std::to_string(k) + ", counted from 0, or adds to its equations";
  }
  return {};
}

bool ElementKind::adds_to_rows(int first, int count) const {
  const ElementInputs in = inputs({});
  const ElementFunctions functions(*model_, groups_, in);
  bool adds = false;
  (void)ad::record(record_options(in), [&](std::span<const Taped> x, std::span<const Taped> data) {
    std::vector<Taped> all(x.begin(), x.end());
    all.insert(all.end(), data.begin(), data.end());
    std::vector<Taped> rows = functions.step(all, {});
    adds = std::any_of(rows.begin() + first, rows.begin() + first + count,
                       [](const Taped& row) { return !IdenticalZero(row); });
    return rows;
  });
  return adds;
}

}  // namespace liegrad::dae
