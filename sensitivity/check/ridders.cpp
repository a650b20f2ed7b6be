#include "liegrad/sensitivity/check/ridders.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "liegrad/lie/error.hpp"

namespace liegrad::sensitivity {
namespace {

/// Rows of a table that is clear, columns of any, and steps at most: the last is 7e-7 of the first.
constexpr int kRows = 8;
constexpr std::size_t kColumns = 8;
constexpr int kMostSteps = 25;
constexpr double kShrink = 1.8;
/// Rows from which noise is known.
constexpr std::ptrdiff_t kSeen = 4;
/// Rows without a better estimate of what is unclear, after which noise is thought to be the reason; but only
/// where f changes from step to step by less than these parts of an entry, or of the largest of all.
constexpr int kPatience = 4;
constexpr double kMostNoise = 1e-6, kMostNoiseOfLargest = 1e-12;

/// An estimate is clear below this part of the change between rows: three of some dozens of numbers that have
/// nothing to do with each other are not as close to one another by chance, a part x of their spread, more
/// often than in some dozens of x² cases.
constexpr double kClear = 1e-3;
/// Or below this part of the derivative, or below this multiple of rounding.
constexpr double kClearPart = 1e-8;
constexpr double kClearRounding = 10;
/// Above this part of the change there is no sign of convergence, as where f jumps.
constexpr double kUnclear = 1e-2;
/// By how much the least of many estimates is too small where it is not clear.
constexpr double kByChance = 10;

using Row = std::vector<std::vector<double>>;  // by column, then by entry

/// An extrapolation.
struct Candidate {
  double value = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::infinity();
  double change = 0;  ///< between the rows that it comes from
  double step = 0;
  double rounding = 0;  ///< of f over the step

  bool is_clear() const {
    return error <= kClear * change || error <= kClearPart * std::abs(value) ||
           error <= kClearRounding * rounding;
  }
  /// Those that are clear come first.
  bool is_better_than(const Candidate& other) const {
    return is_clear() == other.is_clear() ? error < other.error : is_clear();
  }
  Candidate with_noise(double noise) const {
    Candidate result = *this;
    result.error = std::max(error, noise / step);
    return result;
  }
};

/// What is known of one entry of f.
struct Entry {
  Candidate best;
  std::vector<Candidate> of_rows;    ///< those with the least error of each row
  std::vector<double> unsteadiness;  ///< of each row: the least change of a column, times the step

  /// Noise of f: what the last rows show, where they converge.
  double noise() const {
    std::vector<double> last(unsteadiness.end() - std::min(kSeen, std::ssize(unsteadiness)),
                             unsteadiness.end());
    std::sort(last.begin(), last.end());
    return last.empty() ? 0 : last[last.size() / 2];
  }
  /// That which is best when noise is part of the errors.
  void append_to(Difference& result) const {
    const double noise = this->noise();
    Candidate chosen = best.with_noise(noise);
    for (const Candidate& one : of_rows) {
      const Candidate noisy = one.with_noise(noise);
      if (noisy.is_better_than(chosen)) chosen = noisy;
    }
    double error = chosen.error;
    if (!chosen.is_clear()) {
      error = std::max(kByChance * error, error > kUnclear * chosen.change ? chosen.change : 0);
    }
    result.value.push_back(chosen.value);
    result.error.push_back(error);
  }
};

class Table {
 public:
  /// The next row. Returns whether an entry that was not clear is better known now, or may be soon.
  bool add(const std::vector<double>& plus, const std::vector<double>& minus, double step) {
    const std::size_t size = plus.size();
    Row row(1, std::vector<double>(size));
    entries_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      row[0][i] = (plus[i] - minus[i]) / (2 * step);
      largest_ = std::max({largest_, std::abs(plus[i]), std::abs(minus[i])});
    }
    double factor = kShrink * kShrink;
    for (std::size_t j = 1; j <= std::min(previous_.size(), kColumns - 1); ++j) {
      row.emplace_back(size);
      for (std::size_t i = 0; i < size; ++i) {
        row[j][i] = (factor * row[j - 1][i] - previous_[j - 1][i]) / (factor - 1);
      }
      factor *= kShrink * kShrink;
    }
    bool helps = false;
    for (std::size_t i = 0; i < size && !previous_.empty(); ++i) {
      const double magnitude = std::max(std::abs(plus[i]), std::abs(minus[i]));
      const Candidate candidate = best_of(row, i, step, magnitude);
      Entry& entry = entries_[i];
      entry.of_rows.push_back(candidate);
      entry.unsteadiness.push_back(step * least_change(row, i));
      const double change = step * candidate.change;
      const bool may_be_noise =
          change <= kMostNoise * magnitude || change <= kMostNoiseOfLargest * largest_;
      helps = helps ||
              (!entry.best.is_clear() && (candidate.error < entry.best.error || !may_be_noise));
      if (candidate.is_better_than(entry.best)) entry.best = candidate;
    }
    previous_ = std::move(row);
    return helps;
  }
  /// The next row does not follow the last one.
  void interrupt() { previous_.clear(); }

  const std::vector<Entry>& entries() const { return entries_; }
  bool is_clear() const {
    return std::all_of(entries_.begin(), entries_.end(),
                       [](const Entry& entry) { return entry.best.is_clear(); });
  }
  bool is_known() const {
    return std::all_of(entries_.begin(), entries_.end(),
                       [](const Entry& entry) { return std::isfinite(entry.best.error); });
  }

 private:
  Candidate best_of(const Row& row, std::size_t i, double step, double magnitude) const {
    const double rounding = std::numeric_limits<double>::epsilon() * magnitude / step;
    Candidate best;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const double error =
          std::max({std::abs(row[j][i] - row[j - 1][i]), std::abs(row[j][i] - previous_[j - 1][i]),
                    row[j][i] == 0 ? 0 : rounding});
      if (!(error <= best.error)) continue;
      best = {row[j][i], error, std::abs(row[0][i] - previous_[0][i]), step, rounding};
    }
    return best;
  }
  double least_change(const Row& row, std::size_t i) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < std::min(row.size(), previous_.size()); ++j) {
      least = std::min(least, std::abs(row[j][i] - previous_[j][i]));
    }
    return least;
  }

  Row previous_;
  double largest_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace

Difference ridders_derivative(const std::function<std::vector<double>(double)>& f,
                              double first_step) {
  Table table;
  std::string failure;
  int rows = 0, clear_since = 0, in_vain = 0;
  double step = first_step;
  for (int n = 0; n < kMostSteps; ++n, step /= kShrink) {
    // What became clear late has its noise in the rows that follow.
    const bool is_settled =
        table.is_clear() && (clear_since <= kRows || rows - clear_since >= kSeen);
    if (rows >= kRows && (is_settled || in_vain == kPatience)) break;
    try {
      const std::vector<double> plus = f(step), minus = f(-step);
      const bool was_clear = table.is_clear(), helps = table.add(plus, minus, step);
      rows += 1;
      if (!was_clear) clear_since = rows;
      in_vain = rows > kRows && !helps && !table.is_clear() ? in_vain + 1 : 0;
    } catch (const Error& error) {
      failure = error.what();
      table.interrupt();
    }
  }
  if (!failure.empty() && (rows == 0 || !table.is_known())) throw Error(failure);
  Difference result;
  for (const Entry& entry : table.entries()) entry.append_to(result);
  return result;
}

}  // namespace liegrad::sensitivity
