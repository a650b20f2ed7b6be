#include "liegrad/optimize/fit/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/lie/so3.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;
using lie::SO3;
using Vec3 = lie::Vec<double, 3>;
using Vec4 = lie::Vec<double, 4>;

/// 2 vec(q*⊗d): the perturbation δ of q∘exp(δ) for the perturbation d of its coefficients.
Vec3 left_trivialised(const Vec4& q, const Vec4& d) {
  const Vec3 v = q.tail<3>(), e = d.tail<3>();
  return 2 * (q(0) * e - d(0) * v - lie::rotation::cross<double>(v, e));
}

double angle_difference(double a, double b) { return std::remainder(a - b, 2 * std::numbers::pi); }

}  // namespace

Residuals::Residuals(const FitProblem& problem, const Unknowns& unknowns,
                     const dae::IntegrateOptions& run, sensitivity::Mode mode, double piece)
    : unknowns_(unknowns) {
  const Trial::Margins margins = {unknowns.largest_delay(&Unknowns::Unknown::upper),
                                  unknowns.largest_delay(&Unknowns::Unknown::lower)};
  for (const Recording& recording : problem.trials) {
    trials_.emplace_back(problem.system, recording, unknowns.parameters(), run, mode, margins,
                         piece, unknowns.initial());
    const int trial = static_cast<int>(trials_.size()) - 1, nodes = trials_.back().node_size();
    const Eigen::MatrixXd& map = unknowns.parameter_map(trial);
    Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(map.rows() + nodes, map.cols() + nodes);
    whole.topLeftCorner(map.rows(), map.cols()) = map;
    whole.bottomRightCorner(nodes, nodes).setIdentity();
    maps_.emplace_back(whole.sparseView());
    std::vector<int>& places = outputs_of_.emplace_back();
    for (const Series& series : recording.series) {
      auto found = std::find(outputs_.begin(), outputs_.end(), series.output);
      if (found == outputs_.end()) found = outputs_.insert(outputs_.end(), series.output);
      const int output = static_cast<int>(found - outputs_.begin());
      places.insert(places.end(), series.times.size() * index(series.residual_size()), output);
    }
  }
  last_.resize(trials_.size());
}

int Residuals::num_residuals() const {
  int count = 0;
  for (int trial = 0; trial < num_trials(); ++trial) count += num_residuals(trial);
  return count;
}

std::vector<double> Residuals::delays_of(int trial, const Eigen::VectorXd& local) const {
  std::vector<double> delays;
  for (const Series& series : recording(trial).series) {
    const int delay = unknowns_.sensor(trial, SensorEffect::kDelay, series.output);
    delays.push_back(delay < 0 ? 0 : local(delay));
  }
  return delays;
}

void Residuals::evaluate(int trial, const Eigen::VectorXd& local, bool with_jacobian,
                         TrialResiduals& residuals) {
  LastTwo& last = last_[at(trial)];
  const bool has_nodes = trials_[at(trial)].num_pieces() > 1;  // which move without the unknowns
  const auto found = std::ranges::find_if(last.list, [&](const Known& one) {
    return one.is_known && !has_nodes && one.local == local && one.tolerance == tolerance_ &&
           (one.has_jacobian || !with_jacobian);
  });
  if (found != last.list.end()) {
    last.latest = static_cast<std::size_t>(found - last.list.begin());
  } else {
    // Values without derivatives are of no use any more where these are asked for.
    Known& before = last.list[last.latest];
    if (!before.is_known || before.local != local) last.latest = 1 - last.latest;
    last.last_run = last.latest;
    Known& now = last.list[last.latest];
    now.is_known = false;
    num_runs_ += 1;
    num_differentiated_runs_ += with_jacobian ? 1 : 0;
    trials_[at(trial)].predict(unknowns_.inputs(trial, local), delays_of(trial, local),
                               {with_jacobian, with_jacobian && unknowns_.has_delays()},
                               now.prediction);
    now.local = local;
    now.tolerance = tolerance_;
    now.has_jacobian = with_jacobian;
    now.is_known = true;
  }
  compare(trial, local, with_jacobian, residuals);
}

void Residuals::evaluate_with(double tolerance, int trial, const Eigen::VectorXd& local,
                              TrialResiduals& residuals) {
  LastTwo& last = last_[at(trial)];
  last.latest = last.last_run = 1 - last.latest;
  Known& now = last.list[last.latest];
  now.is_known = false;
  num_runs_ += 1;
  trials_[at(trial)].predict(unknowns_.inputs(trial, local), delays_of(trial, local),
                             {.tolerance = tolerance}, now.prediction);
  now.local = local;
  now.tolerance = tolerance;
  now.has_jacobian = false;
  now.is_known = trials_[at(trial)].num_pieces() == 1;
  compare(trial, local, false, residuals);
}

