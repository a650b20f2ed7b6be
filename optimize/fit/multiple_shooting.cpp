#include "liegrad/optimize/fit/multiple_shooting.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include <Eigen/QR>

#include "liegrad/dae/numbers.hpp"
#include "liegrad/dae/outputs.hpp"
#include "liegrad/dae/text.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/optimize/fit/findings.hpp"
#include "liegrad/optimize/fit/statistics.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using Eigen::Index;
using lie::SO3;
using Vec3 = lie::Vec<double, 3>;
using Vec4 = lie::Vec<double, 4>;
using Clock = std::chrono::steady_clock;

/// Trials cut at samples into segments whose runs meet; a sample at a node belongs to the segment that ends there.
struct Segments {
  FitProblem problem;
  std::vector<int> trial_of;  ///< by segment

  bool is_first(int segment) const {
    return segment == 0 || trial_of[index(segment)] != trial_of[index(segment - 1)];
  }
};

std::vector<double> node_times(const Recording& trial, double length) {
  std::vector<double> times;
  for (const Series& series : trial.series) {
    times.insert(times.end(), series.times.begin(), series.times.end());
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const double first = times.front(), last = times.back();
  const double wanted = length > 0 ? length : (last - first) / 20;
  std::vector<double> nodes = {first};
  for (const double t : times) {
    if (t >= nodes.back() + (1 - 1e-9) * wanted && last - t >= 0.5 * wanted) nodes.push_back(t);
  }
  nodes.push_back(last);
  return nodes;
}

Segments segments_of(const FitProblem& problem, const Unknowns& unknowns, double length) {
  Segments result{problem, {}};
  FitProblem& cut = result.problem;
  cut.trials.clear();
  cut.free.clear();
  cut.per_trial.clear();
  for (const Unknowns::Unknown& unknown : unknowns.list()) {
    if (unknown.trial > 0) continue;
    const bool is_parameter = std::find(problem.free.begin(), problem.free.end(),
                                        unknown.plain_name) != problem.free.end() ||
                              std::find(problem.per_trial.begin(), problem.per_trial.end(),
                                        unknown.plain_name) != problem.per_trial.end();
    if (unknown.is_initial_value) {
      cut.per_trial.push_back(unknown.plain_name);
      if (unknown.prior) {
        throw InvalidArgument("multiple shooting has no priors of initial values; '" +
                              unknown.name + "' has one");
      }
    } else if (unknown.trial == 0) {
      throw InvalidArgument(
          "multiple shooting has unknowns of single trials for initial values "
          "only; '" +
          unknown.plain_name + "' is none");
    } else if (is_parameter) {
      cut.free.push_back(unknown.plain_name);
    }
  }
  if (cut.per_trial.empty()) {
    throw InvalidArgument(
        "multiple shooting needs unknown initial values, with which segments start; name the "
        "parameters of all initial values as unknowns");
  }
  for (std::size_t k = 0; k < problem.trials.size(); ++k) {
    const Recording& trial = problem.trials[k];
    const std::vector<double> nodes = node_times(trial, length);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
      const double from = i == 0 ? nodes[0] : std::nextafter(nodes[i], nodes[i + 1]);
      Recording part = window_of(trial, from, nodes[i + 1]);
      part.name = trial.name + "[" + std::to_string(i + 1) + "]";
      part.run_start = nodes[i];
      part.run_end = nodes[i + 1];
      cut.trials.push_back(part);
      result.trial_of.push_back(static_cast<int>(k));
    }
  }
  // Starts and bounds of single trials are those of their first segments.
  for (auto* settings : {&cut.start, &cut.lower, &cut.upper}) {
    for (auto i = settings->begin(); i != settings->end();) {
      const std::size_t at = i->first.rfind('@');
      i = at == std::string::npos ? std::next(i) : settings->erase(i);
    }
  }
  for (const std::string& name : cut.per_trial) cut.start.erase(name);
  return result;
}

