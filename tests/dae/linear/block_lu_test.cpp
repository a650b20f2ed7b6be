// BlockLu and the sparse solver that falls back from it: small matrices of random blocks against Eigen, and
// the matrices of randomly bent chains and trees of 1000 bodies, where elimination in an order that is
// fixed beforehand might lose digits from joint to joint.

#include "liegrad/dae/linear/block_lu.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/LU>

#include "liegrad/dae/alpha/alpha_kinematics.hpp"
#include "liegrad/dae/alpha/alpha_memory.hpp"
#include "liegrad/dae/equations/assembly.hpp"
#include "liegrad/dae/linear/sparse_lu.hpp"
#include "liegrad/dae/linear/sparse_solver.hpp"
#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/elements/bodies/rigid_body.hpp"
#include "liegrad/elements/joints/spherical_joint.hpp"
#include "liegrad/lie/so3.hpp"
#include "liegrad/models/models.hpp"
#include "support/allocations.hpp"

#include "many_right_sides.hpp"

namespace liegrad::dae {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::Allocation;
using test::allocations_of;
using Entries = std::vector<std::pair<int, int>>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// A matrix, where it may be non-zero, and its blocks.
struct Blocks {
  MatrixXd a;
  Entries entries = {};
  BlockStructure structure = {};
};

/// Numbers the unknowns anew, at random: those of a block need not be neighbours.
Blocks shuffled(const MatrixXd& a, const std::vector<int>& block_of_unknown,
                const std::vector<int>& stages, std::mt19937& rng) {
  const int n = static_cast<int>(a.rows());
  std::vector<int> from(index(n));
  std::iota(from.begin(), from.end(), 0);
  std::shuffle(from.begin(), from.end(), rng);
  Blocks result{.a = MatrixXd::Zero(n, n)};
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      result.a(i, j) = a(from[index(i)], from[index(j)]);
      if (result.a(i, j) != 0) result.entries.emplace_back(i, j);
    }
    result.structure.block_of_unknown.push_back(block_of_unknown[index(from[index(j)])]);
  }
  result.structure.stages = stages;
  return result;
}

MatrixXd random_block(int rows, int columns, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  MatrixXd block(rows, columns);
  for (double& entry : block.reshaped()) entry = normal(rng);
  return block;
}

/// (M C; B 0) of a tree of bodies with 1 to 6 velocities. Each is tied to an earlier one by at most as many
/// constraints as it has velocities, which makes their gradients independent. C is Bᵀ, or not quite and M
/// not symmetric.
Blocks random_tree(int bodies, bool symmetric, std::mt19937& rng) {
  std::uniform_int_distribution<int> size_of(1, 6);
  std::vector<int> sizes, firsts, block_of_unknown, stages(index(bodies), 0);
  int n = 0;
  for (int body = 0; body < bodies; ++body) {
    sizes.push_back(size_of(rng));
    firsts.push_back(n);
    n += sizes.back();
    block_of_unknown.resize(index(n), body);
  }
  MatrixXd a = MatrixXd::Zero(n, n);
  for (int body = 0; body < bodies; ++body) {
    const int size = sizes[index(body)];
    const MatrixXd root = random_block(size, size, rng);
    MatrixXd mass = root * root.transpose() + MatrixXd::Identity(size, size);
    if (!symmetric) mass += 0.3 * random_block(size, size, rng);
    a.block(firsts[index(body)], firsts[index(body)], size, size) = mass;
  }
  for (int body = 1; body < bodies; ++body) {
    const int rows = std::uniform_int_distribution<int>(1, sizes[index(body)])(rng);
    const int parent = std::uniform_int_distribution<int>(0, body - 1)(rng);
    a.conservativeResizeLike(MatrixXd::Zero(n + rows, n + rows));
    for (const int other : {parent, body}) {
      const int size = sizes[index(other)];
      const MatrixXd gradient = random_block(rows, size, rng);
      a.block(n, firsts[index(other)], rows, size) = gradient;
      a.block(firsts[index(other)], n, size, rows) = gradient.transpose();
      if (!symmetric) {
        a.block(firsts[index(other)], n, size, rows) += 0.1 * random_block(size, rows, rng);
      }
    }
    n += rows;
    block_of_unknown.resize(index(n), static_cast<int>(stages.size()));
    stages.push_back(1);
  }
  return shuffled(a, block_of_unknown, stages, rng);
}

std::shared_ptr<const MatrixEntries> shared(const Entries& entries) {
  return std::make_shared<const MatrixEntries>(entries);
}

template <class Solver>
void assemble(Solver& solver, const Blocks& blocks) {
  std::ranges::fill(solver.values(), 0.0);
  for (const auto& [i, j] : blocks.entries) {
    solver.values()[index(solver.position(i, j))] = blocks.a(i, j);
  }
}

template <class Solver>
VectorXd solved(const Solver& solver, VectorXd b) {
  solver.solve({b.data(), static_cast<std::size_t>(b.size())});
  return b;
}
template <class Solver>
VectorXd solved_transposed(const Solver& solver, VectorXd b) {
  solver.solve_transposed({b.data(), static_cast<std::size_t>(b.size())});
  return b;
}

