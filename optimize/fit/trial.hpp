#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/optimize/fit/initial_coordinates.hpp"
#include "liegrad/optimize/fit/measurements.hpp"
#include "liegrad/optimize/fit/trial_inputs.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::optimize {

/// What the runs of a trial compute for its samples: series after series, sample after sample.
struct Prediction {
  Eigen::VectorXd values;
  /// Values × parameters and unknown initial values; of a trial in pieces then by the perturbation of the node that a
  /// sample's piece starts from, zero in the first piece.
  Eigen::MatrixXd jacobian;
  Eigen::VectorXd rates;  ///< dŷ/dt of the series that are delayed, zero for the others
};

struct PredictionParts {
  bool jacobian = false, rates = false;
  /// Of the error of these runs alone, whose steps then follow it, held or not.
  std::optional<double> tolerance = {};
};

/// From the end of a piece to the node that the next one starts from.
struct Continuity {
  /// log(node⁻¹ end) and the difference of velocities, with the end carried to the constraints.
  Eigen::VectorXd gap;
  /// Perturbations of the end by those of the own node of the piece, and by parameters and unknown initial values;
  /// without a gap after the last.
  Eigen::MatrixXd by_node, by_parameters;
};

/// Runs a system over the time of one recording and reads its outputs where samples were taken, with derivatives
/// by chosen parameters: the only part of a fit that knows how runs are made and differentiated.
///
/// A trial may be cut into pieces. The first one starts from the initial values of the system, or from those that are
/// unknowns themselves, the others from nodes: states on the constraints that are unknowns of multiple shooting.
class Trial {
 public:
  /// The run starts `margins.before` earlier than the first sample and ends `margins.after` later than the last one,
  /// so that delayed outputs can be read.
  struct Margins {
    double before = 0, after = 0;
  };
  /// `piece` is the length of pieces; 0: one run.
  Trial(const dae::System& system, const Recording& recording,
        const std::vector<std::string>& parameters, const dae::IntegrateOptions& run,
        sensitivity::Mode mode, const Margins& margins, double piece = 0,
        const InitialCoordinates& initial = {});
  ~Trial();
  Trial(Trial&&) noexcept;
  Trial& operator=(Trial&&) noexcept;

  const Recording& recording() const;
  int num_values() const;
  double t_start() const;
  double t_end() const;

  /// With a delay for each series: y(t) = ŷ(t - delay). Throws Error when a run does not come to its end.
  void predict(const TrialInputs& inputs, std::span<const double> delays,
               const PredictionParts& parts, Prediction& prediction);
  /// The steps of the last prediction, or of the next one, are those of all that follow, so that what is predicted is a
  /// smooth function: where steps follow the error it is smooth to their tolerance only. Without effect on fixed steps.
  enum class Steps { kLast, kNext };
  void hold_steps(Steps of = Steps::kNext);
  bool holds_steps() const;
  /// Of the error of all runs that follow, whose steps are held no longer. Precondition: steps follow the error.
  void set_tolerance(double tolerance);
  /// The times at the ends of all steps, from the start, of a run that ends after so many steps at the latest. Throws
  /// Error when it cannot go on.
  std::vector<double> step_times(const TrialInputs& inputs, std::span<const double> delays,
                                 double tolerance, long most_steps);
  /// Throws InvalidArgument where an element refuses these values: a negative mass, an inertia that no body has. A
  /// search may pass through them, so that runs do not ask.
  void check(const TrialInputs& inputs);
  /// What the first run starts from, on the constraints.
  dae::InitialValues start(const TrialInputs& inputs);

  // A trial in pieces.

  int num_pieces() const;
  /// Of a perturbation of a node, see WholeState; 0 without nodes.
  int node_size() const;
  /// The piece of each sample of a series, in the last prediction.
  const std::vector<int>& pieces_of(int series) const;
  /// Those of pieces 1, 2, …; until they are set, a piece starts where the one before it ended.
  const std::vector<dae::InitialValues>& nodes() const;
  void set_nodes(std::vector<dae::InitialValues> nodes);
  /// The state that a piece starts from, perturbed and carried to the constraints. Throws Error where there are none
  /// near.
  dae::InitialValues moved(int piece, const dae::InitialValues& node, const Eigen::VectorXd& by,
                           std::span<const double> parameters);
  /// From each piece, in the last prediction; derivatives if it had them.
  const std::vector<Continuity>& continuity() const;
  /// Runs the first piece alone, so that end_of(0) is known.
  void run_first_piece(const TrialInputs& inputs, std::span<const double> delays);
  /// One piece alone, from a node: predicted values of its samples in their places, and of all others zero.
  void predict_piece(int piece, const dae::InitialValues& node, std::span<const double> parameters,
                     std::span<const double> delays, bool with_jacobian, Prediction& prediction);
  /// Where a piece ended in its last run, on the constraints.
  dae::InitialValues end_of(int piece, std::span<const double> parameters);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace liegrad::optimize