/// Outputs that hold the whole state of a system: configuration and velocity of all nodes.
std::vector<Series> state_series(const dae::System& system) {
  std::vector<Series> list;
  const dae::Outputs outputs(system);
  for (const dae::Node& node : system.nodes()) {
    for (const char* what : {".x", ".q", ".theta", ".omega", ".u", ".c"}) {
      const std::string name = node.name + what;
      for (const dae::OutputSpec& spec : outputs.list()) {
        if (spec.name != name) continue;
        const bool is_whole = spec.size == 1 || std::string(what) == ".q";
        for (int i = 1; i <= (is_whole ? 1 : spec.size); ++i) {
          list.push_back(series_of(system, name, is_whole ? 0 : i));
        }
        break;
      }
    }
  }
  return list;
}

/// The state at both ends of the run of a segment, with derivatives by its local unknowns.
struct EndStates {
  Prediction prediction;
  Eigen::MatrixXd jacobian;  ///< by local unknowns
};

class MultipleShooting {
 public:
  MultipleShooting(const Segments& segments, const FitOptions& options,
                   const MultipleShootingOptions& shooting)
      : segments_(segments), shooting_(shooting), engine_(segments.problem, options) {
    states_ = state_series(segments.problem.system);
    for (const Recording& segment : segments.problem.trials) {
      Recording ends{segment.name, states_, segment.run_start, segment.run_end};
      for (Series& series : ends.series) {
        series.times = {*segment.run_start, *segment.run_end};
        series.values.assign(index(2 * series.width()), 0.0);
      }
      end_trials_.emplace_back(segments.problem.system, ends, engine_.unknowns().parameters(),
                               options.run, engine_.mode(), Trial::Margins{});
    }
    for (const Series& series : states_) gap_size_ += series.residual_size();
  }

  FitEngine& engine() { return engine_; }

  /// Cost and gaps; false where a run fails.
  bool evaluate(const Eigen::VectorXd& x, double& cost, Eigen::VectorXd& gaps) {
    cost = engine_.cost(x);
    if (!std::isfinite(cost)) return false;
    try {
      Eigen::MatrixXd none;
      find_gaps(x, false, gaps, none);
    } catch (const Error&) {
      return false;
    }
    return gaps.allFinite();
  }