double one_norm(const MatrixXd& a) { return a.cwiseAbs().colwise().sum().maxCoeff(); }

/// Errors are those of changing A by some n ε |A|, and as pivots are not chosen freely, by something more.
template <class Solver>
void expect_solution(Solver& solver, const Blocks& blocks) {
  assemble(solver, blocks);
  const std::vector<double> before(solver.values().begin(), solver.values().end());
  ASSERT_TRUE(solver.factorize());
  EXPECT_TRUE(std::ranges::equal(before, solver.values()));
  const auto n = blocks.a.rows();
  const VectorXd b = VectorXd::LinSpaced(n, 1, 2) + VectorXd::Unit(n, n / 2);
  const MatrixXd inverse = blocks.a.fullPivLu().inverse();
  const double tolerance =
      100 * static_cast<double>(n) * kEpsilon * one_norm(blocks.a) * one_norm(inverse);
  const VectorXd x = inverse * b, y = inverse.transpose() * b;
  EXPECT_LE((solved(solver, b) - x).norm(), tolerance * x.norm());
  const VectorXd found = solved(solver, b), transposed = solved_transposed(solver, b);
  EXPECT_LE((transposed - y).norm(), tolerance * y.norm());
  expect_as_one_by_one(solver, b.size(), tolerance);
  ASSERT_TRUE(solver.factorize_in_place());
  // The same numbers in the same order.
  const double rounding = std::is_same_v<Solver, BlockLu> ? 0 : tolerance;
  EXPECT_LE((solved(solver, b) - found).norm(), rounding * x.norm());
  EXPECT_LE((solved_transposed(solver, b) - transposed).norm(), rounding * y.norm());
}

TEST(BlockLu, SolvesTreesOfBlocksLikeEigen) {
  std::mt19937 rng(1);
  for (int bodies = 1; bodies <= 30; bodies = bodies < 8 ? bodies + 1 : bodies + 5) {
    for (int repetition = 0; repetition < 10; ++repetition) {
      for (const bool symmetric : {true, false}) {
        const Blocks blocks = random_tree(bodies, symmetric, rng);
        SCOPED_TRACE(testing::Message() << bodies << " bodies, " << blocks.a.rows()
                                        << " unknowns, symmetric: " << symmetric);
        BlockLu lu(static_cast<int>(blocks.a.rows()), shared(blocks.entries), blocks.structure);
        EXPECT_EQ(lu.size(), blocks.a.rows());
        expect_solution(lu, blocks);
        // With new numbers in the same places.
        Blocks other = blocks;
        other.a *= -3;
        expect_solution(lu, other);
        SparseSolver solver(static_cast<int>(blocks.a.rows()), shared(blocks.entries),
                            blocks.structure);
        expect_solution(solver, blocks);
        EXPECT_EQ(solver.singular_unknown(), -1);
      }
    }
  }
}

TEST(BlockLu, SolvesGraphsWithLoopsInThreeStages) {
  // Heavy diagonals, so that any order is stable; fill between all blocks that come last.
  std::mt19937 rng(2);
  for (int repetition = 0; repetition < 20; ++repetition) {
    std::vector<int> block_of_unknown, stages;
    for (int block = 0; block < 12; ++block) {
      const int size = std::uniform_int_distribution<int>(1, 6)(rng);
      block_of_unknown.insert(block_of_unknown.end(), index(size), block);
      stages.push_back(block % 3);
    }
    const int n = static_cast<int>(block_of_unknown.size());
    MatrixXd a = random_block(n, n, rng);
    std::bernoulli_distribution kept(0.2);
    for (int i = 0; i < 12; ++i) {
      for (int j = 0; j < 12; ++j) {
        if (i == j || kept(rng)) continue;
        for (int row = 0; row < n; ++row) {
          for (int column = 0; column < n; ++column) {
            if (block_of_unknown[index(row)] == i && block_of_unknown[index(column)] == j) {
              a(row, column) = 0;
            }
          }
        }
      }
    }
    a.diagonal().array() += 20;
    const Blocks blocks = shuffled(a, block_of_unknown, stages, rng);
    BlockLu lu(n, shared(blocks.entries), blocks.structure);
    expect_solution(lu, blocks);
  }
}

TEST(BlockLu, HasNoPlaceForColumnsThatAreZero) {
  // Two bodies between three joints; the last two multipliers of each do not enter the equations of the second body.
  std::mt19937 rng(11);
  const auto n = 2 * 3 + 3 * 4;
  MatrixXd a = MatrixXd::Zero(n, n);
  for (int body = 0; body < 2; ++body) {
    a.block(3 * body, 3 * body, 3, 3) = 5 * MatrixXd::Identity(3, 3) + random_block(3, 3, rng);
    for (const int joint : {body, body + 1}) {
      const int first = 6 + 4 * joint;
      a.block(first, 3 * body, 4, 3) = random_block(4, 3, rng);
      a.block(3 * body, first, 3, body == 0 ? 4 : 2) = random_block(3, body == 0 ? 4 : 2, rng);
    }
  }
  a.bottomRightCorner(12, 12) += 9 * MatrixXd::Identity(12, 12);
  const std::vector<int> block = {0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4};
  Blocks blocks{.a = a, .structure = {block, {0, 0, 1, 1, 1}}};
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (a(i, j) != 0) blocks.entries.emplace_back(i, j);
    }
  }
  BlockLu lu(n, shared(blocks.entries), blocks.structure);
  expect_solution(lu, blocks);
  EXPECT_GE(lu.position(0, 9), 0);
  EXPECT_GE(lu.position(3, 11), 0);
  EXPECT_EQ(lu.position(3, 12), -1);
}

