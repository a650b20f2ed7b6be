#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/equations/formulation.hpp"
#include "liegrad/dae/equations/gathered_sums.hpp"
#include "liegrad/dae/equations/place_table.hpp"
#include "liegrad/dae/equations/stabilizer.hpp"
#include "liegrad/dae/linear/linear_solver.hpp"
#include "liegrad/dae/system/model.hpp"
#include "liegrad/dae/system/node_store.hpp"

namespace liegrad::dae {

/// The factors with which a correction w acts, see ElementInputs, and the scaling of the rows.
struct StepCoefficients {
  double c_a = 1, c_v = 0, k_q = 0, c_r = 0, k_r = 0;
  double motion_scale = 1;    ///< of M v̇ + g + Bᵀλ and h_s: h
  double position_scale = 1;  ///< of Φ: 1/h
};

/// Sums the elements of a system into one residual and one matrix with a fixed pattern.
///
/// Unknowns: w, corrections of hλ, of hs, and η of the stabilised formulation; rows: equations of
/// motion, constraints, h_s, and (stabilised) dΦ/dt, in this order. Evaluation allocates nothing.
class Assembly {
 public:
  Assembly(const Model& system, Formulation formulation, bool velocity_map,
           LinearSolverKind solver);

  const Model& system() const { return *system_; }
  Formulation formulation() const { return formulation_; }
  int size() const { return size_; }
  int multiplier_offset() const { return dof_; }
  int algebraic_offset() const { return dof_ + num_multipliers_; }
  int stabilizer_offset() const { return dof_ + num_multipliers_ + num_algebraic_; }

  // The point at which to evaluate; the caller writes it.
  NodeStore& nodes() { return nodes_; }
  std::span<double> multipliers() { return multipliers_; }
  std::span<double> algebraic() { return algebraic_; }
  std::span<const double> algebraic() const { return algebraic_; }
  std::span<double> controls() { return controls_; }
  std::span<const double> controls() const { return controls_; }
  void set_parameters(std::span<const double> parameters);
  void set_time(double t) { time_ = t; }
  double time() const { return time_; }
  StepCoefficients& coefficients() { return coefficients_; }
  /// The views of a configuration.
  void set_configuration(std::span<const double> coeffs);
  void set_velocity(std::span<const double> v);
  void set_acceleration(std::span<const double> v_dot);
  /// Q = I (and V = I) for all nodes: w is then a perturbation itself.
  void set_identity_maps();

  /// Fills residual(); with_matrix: also matrix().
  void evaluate(bool with_matrix);
  /// evaluate(true) and factors of the matrix in its place, of large systems while it is filled. False, and the matrix is
  /// lost, where that fails; the residual is there anyway.
  bool evaluate_and_factorize();
  std::span<const double> residual() const { return residual_; }
  LinearSolver& matrix() { return *matrix_; }
  const LinearSolver& matrix() const { return *matrix_; }
  /// Entries that can be non-zero, each once; and one of them (0 outside the pattern).
  const MatrixEntries& pattern() const { return matrix_->entries(); }
  double entry(int row, int column);
  /// Which unknowns are eliminated together.
  const BlockStructure& blocks() const { return blocks_; }

  /// Of the stabilised formulation: position moves by Q (w - N η), where N is B(q_n)ᵀ after this call,
  /// which is made when the nodes hold q_n with Q = I.
  void set_stabilizer();
  /// N; a method may change it. Precondition: the formulation is the stabilised one.
  Stabilizer& stabilizer() { return *stabilizer_; }
  /// N, or nothing in another formulation.
  const Stabilizer* find_stabilizer() const { return stabilizer_ ? &*stabilizer_ : nullptr; }

