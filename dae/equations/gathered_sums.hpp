#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace liegrad::dae {

/// Sums of numbers of one array as the entries of another: what a few elements give, entry by entry of a dense matrix.
/// Most entries have one term, which is copied; adding it to a zero would read and write the entry once more.
class GatheredSums {
 public:
  GatheredSums() = default;
  /// terms[i]: where the terms of entry i stand; without terms it is 0.
  explicit GatheredSums(const std::vector<std::vector<int>>& terms) : size_(terms.size()) {
    std::vector<Move> copied, added;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      has_zeros_ = has_zeros_ || terms[i].empty();
      // The last ones are mostly those of joints, which have neighbours that go at once.
      for (const int from : terms[i]) {
        (from == terms[i].back() ? copied : added).push_back({from, static_cast<int>(i)});
      }
    }
    copied_ = Moves(copied);
    added_ = Moves(added);
  }

  void operator()(const double* from, double* to) const {
    if (has_zeros_) std::fill_n(to, size_, 0.0);
#pragma GCC unroll 4
    for (const Move& m : copied_.pairs) pair(to[m.to]) = pair(from[m.from]);
#pragma GCC unroll 4
    for (const Move& m : copied_.singles) to[m.to] = from[m.from];
    for (const Move& m : added_.pairs) pair(to[m.to]) += pair(from[m.from]);
    for (const Move& m : added_.singles) to[m.to] += from[m.from];
  }

 private:
  struct Move {
    int from, to;
  };
  /// Two neighbours that move to two neighbours go at once.
  struct Moves {
    std::vector<Move> pairs, singles;

    Moves() = default;
    explicit Moves(const std::vector<Move>& all) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_pair = i + 1 < all.size() && all[i + 1].from == all[i].from + 1 &&
                             all[i + 1].to == all[i].to + 1;
        (is_pair ? pairs : singles).push_back(all[i]);
        if (is_pair) ++i;
      }
    }
  };
  /// Two doubles, which all processors work on at once. (GCC and clang)
  using Pair [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;
  static Pair& pair(double& first) { return reinterpret_cast<Pair&>(first); }
  static const Pair& pair(const double& first) { return reinterpret_cast<const Pair&>(first); }

  std::size_t size_ = 0;
  bool has_zeros_ = false;
  Moves copied_, added_;
};

}  // namespace liegrad::dae