void Residuals::hold_steps(const Eigen::VectorXd& x) {
  for (int trial = 0; trial < num_trials(); ++trial) {
    LastTwo& last = last_[at(trial)];
    const Known& run = last.list[last.last_run];
    const bool is_there =
        run.is_known && run.tolerance == tolerance_ && run.local == unknowns_.local(trial, x);
    trials_[at(trial)].hold_steps(is_there ? Trial::Steps::kLast : Trial::Steps::kNext);
    for (Known& one : last.list) one.is_known = is_there && &one == &run;
  }
}

/// What a check has found with this tolerance stays known.
void Residuals::set_tolerance(double tolerance) {
  for (Trial& trial : trials_) trial.set_tolerance(tolerance);
  for (LastTwo& last : last_) {
    for (Known& one : last.list) one.is_known = one.is_known && one.tolerance == tolerance;
  }
  tolerance_ = tolerance;
}

bool Residuals::holds_steps() const {
  return std::any_of(trials_.begin(), trials_.end(),
                     [](const Trial& trial) { return trial.holds_steps(); });
}

void Residuals::evaluate_piece(int trial, int piece, const dae::InitialValues& node,
                               const Eigen::VectorXd& local, bool with_jacobian,
                               TrialResiduals& residuals) {
  LastTwo& last = last_[at(trial)];
  last.last_run = last.latest;
  Known& now = last.list[last.latest];
  now.is_known = false;
  trials_[at(trial)].predict_piece(piece, node, unknowns_.parameter_values(trial, local),
                                   delays_of(trial, local), with_jacobian, now.prediction);
  now.prediction.rates.setZero(now.prediction.values.size());
  compare(trial, local, with_jacobian, residuals);
}

bool Residuals::has_nodes() const {
  return std::any_of(trials_.begin(), trials_.end(),
                     [](const Trial& trial) { return trial.num_pieces() > 1; });
}

std::vector<int> Residuals::pieces_of_rows(int trial) const {
  std::vector<int> pieces;
  const Recording& own = recording(trial);
  for (std::size_t k = 0; k < own.series.size(); ++k) {
    for (const int piece : trials_[at(trial)].pieces_of(static_cast<int>(k))) {
      pieces.insert(pieces.end(), index(own.series[k].residual_size()), piece);
    }
  }
  return pieces;
}

void Residuals::compare(int trial, const Eigen::VectorXd& local, bool with_jacobian,
                        TrialResiduals& residuals) const {
  const Recording& own = recording(trial);
  residuals.values.resize(num_residuals(trial));
  residuals.predicted.resize(prediction(trial).values.size());
  residuals.jacobian.resize(with_jacobian ? num_residuals(trial) : 0, maps_[at(trial)].cols());
  residuals.jacobian.setZero();
  int place = 0, row = 0;
  for (std::size_t k = 0; k < own.series.size(); ++k) {
    add_series(trial, k, place, row, local, with_jacobian, residuals);
    const int samples = static_cast<int>(own.series[k].times.size());
    place += samples * own.series[k].width();
    row += samples * own.series[k].residual_size();
  }
}