  /// Φ, dΦ/dt, d²Φ/dt², d³Φ/dt³ (for v̈ = 0) at the current point.
  void constraint_values(std::span<double> position, std::span<double> velocity);
  void constraint_accelerations(std::span<double> out) { constraint_derivative(2, out); }
  void constraint_jerks(std::span<double> out) { constraint_derivative(3, out); }
  /// With the current point and coefficients: by velocity, then by algebraic state, the magnitudes of M v̇ + g + Bᵀλ and
  /// h_s and of what λ and s contribute to them, each element by itself; by velocity the diagonal of the matrix; by
  /// constraint |dΦ/dt|, or 0 where the formulation does not have it.
  void measure_forces(std::span<double> force, std::span<double> inertia, std::span<double> rates);
  /// By row the sums Σ_e Σ_j |A_ij| x_j and Σ_e Σ_j |A_ij| y_j over the derivatives A of each element by its velocities, with
  /// the current point and coefficients.
  struct Products {
    std::span<const double> of_x, of_y;
  };
  Products measure_products(std::span<const double> x, std::span<const double> y);
  /// The number of an equation of motion, or of h_s behind them, by its row; -1 of a constraint.
  int motion_index(int row) const {
    if (row < dof_) return row;
    return row >= algebraic_offset() && row < stabilizer_offset() ? row - num_multipliers_ : -1;
  }
  /// d/dε of the rows of motion and h_s along w = ε direction, t + ε time_rate.
  void residual_rate(std::span<const double> direction, double time_rate, std::span<double> motion,
                     std::span<double> algebraic);

  struct Observed {
    double kinetic = 0, potential = 0;
    lie::Vec<double, 3> linear_momentum, angular_momentum;
  };
  Observed observe(std::span<double> element_outputs);
  bool has_energy() const { return has_energy_; }
  bool has_momentum() const { return has_momentum_; }

  /// The first element whose equations are not finite at the current point, or empty.
  std::string nonfinite_element();
  /// "the equation of motion top.v[1]", "the constraint fixed_point[2]", …
  std::string unknown_name(int unknown) const;

 private:
  /// Elements of one kind, evaluated together.
  struct Group {
    const ElementKind* kind = nullptr;
    ElementInputs in;
    ElementRows rows;
    int lanes = 1;  ///< evaluated at once; input and output arrays have this stride
    std::vector<int> elements;
    const ad::Kernel* newton = nullptr;
    const ad::Kernel* values = nullptr;
    const ad::Kernel* constraints = nullptr;
    const ad::Kernel* observables = nullptr;
    const ad::Kernel* acceleration = nullptr;  ///< found when first asked for
    int matrix_offset = 0;                     ///< of the derivatives in the outputs of `newton`
    /// A derivative by a position, a velocity or an acceleration: where it stands in the outputs of `newton`, of which
    /// row it is, and by which of the coordinates.
    struct MotionEntry {
      int place, row, coordinate;
    };
    std::vector<MotionEntry> motion_entries;
    PlaceTable rows_of_outputs;                ///< in the residual
    PlaceTable matrix_positions;               ///< of the derivatives
    std::optional<StabilizerColumns> columns;  ///< of η, if the elements depend on position
    /// An entry of the pattern that is one of B: its node, and where it stands in the part of N of this node and the
    /// constraints of the element.
    struct Gradient {
      int entry, node, place;
    };
    std::vector<Gradient> gradient;
    std::vector<int> first_numbers;  ///< element × node → where that part begins, see Stabilizer
    std::vector<int> node_blocks;    ///< element × node → where its numbers begin
    std::vector<int> block_sizes;    ///< node → how many
    /// Runs of numbers that the kernels of steps read: of a node's block, and of (t, c_a, …, k_r).
    struct Run {
      int from, to, count;
    };
    std::vector<std::vector<Run>> node_runs;  ///< by node
    std::vector<Run> last_runs;
    /// All that steps copy for an element that is evaluated alone.
    struct Copy {
      const double* from;
      double* to;
      std::size_t count;
    };
    std::vector<std::vector<Copy>> copies;  ///< by element
    std::vector<double> parameters;         ///< element × parameter
    bool has_equal_parameters = false;      ///< all elements
    std::vector<int> first_multipliers;
    /// What kernels read and write for the elements that are evaluated together. Elements that are evaluated alone have
    /// inputs of their own.
    std::vector<double> inputs, outputs;
    int loaded = -1;  ///< the first element of those whose parameters stand in `inputs`
    int num_elements() const { return static_cast<int>(elements.size()); }
    std::span<double> inputs_of(int first) {
      const std::size_t own = index(in.num_inputs);
      return lanes > 1 ? std::span(inputs) : std::span(inputs).subspan(index(first) * own, own);
    }
  };

