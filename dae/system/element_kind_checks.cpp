// What is found out when an element is added: that its functions fit its shape, and that they read what the
// shape declares. A function whose name is misspelt is not there, but what it would have read is.

#include <algorithm>

#include "liegrad/dae/system/element_functions.hpp"
#include "liegrad/dae/system/element_kind.hpp"

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

/// The beginning "frame." of the names of all parameters of the frame that a parameter belongs to, or empty.
std::string frame_of(const ElementShape& shape, const std::string& parameter) {
  for (const NodeSlot& slot : shape.nodes) {
    if (!slot.frame.empty() && parameter.starts_with(slot.frame + ".")) return slot.frame + ".";
  }
  return {};
}

/// Which inputs some recordings read.
class InputsRead {
 public:
  explicit InputsRead(int num_inputs) : is_read_(static_cast<std::size_t>(num_inputs), false) {}
  void add(const ad::Recording& recording) {
    for (const int input : recording.inputs_read())
      is_read_[static_cast<std::size_t>(input)] = true;
  }
  bool any_of(int first, int count) const {
    const auto begin = is_read_.begin() + first;
    return std::find(begin, begin + count, true) != begin + count;
  }

 private:
  std::vector<bool> is_read_;
};

/// Of a frame a function may read a part, such as its origin; all else has to be read.
std::string unread_parameter(const ElementShape& shape, const ElementInputs& in,
                             const InputsRead& reads) {
  const auto reads_one_that = [&](const auto& fits) {
    for (std::size_t i = 0; i < shape.parameters.size(); ++i) {
      const int input = in.parameters + static_cast<int>(i);
      if (fits(shape.parameters[i].name) && reads.any_of(input, 1)) return true;
    }
    return false;
  };
  for (const ParameterSpec& parameter : shape.parameters) {
    const std::string frame = frame_of(shape, parameter.name);
    const bool is_read = reads_one_that([&](const std::string& name) {
      return frame.empty() ? name == parameter.name : name.starts_with(frame);
    });
    if (!is_read) return parameter.name;
  }
  return {};
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
}

/// Refuses a part of the shape that no function reads.
void ElementKind::check_inputs() const {
  const std::string element = "an element of type '" + shape().type + "'";
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
  InputsRead reads(in.num_inputs);
  for (const Function function : {Function::kStep, Function::kObservables}) {
    reads.add(recording({function, {}, {}}));
  }
  if (const std::string parameter = unread_parameter(shape(), in, reads); !parameter.empty()) {
    return "its parameter '" + parameter + "'";
  }
  for (std::size_t i = 0; i < shape().controls.size(); ++i) {
    if (reads.any_of(in.controls + static_cast<int>(i), 1)) continue;
    return "its control '" + shape().controls[i] + "'";
  }
  for (int i = 0; i < shape().algebraic; ++i) {
    if (!reads.any_of(in.algebraic + i, 1)) return "its algebraic state " + std::to_string(i);
  }
  // Of those of a joint it may need a part.
  const int others = shape().multipliers_read;
  if (others > 0 && !reads.any_of(in.multipliers + shape().constraints, others)) {
    return "the multipliers of other elements";
  }
  int dof = 0;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const int count = groups_[k].dof(), first = std::exchange(dof, dof + count);
    const ElementInputs::Node& node = in.nodes[k];
    if (count == 0 || reads.any_of(node.view, NodeView::size(groups_[k])) ||
        reads.any_of(node.v, count) || reads.any_of(node.v_dot, count) ||
        adds_to_rows(first, count)) {
      continue;
    }
    return "node " + std::to_string(k) + ", counted from 0, or adds to its equations";
  }
  return {};
}

bool ElementKind::adds_to_rows(int first, int count) const {
  const ElementInputs in = inputs({});
  const ElementFunctions functions(*this, in);
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