TEST(BlockLu, HasAPlaceForEveryEntryAndNoneOutside) {
  std::mt19937 rng(3);
  const Blocks blocks = random_tree(10, true, rng);
  BlockLu lu(static_cast<int>(blocks.a.rows()), shared(blocks.entries), blocks.structure);
  std::set<int> places;
  for (const auto& [i, j] : blocks.entries) {
    const int place = lu.position(i, j);
    EXPECT_GE(place, 0);
    EXPECT_LT(place, static_cast<int>(lu.values().size()));
    places.insert(place);
  }
  EXPECT_EQ(places.size(), blocks.entries.size());
  // Velocities of two bodies meet in no equation, before or during elimination.
  const std::vector<int>& block = blocks.structure.block_of_unknown;
  int outside = 0;
  for (int i = 0; i < lu.size(); ++i) {
    for (int j = 0; j < lu.size(); ++j) {
      if (block[index(i)] >= 10 || block[index(j)] >= 10 || block[index(i)] == block[index(j)]) {
        continue;
      }
      EXPECT_EQ(lu.position(i, j), -1);
      ++outside;
    }
  }
  EXPECT_GT(outside, 0);
}

/// A body on a joint with coordinates of its own that have no mass: B v + G c = 0, where c has as many
/// numbers as there are constraints, or fewer.
Blocks with_massless_coordinates(bool in_block_of_constraints, std::mt19937& rng) {
  constexpr int kJoints = 8, kVelocities = 6, kConstraints = 5, kMassless = 2;
  constexpr int kBodies = kJoints * kVelocities;
  constexpr int n = kJoints * (kVelocities + kConstraints + kMassless);
  MatrixXd a = MatrixXd::Zero(n, n);
  std::vector<int> block_of_unknown(index(n)), stages;
  for (int body = 0; body < kJoints; ++body) {
    const MatrixXd root = random_block(kVelocities, kVelocities, rng);
    a.block(body * kVelocities, body * kVelocities, kVelocities, kVelocities) =
        root * root.transpose() + MatrixXd::Identity(kVelocities, kVelocities);
    std::fill_n(block_of_unknown.begin() + body * kVelocities, kVelocities, body);
    stages.push_back(0);
  }
  for (int joint = 0; joint < kJoints; ++joint) {
    const int row = kBodies + joint * (kConstraints + kMassless), massless = row + kConstraints;
    for (const int body : {joint - 1, joint}) {
      if (body < 0) continue;
      const MatrixXd gradient = random_block(kConstraints, kVelocities, rng);
      a.block(row, body * kVelocities, kConstraints, kVelocities) = gradient;
      a.block(body * kVelocities, row, kVelocities, kConstraints) = gradient.transpose();
    }
    const MatrixXd gradient = random_block(kConstraints, kMassless, rng);
    a.block(row, massless, kConstraints, kMassless) = gradient;
    a.block(massless, row, kMassless, kConstraints) = gradient.transpose();
    std::fill_n(block_of_unknown.begin() + row, kConstraints + kMassless,
                static_cast<int>(stages.size()));
    stages.push_back(1);
    if (in_block_of_constraints) continue;
    std::fill_n(block_of_unknown.begin() + massless, kMassless, static_cast<int>(stages.size()));
    stages.push_back(0);
  }
  return shuffled(a, block_of_unknown, stages, rng);
}

TEST(BlockLu, SolvesForMasslessCoordinatesInTheBlockOfAConstraint) {
  std::mt19937 rng(4);
  for (int repetition = 0; repetition < 10; ++repetition) {
    const Blocks together = with_massless_coordinates(true, rng);
    BlockLu lu(static_cast<int>(together.a.rows()), shared(together.entries), together.structure);
    expect_solution(lu, together);
  }
  // In blocks of their own they have no pivot, and the general solver helps.
  const Blocks apart = with_massless_coordinates(false, rng);
  const int n = static_cast<int>(apart.a.rows());
  BlockLu lu(n, shared(apart.entries), apart.structure);
  assemble(lu, apart);
  EXPECT_FALSE(lu.factorize());
  SparseSolver solver(n, shared(apart.entries), apart.structure);
  for (int repetition = 0; repetition < 3; ++repetition) expect_solution(solver, apart);
}

/// All entries of a matrix, with blocks in the order of its unknowns.
Blocks small(const MatrixXd& a, std::vector<int> block_of_unknown, std::vector<int> stages) {
  Blocks blocks{.a = a};
  for (int j = 0; j < a.cols(); ++j) {
    for (int i = 0; i < a.rows(); ++i) blocks.entries.emplace_back(i, j);
  }
  blocks.structure = {std::move(block_of_unknown), std::move(stages)};
  return blocks;
}

