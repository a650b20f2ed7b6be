#include "liegrad/sensitivity/differentiate.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/run/run_times.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/sensitivity/sensitivity.hpp"

namespace liegrad::sensitivity {

using Vector = std::vector<double>;

std::vector<std::string> DifferentiateOptions::problems(const Objective& objective) const {
  const dae::Model& system = objective.model();
  std::vector<std::string> list = integrate.problems(system);
  const auto require = [&list](bool holds, const std::string& sentence) {
    if (!holds) list.push_back(sentence);
  };
  require(objective.size() > 0, "the objective has no values; add an output or a function");
  const dae::RunTimes times(integrate.t_start, integrate.t_end);
  for (const Objective::Item& item : objective.items()) {
    const std::size_t wanted =
        item.times.size() * static_cast<std::size_t>(item.observable->num_data());
    require(item.when != When::kAtTime || item.data.size() == wanted,
            "'" + item.name + "' has " + std::to_string(item.data.size()) + " data; it needs " +
                std::to_string(wanted));
    const auto outside =
        std::ranges::find_if_not(item.times, [&](double t) { return times.contains(t); });
    if (outside == item.times.end()) continue;
    list.push_back("'" + item.name + "' is asked for at t = " + dae::number_text(*outside) +
                   ", outside of the run from " + dae::number_text(integrate.t_start) + " to " +
                   dae::number_text(integrate.t_end));
  }
  for (const std::string& name : variables.parameters) {
    try {
      system.parameter_index(name);
    } catch (const InvalidArgument& error) {
      list.push_back(error.what());
    }
  }
  require(!variables.controls || !system.controls().empty(),
          "'" + system.name() + "' has no controls to differentiate by");
  require(!variables.step || !integrate.resolved().adaptive,
          "adaptive steps have no length to differentiate by; use fixed ones");
  for (const dae::EventOptions& event : integrate.events) {
    require(!event.stop, "a run that stops at the event of '" + event.output +
                             "' cannot be differentiated; let it run to its end");
  }
  if (second_order) {
    require(second_order->weights.empty() || std::ssize(second_order->weights) == objective.size(),
            "the objective has " + std::to_string(objective.size()) + " values, and " +
                std::to_string(second_order->weights.size()) + " weights");
    for (std::size_t i = 0; i < second_order->weights.size(); ++i) {
      const double weight = second_order->weights[i];
      require(std::isfinite(weight), "weight " + std::to_string(i + 1) +
                                         " of second derivatives must be a finite number; it is " +
                                         dae::number_text(weight));
    }
    for (std::size_t i = 0; i < second_order->directions.size(); ++i) {
      const Vector& direction = second_order->directions[i];
      const auto wrong = std::find_if_not(direction.begin(), direction.end(),
                                          [](double number) { return std::isfinite(number); });
      if (wrong == direction.end()) continue;
      list.push_back("number " + std::to_string(wrong - direction.begin() + 1) + " of direction " +
                     std::to_string(i + 1) + " of second derivatives must be finite; it is " +
                     dae::number_text(*wrong));
    }
  }
  require(std::isfinite(difference_step) && difference_step > 0,
          "the step of differences must be positive; it is " + dae::number_text(difference_step));
  return list;
}

Derivatives differentiate(const Objective& objective, const DifferentiateOptions& options) {
  return Sensitivity(objective, options, dae::Runs::kOne).evaluate();
}

}  // namespace liegrad::sensitivity
