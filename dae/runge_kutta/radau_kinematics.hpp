#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/runge_kutta/radau_coefficients.hpp"
#include "liegrad/dae/state.hpp"

namespace liegrad::dae {

/// How the stages of a Radau step move the nodes. From the rates p_i = θ'_i and f_i = B(q_n)ᵀη_i,
///
///     θ_i = h Σ_j a_ij p_j,   q_i = q_n∘exp(θ_i),   v_i = T(θ_i) p_i + f_i,   v̇_i = Σ_j (A⁻¹)_ij (v_j - v_n) / h.
///
/// Lists of stages have a vector of dof() numbers for each, one after the other.
class RadauKinematics {
 public:
  RadauKinematics(const lie::GroupList& space, const RadauCoefficients& coefficients);

  /// Starts a step. Precondition: `start` stays where it is until the next one.
  void begin(const State& start, double h);
  /// The rates, to be changed; update() follows.
  std::span<double> rates() { return rates_; }
  /// Takes the rates that belong to velocities, with f = 0.
  void set_velocities(std::span<const double> v);
  void update(std::span<const double> f);

  std::span<const double> rates(int stage) const { return part(rates_, stage); }
  std::span<const double> theta(int stage) const { return part(theta_, stage); }
  std::span<const double> v(int stage) const { return part(v_, stage); }
  std::span<const double> v_dot(int stage) const { return part(v_dot_, stage); }
  /// A node that some stage turns by more than an angle.
  std::optional<int> node_turned_beyond(double angle) const;

  /// Writes the view of a node at a stage.
  void write_view(int stage, int node, std::span<double> view) const;
  /// Writes views of the start of the step.
  void place_start(Assembly& assembly) const;
  /// Writes views, v and v̇ of a stage.
  void place(int stage, Assembly& assembly) const;

  // With T and D x = d/dε T(θ_i + εx) p_i, changes of velocities and f are those of rates by
  // δp_j = Σ_k E_jk (δv_k - δf_k), where E is the inverse of T_i δ_ij + h a_ij D_i.

  /// Finds E at the current rates.
  void linearize();
  /// Makes the maps of the assembly those of δθ_i = Σ_k h a_ik Q_ik (δv_k - δf_k) as exp sees them: T_i Q_ik.
  void set_maps(int stage, int column, Assembly& assembly) const;
  /// Adds E x to the rates.
  void correct(std::span<const double> x);
  /// Writes h Σ_j a_ij x_j for all stages i: what changes x of rates change in θ.
  void integrate(const std::vector<double>& x, std::vector<double>& to) const {
    combine(h_a_, x, to);
  }
  /// x = E x, or Eᵀ x, of columns side by side.
  enum class Side { kPlain, kTransposed };
  void multiply(Side side, int columns, std::span<double> x);

 private:
  static constexpr int kMostStages = 3, kLargest = 3 * kMostStages;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kLargest, kLargest>;
  /// E of a part that turns, (A 0; C A) for SE(3) with all stages in A and in C, and T of its stages.
  struct TurningPart {
    int node, dof;
    bool is_dual;
    Matrix a, c;
    std::vector<lie::Mat<double, 3>> tangent_a, tangent_c;
  };
  struct Parts;
  struct Linearization;

  /// By rows: what each stage contributes to each.
  using Weights = std::array<double, kMostStages * kMostStages>;

  /// Writes Σ_j w_ij x_j for all stages i.
  void combine(const Weights& w, const std::vector<double>& x, std::vector<double>& to) const;
  template <int Stages>
  void add_rates(const TurningPart& part, std::span<const double> x);
  void move(int node, const double* theta, const double* p, double* view, double* v) const;
  static void turn(const double* start_view, const double* theta, const double* p, double* view,
                   double* v);
  template <template <class> class G>
  static void apply_tangent(const double* theta, const double* p, double* v);
  std::span<const double> part(const std::vector<double>& list, int stage) const {
    return std::span<const double>(list).subspan(static_cast<std::size_t>(stage * dof_),
                                                 static_cast<std::size_t>(dof_));
  }

  const lie::GroupList& space_;
  RadauCoefficients coefficients_;
  int stages_, dof_;
  const State* start_ = nullptr;
  double h_ = 0;
  Weights h_a_{}, inverse_over_h_{};  ///< hA and A⁻¹/h
  std::vector<std::vector<double>> start_view_;
  std::vector<double> rates_, theta_, v_, v_change_, v_dot_;  ///< v_change_: v_i - v_n
  int size_of_views_ = 0;
  std::vector<int> first_of_view_;  ///< by node
  std::vector<double> views_;       ///< of all nodes, stage by stage
  std::vector<double> product_;     ///< of multiply(), for one part
  std::vector<TurningPart> turning_;
  std::vector<std::pair<int, int>> linear_;  ///< first coordinate and how many
};

}  // namespace liegrad::dae