TEST(BlockLu, SaysWhenPivotsInsideOfBlocksAreNotEnough) {
  // A body without mass whose velocities the constraints determine; and one whose mass is all but singular,
  // by an amount that would cost 12 digits.
  MatrixXd massless{{0, 0, 1, 2}, {0, 0, 3, 1}, {1, 3, 0, 0}, {2, 1, 0, 0}};
  MatrixXd nearly = massless;
  nearly.topLeftCorner(2, 2) << 1, 1, 1, 1 + 1e-12;
  for (const MatrixXd& a : {massless, nearly}) {
    const Blocks blocks = small(a, {0, 0, 1, 1}, {0, 1});
    BlockLu lu(4, shared(blocks.entries), blocks.structure);
    assemble(lu, blocks);
    EXPECT_FALSE(lu.factorize());
    SparseSolver solver(4, shared(blocks.entries), blocks.structure);
    expect_solution(solver, blocks);
    EXPECT_EQ(solver.singular_unknown(), -1);
    // A better matrix in the same places is factorised by blocks again.
    Blocks regular = blocks;
    regular.a.topLeftCorner(2, 2) << 2, 1, 1, 2;
    expect_solution(lu, regular);
    for (int k = 0; k < 300; ++k) expect_solution(solver, regular);
  }
}

TEST(BlockLu, JudgesPivotsByTheirOwnScale) {
  // Other units of equations and unknowns, by powers of two from 1e-18 to 1e18, change nothing.
  std::mt19937 rng(10);
  const Blocks blocks = random_tree(8, false, rng);
  const auto n = blocks.a.rows();
  std::uniform_int_distribution<int> power(-60, 60);
  VectorXd unit(n);
  for (double& x : unit) x = std::ldexp(1.0, power(rng));
  Blocks scaled = blocks;
  scaled.a = unit.asDiagonal() * blocks.a * unit.asDiagonal();
  BlockLu plain(static_cast<int>(n), shared(blocks.entries), blocks.structure);
  BlockLu other(static_cast<int>(n), shared(blocks.entries), blocks.structure);
  assemble(plain, blocks);
  assemble(other, scaled);
  ASSERT_TRUE(plain.factorize());
  ASSERT_TRUE(other.factorize());
  const VectorXd b = VectorXd::LinSpaced(n, 1, 2), x = solved(plain, b);
  const VectorXd y = unit.asDiagonal() * solved(other, unit.asDiagonal() * b);
  EXPECT_LE((x - y).norm(), 1e-12 * x.norm());
}

TEST(SparseSolver, NamesAMultiplierOfConstraintsThatDependOnEachOther) {
  std::mt19937 rng(5);
  const MatrixXd root = random_block(6, 6, rng), b = random_block(3, 6, rng);
  MatrixXd a = MatrixXd::Zero(10, 10);
  a.topLeftCorner(6, 6) = root * root.transpose() + MatrixXd::Identity(6, 6);
  a.block(6, 0, 3, 6) = b;
  a.row(9).head(6) = 0.5 * b.row(0) - 2 * b.row(2);
  a.topRightCorner(6, 4) = a.bottomLeftCorner(4, 6).transpose();
  const Blocks blocks = small(a, {0, 0, 0, 0, 0, 0, 1, 1, 1, 2}, {0, 1, 1});
  BlockLu lu(10, shared(blocks.entries), blocks.structure);
  assemble(lu, blocks);
  EXPECT_FALSE(lu.factorize());
  SparseSolver solver(10, shared(blocks.entries), blocks.structure);
  assemble(solver, blocks);
  EXPECT_FALSE(solver.factorize());
  const int unknown = solver.singular_unknown();
  EXPECT_TRUE(unknown == 6 || unknown == 8 || unknown == 9) << unknown;
  // And it recovers.
  Blocks regular = blocks;
  regular.a(9, 1) = regular.a(1, 9) = 7;
  expect_solution(solver, regular);
}

TEST(SparseSolver, RefusesNumbersThatAreNotFinite) {
  std::mt19937 rng(6);
  const Blocks blocks = random_tree(5, true, rng);
  const int n = static_cast<int>(blocks.a.rows());
  for (const bool has_scales : {false, true}) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      for (const auto& [i, j] : blocks.entries) {
        SCOPED_TRACE(testing::Message() << bad << " at " << i << ", " << j);
        BlockLu lu(n, shared(blocks.entries), blocks.structure);
        SparseSolver solver(n, shared(blocks.entries), blocks.structure);
        assemble(lu, blocks);
        assemble(solver, blocks);
        if (has_scales) {
          ASSERT_TRUE(lu.factorize());
          ASSERT_TRUE(solver.factorize());
        }
        lu.values()[index(lu.position(i, j))] = bad;
        EXPECT_FALSE(lu.factorize());
        solver.values()[index(solver.position(i, j))] = bad;
        EXPECT_FALSE(solver.factorize());
        EXPECT_EQ(solver.singular_unknown(), j);
        expect_solution(lu, blocks);
        expect_solution(solver, blocks);
      }
    }
  }
}

