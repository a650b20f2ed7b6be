#pragma once

#include <span>
#include <vector>

#include "liegrad/control/program.hpp"
#include "liegrad/control/transcription.hpp"

namespace liegrad::control {

/// The nonlinear program of a transcription with all of the motion as unknowns, with exact sparse derivatives. Nothing is
/// allocated after the first evaluation of a kind. Constraints are the rows of the transcription without that of the cost.
class Nlp final : public Program {
 public:
  explicit Nlp(Transcription& transcription);

  Interval variable_interval(int variable) const override;
  Interval constraint_interval(int constraint) const override;

  bool set_point(std::span<const double> x) override;
  double cost() override;
  void constraints(std::span<double> g) override;
  void cost_gradient(std::span<double> gradient) override;
  void jacobian(std::span<double> entries) override;
  void hessian(double cost_factor, std::span<const double> multipliers,
               std::span<double> entries) override;
  double largest_turn(std::span<const double> x) const override {
    return transcription_.largest_turn(x);
  }
  void recentre(std::vector<double>& x) override { transcription_.recentre(x); }

  /// Time spent in all evaluations so far.
  double seconds() const { return seconds_; }

 private:
  void evaluate_values();
  void evaluate_jacobian();

  Transcription& transcription_;
  std::size_t num_gradient_entries_ = 0;
  std::vector<double> values_, entries_, weights_;
  bool has_values_ = false, has_jacobian_ = false;
  double seconds_ = 0;
};

}  // namespace liegrad::control
