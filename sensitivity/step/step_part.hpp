#pragma once

#include <functional>
#include <map>
#include <span>
#include <type_traits>
#include <utility>

#include "liegrad/ad/recording.hpp"
#include "liegrad/lie/error.hpp"
#include "liegrad/lie/se2.hpp"
#include "liegrad/lie/se3.hpp"

namespace liegrad::sensitivity {

/// Parts of a configuration space that move by themselves, see for_each_part().
enum class StepPart { kLinear, kSO3, kSE3, kSE2 };

/// That of a node that turns.
template <template <class> class G>
constexpr StepPart step_part_of() {
  if constexpr (std::is_same_v<G<double>, lie::SE3<double>>) return StepPart::kSE3;
  if constexpr (std::is_same_v<G<double>, lie::SE2<double>>) return StepPart::kSE2;
  return StepPart::kSO3;
}

constexpr int step_part_dof(StepPart part) {
  switch (part) {
    case StepPart::kLinear: return 1;
    case StepPart::kSO3:
    case StepPart::kSE2: return 3;
    case StepPart::kSE3: return 6;
  }
  return 0;
}

/// Calls f.template operator() of the group of a part that turns.
template <class F>
auto with_group_of(StepPart part, F&& f) {
  switch (part) {
    case StepPart::kLinear: break;
    case StepPart::kSO3: return f.template operator()<lie::SO3>();
    case StepPart::kSE3: return f.template operator()<lie::SE3>();
    case StepPart::kSE2: return f.template operator()<lie::SE2>();
  }
  throw InvalidArgument("a part of a configuration space that does not turn has no group");
}

/// θ = log(exp(-δ_a)∘exp(θ̄)∘exp(δ_b)), which leads from q̄_a∘exp(δ_a) to q̄_b∘exp(δ_b) where exp(θ̄) = q̄_a⁻¹∘q̄_b.
template <template <class> class G, class S>
typename G<S>::Tangent increment_between(const typename G<S>::Tangent& delta_a,
                                         const typename G<S>::Tangent& base,
                                         const typename G<S>::Tangent& delta_b) {
  return (G<S>::exp(-delta_a) * G<S>::exp(base) * G<S>::exp(delta_b)).log();
}

/// Takes the inputs of a recorded function one after the other.
struct TapeInputs {
  using Tapes = std::span<const ad::Taped>;
  Tapes rest;

  Tapes take(std::size_t count) {
    const Tapes part = rest.first(count);
    rest = rest.subspan(count);
    return part;
  }
  const ad::Taped& number() { return take(1)[0]; }
  template <template <class> class G>
  typename G<ad::Taped>::Tangent tangent() {
    using Tangent = typename G<ad::Taped>::Tangent;
    return Eigen::Map<const Tangent>(take(static_cast<std::size_t>(G<ad::Taped>::kDof)).data());
  }
};

/// The recordings of one function, each made when its part is first met.
class PartRecordings {
 public:
  explicit PartRecordings(std::function<ad::Recording(StepPart)> record)
      : record_(std::move(record)) {}

  const ad::Recording& operator[](StepPart part) {
    auto found = known_.find(part);
    if (found == known_.end()) found = known_.emplace(part, record_(part)).first;
    return found->second;
  }

 private:
  std::function<ad::Recording(StepPart)> record_;
  std::map<StepPart, ad::Recording> known_;
};

}  // namespace liegrad::sensitivity