TEST_F(Allocation, OfBlockLuIsDoneWhenItIsMadeAndWhenItFirstKeepsItsMatrix) {
  std::mt19937 rng(7);
  const Blocks blocks = random_tree(20, false, rng),
               massless = with_massless_coordinates(false, rng);
  VectorXd b = VectorXd::Ones(blocks.a.rows());
  const std::span<double> right(b.data(), static_cast<std::size_t>(b.size()));
  BlockLu lu(static_cast<int>(blocks.a.rows()), shared(blocks.entries), blocks.structure);
  assemble(lu, blocks);
  EXPECT_EQ(allocations_of([&] {
              lu.factorize_in_place();
              lu.solve(right);
            }),
            0);
  assemble(lu, blocks);
  lu.factorize();
  for (int repetition = 0; repetition < 2; ++repetition) {
    assemble(lu, blocks);
    EXPECT_EQ(allocations_of([&] {
                lu.factorize();
                lu.solve(right);
                lu.solve_transposed(right);
              }),
              0);
    lu.values()[0] = std::nan("");
    EXPECT_EQ(allocations_of([&] { lu.factorize(); }), 0);
  }
  // The general solver allocates when it is made and chooses its pivots, once.
  SparseSolver solver(static_cast<int>(massless.a.rows()), shared(massless.entries),
                      massless.structure);
  assemble(solver, massless);
  EXPECT_GT(allocations_of([&] { solver.factorize(); }), 0);
  b = VectorXd::Ones(massless.a.rows());
  EXPECT_EQ(allocations_of([&] {
              for (int k = 0; k < 300; ++k) {
                solver.factorize();
                solver.solve({b.data(), static_cast<std::size_t>(b.size())});
              }
            }),
            0);
}

/// Linear constraints on five points that have no mass.
struct Ties {
  int count = 1, seed = 0;
  bool operator==(const Ties&) const = default;

  static constexpr int kPoints = 5;

  dae::ElementShape shape() const {
    return {.type = "ties",
            .nodes = std::vector<dae::NodeSlot>(kPoints, {dae::NodeRole::kCoordinates, 3}),
            .constraints = count};
  }
  template <class S>
  std::vector<S> constraint(const dae::Position<S>& at) const {
    std::mt19937 rng(static_cast<unsigned>(seed));
    std::vector<S> phi(index(count), S(0));
    for (S& entry : phi) {
      for (int point = 0; point < kPoints; ++point) {
        const auto x = at.coordinates(point);
        for (int k = 0; k < 3; ++k)
          entry += S(std::uniform_real_distribution(-1.0, 1.0)(rng)) * x(k);
      }
    }
    return phi;
  }
};

TEST(BlockStructure, HasNoBlocksThatAreTooLarge) {
  // The first constraint on points without mass takes them into its block; here they are too many.
  dae::System system("ties");
  std::vector<std::string> points;
  for (int i = 0; i < Ties::kPoints; ++i) {
    points.push_back("point" + std::to_string(i));
    system.add_node(points.back(), lie::NodeGroup::rn(3));
  }
  system.add("first", Ties{6, 1}, points);
  system.add("second", Ties{6, 2}, points);
  system.add("third", Ties{3, 3}, points);
  for (const auto formulation : {Formulation::kIndex3, Formulation::kStabilized}) {
    dae::Assembly assembly(system, formulation, false, LinearSolverKind::kSparse);
    assembly.set_configuration(system.initial_configuration());
    assembly.set_identity_maps();
    assembly.set_stabilizer();
    assembly.coefficients() = {.k_q = 1, .c_r = 1, .k_r = 1};
    assembly.evaluate(true);
    const int n = assembly.size();
    MatrixXd a(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) a(i, j) = assembly.entry(i, j);
    }
    ASSERT_EQ(a.fullPivLu().rank(), n);
    ASSERT_TRUE(assembly.matrix().factorize());
    const VectorXd b = VectorXd::LinSpaced(n, 1, 2), x = a.fullPivLu().solve(b);
    EXPECT_LE((solved(assembly.matrix(), b) - x).norm(), 1e-10 * x.norm());
  }
}

// The large matrices.

/// A chain or a tree of rods along x on spherical joints at their ends, each turned at random, under random
/// forces of the joints.
struct Rods {
  int bodies = 1000;
  lie::NodeGroup group = lie::NodeGroup::so3xr3();
  bool tree = false;
  double length = 1e-3, radius = 1e-2;
  double mass = 1e-3, mass_of_every_other = 1e-3;
};

