#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "liegrad/optimize/fit/loss.hpp"
#include "liegrad/optimize/fit/trial.hpp"
#include "liegrad/optimize/fit/unknowns.hpp"

namespace liegrad::optimize {

/// Residuals of one trial, in the units of its outputs.
struct TrialResiduals {
  Eigen::VectorXd values;  ///< measured less computed: series after series, sample after sample
  /// By the local unknowns, and then by the node that the piece of a row starts from; empty unless asked for.
  Eigen::MatrixXd jacobian;
  Eigen::VectorXd predicted;  ///< what the sensors should have shown: widths as in the recording
};

/// Measured values less those of the runs, on the group where an output is on one, as a function of the unknowns.
class Residuals {
 public:
  /// Trials are cut into pieces of that length; 0: they are not.
  Residuals(const FitProblem& problem, const Unknowns& unknowns, const dae::IntegrateOptions& run,
            sensitivity::Mode mode, double piece = 0);

  const Unknowns& unknowns() const { return unknowns_; }
  int num_trials() const { return static_cast<int>(trials_.size()); }
  const Recording& recording(int trial) const { return trials_[at(trial)].recording(); }
  /// How many residuals a trial has, and of which outputs they are, one after the other.
  int num_residuals(int trial) const { return static_cast<int>(outputs_of_[at(trial)].size()); }
  const std::vector<int>& outputs_of(int trial) const { return outputs_of_[at(trial)]; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  int num_residuals() const;

  /// Throws Error when the run of the trial fails.
  void evaluate(int trial, const Eigen::VectorXd& local, bool with_jacobian,
                TrialResiduals& residuals);
  /// The same without derivatives, with steps that follow another tolerance.
  void evaluate_with(double tolerance, int trial, const Eigen::VectorXd& local,
                     TrialResiduals& residuals);
  /// From here on residuals are smooth functions, with the steps of the runs at x, see Trial::hold_steps().
  void hold_steps(const Eigen::VectorXd& x);
  bool holds_steps() const;
  /// Of the error of all runs that follow, see Trial::set_tolerance().
  void set_tolerance(double tolerance);
  /// Throws InvalidArgument where an element refuses the values of the trial.
  void check(int trial, const Eigen::VectorXd& local) {
    trials_[at(trial)].check(unknowns_.inputs(trial, local));
  }

  // Trials in pieces, see Trial.

  Trial& trial(int i) { return trials_[at(i)]; }
  const Trial& trial(int i) const { return trials_[at(i)]; }
  bool has_nodes() const;
  /// By series.
  std::vector<double> delays_of(int trial, const Eigen::VectorXd& local) const;
  /// The piece of each residual of a trial.
  std::vector<int> pieces_of_rows(int trial) const;
  /// Residuals of one piece from a node; those of other pieces mean nothing.
  void evaluate_piece(int trial, int piece, const dae::InitialValues& node,
                      const Eigen::VectorXd& local, bool with_jacobian, TrialResiduals& residuals);

  long num_runs() const { return num_runs_; }
  long num_differentiated_runs() const { return num_differentiated_runs_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void compare(int trial, const Eigen::VectorXd& local, bool with_jacobian,
               TrialResiduals& residuals) const;
  void add_series(int trial, std::size_t series, int place, int row, const Eigen::VectorXd& local,
                  bool with_jacobian, TrialResiduals& residuals) const;

  const Unknowns& unknowns_;
  std::vector<Trial> trials_;
  std::vector<std::string> outputs_;
  std::vector<std::vector<int>> outputs_of_;
  /// What was predicted for a trial, and for which unknowns.
  struct Known {
    Prediction prediction;
    Eigen::VectorXd local;
    std::optional<double> tolerance = {};  ///< as in Residuals::tolerance_
    bool has_jacobian = false, is_known = false;
  };
  /// The last two: a search ends where it was last or, after a step that was not worth it, before that, and statistics
  /// begin there.
  struct LastTwo {
    std::array<Known, 2> list;
    std::size_t latest = 0;    ///< that was asked for
    std::size_t last_run = 0;  ///< that was computed
  };
  const Prediction& prediction(int trial) const {
    const LastTwo& last = last_[at(trial)];
    return last.list[last.latest].prediction;
  }
  std::vector<LastTwo> last_;
  std::optional<double> tolerance_;  ///< that was set
  using Map = Eigen::SparseMatrix<double>;
  std::vector<Map> maps_;  ///< by trial: from columns of predictions to those of residuals
  std::atomic<long> num_runs_ = 0, num_differentiated_runs_ = 0;
};

/// Divides residuals by the noise of their outputs and applies the loss to each sample.
void weigh(const Recording& recording, const std::vector<int>& outputs_of,
           const std::vector<double>& noise, const Loss& loss, TrialResiduals& residuals);

}  // namespace liegrad::optimize
