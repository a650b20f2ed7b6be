#include "liegrad/control/problem_functions.hpp"

#include <algorithm>

#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

bool elements_read_time(const dae::Model& system) {
  return std::any_of(system.kinds().begin(), system.kinds().end(), [](const auto& kind) {
    const std::vector<int>& read =
        kind->function_recording(dae::ElementFunction::kStep, {}).inputs_read();
    return std::find(read.begin(), read.end(), kind->inputs(dae::kDirectForm).time) != read.end();
  });
}

}  // namespace

ProblemFunctions::ProblemFunctions(const Problem& problem, const PointFunctions& points,
                                   bool has_stages) {
  for (const Problem::Function& f : problem.running_costs()) {
    running_costs.push_back(has_stages ? points.in_quadrature("running_cost", f)
                                       : points.over_step("running_cost", f));
  }
  for (const Problem::Function& f : problem.end_costs()) {
    end_costs.push_back(points.at_point("end_cost", f));
    if (end_costs.back().num_outputs() != 1) {
      throw InvalidArgument("problem '" + problem.name() + "': a cost of the end is one number");
    }
  }
  for (const Problem::Constraint& c : problem.path_constraints()) {
    path_constraints.push_back(points.at_point("path_constraint", c.function));
  }
  for (const Problem::Constraint& c : problem.end_constraints()) {
    end_constraints.push_back(points.at_point("end_constraint", c.function));
  }
  read_time = elements_read_time(problem.system());
  for (const auto* const list : {&running_costs, &end_costs, &path_constraints, &end_constraints}) {
    for (const ad::Recording& f : *list) read_time = read_time || points.reads_time(f);
  }
}

int ProblemFunctions::num_values(const std::vector<ad::Recording>& functions) {
  int count = 0;
  for (const ad::Recording& f : functions) count += f.num_outputs();
  return count;
}

}  // namespace liegrad::control