  /// One quadratic programme: the step, the null space of the conditions and their multipliers.
  struct Step {
    Eigen::VectorXd direction, gaps, multipliers;
    Eigen::MatrixXd null_space, jacobian;
    double cost = 0;
  };
  Step solve(const Eigen::VectorXd& x) {
    const Unknowns& unknowns = engine_.unknowns();
    Step step;
    Eigen::MatrixXd conditions;
    find_gaps(x, true, step.gaps, conditions);
    Eigen::VectorXd residuals;
    find_residuals(x, residuals, step.jacobian);
    step.cost = 0.5 * residuals.squaredNorm();
    // Columns of one size, or metres and seconds would decide what is small.
    Eigen::VectorXd scale = step.jacobian.colwise().norm();
    for (double& length : scale) length = length > 0 ? length : 1;
    const Eigen::VectorXd inverse = scale.cwiseInverse();
    const Eigen::MatrixXd scaled_conditions = conditions * inverse.asDiagonal();
    const Eigen::MatrixXd scaled_jacobian = step.jacobian * inverse.asDiagonal();
    // Conditions repeat each other, since states have constraints: those that are independent count.
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled_conditions.transpose());
    qr.setThreshold(1e-9);
    const Index rank = qr.rank(), size = unknowns.size();
    const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(size, size);
    const Eigen::MatrixXd range = q.leftCols(rank);
    const Eigen::MatrixXd rest = q.rightCols(size - rank);
    // R1ᵀ y = -P1ᵀ c for the independent rows of the conditions.
    const Eigen::VectorXd permuted = qr.colsPermutation().transpose() * step.gaps;
    const auto r1 = qr.matrixR().topLeftCorner(rank, rank).template triangularView<Eigen::Upper>();
    const Eigen::VectorXd y = r1.transpose().solve(-permuted.head(rank));
    const Eigen::VectorXd to_conditions = range * y;
    const Eigen::VectorXd left = residuals + scaled_jacobian * to_conditions;
    const Eigen::MatrixXd reduced = scaled_jacobian * rest;
    const Eigen::VectorXd z = -reduced.completeOrthogonalDecomposition().solve(left);
    const Eigen::VectorXd scaled_step = to_conditions + rest * z;
    step.direction = inverse.asDiagonal() * scaled_step;
    step.null_space = inverse.asDiagonal() * rest;
    const Eigen::VectorXd gradient =
        scaled_jacobian.transpose() * (residuals + scaled_jacobian * scaled_step);
    step.multipliers = r1.solve(-(range.transpose() * gradient));
    return step;
  }

  /// Gauss–Newton steps until they and the gaps are small.
  bool run(Eigen::VectorXd& x, int& iterations, std::string& message, bool& was_stopped) {
    double penalty = 0;
    for (int i = 0; i < shooting_.max_iterations; ++i) {
      const Step step = solve(x);
      iterations += 1;
      const double gap = step.gaps.size() > 0 ? step.gaps.lpNorm<Eigen::Infinity>() : 0;
      const double length = (step.jacobian * step.direction).norm();
      if (const auto& observe = engine_.options().solver.on_iteration) {
        if (!observe({i, step.cost, length, gap, 0, true}, x)) {
          was_stopped = true;
          message = "stopped before it converged";
          return false;
        }
      }
      // In units of the noise: a step of 1e-6 of a standard deviation changes nothing.
      if (gap <= shooting_.gap_tolerance && length < 1e-5 * std::sqrt(1 + 2 * step.cost)) {
        message = "converged";
        return true;
      }
      penalty = std::max(penalty, 2 * step.multipliers.lpNorm<Eigen::Infinity>());
      if (!advance(step, penalty, x)) {
        message = gap <= shooting_.gap_tolerance
                      ? "converged"
                      : "steps became too short, with gaps of " + dae::number_text(gap) +
                            " left between segments";
        return gap <= shooting_.gap_tolerance;
      }
    }
    message = "the largest number of iterations was reached";
    return false;
  }

  double largest_gap(const Eigen::VectorXd& x) {
    Eigen::VectorXd gaps;
    Eigen::MatrixXd none;
    find_gaps(x, false, gaps, none);
    return gaps.size() > 0 ? gaps.lpNorm<Eigen::Infinity>() : 0;
  }

 private:
  /// Halves the step until cost + penalty·Σ|gaps| falls.
  bool advance(const Step& step, double penalty, Eigen::VectorXd& x) {
    const double before = step.cost + penalty * step.gaps.lpNorm<1>();
    const Eigen::VectorXd lower = engine_.unknowns().lower(), upper = engine_.unknowns().upper();
    for (double part = 1; part > 1e-6; part *= 0.5) {
      const Eigen::VectorXd next = (x + part * step.direction).cwiseMax(lower).cwiseMin(upper);
      double cost = 0;
      Eigen::VectorXd gaps;
      if (!evaluate(next, cost, gaps)) continue;
      const double after = cost + penalty * gaps.lpNorm<1>();
      if (after < before + 1e-12 * std::abs(before) ||
          (step.gaps.lpNorm<Eigen::Infinity>() < 1e-6 && after < before * (1 + 1e-9))) {
        x = next;
        return true;
      }
    }
    return false;
  }

  void find_residuals(const Eigen::VectorXd& x, Eigen::VectorXd& residuals,
                      Eigen::MatrixXd& jacobian) {
    const Unknowns& unknowns = engine_.unknowns();
    Index rows = engine_.residuals().num_residuals();
    for (const Unknowns::Unknown& one : unknowns.list()) rows += one.prior ? 1 : 0;
    residuals.resize(rows);
    jacobian = Eigen::MatrixXd::Zero(rows, unknowns.size());
    Index row = 0;
    for (int segment = 0; segment < unknowns.num_trials(); ++segment) {
      const TrialResiduals one = engine_.weighted(segment, x, true);
      residuals.segment(row, one.values.size()) = one.values;
      for (int j = 0; j < unknowns.num_local(segment); ++j) {
        jacobian.col(unknowns.global(segment, j)).segment(row, one.values.size()) =
            one.jacobian.col(j);
      }
      row += one.values.size();
    }
    for (int i = 0; i < unknowns.size(); ++i) {
      const auto& prior = unknowns.list()[index(i)].prior;
      if (!prior) continue;
      residuals(row) = (x(i) - prior->value) / prior->std;
      jacobian(row++, i) = 1 / prior->std;
    }
  }

  void find_ends(int segment, const Eigen::VectorXd& x, bool with_jacobian, EndStates& ends) {
    const Unknowns& unknowns = engine_.unknowns();
    const Eigen::VectorXd local = unknowns.local(segment, x);
    const std::vector<double> delays(states_.size(), 0.0);
    end_trials_[index(segment)].predict(unknowns.parameter_values(segment, local), delays,
                                        {with_jacobian, false}, ends.prediction);
    if (with_jacobian) {
      ends.jacobian = ends.prediction.jacobian * unknowns.parameter_map(segment);
    }
  }

  /// End of each segment to the start of the next, log(end⁻¹ start) of orientations.
  void find_gaps(const Eigen::VectorXd& x, bool with_jacobian, Eigen::VectorXd& gaps,
                 Eigen::MatrixXd& conditions) {
    const Unknowns& unknowns = engine_.unknowns();
    int count = 0;
    for (int k = 0; k < unknowns.num_trials(); ++k) count += segments_.is_first(k) ? 0 : 1;
    gaps.resize(count * gap_size_);
    if (with_jacobian) conditions = Eigen::MatrixXd::Zero(gaps.size(), unknowns.size());
    EndStates before, after;
    Index row = 0;
    for (int k = 0; k < unknowns.num_trials(); ++k) {
      find_ends(k, x, with_jacobian, after);
      if (!segments_.is_first(k)) {
        add_gap(k, before, after, row, with_jacobian, gaps, conditions);
        row += gap_size_;
      }
      std::swap(before, after);
    }
  }

  void add_gap(int k, const EndStates& before, const EndStates& after, Index row,
               bool with_jacobian, Eigen::VectorXd& gaps, Eigen::MatrixXd& conditions) const {
    const Unknowns& unknowns = engine_.unknowns();
    const auto add = [&](int segment, Index rows, const Eigen::MatrixXd& part) {
      for (int j = 0; j < unknowns.num_local(segment); ++j) {
        conditions.block(row, unknowns.global(segment, j), rows, 1) += part.col(j);
      }
    };
    Index place = 0;
    for (const Series& series : states_) {
      const Index width = series.width(), start = place, end = place + width;
      place += 2 * width;
      if (series.comparison == Comparison::kRotation) {
        const Vec4 a = before.prediction.values.segment<4>(end).normalized();
        const Vec4 b = after.prediction.values.segment<4>(start).normalized();
        const Vec3 r = (SO3<double>::from_coeffs(a).inverse() * SO3<double>::from_coeffs(b)).log();
        gaps.segment<3>(row) = r;
        if (with_jacobian) {
          add(k - 1, 3,
              -SO3<double>::tangent_operator_inverse(-r) *
                  trivialised(a, before.jacobian.middleRows<4>(end)));
          add(k, 3,
              SO3<double>::tangent_operator_inverse(r) *
                  trivialised(b, after.jacobian.middleRows<4>(start)));
        }
      } else {
        const double difference = after.prediction.values(start) - before.prediction.values(end);
        gaps(row) = series.comparison == Comparison::kAngle
                        ? std::remainder(difference, 2 * std::numbers::pi)
                        : difference;
        if (with_jacobian) {
          add(k - 1, 1, -before.jacobian.row(end));
          add(k, 1, after.jacobian.row(start));
        }
      }
      row += series.residual_size();
    }
  }

  static Eigen::MatrixXd trivialised(const Vec4& q, const Eigen::MatrixXd& rates) {
    Eigen::MatrixXd result(3, rates.cols());
    for (Index j = 0; j < rates.cols(); ++j) {
      const Vec4 d = rates.col(j);
      const Vec3 v = q.tail<3>(), e = d.tail<3>();
      result.col(j) = 2 * (q(0) * e - d(0) * v - lie::rotation::cross<double>(v, e));
    }
    return result;
  }

  const Segments& segments_;
  MultipleShootingOptions shooting_;
  FitEngine engine_;
  std::vector<Series> states_;
  std::vector<Trial> end_trials_;
  Index gap_size_ = 0;
};

