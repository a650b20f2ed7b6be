#include "liegrad/optimize/fit/multi_start.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/optimize/fit/table_file.hpp"
#include "liegrad/optimize/fit/unknowns.hpp"

namespace liegrad::optimize {
namespace {

using dae::index;

/// Where a start ended; without a cost where its runs failed.
struct End {
  double cost = std::numeric_limits<double>::quiet_NaN();
  bool converged = false;
  Eigen::VectorXd x;

  bool has_failed() const { return std::isnan(cost); }
};

/// A thousandth in the logarithm of the likelihood is a twentieth of a standard deviation: less than what integration may
/// change.
bool is_same(double a, double b) { return std::abs(a - b) <= 1e-3 + 1e-6 * std::abs(a); }

/// The ends that are known, in memory and in a file: a line for each, of the start, the cost, whether it converged, and
/// all unknowns.
class Ends {
 public:
  Ends(std::string file, const std::vector<std::string>& unknowns)
      : file_(std::move(file)), names_({"start", "cost", "converged"}) {
    names_.insert(names_.end(), unknowns.begin(), unknowns.end());
    if (file_.empty()) return;
    if (std::filesystem::exists(file_)) read();
    stream_.open(file_, std::ios::app);
    if (known_.empty() && !is_begun_) {
      for (std::size_t i = 0; i < names_.size(); ++i) stream_ << (i > 0 ? "," : "") << names_[i];
      stream_ << std::endl;
    }
    if (stream_) return;
    throw InvalidArgument(file_ + " cannot be written: " + std::strerror(errno));
  }

  const End* find(int start) const {
    const auto found = known_.find(start);
    return found == known_.end() ? nullptr : &found->second;
  }
  const std::map<int, End>& all() const { return known_; }

  void add(int start, const End& end) {
    known_[start] = end;
    if (file_.empty()) return;
    std::ostringstream line;
    line.precision(17);
    line << start << ',';
    if (!end.has_failed()) line << end.cost;
    line << ',' << (end.converged ? 1 : 0);
    for (const double value : end.x) line << ',' << value;
    stream_ << line.str() << std::endl;
  }

 private:
  void read() {
    std::ostringstream text;
    text << std::ifstream(file_).rdbuf();
    // A line that was being written when the program ended is left out.
    const std::string all = text.str();
    const std::size_t complete = all.rfind('\n') + 1;
    if (complete < all.size()) std::filesystem::resize_file(file_, complete);
    is_begun_ = complete > 0;
    if (std::count(all.begin(), all.end(), '\n') <= 1) {
      if (is_begun_ && all.substr(0, complete - 1) != header()) refuse();
      return;
    }
    const Table table = read_table(file_);
    if (table.names != names_) refuse();
    for (int row = 0; row < table.num_rows(); ++row) {
      const auto cell = [&](std::size_t column) { return table.columns[column][index(row)]; };
      End end{cell(1), cell(2) != 0, Eigen::VectorXd(std::ssize(names_) - 3)};
      for (std::size_t i = 3; i < names_.size(); ++i) {
        end.x(static_cast<Eigen::Index>(i) - 3) = cell(i);
      }
      known_[static_cast<int>(cell(0))] = end;
    }
  }
  std::string header() const {
    std::string line;
    for (const std::string& name : names_) line += (line.empty() ? "" : ",") + name;
    return line;
  }
  [[noreturn]] void refuse() const {
    throw InvalidArgument(file_ +
                          " has ends of another fit, with other unknowns; name another file");
  }

  std::string file_;
  std::vector<std::string> names_;
  std::map<int, End> known_;
  std::ofstream stream_;
  bool is_begun_ = false;
};

Eigen::VectorXd values_of(const FitResult& result) {
  Eigen::VectorXd x(std::ssize(result.parameters));
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    x(i) = result.parameters[static_cast<std::size_t>(i)].value;
  }
  return x;
}

/// Multiples of an irrational number fill an interval evenly; those of roots of different numbers fill the box.
FitProblem started_from(const FitProblem& problem, const Unknowns& unknowns, int start) {
  FitProblem result = problem;
  for (int i = 0; i < unknowns.size() && start > 0; ++i) {
    const Unknowns::Unknown& unknown = unknowns.list()[index(i)];
    if (!std::isfinite(unknown.lower) || !std::isfinite(unknown.upper)) continue;
    const double place = std::fmod(start * std::sqrt(2.0 + 3.0 * i + i * i), 1.0);
    result.start[unknown.name] = unknown.lower + place * (unknown.upper - unknown.lower);
  }
  return result;
}

/// Makes the fits of all starts that are not known, several at the same time.
class Fits {
 public:
  Fits(const FitProblem& problem, const FitOptions& options, const Unknowns& unknowns, Ends& ends)
      : problem_(problem), options_(options), unknowns_(unknowns), ends_(ends) {
    options_.solver.threads = 1;
    if (!options.solver.on_iteration) return;
    options_.solver.on_iteration = [this, &options](const LeastSquaresOptions::Iteration& now,
                                                    const Eigen::VectorXd& x) {
      const std::scoped_lock lock(mutex_);
      return options.solver.on_iteration(now, x);
    };
  }

