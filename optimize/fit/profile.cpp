#include "liegrad/optimize/fit/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/optimize/fit/engine.hpp"
#include "liegrad/optimize/fit/student_t.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One side of a profile, followed from the minimum outwards.
class Side {
 public:
  Side(FitEngine& engine, int unknown, const Eigen::VectorXd& minimum, double least_cost,
       double rise)
      : engine_(engine), unknown_(unknown), x_(minimum), least_(least_cost), rise_(rise) {}

  /// The value where the cost has risen; infinite when it does not.
  double follow(double step, std::vector<ProfilePoint>& points, bool& ends_at_bound) {
    const Unknowns::Unknown& unknown = engine_.unknowns().list()[index(unknown_)];
    const double minimum = x_(unknown_);
    double inside = minimum, inside_cost = 0, outside = 0, outside_cost = kInfinity;
    bool is_found = false;
    for (int i = 0; i < kMostSteps && !is_found; ++i, step *= 1.6) {
      const double value = std::clamp(minimum + step, unknown.lower, unknown.upper);
      const double cost = cost_at(value);
      if (std::isfinite(cost)) points.push_back({value, least_ + cost});
      if (cost >= rise_) {
        outside = value;
        outside_cost = cost;
        is_found = true;
      } else if (value == unknown.lower || value == unknown.upper) {
        ends_at_bound = true;
        return value;
      } else {
        inside = value;
        inside_cost = cost;
      }
    }
    if (!is_found) return outside_sign(step) * kInfinity;
    // The root of the cost is nearly linear in the value: regula falsi in it.
    for (int i = 0; i < 40; ++i) {
      const double a = std::sqrt(std::max(inside_cost, 0.0)), b = std::sqrt(outside_cost);
      double part = std::isfinite(b) ? (std::sqrt(rise_) - a) / (b - a) : 0.5;
      part = std::clamp(part, 0.05, 0.95);
      const double value = inside + part * (outside - inside);
      const double cost = cost_at(value);
      if (std::isfinite(cost)) points.push_back({value, least_ + cost});
      if (std::abs(cost - rise_) < 1e-7 * rise_) return value;
      if (std::abs(outside - inside) < 1e-10 * std::abs(value - minimum)) return value;
      (cost < rise_ ? inside : outside) = value;
      (cost < rise_ ? inside_cost : outside_cost) = cost;
    }
    return inside;
  }

 private:
  static constexpr int kMostSteps = 14;
  static double outside_sign(double step) { return step > 0 ? 1 : -1; }

  /// Above the least one; infinite where runs fail.
  double cost_at(double value) {
    Eigen::VectorXd x = x_;
    x(unknown_) = value;
    // Between the nodes of multiple shooting costs mean something only where pieces meet.
    if (!engine_.residuals().has_nodes()) {
      if (!std::isfinite(engine_.cost(x))) return kInfinity;
      if (engine_.unknowns().size() == 1) return engine_.cost(x) - least_;
    }
    const LeastSquaresSummary summary = engine_.minimise(x, {unknown_});
    if (!std::isfinite(summary.cost)) return kInfinity;
    x_ = x;
    return summary.cost - least_;
  }

  FitEngine& engine_;
  int unknown_;
  Eigen::VectorXd x_;
  double least_, rise_;
};

}  // namespace

Profile profile_of(const FitProblem& problem, const FitOptions& options, const FitResult& result,
                   const std::string& name) {
  FitEngine engine(problem, with_runs_of(result, options));
  const Estimate& estimate = result[name];
  Eigen::VectorXd x(engine.unknowns().size());
  int unknown = 0;
  for (int i = 0; i < x.size(); ++i) {
    x(i) = result.parameters[index(i)].value;
    if (result.parameters[index(i)].name == name) unknown = i;
  }
  bool noise_is_given = true;
  for (std::size_t k = 0; k < result.outputs.size(); ++k) {
    engine.noise()[k] = result.outputs[k].noise;
    noise_is_given = noise_is_given && result.outputs[k].noise_is_given;
  }
  const double freedom = result.num_residuals - result.rank;
  const double t = student_t_quantile(0.975, noise_is_given ? kInfinity : std::max(freedom, 1.0));
  const double rise = 0.5 * t * t;
  const double least = engine.residuals().has_nodes() ? engine.minimise(x).cost : engine.cost(x);

  Profile profile{name, {}, {}, {{x(unknown), least}}};
  double step = estimate.std;
  if (!std::isfinite(step) || !(step > 0)) step = 0.01 * std::max(std::abs(x(unknown)), 1e-3);
  bool low_ends = false, high_ends = false;
  profile.ci95.lower =
      Side(engine, unknown, x, least, rise).follow(-0.7 * step, profile.points, low_ends);
  profile.ci95.upper =
      Side(engine, unknown, x, least, rise).follow(0.7 * step, profile.points, high_ends);
  std::sort(profile.points.begin(), profile.points.end(),
            [](const ProfilePoint& a, const ProfilePoint& b) { return a.value < b.value; });
  const bool low = std::isfinite(profile.ci95.lower) && !low_ends;
  const bool high = std::isfinite(profile.ci95.upper) && !high_ends;
  profile.verdict = estimate.verdict == "at a bound" ? "at a bound"
                    : low && high                    ? "identifiable"
                    : low || high                    ? "one-sided"
                                                     : "flat";
  return profile;
}

}  // namespace liegrad::optimize
