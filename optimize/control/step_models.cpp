// The steps of a transcription one by one: every point is taken twice, as the end of a step and as the start of the next.

#include "liegrad/control/transcription.hpp"
#include "liegrad/dae/system/numbers.hpp"

namespace liegrad::control {

using dae::index;
using sensitivity::MotionPlaces;
using sensitivity::StepPlaces;

std::vector<Transcription::StepModel> Transcription::step_models(
    std::span<const double> multipliers) const {
  const int steps = layout_.num_steps, width = layout_.width, shift = 2 * width * steps;
  sensitivity::KernelSum sum(shift, rows_.size);
  sensitivity::TermList terms(sum, ad::Backend::kInterpreted);
  sensitivity::StepTerms step_terms(problem_.system(), options_.formulation,
                                    dae::sigma_form(method().sigma), terms);
  // Unknowns of a point stand with the step that reads them, all other numbers behind.
  const auto placed = [&](int number, int point, int first) {
    const int offset = number - layout_.at(point, 0);
    return offset >= 0 && offset < width ? first + offset : shift + number;
  };
  const auto add = [&](const std::vector<ad::Recording>& list, const std::vector<int>& numbers,
                       int row) {
    for (const ad::Recording& f : list) {
      terms.add(f, numbers, ad::range(row, f.num_outputs()));
      row += f.num_outputs();
    }
  };
  for (int n = 0; n < steps; ++n) {
    const int start = 2 * width * n, end = start + width;
    StepPlaces step = steps_[index(n)];
    const auto move = [&](MotionPlaces& places, int point, int first) {
      for (int& i : places.motion) i = placed(i, point, first);
      for (int& i : places.views) i += shift;
    };
    move(step.start, n, start);
    move(step.end, n + 1, end);
    step.start_a = placed(step.start_a, n, start);
    step.end_a = placed(step.end_a, n + 1, end);
    step.stabilizer = placed(step.stabilizer, n + 1, end);
    for (int* const place : {&step.horizon, &step.fraction, &step.base, &step.method}) {
      *place += shift;
    }
    step_terms.add_step(step, rows_.step_to(n + 1));
    std::vector<int> numbers = point_functions_.numbers(step.start);
    const std::vector<int> at_end = point_functions_.numbers(step.end);
    numbers.insert(numbers.end(), at_end.begin(), at_end.end());
    numbers.insert(numbers.end(), {step.horizon, step.fraction});
    for (const ad::Recording& f : functions_.running_costs) {
      terms.add(f, numbers, std::array{rows_.cost});
    }
    add(functions_.path_constraints, at_end, rows_.path_at(n + 1));
    if (n + 1 < steps) continue;
    for (const ad::Recording& f : functions_.end_costs) {
      terms.add(f, at_end, std::array{rows_.cost});
    }
    add(functions_.end_constraints, at_end, rows_.end);
  }

  std::vector<double> numbers(index(shift)), weights(index(rows_.size), 1.0);
  for (int n = 0; n < steps; ++n) {
    for (int i = 0; i < 2 * width; ++i) {
      numbers[index(2 * width * n + i)] = numbers_[index(width * n + i)];
    }
  }
  numbers.insert(numbers.end(), numbers_.begin(), numbers_.end());
  for (std::size_t i = 1; i < weights.size(); ++i) weights[i] = row_scales_[i] * multipliers[i - 1];
  std::vector<double> jacobian(sum.jacobian_pattern().size()),
      hessian(sum.hessian_pattern().size());
  sum.jacobian(numbers, jacobian);
  sum.hessian(numbers, weights, hessian);

  const int end_rows = rows_.end_periodic - rows_.end;
  std::vector<StepModel> models(index(steps));
  for (int n = 0; n < steps; ++n) {
    const int rows = rows_.point_size + (n + 1 == steps ? end_rows : 0);
    models[index(n)] = {Eigen::MatrixXd::Zero(2 * width, 2 * width),
                        Eigen::MatrixXd::Zero(rows, 2 * width)};
  }
  for (std::size_t k = 0; k < hessian.size(); ++k) {
    const auto& [i, j] = sum.hessian_pattern()[k];
    Eigen::MatrixXd& matrix = models[index(i / (2 * width))].hessian;
    matrix(i % (2 * width), j % (2 * width)) = hessian[k];
    matrix(j % (2 * width), i % (2 * width)) = hessian[k];
  }
  for (std::size_t k = 0; k < jacobian.size(); ++k) {
    const auto& [row, column] = sum.jacobian_pattern()[k];
    if (row == rows_.cost) continue;
    const int n = column / (2 * width);
    const int place =
        row >= rows_.end ? rows_.point_size + row - rows_.end : row - rows_.step_to(n + 1);
    models[index(n)].jacobian(place, column % (2 * width)) = row_scales_[index(row)] * jacobian[k];
  }
  return models;
}

}  // namespace liegrad::control
