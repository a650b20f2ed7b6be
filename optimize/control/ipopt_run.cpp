#include "liegrad/control/ipopt_run.hpp"

#include <IpoptConfig.h>
#include <dlfcn.h>
#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>
#include <IpTNLPAdapter.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "liegrad/control/ipopt_blocks.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::control {
namespace {

using dae::index;
using Ipopt::Index;
using Ipopt::Number;

/// A δ_n that turns by more than this comes near the edge of its chart, π.
constexpr double kLargestTurn = 2.5;
/// IPOPT takes bounds beyond this for infinite.
constexpr double kInfinity = 1e19;
/// The order of pivots, by METIS.
constexpr const char* kMetis = "5";
/// An iterate that violates nothing by more satisfies the constraints.
constexpr double kSatisfied = 1e-6;

double finite(double bound) { return std::clamp(bound, -2 * kInfinity, 2 * kInfinity); }

class Adapter final : public Ipopt::TNLP {
 public:
  Adapter(Program& program, const SolveOptions& options, const StopRequest& stop, Iterate& iterate,
          Record& record)
      : nlp_(program),
        options_(options),
        stop_(stop),
        iterate_(iterate),
        record_(record),
        current_(iterate.x) {}

  bool get_nlp_info(Index& n, Index& m, Index& nnz_jac_g, Index& nnz_h_lag,
                    IndexStyleEnum& style) override {
    n = nlp_.num_variables();
    m = nlp_.num_constraints();
    nnz_jac_g = static_cast<Index>(nlp_.jacobian_pattern().size());
    nnz_h_lag = static_cast<Index>(nlp_.hessian_pattern().size());
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index n, Number* x_l, Number* x_u, Index m, Number* g_l,
                       Number* g_u) override {
    for (Index i = 0; i < n; ++i) {
      const Interval bounds = nlp_.variable_interval(i);
      x_l[i] = finite(bounds.lower);
      x_u[i] = finite(bounds.upper);
    }
    for (Index i = 0; i < m; ++i) {
      const Interval bounds = nlp_.constraint_interval(i);
      g_l[i] = finite(bounds.lower);
      g_u[i] = finite(bounds.upper);
    }
    return true;
  }

  bool get_scaling_parameters(Number& cost, bool& has_variables, Index n, Number* variables,
                              bool& has_rows, Index m, Number* rows) override {
    const UnitScales& scales = nlp_.units;
    has_variables = has_rows = !scales.empty();
    if (scales.empty()) return true;
    cost = 1 / scales.cost;
    for (Index i = 0; i < n; ++i) variables[i] = 1 / scales.variables[index(i)];
    for (Index i = 0; i < m; ++i) rows[i] = 1 / scales.rows[index(i)];
    return true;
  }

  bool get_starting_point(Index n, bool init_x, Number* x, bool init_z, Number* z_l, Number* z_u,
                          Index m, bool init_lambda, Number* lambda) override {
    if (init_x) std::copy_n(iterate_.x.begin(), n, x);
    if (init_z) {
      std::copy_n(iterate_.lower_multipliers.begin(), n, z_l);
      std::copy_n(iterate_.upper_multipliers.begin(), n, z_u);
    }
    if (init_lambda) std::copy_n(iterate_.multipliers.begin(), m, lambda);
    return true;
  }

  bool eval_f(Index n, const Number* x, bool new_x, Number& f) override {
    if (!set_point(n, x, new_x)) return false;
    f = nlp_.cost();
    return std::isfinite(f);
  }
  bool eval_grad_f(Index n, const Number* x, bool new_x, Number* gradient) override {
    if (!set_point(n, x, new_x)) return false;
    nlp_.cost_gradient({gradient, index(n)});
    return true;
  }
  bool eval_g(Index n, const Number* x, bool new_x, Index m, Number* g) override {
    if (!set_point(n, x, new_x)) return false;
    nlp_.constraints({g, index(m)});
    return std::all_of(g, g + m, [](Number value) { return std::isfinite(value); });
  }
  bool eval_jac_g(Index n, const Number* x, bool new_x, Index /*m*/, Index size, Index* rows,
                  Index* columns, Number* entries) override {
    if (entries == nullptr) return put(nlp_.jacobian_pattern(), rows, columns);
    if (!set_point(n, x, new_x)) return false;
    nlp_.jacobian({entries, index(size)});
    return true;
  }
  bool eval_h(Index n, const Number* x, bool new_x, Number cost_factor, Index m,
              const Number* lambda, bool /*new_lambda*/, Index size, Index* rows, Index* columns,
              Number* entries) override {
    if (entries == nullptr) return put(nlp_.hessian_pattern(), rows, columns);
    if (!set_point(n, x, new_x)) return false;
    nlp_.hessian(cost_factor, {lambda, index(m)}, {entries, index(size)});
    return true;
  }

