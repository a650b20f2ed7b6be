// Derivatives of the pendulum against those of another solver: SUNDIALS IDAS, backward differentiation
// formulas with forward sensitivities, on the equations of a point mass on a rod in the stabilised form of
// Gear, Gupta and Leimkuhler, with q = (x, y), e = (0, 1) and two multipliers,
//
//     q' = v - qμ,   m v' = -m g e - qλ,   0 = q·v,   0 = (q·q - l²)/2,
//
// and on their linearisation, both written here, so that nothing of the library is trusted. The multiplier
// follows from a constraint that is not among the equations, the second derivative of the last one:
//
//     λ = m (v·v - g y) / l².                                                                          (1)

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <idas/idas.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <Eigen/Dense>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/models/models.hpp"
#include "liegrad/sensitivity/differentiate.hpp"

namespace liegrad::testing {
namespace {

using dae::Formulation;
using dae::index;
using Vec2 = Eigen::Vector2d;
const Vec2 kUp(0, 1);

constexpr double kEnd = 1;

struct Parameters {
  double x0 = 0, m = 0, g = 0, l = 0;
};
/// None is 1, which would hide powers of it.
constexpr Parameters kParameters = {.x0 = 0.2, .m = 1.7, .g = 9.5, .l = 1.2};

/// Derivatives by the parameters, by q_0 and by v_0.
constexpr int kVariables = 8;
const std::vector<std::string> kNames = {"mass.x0",    "mass.m",     "mass.g",     "rod.l",
                                         "mass.q0[1]", "mass.q0[2]", "mass.v0[1]", "mass.v0[2]"};
constexpr std::array<Parameters, kVariables> kDirections = {
    {{.x0 = 1}, {.m = 1}, {.g = 1}, {.l = 1}, {}, {}, {}, {}}};

/// (q, v, λ, μ); derivatives of the first five are compared.
using State = Eigen::Matrix<double, 6, 1>;
using Table = Eigen::Matrix<double, 5, kVariables>;
struct Motion {
  State y, rate;
};

struct Pendulum {
  Parameters p = kParameters;
  /// -1 is a mistake in the linearisation, for a test that must notice it.
  double sign_of_gravity = 1;

  State residual(const State& y, const State& rate) const {
    const Vec2 q = y.head<2>(), v = y.segment<2>(2);
    State r;
    r << rate.head<2>() - v + q * y(5), p.m * rate.segment<2>(2) + p.m * p.g * kUp + q * y(4),
        q.dot(v), (q.dot(q) - p.l * p.l) / 2;
    return r;
  }
  /// What it changes by.
  State linearised(const Motion& at, const Motion& change, const Parameters& dp) const {
    const Vec2 q = at.y.head<2>(), v = at.y.segment<2>(2);
    const Vec2 dq = change.y.head<2>(), dv = change.y.segment<2>(2);
    const double dg = sign_of_gravity * dp.g;
    State dr;
    dr << change.rate.head<2>() - dv + dq * at.y(5) + q * change.y(5),
        dp.m * (at.rate.segment<2>(2) + p.g * kUp) + p.m * (change.rate.segment<2>(2) + dg * kUp) +
            dq * at.y(4) + q * change.y(4),
        dq.dot(v) + q.dot(dv), q.dot(dq) - p.l * dp.l;
    return dr;
  }