dae::System random_rods(const Rods& rods, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  dae::System system("rods");
  const Eigen::Vector3d end(rods.length / 2, 0, 0);
  std::vector<Eigen::Vector3d> tips;
  for (int i = 0; i < rods.bodies; ++i) {
    const Eigen::Vector3d turn(normal(rng), normal(rng), normal(rng));
    const lie::SO3<double> rotation = lie::SO3<double>::exp(3 * turn);
    const int parent = !rods.tree || i == 0 ? i - 1 : std::uniform_int_distribution(0, i - 1)(rng);
    const Eigen::Vector3d start = parent < 0 ? Eigen::Vector3d::Zero() : tips[index(parent)];
    const Eigen::Vector3d half = rotation.matrix() * end;
    tips.push_back(start + 2 * half);
    const std::string name = "rod" + std::to_string(i);
    const double m = i % 2 == 0 ? rods.mass : rods.mass_of_every_other;
    const double r2 = rods.radius * rods.radius;
    const double across = m * (3 * r2 + rods.length * rods.length) / 12;
    system.add_node(name, rods.group);
    const auto q = rotation.coeffs();
    const Eigen::Vector3d x = start + half;
    system.set_initial_configuration(name, {q(0), q(1), q(2), q(3), x(0), x(1), x(2)});
    system.add(name, elements::RigidBody{}, {name},
               {.values = {{"m", m}, {"J1", m * r2 / 2}, {"J2", across}, {"J3", across}}});
    if (parent < 0) {
      system.add("joint0", elements::SphericalJoint{}, {"ground", name},
                 {.values = {{"b.X1", -rods.length / 2}}});
    } else {
      system.add("joint" + std::to_string(i), elements::SphericalJoint{},
                 {"rod" + std::to_string(parent), name},
                 {.values = {{"a.X1", rods.length / 2}, {"b.X1", -rods.length / 2}}});
    }
  }
  return system;
}

/// Entries by column with their numbers.
struct SparseMatrix {
  int size = 0;
  Entries entries = {};
  std::vector<double> values = {};
};

/// Matrices of rods at random velocities, accelerations and multipliers.
class Matrices {
 public:
  Matrices(const dae::System& system, std::mt19937& rng,
           Formulation formulation = Formulation::kIndex3)
      : assembly_(system, formulation, false, LinearSolverKind::kSparse),
        kinematics_(system.configuration_space(),
                    {dae::AlphaParameters::from_spectral_radius(0.8), 0.0},
                    formulation == Formulation::kStabilized) {
    std::normal_distribution<double> normal;
    dae::State state;
    state.q = system.initial_configuration();
    for (std::vector<double>* list : {&state.v, &state.v_dot}) {
      list->resize(index(system.dof()));
      for (double& x : *list) x = normal(rng);
    }
    state.lambda.assign(index(system.num_multipliers()), 0.0);
    dae::begin_alpha(state, formulation == Formulation::kStabilized, state_);
    for (double& a : dae::alpha_memory(state_).a) a = normal(rng);
    for (double& lambda : assembly_.multipliers()) lambda = 10 * normal(rng);
    matrix_.size = assembly_.size();
    matrix_.entries = assembly_.pattern();
    std::ranges::sort(matrix_.entries, {},
                      [](const auto& e) { return std::pair(e.second, e.first); });
    for (const auto& [i, j] : matrix_.entries) {
      positions_.push_back(assembly_.matrix().position(i, j));
    }
  }

  /// Everything at rest and without forces, as a chain that is released: K = 0, and η does not enter the
  /// equations of motion.
  void stop() {
    for (std::vector<double>* list : {&state_.v, &state_.v_dot, &state_.memory}) {
      std::ranges::fill(*list, 0.0);
    }
    std::ranges::fill(assembly_.multipliers(), 0.0);
  }
  /// (M Bᵀ; B 0) for h = 0, otherwise the iteration matrix of a step, with its terms in λ.
  const SparseMatrix& at(double h) {
    if (h > 0) {
      kinematics_.begin(state_, h, assembly_);
      kinematics_.guess_acceleration(state_.v_dot);
      kinematics_.evaluate(assembly_, true);
    } else {
      assembly_.set_configuration(state_.q);
      assembly_.set_velocity(state_.v);
      assembly_.set_acceleration(state_.v_dot);
      assembly_.set_identity_maps();
      assembly_.coefficients() = {};
    }
    assembly_.evaluate(true);
    matrix_.values.clear();
    for (const int i : positions_) matrix_.values.push_back(assembly_.matrix().values()[index(i)]);
    return matrix_;
  }
  LinearSolver& solver() { return assembly_.matrix(); }

 private:
  dae::Assembly assembly_;
  dae::AlphaKinematics kinematics_;
  dae::MethodState state_;
  SparseMatrix matrix_;
  std::vector<int> positions_;
};

template <class Solver>
void assemble(Solver& solver, const SparseMatrix& matrix) {
  std::ranges::fill(solver.values(), 0.0);
  for (std::size_t e = 0; e < matrix.entries.size(); ++e) {
    const auto& [i, j] = matrix.entries[e];
    solver.values()[index(solver.position(i, j))] = matrix.values[e];
  }
}

/// The blocks that an assembly makes of rods and joints.
BlockStructure blocks_of(const dae::System& system, const Rods& rods,
                         Formulation formulation = Formulation::kIndex3) {
  BlockStructure structure;
  const int size = rods.group.kind == lie::GroupKind::kSO3xR3 ? 3 : 6;
  const int count = system.dof() / size + rods.bodies;
  for (int block = 0; block < count; ++block) {
    const bool multipliers = block >= system.dof() / size;
    structure.stages.push_back(multipliers ? 1 : 0);
    structure.block_of_unknown.insert(structure.block_of_unknown.end(),
                                      index(multipliers ? 3 : size), block);
  }
  // η of a joint goes with its λ.
  for (int i = 0; i < system.num_multipliers() && formulation == Formulation::kStabilized; ++i) {
    structure.block_of_unknown.push_back(structure.block_of_unknown[index(system.dof() + i)]);
  }
  return structure;
}