  bool intermediate_callback(Ipopt::AlgorithmMode mode, Index iteration, Number cost, Number primal,
                             Number dual, Number /*mu*/, Number /*d_norm*/,
                             Number /*regularization*/, Number /*alpha_dual*/,
                             Number /*alpha_primal*/, Index /*trials*/,
                             const Ipopt::IpoptData* data,
                             Ipopt::IpoptCalculatedQuantities* quantities) override {
    iterations_ = iteration;
    if (mode == Ipopt::RegularMode) keep_best(cost, primal, data, quantities);
    record_.primal_history.push_back(primal);
    record_.dual_history.push_back(dual);
    turned_too_far_ = nlp_.largest_turn(current_) > kLargestTurn;
    if (options_.observe && !options_.observe(iteration, cost, primal)) {
      interrupted_ = true;
      return false;
    }
    return !turned_too_far_ && !stop_.is_made();
  }

  void finalize_solution(Ipopt::SolverReturn /*status*/, Index n, const Number* x,
                         const Number* z_l, const Number* z_u, Index m, const Number* /*g*/,
                         const Number* lambda, Number /*cost*/, const Ipopt::IpoptData* /*data*/,
                         Ipopt::IpoptCalculatedQuantities* /*quantities*/) override {
    iterate_.x.assign(x, x + n);
    iterate_.lower_multipliers.assign(z_l, z_l + n);
    iterate_.upper_multipliers.assign(z_u, z_u + n);
    iterate_.multipliers.assign(lambda, lambda + m);
    iterate_.has_multipliers = true;
  }

  /// The iterate of least violation, or of least cost among those that satisfy the constraints, in place of the last one.
  void take_best() {
    if (best_.x.empty()) return;
    iterate_ = best_;
    iterate_.has_multipliers = true;
  }

  int iterations() const { return iterations_; }
  bool turned_too_far() const { return turned_too_far_; }
  bool interrupted() const { return interrupted_; }

 private:
  void keep_best([[maybe_unused]] double cost, [[maybe_unused]] double violation,
                 [[maybe_unused]] const Ipopt::IpoptData* data,
                 [[maybe_unused]] Ipopt::IpoptCalculatedQuantities* quantities) {
#if IPOPT_VERSION_MAJOR > 3 || IPOPT_VERSION_MINOR >= 14
    const bool satisfies = violation < kSatisfied;
    const bool is_better = best_.x.empty() || (satisfies && best_violation_ < kSatisfied
                                                   ? cost < best_cost_
                                                   : violation < best_violation_);
    if (!is_better || !std::isfinite(cost)) return;
    best_.x.resize(index(nlp_.num_variables()));
    best_.lower_multipliers.resize(best_.x.size());
    best_.upper_multipliers.resize(best_.x.size());
    best_.multipliers.resize(index(nlp_.num_constraints()));
    if (!get_curr_iterate(
            data, quantities, false, static_cast<Index>(best_.x.size()), best_.x.data(),
            best_.lower_multipliers.data(), best_.upper_multipliers.data(),
            static_cast<Index>(best_.multipliers.size()), nullptr, best_.multipliers.data())) {
      best_.x.clear();
    }
    best_cost_ = cost;
    best_violation_ = violation;
#endif
  }
  bool set_point(Index n, const Number* x, bool new_x) {
    if (!new_x && has_point_) return is_defined_;
    std::copy_n(x, n, current_.begin());
    is_defined_ = nlp_.set_point(current_);
    has_point_ = true;
    return is_defined_;
  }
  static bool put(const ad::Pattern& pattern, Index* rows, Index* columns) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      rows[i] = pattern[i].first;
      columns[i] = pattern[i].second;
    }
    return true;
  }

  Program& nlp_;
  const SolveOptions& options_;
  const StopRequest& stop_;
  Iterate& iterate_;
  Record& record_;
  std::vector<double> current_;
  Iterate best_;
  double best_cost_ = 0, best_violation_ = 0;
  int iterations_ = 0;
  bool has_point_ = false, is_defined_ = false, turned_too_far_ = false, interrupted_ = false;
};

