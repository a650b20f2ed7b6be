#include "liegrad/control/point_function.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {

using ad::Taped;
using dae::index;

namespace {

std::vector<Taped> one_number(std::vector<Taped> cost) {
  if (cost.size() == 1) return cost;
  throw InvalidArgument("a running cost returns " + std::to_string(cost.size()) +
                        " numbers; it is one number");
}

}  // namespace

PointFunctions::PointFunctions(const dae::Model& system)
    : system_(system), layout_(system), num_inputs_(layout_.size) {
  const lie::GroupList& space = system.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    view_offsets_.push_back(num_inputs_);
    num_inputs_ += dae::NodeView::size(space.group(i));
  }
}

/// Where functions are recorded does not matter, but rotations should be rotations.
std::vector<double> PointFunctions::record_point() const {
  std::vector<double> at(index(num_inputs_), 0.0);
  const std::vector<double> parameters = system_.parameter_values();
  std::copy(parameters.begin(), parameters.end(), at.begin() + layout_.parameters);
  sensitivity::set_views(system_.configuration_space(), system_.initial_configuration(),
                         view_offsets_, at);
  return at;
}

std::vector<Taped> PointFunctions::evaluate(const sensitivity::RecordedFunction& f, Tapes x) const {
  return f(snapshot(x), {});
}

sensitivity::Snapshot<Taped> PointFunctions::snapshot(Tapes x) const {
  const lie::GroupList& space = system_.configuration_space();
  const auto list = [&x](int first, int end) {
    return std::vector<Taped>(x.begin() + first, x.begin() + end);
  };
  std::vector<dae::Position<Taped>::Node> nodes;
  std::vector<dae::Motion<Taped>::Rates> rates;
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    const int first = space.dof_offset(i), end = first + group.dof();
    const std::size_t size = index(dae::NodeView::size(group));
    std::vector<Taped> moved(size);
    dae::NodeView::displaced<Taped>(group, x.subspan(index(view_offsets_[index(i)]), size),
                                    list(first, end), moved);
    nodes.push_back({group, std::move(moved)});
    rates.push_back({list(layout_.v + first, layout_.v + end),
                     list(layout_.v_dot + first, layout_.v_dot + end)});
  }
  const dae::Motion<Taped> motion(
      dae::Position<Taped>(std::move(nodes), list(layout_.parameters, layout_.controls),
                           list(layout_.controls, layout_.time), x[index(layout_.time)]),
      std::move(rates), list(layout_.lambda, layout_.s), list(layout_.s, layout_.parameters));
  return {system_, motion};
}

ad::Recording PointFunctions::at_point(const std::string& name,
                                       const sensitivity::RecordedFunction& f) const {
  return ad::record({.name = name, .variables = num_inputs_, .data = 0, .at = record_point()},
                    [&](Tapes all, Tapes) { return evaluate(f, all); });
}

ad::Recording PointFunctions::over_step(const std::string& name,
                                        const sensitivity::RecordedFunction& f) const {
  std::vector<double> at = record_point();
  const std::vector<double> one = at;
  at.insert(at.end(), one.begin(), one.end());
  at.insert(at.end(), {1.0, 1.0});
  const ad::RecordOptions options{
      .name = name, .variables = static_cast<int>(at.size()), .data = 0, .at = at};
  return ad::record(options, [&](Tapes all, Tapes) {
    const std::size_t size = index(num_inputs_);
    const Tapes start = all.first(size), end = all.subspan(size, size);
    const Taped h = all[2 * size] * all[2 * size + 1];
    std::vector<Taped> start_mid(start.begin(), start.end()), end_mid(end.begin(), end.end());
    for (std::size_t i = index(layout_.controls); i < index(layout_.time); ++i) {
      start_mid[i] = end_mid[i] = 0.5 * (start[i] + end[i]);
    }
    std::vector<Taped> sum = one_number(evaluate(f, start));
    sum[0] += 2.0 * (evaluate(f, start_mid)[0] + evaluate(f, end_mid)[0]) + evaluate(f, end)[0];
    sum[0] *= h / 6.0;
    return sum;
  });
}

ad::Recording PointFunctions::in_quadrature(const std::string& name,
                                            const sensitivity::RecordedFunction& f) const {
  std::vector<double> at = record_point();
  at.insert(at.end(), {1.0, 1.0, 1.0});
  const ad::RecordOptions options{
      .name = name, .variables = static_cast<int>(at.size()), .data = 0, .at = at};
  return ad::record(options, [&](Tapes all, Tapes) {
    const std::size_t size = index(num_inputs_);
    std::vector<Taped> value = one_number(evaluate(f, all.first(size)));
    value[0] *= all[size] * all[size + 1] * all[size + 2];
    return value;
  });
}

std::vector<int> PointFunctions::numbers(const sensitivity::MotionPlaces& places) const {
  std::vector<int> list = places.motion;
  const lie::GroupList& space = system_.configuration_space();
  for (int i = 0; i < space.size(); ++i) {
    for (int k = 0; k < dae::NodeView::size(space.group(i)); ++k) {
      list.push_back(places.views[index(i)] + k);
    }
  }
  return list;
}

bool PointFunctions::reads_time(const ad::Recording& function) const {
  const std::vector<int>& read = function.inputs_read();
  return std::any_of(read.begin(), read.end(), [this](int input) {
    return input == layout_.time || input == num_inputs_ + layout_.time;
  });
}

}  // namespace liegrad::control
