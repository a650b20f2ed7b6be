#include "reference/element_page.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "liegrad/models/file/element_catalogue.hpp"
#include "reference/markdown.hpp"

namespace liegrad::app {
namespace {

using models::ListedElement;
using models::ListedLaw;

std::string role_name(const dae::NodeSlot& slot) {
  switch (slot.role) {
    case dae::NodeRole::kRigidBody: return "body";
    case dae::NodeRole::kRotation: return "rotation";
    case dae::NodeRole::kCoordinates: return fmt::format("R^{}", slot.n);
    case dae::NodeRole::kPlanarBody: return "planar body";
    case dae::NodeRole::kFrame: return "frame";
    case dae::NodeRole::kPoint: return "point";
    case dae::NodeRole::kPlanarFrame: return "planar frame";
    case dae::NodeRole::kPlanarPoint: return "planar point";
  }
  return "";
}

bool is_of_frame(const dae::ParameterSpec& parameter, const dae::ElementShape& shape) {
  return std::any_of(shape.nodes.begin(), shape.nodes.end(), [&](const dae::NodeSlot& slot) {
    return !slot.frame.empty() && parameter.name.starts_with(slot.frame + ".");
  });
}

std::string attached_to(const dae::ElementShape& shape) {
  std::string text;
  for (const dae::NodeSlot& slot : shape.nodes) {
    text += (text.empty() ? "" : ", ") + role_name(slot);
    if (!slot.frame.empty()) text += " `" + slot.frame + "`";
  }
  return text;
}

std::string parameter_rows(const std::vector<dae::ParameterSpec>& parameters) {
  if (parameters.empty()) return "";
  std::string rows = "\n| parameter | default | unit | meaning |\n|---|---|---|---|\n";
  for (const dae::ParameterSpec& parameter : parameters) {
    rows += fmt::format("| `{}` | {:g} | {} | {} |\n", parameter.name, parameter.value,
                        parameter.unit, table_cell(parameter.meaning));
  }
  return rows;
}

std::string element_text(const ListedElement& element) {
  const dae::ElementShape& shape = element.shape;
  std::string facts = "`elements/" + element.header + "`, type `" + shape.type + "`, on " +
                      attached_to(shape) + ".";
  if (shape.constraints > 0) {
    facts += fmt::format(" Constraints: {}, with the output `lambda`.", shape.constraints);
  }
  if (!shape.controls.empty()) {
    std::string names;
    for (const std::string& name : shape.controls) {
      names += (names.empty() ? "`" : ", `") + name + "`";
    }
    facts += " Controls: " + names + ".";
  }
  std::string outputs;
  for (const dae::OutputSpec& output : shape.outputs) {
    outputs += (outputs.empty() ? " Outputs: `" : "; `") + output.name + "`" +
               (output.size > 1 ? fmt::format(" ({} numbers)", output.size) : "") +
               (output.meaning.empty() ? "" : ", " + output.meaning);
  }
  if (!outputs.empty()) facts += outputs + ".";
  std::vector<dae::ParameterSpec> own;
  for (const dae::ParameterSpec& parameter : shape.parameters) {
    if (!is_of_frame(parameter, shape)) own.push_back(parameter);
  }
  return "\n### " + element.name + "\n\n" + paragraph(facts) + "\n" + parameter_rows(own);
}

}  // namespace

std::string element_page() {
  std::string page =
      "# Parameters of the elements\n\n"
      "This page is written by `liegrad reference elements`, from the `shape()` of every element; "
      "a\n"
      "test compares both. [elements.md](elements.md) says what they do, and their signs.\n\n"
      "Frames and points, called a and b, have parameters too: `a.X1`, `a.X2`, `a.X3` (0 m) for "
      "the\n"
      "place in the body, frames also `a.e0` … `a.e3` (1, 0, 0, 0) for the orientation; a planar\n"
      "frame has `a.X1`, `a.X2` (0 m) and `a.d1`, `a.d2` (1, 0). They are not repeated below. An\n"
      "element `<Law>` has the parameters of its law, here those of `ConstantLaw`.\n";
  std::string folder;
  for (const ListedElement& element : models::listed_elements()) {
    const std::string own = element.header.substr(0, element.header.find('/'));
    if (own != folder) page += "\n## " + own + "\n";
    folder = own;
    page += element_text(element);
  }
  page +=
      "\n## Laws\n\nIn `elements/coordinates/laws.hpp`; u is the unit of the value. Tables of\n"
      "`elements/coordinates/table_law.hpp` have a parameter `y0`, `y1`, … for each knot.\n";
  for (const ListedLaw& law : models::listed_laws()) {
    page += "\n### " + law.name + "\n" + parameter_rows(law.parameters);
  }
  return page;
}

}  // namespace liegrad::app
