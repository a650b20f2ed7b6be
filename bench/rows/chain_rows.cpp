// What a step costs for each body of a chain, of which parts that consists, and how it grows with the number
// of bodies.

#include "chain_rows.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "liegrad/lie/error.hpp"
#include "liegrad/models/models.hpp"

#include "measure.hpp"
#include "memory.hpp"
#include "steps.hpp"

namespace liegrad::bench {
namespace {

constexpr std::array kBodies = {10000, 1000, 100, 10};
/// The least of so many runs counts.
constexpr int kRounds = 6;
/// Of all lengths: the first steps from rest cost more than those that follow, since scales are measured more often.
constexpr int kSteps = 40;
/// At most, of the stabilised formulation over index 3.
constexpr double kStabilized = 2;
/// At most, of the cost of a body and iteration in one chain over that in another.
constexpr double kLinear = 1.25;
/// At most, of a body with all that its steps need.
constexpr double kKilobytes = 8;

std::unique_ptr<Steps> chain(int bodies, const dae::IntegrateOptions& options) {
  return std::make_unique<Steps>(models::make_model("chain", models::Structure{.bodies = bodies}),
                                 options, kSteps);
}

/// A chain of one length, with what an iteration cannot do without: residual and matrix from all elements,
/// its factors, and a solution.
struct Chain {
  int bodies;
  std::unique_ptr<Steps> full, modified, stabilized;
  std::vector<double> correction = {};

  std::array<std::function<void()>, 3> parts() {
    dae::Assembly& assembly = full->assembly();
    correction.resize(static_cast<std::size_t>(assembly.size()));
    return {[&assembly] { assembly.evaluate(true); },
            [&assembly] {
              if (!assembly.matrix().factorize()) throw Error("the chain's matrix is singular");
            },
            [this, &assembly] {
              std::ranges::copy(assembly.residual(), correction.begin());
              assembly.matrix().solve(correction);
            }};
  }
};

double growth(const std::vector<double>& costs) {
  const auto [least, most] = std::ranges::minmax(costs);
  return most / least;
}

}  // namespace

std::vector<Row> chain_rows() {
  dae::IntegrateOptions modified = alpha(), stabilized = alpha();
  modified.alpha.newton.kind = dae::NewtonKind::kModified;
  stabilized.alpha.formulation = dae::Formulation::kStabilized;

  // The longest is built and run first: memory that others have given back would hide its own.
  const double megabytes_before = resident_megabytes(), heap_before = heap_megabytes();
  const auto start = std::chrono::steady_clock::now();
  std::vector<Chain> chains;
  chains.push_back({kBodies[0], chain(kBodies[0], alpha()), nullptr, nullptr});
  const std::chrono::duration<double> setup = std::chrono::steady_clock::now() - start;
  chains[0].full->seconds();
  const double megabytes = resident_megabytes() - megabytes_before;
  const double heap = heap_megabytes() - heap_before;
  chains[0].stabilized = chain(kBodies[0], stabilized);
  chains[0].stabilized->seconds();
  const double stabilized_megabytes = resident_megabytes() - megabytes_before - megabytes;

  for (const int bodies : kBodies) {
    if (bodies != kBodies[0]) {
      chains.push_back({bodies, chain(bodies, alpha()), nullptr, chain(bodies, stabilized)});
    }
    chains.back().modified = chain(bodies, modified);
  }

  std::vector<std::function<double()>> timed;
  for (const Chain& one : chains) {
    timed.emplace_back([&one] { return one.full->processor_seconds(); });
    timed.emplace_back([&one] { return one.modified->processor_seconds(); });
    timed.emplace_back([&one] { return one.stabilized->processor_seconds(); });
  }
  const std::vector<double> seconds = least_in_turn(timed, kRounds);

  std::vector<Row> rows;
  std::vector<double> per_step, per_iteration;
  for (std::size_t i = chains.size(); i-- > 0;) {
    Chain& one = chains[i];
    const std::string name = "chain." + std::to_string(one.bodies) + ".";
    const double scale = 1e6 / one.bodies;
    const double full = seconds[3 * i] * scale, iterations = one.full->iterations();
    per_step.push_back(full);
    per_iteration.push_back(full / iterations);

    const std::array<std::function<void()>, 3> parts = one.parts();
    const std::vector<double> least = times_in_turn({parts[0], parts[1], parts[2]}, kRounds);
    const double floor = iterations * scale * (least[0] + least[1] + least[2]);

    rows.push_back({name + "microseconds_per_body_step", full, "us", 5});
    rows.push_back({name + "iterations", iterations, "1"});
    rows.push_back(
        {name + "modified.microseconds_per_body_step", seconds[3 * i + 1] * scale, "us", 2.5});
    rows.push_back({name + "modified.iterations", one.modified->iterations(), "1"});
    const double both = seconds[3 * i + 2] * scale;
    rows.push_back({name + "stabilized.microseconds_per_body_step", both, "us"});
    rows.push_back({name + "stabilized.iterations", one.stabilized->iterations(), "1"});
    rows.push_back({name + "stabilized.over_index3", both / full, "ratio", kStabilized});
    rows.push_back({name + "assembly_microseconds_per_body", least[0] * scale, "us"});
    rows.push_back({name + "factorization_microseconds_per_body", least[1] * scale, "us"});
    rows.push_back({name + "solution_microseconds_per_body", least[2] * scale, "us"});
    rows.push_back({name + "floor_microseconds_per_body_step", floor, "us"});
    rows.push_back({name + "over_floor", full / floor, "ratio"});
    if (i == 0) {
      rows.push_back({name + "setup_seconds", setup.count(), "s"});
      rows.push_back({name + "megabytes", megabytes, "MB"});
      rows.push_back({name + "kilobytes_per_body", 1e3 * heap / kBodies[0], "kB", kKilobytes});
      rows.push_back({name + "stabilized.megabytes", stabilized_megabytes, "MB"});
    }
  }
  rows.push_back({"chain.growth", growth(per_iteration), "ratio", kLinear});
  rows.push_back({"chain.growth_per_step", growth(per_step), "ratio", kLinear});
  return rows;
}

}  // namespace liegrad::bench
