#include "liegrad/sensitivity/observe/measured_orientation.hpp"

#include <algorithm>
#include <array>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/sensitivity/observe/node_functions.hpp"
#include "liegrad/sensitivity/step/kernel_sum.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;

/// The same for all nodes and systems.
const std::shared_ptr<const LocalFunction>& residual_function() {
  // Never destroyed: what CppAD needs for that may go before.
  static const auto& function =
      *new std::shared_ptr<const LocalFunction>(std::make_shared<const LocalFunction>(
          orientation_recording(), ad::range(0, 3), ad::Backend::kCompiled));
  return function;
}

class MeasuredOrientation final : public Observable {
 public:
  MeasuredOrientation(const dae::Model& model, int node)
      : first_coefficient_(model.configuration_space().coeff_offset(node)),
        sum_(MotionLayout(model).size, 3) {
    const KernelSum::Local local = LocalFunction::term(residual_function());
    std::vector<int> numbers;
    for (const int input : local.inputs) numbers.push_back(input - 3);  // behind δ
    sum_.add_term(
        sum_.add_function(local), numbers,
        ad::range(MotionLayout(model).q + model.configuration_space().dof_offset(node), 3),
        ad::range(0, 3));
  }

  std::unique_ptr<Observable> clone() const override {
    return std::make_unique<MeasuredOrientation>(*this);
  }
  int size() const override { return 3; }
  bool reads_accelerations() const override { return false; }
  int num_data() const override { return 4; }
  void set_data(std::span<const double> data) override {
    std::copy_n(data.begin(), 4, numbers_.begin() + 4);
  }
  void set_parameters(std::span<const double> /*parameters*/) override {}
  void set_state(const dae::State& state, std::span<const double> /*controls*/) override {
    std::copy_n(state.q.begin() + first_coefficient_, 4, numbers_.begin());
    using Rotation = lie::SO3<double>;
    const auto rotation = [this](int first) {
      return Rotation::from_coeffs(Eigen::Map<const lie::Vec<double, 4>>(numbers_.data() + first));
    };
    const lie::Vec<double, 3> vector = (rotation(0).inverse() * rotation(4)).log();
    std::copy_n(vector.data(), 3, values_.begin());
  }
  std::span<const double> values() const override { return values_; }

  void tangent(int columns, std::span<const double> directions, std::span<double> values) override {
    sum_.tangent(numbers_, columns, directions, values);
  }
  void adjoint(std::span<const double> weights, std::span<double> gradient) override {
    sum_.adjoint(numbers_, 1, weights, gradient);
  }
  void second(std::span<const double> weights, std::span<const double> direction,
              std::span<double> gradient) override {
    sum_.second(numbers_, weights, direction, gradient);
  }

 private:
  int first_coefficient_;
  KernelSum sum_;                                             // of one term
  std::array<double, 8> numbers_ = {1, 0, 0, 0, 1, 0, 0, 0};  // both quaternions
  std::array<double, 3> values_ = {};
};

}  // namespace

std::unique_ptr<Observable> measured_orientation(const dae::Model& model, const std::string& node) {
  const int i = model.node_index(node);
  const lie::GroupKind kind = model.configuration_space().group(i).kind;
  if (kind != lie::GroupKind::kSO3 && kind != lie::GroupKind::kSO3xR3 &&
      kind != lie::GroupKind::kSE3) {
    throw InvalidArgument("system '" + model.name() + "': node '" + node +
                          "' has no orientation in space; name a rigid body or a rotation");
  }
  return std::make_unique<MeasuredOrientation>(model, i);
}

}  // namespace liegrad::sensitivity