/// Sets an option given as text, whatever its type is.
void set_option(Ipopt::IpoptApplication& ipopt, const std::string& name, const std::string& value) {
  const Ipopt::SmartPtr<const Ipopt::RegisteredOption> option = ipopt.RegOptions()->GetOption(name);
  if (!Ipopt::IsValid(option)) {
    throw InvalidArgument("IPOPT has no option '" + name + "'; its manual lists them");
  }
  const auto number = [&] {
    std::size_t used = 0;
    double x = 0;
    try {
      x = std::stod(value, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != value.size()) {
      throw InvalidArgument("option '" + name + "' of IPOPT takes a number, not '" + value + "'");
    }
    return x;
  };
  bool taken = false;
  switch (option->Type()) {
    case Ipopt::OT_Number: taken = ipopt.Options()->SetNumericValue(name, number()); break;
    case Ipopt::OT_Integer:
      taken = ipopt.Options()->SetIntegerValue(name, static_cast<Index>(std::lround(number())));
      break;
    default: taken = ipopt.Options()->SetStringValue(name, value); break;
  }
  if (!taken) {
    throw InvalidArgument("IPOPT does not take '" + value + "' for its option '" + name + "'");
  }
}

std::string number_text(double x) {
  std::ostringstream text;
  text << std::setprecision(17) << x;
  return text.str();
}

/// The blocks that MUMPS multiplies are too small for threads, which would wait for each other.
void use_one_thread() {
  static const bool done = [] {
    using SetThreads = void (*)(int);
    void* const found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (found != nullptr) reinterpret_cast<SetThreads>(found)(1);
    return true;
  }();
  (void)done;
}

/// A program of IPOPT with options of its own. The list of all options that there are takes more to make than some
/// iterations; it never changes, and counts its users without locks: one for each thread.
Ipopt::SmartPtr<Ipopt::IpoptApplication> new_ipopt() {
  thread_local const Ipopt::SmartPtr<Ipopt::RegisteredOptions> known = [] {
    const Ipopt::SmartPtr<Ipopt::IpoptApplication> first = new Ipopt::IpoptApplication(false);
    return first->RegOptions();
  }();
  const Ipopt::SmartPtr<Ipopt::Journalist> journalist = new Ipopt::Journalist();
  const Ipopt::SmartPtr<Ipopt::OptionsList> options = new Ipopt::OptionsList(known, journalist);
  return new Ipopt::IpoptApplication(known, options, journalist);
}

Status status_of(Ipopt::ApplicationReturnStatus status) {
  switch (status) {
    case Ipopt::Solve_Succeeded: return Status::kSolved;
    case Ipopt::Solved_To_Acceptable_Level: return Status::kAcceptable;
    case Ipopt::Infeasible_Problem_Detected: return Status::kInfeasible;
    case Ipopt::Maximum_Iterations_Exceeded: return Status::kIterations;
    case Ipopt::Maximum_CpuTime_Exceeded: return Status::kTime;
#if IPOPT_VERSION_MAJOR > 3 || IPOPT_VERSION_MINOR >= 14
    case Ipopt::Maximum_WallTime_Exceeded: return Status::kTime;
#endif
    case Ipopt::User_Requested_Stop: return Status::kInterrupted;
    default: return Status::kFailed;
  }
}

const char* message_of(Ipopt::ApplicationReturnStatus status) {
  switch (status) {
    case Ipopt::Solve_Succeeded: return "solved to the tolerance";
    case Ipopt::Solved_To_Acceptable_Level: return "solved to IPOPT's acceptable level only";
    case Ipopt::Infeasible_Problem_Detected:
      return "IPOPT converged to a point of least violation: the conditions contradict each other, "
             "or the guess is "
             "too far away";
    case Ipopt::Search_Direction_Becomes_Too_Small: return "the search direction became too small";
    case Ipopt::Diverging_Iterates: return "the iterates diverge";
    case Ipopt::Maximum_Iterations_Exceeded: return "the limit of iterations was reached";
    case Ipopt::Maximum_CpuTime_Exceeded: return "the time limit was reached";
#if IPOPT_VERSION_MAJOR > 3 || IPOPT_VERSION_MINOR >= 14
    case Ipopt::Maximum_WallTime_Exceeded: return "the time limit was reached";
#endif
    case Ipopt::Restoration_Failed: return "IPOPT's restoration phase failed";
    case Ipopt::Error_In_Step_Computation: return "IPOPT could not compute a step";
    case Ipopt::Not_Enough_Degrees_Of_Freedom:
      return "there are more conditions than unknowns: fix less at the end, or add controls";
    case Ipopt::Invalid_Number_Detected: return "a function is not finite at the first guess";
    case Ipopt::User_Requested_Stop: return "stopped on request";
    default: return "IPOPT failed";
  }
}

}  // namespace

