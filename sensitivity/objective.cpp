#include "liegrad/sensitivity/objective.hpp"

#include <utility>

#include "liegrad/sensitivity/named_outputs.hpp"

namespace liegrad::sensitivity {

void Objective::add_output(const std::string& column, std::optional<double> t) {
  add_observable(column, named_outputs(*system_, {column}), t ? When::kAtTime : When::kAtEnd,
                 t.value_or(0));
}

void Objective::add_observable(const std::string& name, std::shared_ptr<Observable> observable,
                               When when, double t) {
  const int count = observable->size();
  items_.push_back({name, std::move(observable), when, t, size_, system_->structure_revision()});
  size_ += count;
}

std::string Objective::name(int value) const {
  for (const Item& item : items_) {
    const int i = value - item.first_value, count = item.observable->size();
    if (i < 0 || i >= count) continue;
    return count == 1 ? item.name : item.name + "[" + std::to_string(i + 1) + "]";
  }
  return {};
}

}  // namespace liegrad::sensitivity
