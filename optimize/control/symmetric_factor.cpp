#include "liegrad/control/symmetric_factor.hpp"

#include <cmath>
#include <utility>

namespace liegrad::control {
namespace {

/// (1 + √17)/8 bounds the growth of entries best [BunchKaufman1977].
constexpr double kPivotRatio = 0.6403882032022076;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

/// Rows and columns k and p > k of what is not yet eliminated, and the rows of L before.
void SymmetricFactor::interchange(int k, int p) {
  if (p == k) return;
  const int n = static_cast<int>(factor_.rows());
  Eigen::MatrixXd& f = factor_;
  std::swap(f(k, k), f(p, p));
  for (int i = k + 1; i < p; ++i) std::swap(f(i, k), f(p, i));
  for (int i = p + 1; i < n; ++i) std::swap(f(i, k), f(i, p));
  for (int j = 0; j < k; ++j) std::swap(f(k, j), f(p, j));
}

bool SymmetricFactor::factorize(const Eigen::Ref<const Eigen::MatrixXd>& a) {
  const int n = static_cast<int>(a.rows());
  factor_ = a;
  pivots_.assign(at(n), 0);
  negative_ = 0;
  Eigen::MatrixXd& f = factor_;
  double scale = 0;
  for (int j = 0; j < n; ++j) scale = std::max(scale, f.col(j).tail(n - j).cwiseAbs().maxCoeff());
  // Barrier terms make some entries huge: others may be small beside them and right.
  const double smallest = 1e-22 * scale;
  for (int k = 0; k < n;) {
    const double diagonal = std::abs(f(k, k));
    int largest = k;
    double below = 0;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(f(i, k)) > below) {
        below = std::abs(f(i, k));
        largest = i;
      }
    }
    if (!(std::max(diagonal, below) > smallest)) return false;
    int size = 1, p = k;
    if (diagonal < kPivotRatio * below) {
      double in_row = 0;  // off the diagonal of row `largest`
      for (int j = k; j < largest; ++j) in_row = std::max(in_row, std::abs(f(largest, j)));
      for (int i = largest + 1; i < n; ++i) in_row = std::max(in_row, std::abs(f(i, largest)));
      if (diagonal * in_row >= kPivotRatio * below * below) {
        p = k;
      } else if (std::abs(f(largest, largest)) >= kPivotRatio * in_row) {
        p = largest;
      } else {
        p = largest;
        size = 2;
      }
    }
    const int rest = n - k - size;
    if (size == 1) {
      // L of columns before has to follow, which interchange() does from column 0 on.
      interchange(k, p);
      pivots_[at(k)] = p;
      const double d = f(k, k);
      if (d < 0) ++negative_;
      for (int j = k + 1; j < n; ++j) {
        const double factor = f(j, k) / d;
        if (factor == 0) continue;
        f.col(j).segment(j, n - j) -= factor * f.col(k).segment(j, n - j);
      }
      f.col(k).tail(rest) /= d;
    } else {
      interchange(k + 1, p);
      pivots_[at(k)] = pivots_[at(k + 1)] = -p - 1;
      const double d11 = f(k, k), d21 = f(k + 1, k), d22 = f(k + 1, k + 1);
      const double determinant = d11 * d22 - d21 * d21;
      if (!(std::abs(determinant) > smallest * smallest)) return false;
      if (determinant < 0) {
        negative_ += 1;
      } else if (d11 < 0) {
        negative_ += 2;
      }
      for (int j = k + 2; j < n; ++j) {
        const double x = f(j, k), y = f(j, k + 1);
        if (x == 0 && y == 0) continue;
        const double l1 = (d22 * x - d21 * y) / determinant;
        const double l2 = (d11 * y - d21 * x) / determinant;
        f.col(j).segment(j, n - j) -=
            l1 * f.col(k).segment(j, n - j) + l2 * f.col(k + 1).segment(j, n - j);
        // What is above row j of both columns is not read any more.
        f(j, k) = l1;
        f(j, k + 1) = l2;
      }
    }
    k += size;
  }
  return true;
}

void SymmetricFactor::solve(RightSides& b) const {
  const Eigen::MatrixXd& f = factor_;
  const int n = static_cast<int>(f.rows());
  const auto exchange = [&b](int i, int p) {
    if (i != p) b.row(i).swap(b.row(p));
  };
  for (int k = 0; k < n; ++k) {
    if (pivots_[at(k)] >= 0) {
      exchange(k, pivots_[at(k)]);
    } else {
      exchange(k + 1, -pivots_[at(k)] - 1);
      ++k;
    }
  }
  for (int k = 0; k < n;) {
    const int size = pivots_[at(k)] >= 0 ? 1 : 2, rest = n - k - size;
    for (int i = n - rest; i < n; ++i) {
      for (int c = 0; c < size; ++c) {
        if (f(i, k + c) != 0) b.row(i) -= f(i, k + c) * b.row(k + c);
      }
    }
    k += size;
  }
  for (int k = 0; k < n;) {
    if (pivots_[at(k)] >= 0) {
      b.row(k) /= f(k, k);
      ++k;
    } else {
      const double d11 = f(k, k), d21 = f(k + 1, k), d22 = f(k + 1, k + 1);
      const double determinant = d11 * d22 - d21 * d21;
      for (Eigen::Index c = 0; c < b.cols(); ++c) {
        const double x = b(k, c), y = b(k + 1, c);
        b(k, c) = (d22 * x - d21 * y) / determinant;
        b(k + 1, c) = (d11 * y - d21 * x) / determinant;
      }
      k += 2;
    }
  }
  for (int k = n - 1; k >= 0;) {
    const bool pair = pivots_[at(k)] < 0;
    const int first = pair ? k - 1 : k, rest = n - 1 - k;
    for (int i = first; i <= k; ++i) {
      for (int j = n - rest; j < n; ++j) {
        if (f(j, i) != 0) b.row(i) -= f(j, i) * b.row(j);
      }
    }
    k = first - 1;
  }
  for (int k = n - 1; k >= 0; --k) {
    if (pivots_[at(k)] >= 0) {
      exchange(k, pivots_[at(k)]);
    } else {
      exchange(k, -pivots_[at(k)] - 1);
      --k;
    }
  }
}

}  // namespace liegrad::control
