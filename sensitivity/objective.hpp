#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "liegrad/sensitivity/observable.hpp"
#include "liegrad/sensitivity/user_function.hpp"

namespace liegrad::sensitivity {

/// Where along a trajectory an observable is read.
enum class When {
  kAtTime,    ///< at a fixed time, between steps by the dense output of the group
  kAtEnd,     ///< at the end of the run, wherever that is
  kSum,       ///< at the start and at the end of every step, summed
  kIntegral,  ///< its integral over time by the trapezoidal rule
};

/// Numbers that a trajectory is judged by: outputs of the system by name, and functions that a user writes.
///
///     Objective objective(system);
///     objective.add_output("top.x[3]");             // at the end
///     objective.add_output("fixed_point.lambda[1]", 0.5);
///     objective.add(Effort{}, When::kIntegral);     // a struct as in user_function.hpp
///
/// The system must outlive it, and have all its nodes, elements and parameters before anything is added here;
/// values may change.
class Objective {
 public:
  struct Item {
    std::string name;
    std::shared_ptr<Observable> observable;
    When when = When::kAtEnd;
    double t = 0;                  ///< of kAtTime
    int first_value = 0;           ///< among those of the objective
    dae::Revision structure = {};  ///< of the system when the item was added
  };

  explicit Objective(const dae::System& system) : system_(&system) {}
  explicit Objective(const dae::System&& system) = delete;

  /// A column of the outputs, "top.x[3]" or "top.x.3", at a time or at the end. Throws InvalidArgument for a
  /// name that does not exist, and for one that has no derivatives.
  void add_output(const std::string& column, std::optional<double> t = {});
  /// A function of the motion, see user_function.hpp; t is that of kAtTime.
  template <class F>
  void add(const F& f, When when, double t = 0) {
    add_observable("function " + std::to_string(items_.size() + 1), user_function(*system_, f),
                   when, t);
  }
  void add_observable(const std::string& name, std::shared_ptr<Observable> observable, When when,
                      double t = 0);

  const dae::System& system() const { return *system_; }
  const std::vector<Item>& items() const { return items_; }
  /// How many numbers.
  int size() const { return size_; }
  /// "top.x[3]", or "function 2[1]" of an item with several numbers.
  std::string name(int value) const;

 private:
  const dae::System* system_;
  std::vector<Item> items_;
  int size_ = 0;
};

}  // namespace liegrad::sensitivity
