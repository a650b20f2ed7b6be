#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "liegrad/dae/equations/moves.hpp"

namespace liegrad::dae {

/// Sums of numbers of one array as the entries of another: what a few elements give, entry by entry of a dense matrix.
/// Most entries have one term, which is copied; adding it to a zero would read and write the entry once more.
class GatheredSums {
 public:
  GatheredSums() = default;
  /// terms[i]: where the terms of entry i stand; without terms it is 0.
  explicit GatheredSums(const std::vector<std::vector<int>>& terms) : size_(terms.size()) {
    std::vector<Moves::Move> copied, added;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      has_zeros_ = has_zeros_ || terms[i].empty();
      // The last ones are mostly those of joints, which have neighbours that go at once.
      for (std::size_t k = 0; k < terms[i].size(); ++k) {
        (k + 1 == terms[i].size() ? copied : added).push_back({terms[i][k], static_cast<int>(i)});
      }
    }
    copied_ = Moves(copied);
    added_ = Moves(added);
  }

  void operator()(const double* from, double* to) const {
    if (has_zeros_) std::fill_n(to, size_, 0.0);
    copied_.copy(from, to);
    added_.add(from, to);
  }

 private:
  std::size_t size_ = 0;
  bool has_zeros_ = false;
  Moves copied_, added_;
};

}  // namespace liegrad::dae
