#include "liegrad/dae/run/dense_output.hpp"

#include "liegrad/dae/run/hermite.hpp"

namespace liegrad::dae {

void DenseOutput::set_step(const State& start, const State& end, double h) {
  start_ = &start;
  end_ = &end;
  h_ = h;
  const std::size_t dof = start.v.size();
  for (std::vector<double>* list : {&theta_, &rate_end_, &second_rate_end_, &at_, &rate_}) {
    list->resize(dof);
  }
  space_->minus<double>(end.q, start.q, theta_);
  rates_of_increment<double>(*space_, theta_, end.v, end.v_dot, rate_end_, second_rate_end_);
}

void DenseOutput::evaluate(double t, State& out) const {
  const double x = (t - start_->t) / (end_->t - start_->t);
  const QuinticHermite<double> to = quintic_hermite(x), slope = quintic_hermite_slopes(x);
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const double v = start_->v[i], v_dot = start_->v_dot[i];
    at_[i] = to.end_value * theta_[i] + h_ * (to.start_slope * v + to.end_slope * rate_end_[i]) +
             h_ * h_ * (to.start_second * v_dot + to.end_second * second_rate_end_[i]);
    rate_[i] = slope.end_value * theta_[i] / h_ + slope.start_slope * v +
               slope.end_slope * rate_end_[i] +
               h_ * (slope.start_second * v_dot + slope.end_second * second_rate_end_[i]);
  }
  out = *start_;
  out.t = t;
  space_->plus<double>(start_->q, at_, out.q);
  space_->apply_tangent_operator<double>(at_, rate_, out.v);
  for (std::size_t i = 0; i < out.v_dot.size(); ++i) {
    out.v_dot[i] = interpolated_acceleration(x, h_, start_->v[i], end_->v[i], start_->v_dot[i],
                                             end_->v_dot[i]);
  }
  const auto blend = [x](const std::vector<double>& a, const std::vector<double>& b,
                         std::vector<double>& c) {
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = (1 - x) * a[i] + x * b[i];
  };
  blend(start_->lambda, end_->lambda, out.lambda);
  blend(start_->s, end_->s, out.s);
}

}  // namespace liegrad::dae
