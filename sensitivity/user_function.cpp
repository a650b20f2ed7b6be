#include "liegrad/sensitivity/user_function.hpp"

#include <algorithm>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::index;
using Tapes = std::span<const Taped>;

/// The motion with q∘exp(δ) for variables as in MotionLayout and the coefficients of q.
dae::Motion<Taped> motion_of(const dae::Model& system, Tapes x, Tapes coeffs) {
  const MotionLayout layout(system);
  const lie::GroupList& space = system.configuration_space();
  const auto list = [&x](int first, int end) {
    return std::vector<Taped>(x.begin() + first, x.begin() + end);
  };
  std::vector<dae::Position<Taped>::Node> nodes;
  std::vector<dae::Motion<Taped>::Rates> rates;
  for (int i = 0; i < space.size(); ++i) {
    const lie::NodeGroup& group = space.group(i);
    const int first = space.dof_offset(i), end = first + group.dof();
    std::vector<Taped> view(index(dae::NodeView::size(group))), moved = view;
    dae::NodeView::of<Taped>(group, coeffs.subspan(index(space.coeff_offset(i))), view);
    dae::NodeView::displaced<Taped>(group, view, list(first, end), moved);
    nodes.push_back({group, std::move(moved)});
    rates.push_back(
        {list(layout.v + first, layout.v + end), list(layout.v_dot + first, layout.v_dot + end)});
  }
  return {dae::Position<Taped>(std::move(nodes), list(layout.parameters, layout.controls),
                               list(layout.controls, layout.time), x[index(layout.time)]),
          std::move(rates), list(layout.lambda, layout.s), list(layout.s, layout.parameters)};
}

/// The numbers that a recorded function reads: those of MotionLayout, with δ = 0, the coefficients of q, and data.
class Numbers {
 public:
  Numbers(const dae::Model& system, std::span<const double> data)
      : layout_(system),
        data_(layout_.size + system.configuration_space().num_coeffs()),
        numbers_(index(data_) + data.size(), 0.0) {
    set_data(data);
  }

  int first_data() const { return data_; }
  void set_data(std::span<const double> data) { put(data_, data); }

  void set_parameters(std::span<const double> parameters) { put(layout_.parameters, parameters); }
  void set(const dae::State& state, std::span<const double> controls) {
    put(layout_.v, state.v);
    put(layout_.v_dot, state.v_dot);
    put(layout_.lambda, state.lambda);
    put(layout_.s, state.s);
    put(layout_.controls, controls);
    numbers_[index(layout_.time)] = state.t;
    put(layout_.size, state.q);
  }
  const std::vector<double>& all() const { return numbers_; }

 private:
  void put(int first, std::span<const double> values) {
    std::copy(values.begin(), values.end(), numbers_.begin() + first);
  }

  MotionLayout layout_;
  int data_;
  std::vector<double> numbers_;
};

/// A function of those numbers that it reads, in their order.
struct Recorded {
  std::vector<int> read;
  ad::Recording recording;
};

Recorded recorded(const dae::Model& system, const RecordedFunction& f,
                  std::span<const double> its_data) {
  // Where it is recorded does not matter, but rotations should be rotations.
  dae::State start;
  start.q = system.initial_configuration();
  start.v = system.initial_velocity();
  Numbers at(system, its_data);
  at.set_parameters(system.parameter_values());
  at.set(start, {});
  const int num_variables = MotionLayout(system).size;
  const auto value = [&](Tapes all) {
    return f(Snapshot<Taped>(system, motion_of(system, all.first(index(num_variables)),
                                               all.subspan(index(num_variables)))),
             all.subspan(index(at.first_data())));
  };
  ad::RecordOptions options = {
      .name = "user function", .variables = static_cast<int>(at.all().size()), .at = at.all()};
  std::vector<int> read =
      ad::record(options, [&](Tapes all, Tapes) { return value(all); }).inputs_read();
  if (read.empty()) read.push_back(0);  // a constant; a recording has at least one input

  // Of a large system most functions read little, and what the others cost is saved.
  const auto is_variable = [num_variables](int number) { return number < num_variables; };
  options.variables = static_cast<int>(std::count_if(read.begin(), read.end(), is_variable));
  options.data = static_cast<int>(read.size()) - options.variables;
  options.at.clear();
  for (const int number : read) options.at.push_back(at.all()[index(number)]);
  const ad::Recording recording = ad::record(options, [&](Tapes x, Tapes data) {
    std::vector<Taped> all(at.all().begin(), at.all().end());
    for (std::size_t i = 0; i < read.size(); ++i) {
      all[index(read[i])] = i < x.size() ? x[i] : data[i - x.size()];
    }
    return value(all);
  });
  return {read, recording};
}