  /// Elements that are evaluated together, and between which pivots of the matrix their unknowns are.
  struct Chunk {
    int group, first, count;
    int first_pivot, last_pivot;
  };

  void add_group(int kind, const std::vector<int>& elements);
  void find_chunks();
  void add_chunk(const Chunk& chunk, bool with_matrix);
  /// Global unknown of a variable of an element.
  int unknown_of(const PlacedElement& element, const Group& group, int variable) const;
  int row_of(const PlacedElement& element, const Group& group, int output) const;
  SparsePattern collect_pattern();
  void collect_stabilizer(SparsePattern& pattern);
  void find_stabilizer_entries(Group& group) const;
  BlockStructure block_structure() const;
  void find_positions();
  void find_runs(Group& group, ConstraintRows rows) const;
  void find_copies();
  std::vector<Group::Copy> copies_for(Group& group, int e);
  void find_sums();
  static void set_own_parameters(Group& group);
  void collect_last_inputs();
  /// Copies the inputs of some elements to where kernels read them, only what steps need or all; Lanes
  /// is group.lanes.
  enum class Load { kForSteps, kAll };
  template <int Lanes>
  void load_lanes(Group& group, int first, int count, Load what);
  void load(Group& group, int first, int count, Load what = Load::kAll);
  static void call(Group& group, const ad::Kernel& kernel, int first, int count);
  /// Loads some elements into the first lanes and calls a kernel.
  void load_and_call(Group& group, const ad::Kernel& kernel, int first, int count,
                     Load what = Load::kAll);
  /// Adds the outputs of a kernel to the residual, and with_matrix to the matrix.
  template <int Lanes>
  void add_lanes(Group& group, int first, int count, bool with_matrix);
  /// f(first element, how many) for elements that are evaluated together.
  template <class F>
  static void for_each_chunk(const Group& group, F&& f) {
    for (int first = 0; first < group.num_elements(); first += group.lanes) {
      f(first, std::min(group.lanes, group.num_elements() - first));
    }
  }
  void evaluate_and_gather(bool with_matrix);
  void scale_residual();
  void constraint_derivative(int order, std::span<double> out);
  void add_rate_along(Group& group, std::span<const double> direction, std::span<double> motion,
                      std::span<double> algebraic);
  void add_rate_in_time(Group& group, std::span<const double> direction, double time_rate,
                        std::span<double> motion, std::span<double> algebraic);

  std::shared_ptr<const Model> system_;
  Formulation formulation_;
  CorrectionForm form_;
  int dof_, num_multipliers_, num_algebraic_, size_ = 0;
  std::vector<Group> groups_;
  std::vector<Chunk> chunks_;  // in the order in which the matrix is eliminated
  NodeStore nodes_;
  std::vector<double> multipliers_, algebraic_, controls_;
  double time_ = 0;
  StepCoefficients coefficients_;
  std::vector<double> last_inputs_;  // time and coefficients, as kernels read them
  std::vector<double> residual_;
  /// Of few elements: the outputs of all of them, one after the other, and the sums that they make.
  std::vector<double> step_outputs_;
  struct Sums {
    GatheredSums residual, matrix;
  };
  std::optional<Sums> sums_;
  std::vector<double> of_x_, of_y_, products_;  // of measure_products()
  bool has_energy_ = false, has_momentum_ = false;

  std::optional<Stabilizer> stabilizer_;  // of the stabilised formulation

  BlockStructure blocks_;
  std::optional<LinearSolver> matrix_;  // made when the pattern is known
  std::span<double> matrix_values_;
};

}  // namespace liegrad::dae