/// Uncertainty of all segments together: they move in the null space of the conditions only.
void constrain(const Eigen::MatrixXd& null_space, const Eigen::MatrixXd& jacobian,
               FitEngine& engine, FitStatistics& statistics) {
  const Eigen::MatrixXd reduced = jacobian * null_space;
  std::vector<int> columns(static_cast<std::size_t>(reduced.cols()));
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<int>(i);
  const Information free = information_of(static_cast<int>(reduced.cols()), {{columns, reduced}});
  Information& information = statistics.information;
  information.covariance = null_space * free.covariance * null_space.transpose();
  information.condition = free.condition;
  const Eigen::VectorXd inverse =
      free.scale.unaryExpr([](double length) { return length > 0 ? 1 / length : 1.0; });
  information.undetermined =
      information.scale.asDiagonal() * null_space * inverse.asDiagonal() * free.undetermined;
  for (Index j = 0; j < information.undetermined.cols(); ++j) {
    information.undetermined.col(j).normalize();
  }
  update_leverage(engine, statistics);
}

/// Of the unknowns of all segments those that the problem has: the initial values of a trial are those of its first
/// segment.
void keep_unknowns_of_trials(const Segments& segments, const Unknowns& whole,
                             const Unknowns& unknowns, FitResult& result) {
  std::vector<int> kept;
  std::vector<Estimate> estimates;
  for (const Unknowns::Unknown& wanted : whole.list()) {
    std::string name = wanted.name;
    if (wanted.is_initial_value) {
      const auto first =
          std::find(segments.trial_of.begin(), segments.trial_of.end(), std::max(wanted.trial, 0));
      name = wanted.plain_name + "@" + std::to_string(first - segments.trial_of.begin() + 1);
    }
    for (int i = 0; i < unknowns.size(); ++i) {
      if (unknowns.list()[index(i)].name != name) continue;
      kept.push_back(i);
      estimates.push_back(result.parameters[index(i)]);
      estimates.back().name = wanted.name;
    }
  }
  result.parameters = estimates;
  for (Eigen::MatrixXd* matrix :
       {&result.covariance, &result.correlation, &result.sandwich_covariance}) {
    *matrix = (*matrix)(kept, kept).eval();
  }
  std::erase_if(result.undetermined, [](const Undetermined& one) {
    return std::any_of(one.names.begin(), one.names.end(),
                       [](const std::string& name) { return name.find('@') != std::string::npos; });
  });
}

}  // namespace