void Residuals::add_series(int trial, std::size_t k, int place, int row,
                           const Eigen::VectorXd& local, bool with_jacobian,
                           TrialResiduals& residuals) const {
  const Series& series = recording(trial).series[k];
  const Prediction& prediction = this->prediction(trial);
  const Eigen::Index samples = std::ssize(series.times), rows = samples * series.residual_size();
  const bool has_parameters = with_jacobian && prediction.jacobian.cols() > 0;
  // Adds factor · slopes · map, where most unknowns are parameters and the map has few entries.
  const auto add_mapped = [&, row](const auto& slopes, double factor) {
    const Map& map = maps_[at(trial)];
    for (int j = 0; j < map.outerSize(); ++j) {
      for (Map::InnerIterator entry(map, j); entry; ++entry) {
        residuals.jacobian.col(j).segment(row, rows) +=
            factor * entry.value() * slopes.col(entry.row());
      }
    }
  };
  const int delay = unknowns_.sensor(trial, SensorEffect::kDelay, series.output);

  if (series.comparison == Comparison::kRotation) {
    int offsets[3];
    Vec3 offset = Vec3::Zero();
    for (int i = 0; i < 3; ++i) {
      offsets[i] = unknowns_.sensor(trial, SensorEffect::kOffset,
                                    series.name() + "." + std::to_string(i + 1));
      if (offsets[i] >= 0) offset(i) = local(offsets[i]);
    }
    const SO3<double> mounting = SO3<double>::exp(offset);
    const lie::Mat<double, 3> mounting_slope = SO3<double>::tangent_operator(offset);
    Eigen::MatrixXd slopes(has_parameters ? rows : 0, prediction.jacobian.cols());
    const int first_row = row;
    for (std::size_t i = 0; i < series.times.size(); ++i, place += 4, row += 3) {
      const Vec4 q = prediction.values.segment<4>(place).normalized();
      const SO3<double> computed = SO3<double>::from_coeffs(q) * mounting;
      const SO3<double> measured =
          SO3<double>::from_coeffs(Eigen::Map<const Vec4>(&series.values[4 * i]));
      const Vec3 r = (computed.inverse() * measured).log();
      residuals.values.segment<3>(row) = r;
      residuals.predicted.segment<4>(place) = computed.coeffs();
      if (!with_jacobian) continue;
      // log(exp(-δ) exp(r)) = r - T⁻¹(-r) δ + …, δ = Ad(exp(-b)) δ̂ + T(b) db.
      const lie::Mat<double, 3> slope = -SO3<double>::tangent_operator_inverse(-r);
      const lie::Mat<double, 3> turned = slope * mounting.inverse().Ad();
      for (Eigen::Index j = 0; has_parameters && j < slopes.cols(); ++j) {
        slopes.col(j).segment<3>(row - first_row) =
            turned * left_trivialised(q, prediction.jacobian.col(j).segment<4>(place));
      }
      for (int j = 0; j < 3; ++j) {
        if (offsets[j] < 0) continue;
        residuals.jacobian.block<3, 1>(row, offsets[j]) += slope * mounting_slope.col(j);
      }
      if (delay >= 0) {
        residuals.jacobian.block<3, 1>(row, delay) -=
            turned * left_trivialised(q, prediction.rates.segment<4>(place));
      }
    }
    if (has_parameters) add_mapped(slopes, 1);
    return;
  }

  const int offset = unknowns_.sensor(trial, SensorEffect::kOffset, series.name());
  const int gain = unknowns_.sensor(trial, SensorEffect::kGain, series.name());
  const double factor = gain < 0 ? 1 : local(gain), shift = offset < 0 ? 0 : local(offset);
  const auto predicted = prediction.values.segment(place, samples);
  residuals.predicted.segment(place, samples) = (factor * predicted).array() + shift;
  for (Eigen::Index i = 0; i < samples; ++i) {
    const double computed = residuals.predicted(place + i);
    const double measured = series.values[static_cast<std::size_t>(i)];
    residuals.values(row + i) = series.comparison == Comparison::kAngle
                                    ? angle_difference(measured, computed)
                                    : measured - computed;
  }
  if (!with_jacobian) return;
  const auto own = [&](int column) { return residuals.jacobian.col(column).segment(row, rows); };
  if (has_parameters) add_mapped(prediction.jacobian.middleRows(place, samples), -factor);
  if (gain >= 0) own(gain) -= predicted;
  if (offset >= 0) own(offset).array() -= 1;
  if (delay >= 0) own(delay) += factor * prediction.rates.segment(place, samples);
}

void weigh(const Recording& recording, const std::vector<int>& outputs_of,
           const std::vector<double>& noise, const Loss& loss, TrialResiduals& residuals) {
  const bool with_jacobian = residuals.jacobian.rows() > 0;
  Eigen::Index first = 0;
  for (const Series& series : recording.series) {
    const Eigen::Index size = series.residual_size(), count = size * std::ssize(series.times);
    if (count == 0) continue;
    const double scale = 1 / noise[index(outputs_of[static_cast<std::size_t>(first)])];
    residuals.values.segment(first, count) *= scale;
    if (with_jacobian) residuals.jacobian.middleRows(first, count) *= scale;
    for (Eigen::Index row = first; loss.kind != Loss::Kind::kSquares && row < first + count;
         row += size) {
      auto r = residuals.values.segment(row, size);
      const LossWeight w = loss_weight(loss, r.squaredNorm());
      if (with_jacobian) {
        auto rows = residuals.jacobian.middleRows(row, size);
        const Eigen::RowVectorXd along = r.transpose() * rows;
        rows = (w.weight * rows + 2 * w.slope * r * along).eval();
      }
      r *= w.weight;
    }
    first += count;
  }
}

}  // namespace liegrad::optimize
