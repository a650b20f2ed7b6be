#pragma once

#include <Eigen/LU>
#include <memory>
#include <vector>

#include "liegrad/control/ipopt_run.hpp"
#include "liegrad/control/nlp.hpp"
#include "liegrad/dae/start/consistency.hpp"
#include "liegrad/sensitivity/step/step_equations.hpp"

namespace liegrad::control {

/// Shooting and multiple shooting: the program of a transcription with the motion eliminated.
///
/// Let w be the motion at the points within segments and z all other unknowns. The equations of the steps within
/// segments, F(w, z) = 0, are solved for w(z) step after step, as the integrator does; what is left is
///
///     min f(w(z), z),   g(w(z), z) within bounds,   bounds of w, which are constraints now.
///
/// The steps that lead to the ends of segments, which are unknowns, stay constraints: one segment is plain shooting. All
/// derivatives are exact. With S = dw/dz = -F_w⁻¹ F_z,
///
///     dg/dz = g_z + g_w S,   H = (Sᵀ I) ∇²L (S I)ᵀ,   F_wᵀ η = -(σ f + yᵀg)_w,   L = σ f + yᵀg + ηᵀF.
class ShootingProgram final : public Program {
 public:
  /// A request to stop ends a run, at a point that then is not defined. Throws InvalidArgument.
  ShootingProgram(Transcription& transcription, Nlp& nlp, const StopRequest& stop);

  Interval variable_interval(int variable) const override;
  Interval constraint_interval(int constraint) const override;
  bool set_point(std::span<const double> z) override;
  double cost() override { return nlp_.cost(); }
  void constraints(std::span<double> g) override;
  void cost_gradient(std::span<double> gradient) override;
  void jacobian(std::span<double> entries) override;
  void hessian(double cost_factor, std::span<const double> multipliers,
               std::span<double> entries) override;
  double largest_turn(std::span<const double> /*z*/) const override { return 0; }
  void recentre(std::vector<double>& /*z*/) override {}  // a run moves references itself

  /// z of a point of the whole program.
  std::vector<double> reduced(std::span<const double> x) const;
  /// The whole program's point and multipliers at an iterate of this one.
  Iterate expanded(const Iterate& iterate);

 private:
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  /// The motion at a point that is eliminated.
  struct Point {
    int n;
    std::vector<int> unknowns, rows;  ///< of the whole program
    Eigen::PartialPivLU<Eigen::MatrixXd> factor;
  };

  void choose(int segments);
  bool run();
  bool run_step(int n);
  void find_derivatives();
  /// η for the gradient of σf + yᵀg in x, which becomes that of L; zero in w.
  void eliminate_gradient(Eigen::VectorXd& gradient, std::vector<double>& multipliers) const;
  std::vector<double> spread(std::span<const double> multipliers) const;

  Transcription& transcription_;
  Nlp& nlp_;
  const StopRequest& stop_;
  dae::Consistency start_;
  sensitivity::StepEquations step_;
  std::vector<Point> points_;
  std::vector<bool> is_eliminated_;                            ///< by point
  std::vector<int> kept_;                                      ///< unknowns that stay
  std::vector<int> kept_rows_;                                 ///< constraints that stay
  std::vector<int> bounded_;                                   ///< eliminated unknowns with bounds
  std::vector<std::vector<std::pair<int, int>>> row_entries_;  ///< (column, entry) by row
  std::vector<double> x_, entries_, hessian_entries_;
  Matrix derivative_;  ///< dx/dz
  bool has_derivatives_ = false, heeds_stop_ = true;
};

}  // namespace liegrad::control