  void run(int starts, int threads) {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([this, starts] { work(starts); });
    work(starts);
    others.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work(int starts) {
    for (int start = next_++; start < starts && !is_over_; start = next_++) {
      if (is_known(start)) continue;
      try {
        End end;
        try {
          const FitResult result = fit(started_from(problem_, unknowns_, start), options_);
          if (result.was_stopped) is_over_ = true;
          if (result.was_stopped) return;
          end = {result.cost, result.converged, values_of(result)};
        } catch (const Error&) {
          end.x = started_from_values(start);
        }
        const std::scoped_lock lock(mutex_);
        ends_.add(start, end);
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        failure_ = std::current_exception();
        is_over_ = true;
      }
    }
  }
  bool is_known(int start) {
    const std::scoped_lock lock(mutex_);
    return ends_.find(start) != nullptr;
  }
  Eigen::VectorXd started_from_values(int start) const {
    return Unknowns(started_from(problem_, unknowns_, start)).start();
  }

  const FitProblem& problem_;
  FitOptions options_;
  const Unknowns& unknowns_;
  Ends& ends_;
  std::mutex mutex_;
  std::atomic<int> next_ = 1;
  std::atomic<bool> is_over_ = false;
  std::exception_ptr failure_;
};

/// Ends with the same cost are one optimum.
void list_optima(const std::map<int, End>& ends, int starts, MultiStart& result) {
  for (const auto& [start, end] : ends) {
    if (start >= starts) continue;
    if (end.has_failed()) {
      result.failed += 1;
      continue;
    }
    const auto known =
        std::find_if(result.optima.begin(), result.optima.end(),
                     [&, &own = end](const Optimum& one) { return is_same(one.cost, own.cost); });
    if (known != result.optima.end()) {
      known->count += 1;
    } else {
      result.optima.push_back({end.cost, 1, end.converged, end.x});
    }
  }
  std::stable_sort(result.optima.begin(), result.optima.end(),
                   [](const Optimum& a, const Optimum& b) { return a.cost < b.cost; });
}

}  // namespace

MultiStart fit_from_many(const FitProblem& problem, const FitOptions& options,
                         const MultiStartOptions& how) {
  if (how.starts < 1) throw InvalidArgument("a fit needs at least one start");
  if (how.threads < 1) throw InvalidArgument("a fit needs at least one thread");
  const Unknowns unknowns(problem);
  Ends ends(how.file, unknowns.names());
  const bool has_box = std::ranges::any_of(unknowns.list(), [](const Unknowns::Unknown& unknown) {
    return std::isfinite(unknown.lower) && std::isfinite(unknown.upper);
  });
  if (how.starts > 1 && !has_box) {
    throw InvalidArgument(
        "fits from " + std::to_string(how.starts) +
        " starts need a box that they are taken from; give at least one unknown a "
        "lower and an upper bound");
  }
  MultiStart result;
  result.best = fit(problem, options);
  // Judged with the same noise, or costs could not be compared.
  FitProblem same = problem;
  for (const OutputFit& output : result.best.outputs) same.noise[output.output] = output.noise;
  const FitOptions settled = with_runs_of(result.best, options);
  const FitResult first = fit(same, settled);
  for (const auto& [start, end] : ends.all()) result.read += start < how.starts ? 1 : 0;
  if (const End* const known = ends.find(0)) {
    if (!is_same(known->cost, first.cost)) {
      throw InvalidArgument(how.file +
                            " has ends of another fit: from the first start its cost is " +
                            dae::number_text(known->cost) + ", here " +
                            dae::number_text(first.cost) + "; name another file");
    }
  } else if (!first.was_stopped) {
    ends.add(0, {first.cost, first.converged, values_of(first)});
  }
  if (!first.was_stopped) Fits(same, settled, unknowns, ends).run(how.starts, how.threads);
  list_optima(ends.all(), how.starts, result);
  if (result.optima.empty() || !(result.optima.front().cost < first.cost)) return result;
  if (is_same(result.optima.front().cost, first.cost)) return result;
  FitProblem from_best = problem;
  for (int i = 0; i < unknowns.size(); ++i) {
    from_best.start[unknowns.list()[index(i)].name] = result.optima.front().x(i);
  }
  FitOptions from_there = options;
  from_there.start_from_data = from_there.start_by_regression = from_there.start_by_tracking =
      false;
  result.best = fit(from_best, from_there);
  return result;
}

}  // namespace liegrad::optimize