using Extended = std::vector<long double>;

/// b - A x, summed in extended precision, and Σ|a_ij||x_j| + |b_i|.
std::pair<Extended, Extended> residual(const SparseMatrix& matrix, std::span<const double> b,
                                       const Extended& x) {
  Extended r(b.begin(), b.end()), size(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) size[i] = std::abs(b[i]);
  for (std::size_t e = 0; e < matrix.entries.size(); ++e) {
    const auto [i, j] = matrix.entries[e];
    const long double product = static_cast<long double>(matrix.values[e]) * x[index(j)];
    r[index(i)] -= product;
    size[index(i)] += std::abs(product);
  }
  return {r, size};
}

long double largest(const Extended& x) {
  long double result = 0;
  for (const long double entry : x) result = std::max(result, std::abs(entry));
  return result;
}

struct Errors {
  double normwise = 0, rowwise = 0, forward = 0;
};

/// Largest |b - A x| over |A||x| + |b|, by norms and by rows.
Errors backward_errors(const SparseMatrix& matrix, std::span<const double> b,
                       std::span<const double> x) {
  const auto [r, size] = residual(matrix, b, Extended(x.begin(), x.end()));
  Extended row_sum(b.size());
  for (std::size_t e = 0; e < matrix.entries.size(); ++e) {
    row_sum[index(matrix.entries[e].first)] += std::abs(matrix.values[e]);
  }
  Errors errors;
  const long double x_norm = max_of(x), b_norm = max_of(b);
  errors.normwise = static_cast<double>(largest(r) / (largest(row_sum) * x_norm + b_norm));
  for (std::size_t i = 0; i < b.size(); ++i) {
    errors.rowwise = std::max(errors.rowwise, static_cast<double>(std::abs(r[i]) / size[i]));
  }
  return errors;
}

/// The solution by KLU, improved with residuals in extended precision until it is right to all digits.
Extended refined(const SparseMatrix& matrix, SparseLu& klu, std::span<const double> b) {
  Extended x(b.size());
  for (int k = 0; k < 4; ++k) {
    const Extended r = residual(matrix, b, x).first;
    std::vector<double> step(r.begin(), r.end());
    klu.solve(step);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += step[i];
  }
  return x;
}

/// In the largest norm, apart for each kind of unknown: velocities and multipliers have different units.
double forward_error(std::span<const double> x, const Extended& exact, int dof) {
  double worst = 0;
  for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>(0, dof), {dof, x.size()}}) {
    long double error = 0, size = 0;
    for (std::size_t i = begin; i < end; ++i) {
      error = std::max(error, std::abs(x[i] - exact[i]));
      size = std::max(size, std::abs(exact[i]));
    }
    worst = std::max(worst, static_cast<double>(error / size));
  }
  return worst;
}

/// The worst of two random right sides. BlockLu first divides by masses, so that rounding of what a light
/// body hands from one neighbour to the next competes with what a heavy one lets through: as many digits as
/// masses differ by are lost, but once, not with every joint.
constexpr double kRows = 1e-10, kForward = 1e-12, kRatioOfMasses = 1e6;

template <class Solver>
Errors errors_of(const Solver& solver, const SparseMatrix& matrix, SparseLu& klu, int dof) {
  std::mt19937 rng(9);
  std::normal_distribution<double> normal;
  Errors worst;
  for (int repetition = 0; repetition < 2; ++repetition) {
    std::vector<double> b(index(matrix.size));
    for (double& entry : b) entry = normal(rng);
    std::vector<double> x = b;
    solver.solve(x);
    const Errors now = backward_errors(matrix, b, x);
    worst.normwise = std::max(worst.normwise, now.normwise);
    worst.rowwise = std::max(worst.rowwise, now.rowwise);
    worst.forward = std::max(worst.forward, forward_error(x, refined(matrix, klu, b), dof));
  }
  return worst;
}

struct LargeCase {
  const char* name;
  Rods rods;
};
const LargeCase kLargeCases[] = {
    {"chain on SO(3)xR3", {}},
    {"chain on SE(3)", {.group = lie::NodeGroup::se3()}},
    {"tree on SO(3)xR3", {.tree = true}},
    {"tree on SE(3)", {.group = lie::NodeGroup::se3(), .tree = true}},
    {"masses 1e-3 and 1e3", {.mass_of_every_other = 1e3}},
    {"masses 1e-3 and 1e3, SE(3)", {.group = lie::NodeGroup::se3(), .mass_of_every_other = 1e3}},
    {"thin rods", {.length = 1, .radius = 1e-4}},
    {"thin rods, SE(3)", {.group = lie::NodeGroup::se3(), .length = 1, .radius = 1e-4}},
};

