#pragma once

#include <memory>
#include <string>
#include <vector>

#include "liegrad/control/nlp.hpp"
#include "liegrad/control/phased_problem.hpp"
#include "liegrad/control/stop_request.hpp"

namespace liegrad::control {

/// The nonlinear program of several phases: the unknowns and rows of one after those of the other, then the rows of the
/// links, of shared parameters and of the whole time.
///
/// The start of a phase counts from the same reference as the end of the phase before, for nodes that both have, so that
/// equal configurations are equal δ. The KKT matrix stays block-tridiagonal in time: the points of a phase are stages
/// behind those of the phase before, and a link couples two neighbours.
class PhasedProgram final : public Program {
 public:
  /// Method, formulation and backend are those of the options; steps those of the phases. The problem is taken as it is now.
  /// Throws InvalidArgument.
  PhasedProgram(const PhasedProblem& problem, const TranscriptionOptions& options,
                const StopRequest& stop);

  struct Phase {
    std::unique_ptr<Transcription> transcription;
    std::unique_ptr<Nlp> nlp;
    int first_variable = 0, first_row = 0, first_stage = 0;
  };
  const std::vector<Phase>& phases() const { return phases_; }
  /// Rows behind those of all phases.
  int first_link_row() const { return first_link_row_; }
  std::string link_row_name(int row) const;
  /// The phase that such a row belongs to: the one that a link leads to, the last one for what all share.
  int link_row_phase(int row) const;
  /// The unknowns or multipliers of one phase.
  std::span<const double> variables_of(int phase, std::span<const double> x) const;
  std::span<const double> rows_of(int phase, std::span<const double> multipliers) const;

  const std::vector<double>& guess() const { return guess_; }
  /// Makes the motions of the phases of a solution the guess and the reference. True if all have the same unknowns and
  /// rows. Throws InvalidArgument if there are more or fewer, or if one is of another system.
  bool start_from(std::span<const Solution> phases);
  double seconds() const;

  Interval variable_interval(int variable) const override;
  Interval constraint_interval(int constraint) const override;
  bool set_point(std::span<const double> x) override;
  double cost() override;
  void constraints(std::span<double> g) override;
  void cost_gradient(std::span<double> gradient) override;
  void jacobian(std::span<double> entries) override;
  void hessian(double cost_factor, std::span<const double> multipliers,
               std::span<double> entries) override;
  double largest_turn(std::span<const double> x) const override;
  void recentre(std::vector<double>& x) override;

 private:
  struct LinkRow {
    std::string name;
    int phase;
  };
  /// Adds a function of these numbers to rows from `row` on.
  struct LinkTerm {
    ad::Recording function;
    std::vector<int> numbers;
    int row;
  };

  void add_phases(const TranscriptionOptions& options, const StopRequest& stop);
  // phased_links.cpp
  void add_links(ad::Backend backend);
  /// Of phase k, to the one before.
  void join_ends(int k, const ad::Recording& equality, std::vector<LinkTerm>& list);
  void share_parameters(const ad::Recording& equality, std::vector<LinkTerm>& list);
  void bound_whole_time(std::vector<LinkTerm>& list);
  void add_conditions(int k, std::vector<LinkTerm>& list);
  void find_patterns();
  /// Puts the stages of a phase behind those of the phases before.
  void add_stages(const Phase& phase);
  /// Adds a row, and returns its place among those of the links.
  int add_row(const std::string& name, int stage, int phase, const Interval& bounds);
  /// Where a number of a phase stands among those of the links.
  int link_number(int phase, int number) const;
  /// Gives the start of each phase the reference of the end before.
  void align_references(std::vector<double>& x);
  void gather_guess();
  int phase_of_variable(int variable) const;
  int phase_of_row(int row) const;

  PhasedProblem problem_;
  std::vector<Phase> phases_;
  int first_link_row_ = 0;
  std::vector<LinkRow> link_rows_;
  std::vector<Interval> link_bounds_;
  std::unique_ptr<sensitivity::KernelSum> links_;
  std::vector<int> first_numbers_;  ///< of the phases among the numbers of the links
  std::vector<double> link_numbers_, link_values_, guess_;
};

}  // namespace liegrad::control
