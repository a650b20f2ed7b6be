// Compiled once, into the library and into the program that writes its kernels.

#include "liegrad/sensitivity/step/step_recordings.hpp"

#include <type_traits>

#include "liegrad/dae/alpha/local_motion.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/coordinate_maps.hpp"
#include "liegrad/sensitivity/check/taped_parameters.hpp"
#include "liegrad/sensitivity/step/local_function.hpp"

namespace liegrad::sensitivity {
namespace {

using ad::Taped;
using dae::AlphaVariant;
using dae::index;
using dae::SigmaForm;

/// The inputs of a part with d coordinates, as slices of d numbers; h and the method come last.
struct Slices {
  std::span<const Taped> x;
  std::size_t d;
  std::span<const Taped> operator[](std::size_t i) const { return x.subspan(i * d, d); }
};

template <template <class> class G>
typename G<Taped>::Tangent vector(std::span<const Taped> x) {
  return Eigen::Map<const typename G<Taped>::Tangent>(x.data());
}

/// Variables (δ_n, v_n, v̇_n, a_n, Δq, f, h) and data (θ, method) of a part.
ad::RecordOptions options_of(const std::string& name, int dof) {
  ad::RecordOptions options{
      .name = name, .variables = 6 * dof + 1, .data = dof + kNumMethodNumbers, .at = {}};
  options.at.assign(index(options.variables + options.data), 0.0);
  options.at[index(6 * dof)] = 1;
  // Any method will do; this one avoids divisions by zero.
  const std::size_t method = options.at.size() - kNumMethodNumbers;
  for (const std::size_t i : {1, 3}) options.at[method + i] = 0.5;
  for (const std::size_t i : {2, 4}) options.at[method + i] = 0.25;
  return options;
}

/// What Lie-group methods make of one part that turns; local_end is the end of an updated Lagrangian step.
template <template <class> class G, class Map, class Velocities>
ad::Recording record_turning(const std::string& name, const Velocities& velocities) {
  constexpr int kDof = G<double>::kDof;
  return ad::record(
      options_of(name, kDof), [&](std::span<const Taped> x, std::span<const Taped> data) {
        using Tangent = typename G<Taped>::Tangent;
        const Slices part{x, kDof};
        const Taped& h = x[6 * kDof];
        const TapedParameters method(data.subspan(kDof));
        const Tangent theta = h * vector<G>(part[4]), base = vector<G>(data.first(kDof));
        const Tangent moved =
            (Map::template to_group<G<Taped>>(base).inverse() * G<Taped>::exp(vector<G>(part[0])) *
             Map::template to_group<G<Taped>>(theta))
                .log();
        std::vector<Taped> result(moved.begin(), moved.end());
        velocities(part, h, theta, method, result);
        return result;
      });
}

template <template <class> class G>
void lie_group_velocities(SigmaForm form, const Slices& part, const Taped& h,
                          const typename G<Taped>::Tangent& theta, const TapedParameters& method,
                          std::vector<Taped>& result) {
  using Tangent = typename G<Taped>::Tangent;
  Tangent surplus;
  for (int i = 0; i < G<Taped>::kDof; ++i) {
    const std::size_t k = index(i);
    surplus(i) = dae::increment_surplus<Taped>(method, h, part[4][k], part[1][k], part[3][k]);
  }
  const Tangent v =
      dae::end_velocity<G, Taped>(form, method.velocity_factor(), method.sigma,
                                  dae::node_tangent<G, Taped>(theta), surplus, vector<G>(part[5]));
  std::vector<Taped> v_dot, a;
  for (std::size_t k = 0; k < index(G<Taped>::kDof); ++k) {
    a.push_back(dae::end_auxiliary<Taped>(method, h, v(static_cast<Eigen::Index>(k)), part[1][k],
                                          part[3][k]));
    v_dot.push_back(dae::end_acceleration<Taped>(method, a[k], part[2][k], part[3][k]));
  }
  result.insert(result.end(), v.begin(), v.end());
  result.insert(result.end(), v_dot.begin(), v_dot.end());
  result.insert(result.end(), a.begin(), a.end());
}

template <template <class> class G, class Map>
void local_velocities(const Slices& part, const Taped& h, const TapedParameters& method,
                      std::vector<Taped>& result) {
  const dae::LocalParameters<Taped> p{h, method.alpha_m, method.alpha_f, method.beta, method.gamma};
  const auto end = dae::end_of_local_step<G, Map, Taped>(p, vector<G>(part[4]), vector<G>(part[1]),
                                                         vector<G>(part[3]), vector<G>(part[2]));
  result.insert(result.end(), end.v.begin(), end.v.end());
  result.insert(result.end(), end.v_dot.begin(), end.v_dot.end());
  result.insert(result.end(), end.a.begin(), end.a.end());
}

/// A coordinate that commutes: T = I, and all methods are plain generalized-α.
ad::Recording record_linear() {
  return ad::record(
      options_of("step_r1", 1), [](std::span<const Taped> x, std::span<const Taped> data) {
        const TapedParameters method(data.subspan(1));
        const Taped& h = x[6];
        const Taped surplus = dae::increment_surplus<Taped>(method, h, x[4], x[1], x[3]);
        const Taped v = method.velocity_factor() * (surplus + x[5]);
        const Taped a = dae::end_auxiliary<Taped>(method, h, v, x[1], x[3]);
        return std::vector<Taped>{x[0] + h * x[4] - data[0], v,
                                  dae::end_acceleration<Taped>(method, a, x[2], x[3]), a};
      });
}

template <template <class> class G>
std::string group_name() {
  if constexpr (std::is_same_v<G<double>, lie::SE3<double>>) return "se3";
  if constexpr (std::is_same_v<G<double>, lie::SE2<double>>) return "se2";
  return "so3";
}

template <template <class> class G>
ad::Recording record_part(AlphaVariant variant, SigmaForm form) {
  using Exp = lie::ExponentialMap;
  const auto local = [](auto map) {
    return [](const Slices& part, const Taped& h, const auto& /*theta*/,
              const TapedParameters& method, std::vector<Taped>& result) {
      local_velocities<G, decltype(map)>(part, h, method, result);
    };
  };
  if (variant == AlphaVariant::kUpdatedLagrangianExp) {
    return record_turning<G, Exp>("local_step_" + group_name<G>(), local(Exp()));
  }
  if constexpr (std::is_same_v<G<double>, lie::SO3<double>>) {
    using Crv = lie::ConformalRotationVector;
    if (variant == AlphaVariant::kUpdatedLagrangianCrv) {
      return record_turning<G, Crv>("crv_step_so3", local(Crv()));
    }
  }
  return record_turning<G, Exp>("step_" + group_name<G>(),
                                [form](const Slices& part, const Taped& h, const auto& theta,
                                       const TapedParameters& method, std::vector<Taped>& result) {
                                  lie_group_velocities<G>(form, part, h, theta, method, result);
                                });
}

}  // namespace

ad::Recording step_recording(StepPart part, AlphaVariant variant, SigmaForm form) {
  switch (part) {
    case StepPart::kLinear: break;
    case StepPart::kSO3: return record_part<lie::SO3>(variant, form);
    case StepPart::kSE3: return record_part<lie::SE3>(variant, form);
    case StepPart::kSE2: return record_part<lie::SE2>(variant, form);
  }
  return record_linear();
}

int step_part_dof(StepPart part) {
  switch (part) {
    case StepPart::kLinear: return 1;
    case StepPart::kSO3:
    case StepPart::kSE2: return 3;
    case StepPart::kSE3: return 6;
  }
  return 0;
}

void list_step_kernels(ad::KernelList& list) {
  for (const StepPart part : {StepPart::kLinear, StepPart::kSO3, StepPart::kSE3, StepPart::kSE2}) {
    for (const SigmaForm form : {SigmaForm::kZero, SigmaForm::kOne, SigmaForm::kOther}) {
      if (part == StepPart::kLinear && form != SigmaForm::kZero) continue;
      const ad::Recording recording = step_recording(part, AlphaVariant::kLieGroup, form);
      const auto add = [&](ad::ResultKind product) {
        list.add(recording, product_spec(product, ad::range(0, step_part_dof(part))));
      };
      add(ad::ResultKind::kJacobianTimes);
      add(ad::ResultKind::kTransposeTimes);
      if (form == SigmaForm::kZero) add(ad::ResultKind::kHessianTimes);
    }
  }
}

}  // namespace liegrad::sensitivity
