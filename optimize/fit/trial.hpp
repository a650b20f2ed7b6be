#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "liegrad/dae/integrate.hpp"
#include "liegrad/optimize/fit/measurements.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::optimize {

/// What the run of a trial computes for its samples: series after series, sample after sample.
struct Prediction {
  Eigen::VectorXd values;
  Eigen::MatrixXd jacobian;  ///< values × parameters
  Eigen::VectorXd rates;     ///< dŷ/dt of the series that are delayed, zero for the others
};

struct PredictionParts {
  bool jacobian = false, rates = false;
};

/// Runs a system over the time of one recording and reads its outputs where samples were taken, with derivatives
/// by chosen parameters: the only part of a fit that knows how runs are made and differentiated.
class Trial {
 public:
  /// The run starts `margins.before` earlier than the first sample and ends `margins.after` later than the last one,
  /// so that delayed outputs can be read.
  struct Margins {
    double before = 0, after = 0;
  };
  Trial(const dae::System& system, const Recording& recording,
        const std::vector<std::string>& parameters, const dae::IntegrateOptions& run,
        sensitivity::Mode mode, const Margins& margins);
  ~Trial();
  Trial(Trial&&) noexcept;
  Trial& operator=(Trial&&) noexcept;

  const Recording& recording() const;
  int num_values() const;
  double t_start() const;
  double t_end() const;

  /// With values of all parameters of the system, and a delay for each series: y(t) = ŷ(t - delay). Throws Error when
  /// the run does not come to its end.
  void predict(std::span<const double> parameters, std::span<const double> delays,
               const PredictionParts& parts, Prediction& prediction);
  /// Throws InvalidArgument where an element refuses these values: a negative mass, an inertia that no body has. A
  /// search may pass through them, so that runs do not ask.
  void check(std::span<const double> parameters);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace liegrad::optimize
