#pragma once

#include <cstddef>
#include <vector>

namespace liegrad::dae {

/// Numbers of one array that go to places in another one, by a list made once.
class Moves {
 public:
  struct Move {
    int from, to;
  };

  Moves() = default;
  /// Two neighbours that move to two neighbours go at once.
  explicit Moves(const std::vector<Move>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_pair = i + 1 < all.size() && all[i + 1].from == all[i].from + 1 &&
                           all[i + 1].to == all[i].to + 1;
      (is_pair ? pairs_ : singles_).push_back(all[i]);
      if (is_pair) ++i;
    }
  }

  void copy(const double* from, double* to) const {
#pragma GCC unroll 4
    for (const Move& m : pairs_) pair(to[m.to]) = pair(from[m.from]);
#pragma GCC unroll 4
    for (const Move& m : singles_) to[m.to] = from[m.from];
  }
  void add(const double* from, double* to) const {
    for (const Move& m : pairs_) pair(to[m.to]) += pair(from[m.from]);
    for (const Move& m : singles_) to[m.to] += from[m.from];
  }
  /// Adds to where the numbers came from.
  void add_back(const double* to, double* from) const {
    for (const Move& m : pairs_) pair(from[m.from]) += pair(to[m.to]);
    for (const Move& m : singles_) from[m.from] += to[m.to];
  }

 private:
  /// Two doubles, which all processors work on at once. (GCC and clang)
  using Pair [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;
  static Pair& pair(double& first) { return reinterpret_cast<Pair&>(first); }
  static const Pair& pair(const double& first) { return reinterpret_cast<const Pair&>(first); }

  std::vector<Move> pairs_, singles_;
};

}  // namespace liegrad::dae