bool uses_blocks(const SolveOptions& options) {
  if (options.transcription.kind != TranscriptionKind::kSimultaneous) return false;
  if (options.linear_solver == LinearSolver::kAutomatic) {
    return kIpoptTakesBlocks && options.hessian == HessianMode::kExact &&
           !options.ipopt.contains("linear_solver");
  }
  return options.linear_solver == LinearSolver::kBlocks;
}

void run_ipopt(Program& program, const SolveOptions& options, const StopRequest& stop,
               Iterate& iterate, Record& record, bool& turned_too_far) {
  Summary& summary = record.summary;
  summary.ipopt_version = IPOPT_VERSION;
  use_one_thread();
  const Ipopt::SmartPtr<Ipopt::IpoptApplication> ipopt = new_ipopt();
  const auto choose = [&](const char* name, const std::string& value) {
    if (!options.ipopt.contains(name)) set_option(*ipopt, name, value);
  };
  choose("print_level", "0");
  choose("sb", "yes");
  choose("tol", number_text(options.tolerance));
  choose("max_iter", std::to_string(options.max_iterations));
  const bool blocks = uses_blocks(options);
  summary.linear_solver = blocks ? "blocks" : "mumps";
  if (!blocks) choose("linear_solver", "mumps");
  // A solution whose residual is small enough is not refined: one of two solutions in each iteration is saved.
  if (blocks) choose("min_refinement_steps", "0");
  // Equations of constraints have zeros on the diagonal wherever a step's own pivot would be.
  if (!blocks && program.has_joints()) {
    choose("mumps_pivtol", "1e-2");
    choose("mumps_pivot_order", kMetis);  // what MUMPS chooses takes four times as long
  }
  if (!program.units.empty()) {
    choose("nlp_scaling_method", "user-scaling");
    choose("bound_relax_factor", "0");  // would be absolute, in the units of the problem
    // Those of the scaled problem decide.
    for (const char* const name : {"dual_inf_tol", "constr_viol_tol", "compl_inf_tol"}) {
      choose(name, "1e20");
    }
  }
  if (options.hessian == HessianMode::kLimitedMemory) {
    choose("hessian_approximation", "limited-memory");
  }
  if (iterate.has_multipliers) {
    choose("warm_start_init_point", "yes");
    for (const char* const name :
         {"warm_start_bound_push", "warm_start_bound_frac", "warm_start_slack_bound_push",
          "warm_start_slack_bound_frac", "warm_start_mult_bound_push", "mu_init"}) {
      choose(name, "1e-8");
    }
  } else if (iterate.is_near) {
    for (const char* const name :
         {"bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac"}) {
      choose(name, "1e-5");
    }
    choose("mu_init", "1e-4");
  }
  for (const auto& [name, value] : options.ipopt) set_option(*ipopt, name, value);
  Ipopt::ApplicationReturnStatus status = ipopt->Initialize("");
  const Ipopt::SmartPtr<Adapter> adapter = new Adapter(program, options, stop, iterate, record);
  if (status == Ipopt::Solve_Succeeded) {
    const Ipopt::SmartPtr<Ipopt::TNLP> tnlp = Ipopt::GetRawPtr(adapter);
    if (blocks) {
      const Ipopt::SmartPtr<Ipopt::NLP> nlp_of_ipopt =
          new Ipopt::TNLPAdapter(tnlp, Ipopt::ConstPtr(ipopt->Jnlst()));
      Ipopt::SmartPtr<Ipopt::AlgorithmBuilder> builder = block_algorithm(program, stop);
      status = ipopt->OptimizeNLP(nlp_of_ipopt, builder);
    } else {
      status = ipopt->OptimizeTNLP(tnlp);
    }
  }
  turned_too_far = adapter->turned_too_far();
  summary.iterations += adapter->iterations();
  summary.status = status_of(status);
  summary.message = message_of(status);
  // IPOPT takes a factorisation or a motion that was stopped for one that failed.
  if (!is_solved(summary.status) && stop.is_made()) {
    const bool by_caller = stop.reason() == StopRequest::Reason::kCaller;
    summary.status = by_caller ? Status::kInterrupted : Status::kTime;
    summary.message = by_caller ? "stopped on request" : "the time limit was reached";
    turned_too_far = false;
  }
  // A point of least violation is what there is of a problem that has no solution.
  if (!is_solved(summary.status) && summary.status != Status::kInfeasible && !turned_too_far) {
    adapter->take_best();
  }
}

}  // namespace liegrad::control
