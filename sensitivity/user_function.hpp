#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "liegrad/ad/recording.hpp"
#include "liegrad/sensitivity/objective.hpp"
#include "liegrad/sensitivity/observe/observable.hpp"
#include "liegrad/sensitivity/trajectory/snapshot.hpp"

namespace liegrad::sensitivity {

/// A function of a snapshot, and of data that are not differentiated, in the scalar that the library records it with.
using RecordedFunction = std::function<std::vector<ad::Taped>(const Snapshot<ad::Taped>&,
                                                              std::span<const ad::Taped> data)>;
/// It is recorded with these data, and reads as many.
std::unique_ptr<Observable> recorded_function(const dae::Model& system, const RecordedFunction& f,
                                              std::span<const double> data = {});

/// A function of any scalar that returns an S or a range of S.
template <class F>
RecordedFunction as_recorded_function(const F& f) {
  return [f](const Snapshot<ad::Taped>& at, std::span<const ad::Taped> /*data*/) {
    const auto& result = f(at);
    if constexpr (requires { std::begin(result); }) {
      return std::vector<ad::Taped>(std::begin(result), std::end(result));
    } else {
      return std::vector<ad::Taped>{ad::Taped(result)};
    }
  };
}

/// Numbers that a user computes from a motion, written once for all scalars:
///
///     struct TipHeight {
///       template <class S>
///       S operator()(const Snapshot<S>& at) const {
///         const S zero(0);
///         return at.frame("top").point({zero, at.parameter("top.X2"), zero})(2);
///       }
///     };
///     std::unique_ptr<Observable> height = user_function(system, TipHeight{});
///
/// It returns an S or a range of S. It is called when the objective is made, to be recorded: what it reads is
/// decided then, and it must not compare scalars; use select_lt(). Throws InvalidArgument when it does, when
/// it returns no numbers, and for names that the system does not have. Values that are not finite pass
/// through.
template <class F>
std::unique_ptr<Observable> user_function(const dae::Model& system, const F& f) {
  return recorded_function(system, as_recorded_function(f));
}

template <class F>
struct UserFunctionOf {
  static std::unique_ptr<Observable> make(const dae::Model& system, const F& f) {
    return user_function(system, f);
  }
};

}  // namespace liegrad::sensitivity
