#include "liegrad/control/feedback.hpp"

#include <Eigen/LU>
#include <cmath>

#include "liegrad/control/certificate.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {
namespace {

using dae::index;
using Eigen::MatrixXd;

/// Nothing reaches a fixed end from everywhere within the last few steps: it is held by a spring that is stiffer than all
/// else by this factor.
constexpr double kStiffness = 1e8;

/// Unknowns of the end of a step that can move, and which of them are held at the end.
struct FreeUnknowns {
  std::vector<int> offsets;
  std::vector<bool> held;
};

FreeUnknowns free_unknowns(const Transcription& transcription, int point) {
  const GridLayout& layout = transcription.layout();
  std::vector<bool> is_periodic(index(layout.v_dot), false);
  for (const int dof : transcription.problem().periodic()) {
    is_periodic[index(layout.q + dof)] = is_periodic[index(layout.v + dof)] = true;
  }
  FreeUnknowns list;
  for (int offset = 0; offset < layout.width; ++offset) {
    if (layout.has_times && offset == layout.time) continue;
    const bool fixed = transcription.variable_bounds()[index(layout.at(point, offset))].is_point();
    const bool is_state = offset < layout.v_dot;
    if (fixed && !is_state) continue;
    list.offsets.push_back(offset);
    list.held.push_back(fixed ||
                        (is_state && point == layout.num_steps && is_periodic[index(offset)]));
  }
  return list;
}

}  // namespace

std::vector<std::vector<double>> feedback_gains(Transcription& transcription, Nlp& nlp,
                                                const Solution& solution) {
  // Gains are by q∘exp(δ) about the motion itself. Multipliers do not depend on the reference.
  std::vector<double> x = solution.x;
  transcription.recentre(x);
  const GridLayout& layout = transcription.layout();
  const RowLayout& rows = transcription.rows();
  const auto width = static_cast<Eigen::Index>(layout.width);
  const int num_controls = static_cast<int>(transcription.problem().system().controls().size());
  nlp.set_point(x);
  std::vector<double> g(index(nlp.num_constraints()));
  nlp.constraints(g);
  const std::vector<Transcription::StepModel> models =
      transcription.step_models(solution.multipliers);
  double scale = 0;
  for (const auto& model : models) scale = std::max(scale, model.hessian.cwiseAbs().maxCoeff());

  // s is (δ, v, v̇, a, u): the first 4 dof unknowns of a point, and its controls.
  std::vector<int> state = ad::range(0, layout.lambda);
  for (int i = 0; i < num_controls; ++i) state.push_back(layout.controls + i);
  std::vector<std::vector<double>> gains(models.size());
  MatrixXd to_go = MatrixXd::Zero(width, width);
  for (int n = layout.num_steps - 1; n >= 0; --n) {
    const Transcription::StepModel& model = models[index(n)];
    const FreeUnknowns end = free_unknowns(transcription, n + 1);
    const auto num_free = static_cast<Eigen::Index>(end.offsets.size());
    // Rows that read times only say nothing here.
    std::vector<int> places;
    for (int i = 0; i < model.jacobian.rows(); ++i) {
      if (!layout.has_times || i != rows.times) places.push_back(i);
    }
    const auto num_rows = static_cast<Eigen::Index>(places.size());
    MatrixXd matrix = MatrixXd::Zero(num_free + num_rows, num_free + num_rows);
    MatrixXd right(num_free + num_rows, width);
    for (Eigen::Index i = 0; i < num_free; ++i) {
      const int a = end.offsets[static_cast<std::size_t>(i)];
      const int variable = layout.at(n + 1, a);
      right.row(i) = -model.hessian.row(width + a).head(width);
      for (Eigen::Index j = 0; j < num_free; ++j) {
        const int b = end.offsets[static_cast<std::size_t>(j)];
        matrix(i, j) = model.hessian(width + a, width + b) + to_go(a, b);
      }
      matrix(i, i) +=
          end.held[static_cast<std::size_t>(i)]
              ? kStiffness * scale
              : barrier(x[index(variable)], transcription.variable_bounds()[index(variable)],
                        solution.lower_multipliers[index(variable)],
                        solution.upper_multipliers[index(variable)]);
    }
    for (Eigen::Index i = 0; i < num_rows; ++i) {
      const int place = places[static_cast<std::size_t>(i)];
      const int row = place < rows.point_size ? rows.step_to(n + 1) + place
                                              : rows.end + place - rows.point_size;
      right.row(num_free + i) = -model.jacobian.row(place).head(width);
      for (Eigen::Index j = 0; j < num_free; ++j) {
        const double entry =
            model.jacobian(place, width + end.offsets[static_cast<std::size_t>(j)]);
        matrix(num_free + i, j) = matrix(j, num_free + i) = entry;
      }
      const Interval& given = transcription.row_bounds()[index(row)];
      if (given.is_point()) continue;
      const double y = solution.multipliers[index(row - 1)];
      const double factor = transcription.row_scales()[index(row)];
      const double sigma = barrier(g[index(row - 1)], {factor * given.lower, factor * given.upper},
                                   std::max(-y, 0.0), std::max(y, 0.0));
      matrix(num_free + i, num_free + i) = -1 / std::max(sigma, 1e-12);
    }
    const MatrixXd solved = matrix.partialPivLu().solve(right);
    if (!solved.allFinite()) return {};
    to_go = model.hessian.topLeftCorner(width, width);
    to_go.noalias() -= right.transpose() * solved;
    to_go = (0.5 * (to_go + to_go.transpose())).eval();
    for (int c = 0; c < num_controls; ++c) {
      Eigen::Index place = -1;
      for (Eigen::Index i = 0; i < num_free; ++i) {
        if (end.offsets[static_cast<std::size_t>(i)] == layout.controls + c) place = i;
      }
      for (const int column : state) {
        gains[index(n)].push_back(place < 0 ? 0.0 : solved(place, column));
      }
    }
  }
  return gains;
}

}  // namespace liegrad::control