class UserFunction final : public Observable {
 public:
  UserFunction(const dae::Model& system, const Recorded& f, std::span<const double> data)
      : num_data_(static_cast<int>(data.size())),
        numbers_(system, data),
        read_(f.read),
        inputs_(f.read.size()),
        // δ comes first.
        function_(std::make_shared<const LocalFunction>(
            f.recording,
            ad::range(0,
                      static_cast<int>(std::lower_bound(read_.begin(), read_.end(), system.dof()) -
                                       read_.begin())),
            ad::Backend::kCompiled)),
        value_(&function_->kernel(ad::ResultKind::kValue)),
        sum_(MotionLayout(system).size, f.recording.num_outputs()),
        values_(index(f.recording.num_outputs()), 0.0) {
    numbers_.set_parameters(system.parameter_values());
    const MotionLayout layout(system);
    reads_accelerations_ = std::ranges::any_of(read_, [&layout](int number) {
      return number >= layout.v_dot && number < layout.parameters;
    });
    const KernelSum::Local local = LocalFunction::term(function_);
    std::vector<int> numbers;
    for (const int input : local.inputs) numbers.push_back(read_[index(input)]);
    sum_.add_term(sum_.add_function(local), numbers,
                  std::span(read_).first(index(local.num_arguments)),
                  ad::range(0, local.num_values));
  }

  std::unique_ptr<Observable> clone() const override {
    return std::make_unique<UserFunction>(*this);
  }
  int size() const override { return static_cast<int>(values_.size()); }
  bool reads_accelerations() const override { return reads_accelerations_; }
  int num_data() const override { return num_data_; }
  void set_data(std::span<const double> data) override { numbers_.set_data(data); }
  void set_parameters(std::span<const double> parameters) override {
    numbers_.set_parameters(parameters);
  }
  void set_state(const dae::State& state, std::span<const double> controls) override {
    numbers_.set(state, controls);
    for (std::size_t i = 0; i < read_.size(); ++i) inputs_[i] = numbers_.all()[index(read_[i])];
    (*value_)(inputs_, values_);
  }
  std::span<const double> values() const override { return values_; }

  void tangent(int columns, std::span<const double> directions, std::span<double> values) override {
    sum_.tangent(numbers_.all(), columns, directions, values);
  }
  void adjoint(std::span<const double> weights, std::span<double> gradient) override {
    sum_.adjoint(numbers_.all(), 1, weights, gradient);
  }
  void second(std::span<const double> weights, std::span<const double> direction,
              std::span<double> gradient) override {
    sum_.second(numbers_.all(), weights, direction, gradient);
  }

 private:
  int num_data_;
  bool reads_accelerations_ = false;
  Numbers numbers_;
  std::vector<int> read_;
  std::vector<double> inputs_;
  std::shared_ptr<const LocalFunction> function_;
  const ad::Kernel* value_;  // of that function
  KernelSum sum_;            // of one term
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<Observable> recorded_function(const dae::Model& system, const RecordedFunction& f,
                                              std::span<const double> data) {
  return std::make_unique<UserFunction>(system, recorded(system, f, data), data);
}

}  // namespace liegrad::sensitivity