  /// q = (x, -√(l² - x²)) and a velocity along (-y, x)/l of the energy m/2 - mgl.
  Motion start() const {
    const Vec2 q(p.x0, -std::sqrt(p.l * p.l - p.x0 * p.x0));
    const double speed = std::sqrt(1 - 2 * p.g * (p.l + q(1)));
    const Vec2 v = speed / p.l * Vec2(-q(1), q(0));
    const double lambda = p.m * (v.dot(v) - p.g * q(1)) / (p.l * p.l);
    return {(State() << q, v, lambda, 0).finished(),
            (State() << v, -p.g * kUp - q * (lambda / p.m), 0, 0).finished()};
  }
  /// What follows from changes of q and v by (1) and by the equations.
  Motion change(const Motion& at, const Vec2& dq, const Vec2& dv, const Parameters& dp) const {
    const Vec2 q = at.y.head<2>(), v = at.y.segment<2>(2);
    const double lambda = at.y(4), dg = sign_of_gravity * dp.g;
    const double dlambda = lambda * (dp.m / p.m - 2 * dp.l / p.l) +
                           p.m * (2 * v.dot(dv) - dg * q(1) - p.g * dq(1)) / (p.l * p.l);
    const Vec2 df = dq * lambda + q * (dlambda - lambda * dp.m / p.m);
    return {(State() << dq, dv, dlambda, 0).finished(),
            (State() << dv, -dg * kUp - df / p.m, 0, 0).finished()};
  }
  /// Changes of q_0 and v_0 are carried back to the circle and to its tangent along q: dq = P dq_0 and
  /// dv = P dv_0 - q (v·dq)/l² with P = I - q qᵀ/l².
  Motion start_by(int variable) const {
    const Motion at = start();
    const Vec2 q = at.y.head<2>(), v = at.y.segment<2>(2);
    if (variable < 4) {
      const Parameters& dp = kDirections[index(variable)];
      const Vec2 dq(dp.x0, (p.l * dp.l - q(0) * dp.x0) / q(1));
      const double speed = v.norm(), dspeed = -(dp.g * (p.l + q(1)) + p.g * (dp.l + dq(1))) / speed;
      const Vec2 dv = v * (dspeed / speed - dp.l / p.l) + speed / p.l * Vec2(-dq(1), dq(0));
      return change(at, dq, dv, dp);
    }
    const Eigen::Vector4d unit = Eigen::Vector4d::Unit(variable - 4);
    const Vec2 dq = unit.head<2>() - q * (q.dot(unit.head<2>()) / (p.l * p.l));
    const Vec2 dv = unit.tail<2>() - q * ((q.dot(unit.tail<2>()) + v.dot(dq)) / (p.l * p.l));
    return change(at, dq, dv, {});
  }
};

// The solver.

struct Release {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
  void operator()(void* ida) const { IDAFree(&ida); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release>;

void check(int code, int line = __builtin_LINE()) {
  if (code == 0) return;
  throw std::runtime_error("SUNDIALS returned " + std::to_string(code) + " in line " +
                           std::to_string(line));
}
template <class Handle>
Owned<Handle> owned(Handle handle, int line = __builtin_LINE()) {
  check(handle == nullptr ? -1 : 0, line);
  return Owned<Handle>(handle);
}

Eigen::Map<State> view(N_Vector vector) { return Eigen::Map<State>(N_VGetArrayPointer(vector)); }
const Pendulum& pendulum_of(void* user) { return *static_cast<const Pendulum*>(user); }

int residual(double, N_Vector y, N_Vector rate, N_Vector r, void* user) {
  view(r) = pendulum_of(user).residual(view(y), view(rate));
  return 0;
}
int linearised(int count, double, N_Vector y, N_Vector rate, N_Vector, N_Vector* dy,
               N_Vector* drate, N_Vector* dr, void* user, N_Vector, N_Vector, N_Vector) {
  for (int j = 0; j < count; ++j) {
    view(dr[j]) = pendulum_of(user).linearised({view(y), view(rate)}, {view(dy[j]), view(drate[j])},
                                               kDirections[index(j)]);
  }
  return 0;
}

struct Reference {
  State values;
  Table derivatives;
};

Reference idas(Pendulum pendulum, double tolerance = 1e-12) {
  SUNContext created = nullptr;
  check(SUNContext_Create(nullptr, &created));
  const auto context = owned(created);
  const auto vector = [&](const State& from) {
    auto result = owned(N_VNew_Serial(6, context.get()));
    view(result.get()) = from;
    return result;
  };
  const Motion at = pendulum.start();
  const auto y = vector(at.y), rate = vector(at.rate);
  std::vector<Owned<N_Vector>> kept;
  std::vector<N_Vector> dy, drate;
  for (int j = 0; j < kVariables; ++j) {
    const Motion change = pendulum.start_by(j);
    dy.push_back(kept.emplace_back(vector(change.y)).get());
    drate.push_back(kept.emplace_back(vector(change.rate)).get());
  }

  const auto matrix = owned(SUNDenseMatrix(6, 6, context.get()));
  const auto solver = owned(SUNLinSol_Dense(y.get(), matrix.get(), context.get()));
  const auto memory = owned(IDACreate(context.get()));
  void* const ida = memory.get();
  check(IDAInit(ida, residual, 0, y.get(), rate.get()));
  check(IDASetUserData(ida, &pendulum));
  check(IDASetLinearSolver(ida, solver.get(), matrix.get()));
  // The iteration matrix is left to differences: it decides how fast iterations converge, not where to.
  check(IDASensInit(ida, kVariables, IDA_STAGGERED, linearised, dy.data(), drate.data()));

  // The equations are of index 2: steps are chosen without the multipliers, which rounding, divided by a short
  // step, keeps from the tolerance of the others; iterations go on for longer for their sake. The error of the
  // first step is of its square.
  const auto differential = vector((State() << 1, 1, 1, 1, 0, 0).finished());
  const auto absolute =
      vector((State() << Eigen::Vector4d::Constant(tolerance), 1e-6, 1e-6).finished());
  std::vector<N_Vector> absolute_of_each(index(kVariables), absolute.get());
  check(IDASetId(ida, differential.get()));
  check(IDASetSuppressAlg(ida, SUNTRUE));
  check(IDASVtolerances(ida, tolerance, absolute.get()));
  check(IDASensSVtolerances(ida, tolerance, absolute_of_each.data()));
  check(IDASetSensErrCon(ida, SUNTRUE));
  check(IDASetInitStep(ida, 0.1 * std::sqrt(tolerance)));
  check(IDASetNonlinConvCoef(ida, 0.01));
  check(IDASetMaxNumSteps(ida, 100000));

  double t = 0;
  check(IDASolve(ida, kEnd, &t, y.get(), rate.get(), IDA_NORMAL));
  check(IDAGetSens(ida, &t, dy.data()));
  Reference result;
  result.values = view(y.get());
  for (int j = 0; j < kVariables; ++j) {
    result.derivatives.col(j) = view(dy[index(j)]).head<5>();
  }
  return result;
}

/// In derivatives: of the reference, and of limits relative to it.
constexpr double kReferenceError = 1e-8, kLimitError = 1e-7;

TEST(IdasReference, SatisfiesWhatItDoesNotSolve) {
  const Pendulum pendulum;
  const Reference found = idas(pendulum), finer = idas(pendulum, 1e-13);
  EXPECT_LE((found.derivatives - finer.derivatives).cwiseAbs().maxCoeff(), kReferenceError);
  // The derivatives of (1) and of the energy, v·v/2 + g y.
  const Motion first = pendulum.start(), last = {found.values, State::Zero()};
  for (int j = 0; j < kVariables; ++j) {
    const Parameters& dp = kDirections[index(j)];
    const auto d = found.derivatives.col(j);
    const Motion change = pendulum.change(last, d.head<2>(), d.segment<2>(2), dp);
    const auto energy = [&](const Motion& at, const Motion& by) {
      return at.y.segment<2>(2).dot(by.y.segment<2>(2)) + pendulum.p.g * by.y(1) + dp.g * at.y(1);
    };
    EXPECT_NEAR(d(4), change.y(4), kReferenceError) << kNames[index(j)];
    EXPECT_NEAR(energy(last, change), energy(first, pendulum.start_by(j)), kReferenceError)
        << kNames[index(j)];
  }
}

// The library.

/// Derivatives with halved steps, and their limit for h → 0, of errors in h², h³ and h⁴.
struct Sequence {
  std::vector<Table> tables;
  Table limit;
};

Sequence library(Formulation formulation) {
  dae::System system = models::make_model("pendulum");
  system.set_parameter("mass.x0", kParameters.x0);
  system.set_parameter("mass.m", kParameters.m);
  system.set_parameter("mass.g", kParameters.g);
  system.set_parameter("rod.l", kParameters.l);
  sensitivity::Objective objective(system);
  for (const char* const column :
       {"mass.x[1]", "mass.x[2]", "mass.u[1]", "mass.u[2]", "rod.lambda"}) {
    objective.add_output(column);
  }
  sensitivity::DifferentiateOptions options;
  options.integrate = dae::alpha_steps();
  options.integrate.t_end = kEnd;
  options.integrate.alpha.formulation = formulation;
  options.integrate.alpha.start = dae::StartingValues::kCorrected;
  options.variables.parameters.assign(kNames.begin(), kNames.begin() + 4);
  options.variables.initial_configuration = options.variables.initial_velocity = true;

  Sequence result;
  for (const int steps : {125, 250, 500, 1000}) {
    options.integrate.step = kEnd / steps;
    const sensitivity::Derivatives found = differentiate(objective, options);
    EXPECT_EQ(found.variable_names, kNames);
    result.tables.emplace_back(found.jacobian);
  }
  std::vector<Table> limits = result.tables;
  for (double factor = 4; limits.size() > 1; factor *= 2) {
    for (std::size_t k = 0; k + 1 < limits.size(); ++k) {
      limits[k] = (factor * limits[k + 1] - limits[k]) / (factor - 1);
    }
    limits.pop_back();
  }
  result.limit = limits[0];
  return result;
}

/// The largest difference of positions, velocities or multipliers (group 0, 1 or 2), relative to the largest
/// derivative by the variable.
double difference(const Table& found, const Table& exact, int variable, int group) {
  const auto wrong = (found - exact).col(variable).segment(2 * group, group < 2 ? 2 : 1);
  return wrong.cwiseAbs().maxCoeff() / exact.col(variable).cwiseAbs().maxCoeff();
}

/// log₂ of what the last halving of the step divides it by.
double order(const Sequence& found, const Table& exact, int variable, int group) {
  return std::log2(difference(found.tables[2], exact, variable, group) /
                   difference(found.tables[3], exact, variable, group));
}

using Case = std::pair<std::string, Formulation>;
class IdasPendulum : public ::testing::TestWithParam<Case> {};

TEST_P(IdasPendulum, IsTheLimitOfDerivativesWithSecondOrder) {
  const Table exact = idas({}).derivatives;
  const Sequence found = library(GetParam().second);
  for (int j = 0; j < kVariables; ++j) {
    const std::string& name = kNames[index(j)];
    // Nothing moves with the mass.
    EXPECT_LE(name == "mass.m" ? found.limit.col(j).head<4>().norm() : 0, kReferenceError);
    for (int group = name == "mass.m" ? 2 : 0; group < 3; ++group) {
      const double limit = difference(found.limit, exact, j, group);
      const double measured = order(found, exact, j, group);
      EXPECT_LE(limit, kLimitError) << name << ", group " << group;
      EXPECT_NEAR(measured, 2, 0.1) << name << ", group " << group;
      std::printf("%s, group %d: order %.3f, limit %.1e\n", name.c_str(), group, measured, limit);
    }
  }
}

TEST_P(IdasPendulum, IsNotTheLimitWhenItIsWrong) {
  const Sequence found = library(GetParam().second);
  Pendulum wrong_sign, wrong_length;
  wrong_sign.sign_of_gravity = -1;
  wrong_length.p.l *= 1.001;
  for (const auto& [wrong, variable] : {std::pair(wrong_sign, 2), std::pair(wrong_length, 3)}) {
    const Table inexact = idas(wrong).derivatives;
    for (int group = 0; group < 3; ++group) {
      EXPECT_GE(difference(found.limit, inexact, variable, group), 100 * kLimitError);
      EXPECT_NEAR(order(found, inexact, variable, group), 0, 0.1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formulations, IdasPendulum,
                         ::testing::Values(Case{"index3", Formulation::kIndex3},
                                           Case{"index2", Formulation::kIndex2},
                                           Case{"stabilized", Formulation::kStabilized}),
                         [](const auto& one) { return one.param.first; });

}  // namespace
}  // namespace liegrad::testing
