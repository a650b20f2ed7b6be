#include "taped_balance.hpp"

#include <algorithm>

namespace liegrad::testing {
namespace {

using Span = TapeSpan;

/// d/dτ f(x + τ direction) for recorded numbers of both, where f was recorded before.
Tapes derivative_along(CppAD::ADFun<Taped, double>& f, const Tapes& x, const Tapes& direction) {
  f.Forward(0, x);
  return f.Forward(1, direction);
}

void put(Span z, TapedState& at) {
  const auto take = [&z](Tapes& part) {
    std::copy_n(z.begin(), part.size(), part.begin());
    z = z.subspan(part.size());
  };
  take(at.v_dot);
  take(at.lambda);
  take(at.s);
}

}  // namespace

Tapes TapedBalance::balance(const TapedState& at) const {
  const Rows rows = rows_at(system_, at);
  return joined({rows.motion, rows.acceleration, rows.algebraic});
}

void TapedBalance::set_accelerations(std::span<const double> guess, TapedState& at) {
  const Tapes z = implicit_.solve(guess, [&](Span unknowns) {
    put(unknowns, at);
    return balance(at);
  });
  put(z, at);
}

Tapes TapedBalance::solve_with_matrix(const TapedState& at,
                                      const std::function<void(Tapes& rows, TapeSpan z)>& change) {
  const std::size_t unknowns = dof() + constraints() + at.s.size();
  if (!balance_) record_balance(at);
  const Tapes x = balance_inputs(at);
  Tapes direction(x.size(), Taped(0));
  Tapes solution = implicit_.solve(std::vector<double>(unknowns, 0.0), [&](Span z) {
    std::copy(z.begin(), z.end(), direction.begin());
    Tapes result = derivative_along(*balance_, x, direction);
    change(result, z);
    return result;
  });
  solution.resize(dof());
  return solution;
}

Tapes TapedBalance::normal_velocity(const TapedState& at, const Tapes& y) {
  return solve_with_matrix(at, [&](Tapes& rows, Span) {
    for (std::size_t i = 0; i < y.size(); ++i) rows[dof() + i] -= y[i];
  });
}

Tapes TapedBalance::normal_change(const TapedState& at,
                                  const std::function<Tapes(Span x)>& constraints) {
  return solve_with_matrix(at, [&](Tapes& rows, Span z) {
    const Tapes values = constraints(z.first(dof()));
    std::copy(values.begin(), values.end(), rows.begin() + static_cast<std::ptrdiff_t>(dof()));
  });
}

Tapes TapedBalance::jerk(const TapedState& now) {
  const std::size_t unknowns = dof() + constraints() + now.s.size();
  if (!balance_) record_balance(now);
  const Tapes at = balance_inputs(now);
  Tapes rate = joined({Tapes(unknowns, Taped(0)), now.v, now.v_dot, Tapes{Taped(1)}});
  rate.resize(at.size(), Taped(0));
  Tapes solution = implicit_.solve(std::vector<double>(unknowns, 0.0), [&](Span z) {
    std::copy(z.begin(), z.end(), rate.begin());
    // A tape of another level, so that z may itself be recorded.
    return derivative_along(*balance_, at, rate);
  });
  solution.resize(dof());
  return solution;
}

Tapes TapedBalance::balance_inputs(const TapedState& at) const {
  return joined({at.v_dot, at.lambda, at.s, Tapes(dof(), Taped(0)), at.v, Tapes{at.t}, at.q,
                 at.parameters, at.controls});
}

void TapedBalance::record_balance(const TapedState& now) {
  Tapes x = balance_inputs(now);
  CppAD::Independent(x);
  Span rest = x;
  const auto part = [&rest](std::size_t count) {
    const Span first = rest.first(count);
    rest = rest.subspan(count);
    return Tapes(first.begin(), first.end());
  };
  TapedState at;
  at.v_dot = part(dof());
  at.lambda = part(constraints());
  at.s = part(now.s.size());
  const Tapes delta = part(dof());
  at.v = part(dof());
  at.t = part(1)[0];
  at.q = part(now.q.size());
  at.parameters = part(now.parameters.size());
  at.controls = part(now.controls.size());
  system_.configuration_space().plus<Taped>(at.q, delta, at.q);
  Tapes rows = balance(at);
  const CppAD::ADFun<double> tape(x, rows);
  // CppAD's move constructor swaps with members that it has not set.
  balance_.emplace() = tape.base2ad();
}

}  // namespace liegrad::testing
