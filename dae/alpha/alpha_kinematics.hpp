#pragma once

#include <vector>

#include "liegrad/dae/equations/kinematics.hpp"
#include "liegrad/dae/equations/step_equations.hpp"

namespace liegrad::dae {

/// Those of a step of length h, for all variants: what corrections of velocity mean for v̇, v and q.
StepCoefficients alpha_coefficients(const AlphaParameters& parameters, double h);

/// The relations of step_equations.hpp on plain numbers, without allocation, with their derivatives:
/// δ = hQ(w - Nη') for a correction w of velocity in units of γ/β and η' of η, where, with the matrix
/// D of D x = d/dε T(θ + εx) u, u = y - (1-σ) β/γ v,
///
///     Q = T (T + hD)⁻¹ P,   N = P⁻¹ B(q_n)ᵀ       (σ = 0: Q = T, N = B(q_n)ᵀ).
class AlphaKinematics final : public Kinematics {
 public:
  AlphaKinematics(const lie::GroupList& space, const AlphaMethod& method, bool stabilized);

  void begin(const MethodState& start, double h, Assembly& assembly) override;
  void guess_increment(std::span<const double> delta_q) override;
  void guess_stabilizer(std::span<const double> eta) override;
  void guess_acceleration(std::span<const double> v_dot) override;
  std::span<const double> increment() const override { return delta_q_; }
  void evaluate(Assembly& assembly, bool with_maps) override;
  void correct(std::span<const double> w, std::span<const double> eta, double fraction) override;
  void conclude(Assembly& assembly) override;
  void finish(MethodState& end) override;
  void apply_increment_map(std::span<double> w) const override;
  void apply_increment_map_transposed(std::span<double> x) const override;
  std::span<const double> stabilizer_force() const override { return stabilizer_; }

 private:
  template <template <class> class G>
  typename G<double>::Tangent part(const std::vector<double>& numbers, int dof) const {
    return Eigen::Map<const typename G<double>::Tangent>(numbers.data() + dof);
  }
  /// Velocity of a part that turns; T is its tangent operator.
  template <template <class> class G>
  void set_velocity(int dof, const NodeMatrix<G, double>& tangent);
  /// Q of a node and, for σ ≠ 0, the matrix that takes w to the increment.
  template <template <class> class G>
  void set_maps(int node, int dof, const NodeMatrix<G, double>& tangent, double* map,
                Assembly& assembly);
  template <template <class> class G>
  void set_motion(Assembly& assembly, int node, bool with_maps,
                  const NodeMatrix<G, double>& tangent);
  void evaluate_rotation(Assembly& assembly, int node, bool with_maps);
  template <template <class> class G>
  void evaluate_pose(Assembly& assembly, int node, bool with_maps);
  /// Velocities are linear in increments, whatever the group.
  bool is_linear() const { return method_.sigma == 0; }
  void set_step(double h);
  void set_linear_motion(Assembly& assembly, int node);
  template <int Count>
  void set_linear_motion_of(Assembly& assembly, int node, int given_count);
  void set_linear_velocity(int dof, int count);
  void apply_maps(std::span<double> x, bool transposed) const;
  void set_stabilizer_force();
  void set_surplus(int dof, int count);
  void set_rates(Assembly& assembly, int node);
  std::span<const double> start_view(int node) const;
  void set_view(int node, std::span<const double> q, std::vector<double>& views) const;
  void copy_view(int node, const std::vector<double>& views, Assembly& assembly) const;

  const lie::GroupList& space_;
  AlphaMethod method_;
  bool stabilized_;
  double h_ = 0;
  // What follows from h.
  double v_factor_ = 0, a_factor_ = 0, v_dot_factor_ = 0;
  struct StartFactors {
    double surplus_v, surplus_a, v_a, v_dot_a, v_dot_v_dot, v_dot_divisor;
  };
  StartFactors start_factors_{};
  StepCoefficients coefficients_;
  const MethodState* start_ = nullptr;
  // The views of two configurations, and the configurations that they belong to.
  std::vector<int> first_of_view_;  // by node
  std::vector<double> start_view_, end_view_;
  std::vector<double> start_q_, end_q_;
  std::vector<double> delta_q_, surplus_, v_, v_dot_, a_, eta_;
  std::vector<double> surplus_offset_, v_offset_, v_dot_offset_;  // known at the start of a step
  std::vector<double> stabilizer_;                                // B(q_n)ᵀη
  bool has_stabilizer_force_ = false;                             // and whether it is that of eta_
  const Stabilizer* n_ = nullptr;                                 // N, of the assembly
  std::vector<double> gradient_;                    // the numbers of B(q_n)ᵀ, if N is another
  std::vector<lie::Mat<double, 6>> increment_map_;  // (T + hD)⁻¹ P of each node, when σ ≠ 0
  std::vector<double> step_;                        // w - Nη'
};

}  // namespace liegrad::dae