FitResult fit_by_multiple_shooting(const FitProblem& problem, const FitOptions& options,
                                   const MultipleShootingOptions& shooting) {
  const auto began = Clock::now();
  const Unknowns whole(problem);
  if (whole.has_delays()) {
    throw InvalidArgument("multiple shooting has no unknown delays; use shooting, or fix them");
  }
  const Segments segments = segments_of(problem, whole, shooting.segment);
  // First without the conditions, which gives starts and levels of noise.
  FitResult loose = fit(segments.problem, options);
  MultipleShooting search(segments, options, shooting);
  FitEngine& engine = search.engine();
  const Unknowns& unknowns = engine.unknowns();
  Eigen::VectorXd x(unknowns.size());
  for (int i = 0; i < unknowns.size(); ++i) x(i) = loose.parameters[index(i)].value;
  for (std::size_t k = 0; k < engine.noise().size(); ++k) {
    engine.noise()[k] = loose.outputs[k].noise;
  }

  FitResult result;
  FitStatistics statistics;
  for (int round = 1; round <= options.max_noise_rounds; ++round) {
    result.noise_rounds = round;
    result.converged = search.run(x, result.iterations, result.message, result.was_stopped);
    statistics = statistics_at(engine, x);
    const MultipleShooting::Step last = search.solve(x);
    constrain(last.null_space, last.jacobian, engine, statistics);
    result.cost = last.cost;
    const std::vector<double> noise = estimated_noise(problem, engine, statistics);
    bool is_steady = true;
    for (std::size_t k = 0; k < noise.size(); ++k) {
      is_steady = is_steady && std::abs(noise[k] - engine.noise()[k]) <= 1e-4 * noise[k];
    }
    if (!result.converged || is_steady) break;
    engine.noise() = noise;
  }
  report(problem, engine, x, statistics, result);
  result.largest_gap = search.largest_gap(x);
  keep_unknowns_of_trials(segments, whole, unknowns, result);
  result.findings = findings_of(result, whole);
  result.iterations += loose.iterations;
  result.evaluations = loose.evaluations + engine.residuals().num_runs();
  result.differentiated_evaluations =
      loose.differentiated_evaluations + engine.residuals().num_differentiated_runs();
  result.jacobian_used = engine.mode();
  result.wall_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return result;
}

}  // namespace liegrad::optimize
