#include "liegrad/dae/dense_output.hpp"

namespace liegrad::dae {

void DenseOutput::set_step(const State& start, const State& end) {
  start_ = &start;
  end_ = &end;
  h_ = end.t - start.t;
  const std::size_t dof = start.v.size();
  for (std::vector<double>* list : {&theta_, &slope_start_, &slope_end_, &at_, &slope_}) {
    list->resize(dof);
  }
  space_->minus<double>(end.q, start.q, theta_);
  space_->apply_tangent_operator_inverse<double>(theta_, end.v, slope_end_);
  for (std::size_t i = 0; i < dof; ++i) {
    slope_start_[i] = h_ * start.v[i];
    slope_end_[i] *= h_;
  }
}

void DenseOutput::evaluate(double t, State& out) const {
  const double x = (t - start_->t) / h_;
  // Hermite's polynomials for the value at 1 and the slopes at 0 and 1, and their derivatives.
  const double value = x * x * (3 - 2 * x), value_slope = 6 * x * (1 - x);
  const double left = x * (1 - x) * (1 - x), left_slope = (1 - x) * (1 - 3 * x);
  const double right = x * x * (x - 1), right_slope = x * (3 * x - 2);
  for (std::size_t i = 0; i < at_.size(); ++i) {
    at_[i] = value * theta_[i] + left * slope_start_[i] + right * slope_end_[i];
    slope_[i] =
        (value_slope * theta_[i] + left_slope * slope_start_[i] + right_slope * slope_end_[i]) / h_;
  }
  out = *start_;
  out.t = t;
  space_->plus<double>(start_->q, at_, out.q);
  space_->apply_tangent_operator<double>(at_, slope_, out.v);
  const auto blend = [x](const std::vector<double>& a, const std::vector<double>& b,
                         std::vector<double>& c) {
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = (1 - x) * a[i] + x * b[i];
  };
  blend(start_->v_dot, end_->v_dot, out.v_dot);
  blend(start_->a, end_->a, out.a);
  blend(start_->lambda, end_->lambda, out.lambda);
  blend(start_->s, end_->s, out.s);
  out.eta = end_->eta;
}

}  // namespace liegrad::dae