TEST(BlockLu, LosesNoDigitsOnChainsAndTreesOfAThousandBodies) {
  for (const LargeCase& large : kLargeCases) {
    std::mt19937 rng(8);
    const dae::System system = random_rods(large.rods, rng);
    Matrices matrices(system, rng);
    std::optional<BlockLu> made;
    std::optional<SparseLu> general;
    for (const double h : {0.0, 1e-3, 1e-5}) {
      SCOPED_TRACE(testing::Message() << large.name << ", h = " << h);
      const SparseMatrix& matrix = matrices.at(h);
      if (!made) made.emplace(matrix.size, shared(matrix.entries), blocks_of(system, large.rods));
      if (!general) general.emplace(matrix.size, matrix.entries);
      BlockLu& lu = *made;
      SparseLu& klu = *general;
      assemble(lu, matrix);
      assemble(klu, matrix);
      ASSERT_TRUE(lu.factorize());
      ASSERT_TRUE(klu.factorize());
      const Errors blocks = errors_of(lu, matrix, klu, system.dof());
      std::printf("%-27s h %-5g backward %.1e, by rows %.1e; forward %.1e\n", large.name, h,
                  blocks.normwise, blocks.rowwise, blocks.forward);
      const double loss = large.rods.mass_of_every_other > 1 ? kRatioOfMasses : 1;
      EXPECT_LE(blocks.normwise, 1e-15);
      EXPECT_LE(blocks.rowwise, loss * kRows);
      EXPECT_LE(blocks.forward, loss * kForward);

      // The solver of the assembly uses the same blocks.
      ASSERT_TRUE(matrices.solver().factorize());
      std::vector<double> x(index(matrix.size), 1.0), y = x;
      lu.solve(x);
      matrices.solver().solve(y);
      EXPECT_EQ(x, y);
    }
  }
}

TEST(BlockLu, LosesNoDigitsInTheStabilisedFormulation) {
  for (LargeCase large : kLargeCases) {
    large.rods.bodies = 150;  // what general pivots fill grows with the square of that
    std::mt19937 rng(8);
    const dae::System system = random_rods(large.rods, rng);
    Matrices matrices(system, rng, Formulation::kStabilized);
    std::optional<BlockLu> made;
    std::optional<SparseLu> general;
    const auto expect_digits = [&](double h) {
      SCOPED_TRACE(testing::Message() << large.name << ", h = " << h);
      const SparseMatrix& matrix = matrices.at(h);
      if (!made) {
        made.emplace(matrix.size, shared(matrix.entries),
                     blocks_of(system, large.rods, Formulation::kStabilized));
        general.emplace(matrix.size, matrix.entries);
      }
      assemble(*made, matrix);
      assemble(*general, matrix);
      ASSERT_TRUE(made->factorize());
      ASSERT_TRUE(general->factorize());
      const Errors blocks = errors_of(*made, matrix, *general, system.dof());
      const Errors pivots = errors_of(*general, matrix, *general, system.dof());
      std::printf(
          "%-27s h %-5g backward %.1e, by rows %.1e; forward %.1e, by general pivots %.1e\n",
          large.name, h, blocks.normwise, blocks.rowwise, blocks.forward, pivots.forward);
      const double loss = large.rods.mass_of_every_other > 1 ? kRatioOfMasses : 1;
      EXPECT_LE(blocks.normwise, 1e-15);
      EXPECT_LE(blocks.rowwise, loss * kRows);
      // B Bᵀ is not as well conditioned as B M⁻¹Bᵀ: general pivots lose up to 1e-11, too.
      EXPECT_LE(blocks.forward, std::max(100 * kForward, loss * kForward));

      // The solver of the assembly uses these blocks, not general pivots, also for the transposed matrix.
      ASSERT_TRUE(matrices.solver().factorize());
      std::vector<double> x(index(matrix.size), 1.0), y = x, back = x;
      made->solve(x);
      matrices.solver().solve(y);
      EXPECT_EQ(x, y);
      // bᵀA⁻¹b is the same both ways.
      matrices.solver().solve_transposed(back);
      const double sum = std::reduce(x.begin(), x.end()),
                   other = std::reduce(back.begin(), back.end());
      EXPECT_NEAR(sum, other, loss * 1e-9 * std::max(max_of(x), max_of(back)));
    };
    for (const double h : {1e-3, 1e-5}) expect_digits(h);
    matrices.stop();
    expect_digits(1e-3);
  }
}

TEST(BlockLu, WouldShowALossOfDigits) {
  std::mt19937 rng(8);
  const Rods rods;
  const dae::System system = random_rods(rods, rng);
  Matrices matrices(system, rng);
  const SparseMatrix& matrix = matrices.at(1e-3);
  SparseLu klu(matrix.size, matrix.entries);
  assemble(klu, matrix);
  ASSERT_TRUE(klu.factorize());
  // Entries with the digits of single precision.
  SparseMatrix rounded = matrix;
  for (double& value : rounded.values) value = static_cast<float>(value);
  BlockLu lu(matrix.size, shared(matrix.entries), blocks_of(system, rods));
  assemble(lu, rounded);
  ASSERT_TRUE(lu.factorize());
  const Errors single = errors_of(lu, matrix, klu, system.dof());
  EXPECT_GE(single.rowwise, 100 * kRows);
  EXPECT_GE(single.forward, 100 * kForward);
}

}  // namespace
}  // namespace liegrad::dae
