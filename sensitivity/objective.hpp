#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "liegrad/sensitivity/observe/observable.hpp"

namespace liegrad::sensitivity {

/// Defined in user_function.hpp.
template <class F>
struct UserFunctionOf;

/// Where along a trajectory an observable is read.
enum class When {
  kAtTime,    ///< at fixed times, between steps by the dense output of the group
  kAtEnd,     ///< at the end of the run, wherever that is
  kSum,       ///< at the start and at the end of every step, summed
  kIntegral,  ///< its integral over time by the trapezoidal rule
};

/// Numbers that a trajectory is judged by: outputs of the system by name, and functions that a user writes.
///
///     Objective objective(system);
///     objective.add_output("top.x[3]");             // at the end
///     objective.add_output("fixed_point.lambda[1]", 0.5);
///     objective.add_outputs({"top.x[1]", "top.x[2]", "top.x[3]"}, times);
///     objective.add_orientations("top", times, measured);
///     objective.add(Effort{}, When::kIntegral);     // a struct as in user_function.hpp
///
/// It is of the model as it is when the objective is made, and is refused when the System was edited since. Any number
/// of threads may use one objective that does not change any more.
class Objective {
 public:
  struct Item {
    std::string name;
    std::shared_ptr<const Observable> observable;
    When when = When::kAtEnd;
    std::vector<double> times = {};  ///< of kAtTime
    std::vector<double> data = {};   ///< Observable::num_data() numbers for each time
    int first_value =
        0;  ///< among those of the objective: all numbers at a time, then those at the next

    int size() const {
      const int count = when == When::kAtTime ? static_cast<int>(times.size()) : 1;
      return count * observable->size();
    }
  };

  explicit Objective(const dae::Model& model) : model_(model.shared()) {}

  /// A column of the outputs, "top.x[3]" or "top.x.3", at a time or at the end. Throws InvalidArgument for a
  /// name that does not exist, and for one that has no derivatives.
  void add_output(const std::string& column, std::optional<double> t = {});
  /// Several columns at many times.
  void add_outputs(const std::vector<std::string>& columns, const std::vector<double>& times);
  /// Rotation vectors log(R̂ᵀR) from the orientation R̂ of a node to measured ones R: unit quaternions (w, x, y, z), of
  /// either sign, one for each time.
  void add_orientations(const std::string& node, const std::vector<double>& times,
                        const std::vector<double>& quaternions);
  /// A function of the motion, see user_function.hpp, which is to be included; t is that of kAtTime.
  template <class F>
  void add(const F& f, When when, double t = 0) {
    static_assert(
        requires { sizeof(UserFunctionOf<F>); },
        "Objective::add() needs liegrad/sensitivity/user_function.hpp; include it");
    add_observable("function " + std::to_string(items_.size() + 1),
                   UserFunctionOf<F>::make(*model_, f), when, {t});
  }
  void add_observable(const std::string& name, std::shared_ptr<const Observable> observable,
                      When when, const std::vector<double>& times = {},
                      const std::vector<double>& data = {});

  /// Moves the times of an item, as many as it has. Throws InvalidArgument when these are more or fewer.
  void set_times(int item, std::span<const double> times);

  const dae::Model& model() const { return *model_; }
  const std::vector<Item>& items() const { return items_; }
  /// How many numbers.
  int size() const { return size_; }
  /// "top.x[3]", or "function 2[1]" of an item with several numbers, with "@t" where there are several times.
  std::string name(int value) const;

 private:
  std::shared_ptr<const dae::Model> model_;
  std::vector<Item> items_;
  int size_ = 0;
};

}  // namespace liegrad::sensitivity
