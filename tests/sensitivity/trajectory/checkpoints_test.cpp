// Checkpoints: every step is visited once, backwards, from the right state, and no more steps than necessary
// are made again.

#include "liegrad/sensitivity/trajectory/checkpoints.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "liegrad/lie/error.hpp"
#include "support/allocations.hpp"

namespace liegrad::sensitivity {
namespace {

/// What visiting a run backwards took.
struct Effort {
  long recomputed = 0, saves = 0;
  long most_often = 0;  ///< a step was recomputed
};

/// A run whose state is the number of its step.
class CountingRun {
 public:
  explicit CountingRun(int slots) : slots_(slots) {}

  /// The state at the end is offered as well, unless told otherwise.
  void sweep(CheckpointSchedule& schedule, long steps, bool with_end = true) {
    for (long step = 0; step < steps + (with_end ? 1 : 0); ++step) {
      if (const std::optional<int> slot = schedule.slot_for(step)) {
        save(*slot, step);
        first_sweep_saves += 1;
      }
    }
  }

  Effort reverse(CheckpointSchedule& schedule, long steps) {
    Effort effort;
    std::vector<long> made(static_cast<std::size_t>(steps));
    long to_come = steps, current = -1;
    schedule.reverse(steps, {.save =
                                 [&](int slot, long step) {
                                   EXPECT_EQ(step, current);
                                   save(slot, step);
                                   effort.saves += 1;
                                 },
                             .restore =
                                 [&](int slot, long step) {
                                   ASSERT_TRUE(states_.contains(slot));
                                   EXPECT_EQ(states_.at(slot), step);
                                   current = step;
                                 },
                             .advance =
                                 [&](long from, long to) {
                                   EXPECT_EQ(from, current);
                                   EXPECT_LT(from, to);
                                   for (long i = from; i < to; ++i) {
                                     long& count = made[static_cast<std::size_t>(i)];
                                     effort.most_often = std::max(effort.most_often, ++count);
                                   }
                                   effort.recomputed += to - from;
                                   current = to;
                                 },
                             .reverse =
                                 [&](long step) {
                                   EXPECT_EQ(step, --to_come);
                                   EXPECT_EQ(step, current);
                                 }});
    EXPECT_EQ(to_come, 0);
    return effort;
  }

  long first_sweep_saves = 0;

 private:
  void save(int slot, long step) {
    EXPECT_GE(slot, 0);
    EXPECT_LT(slot, slots_);
    states_[slot] = step;
  }

  int slots_;
  std::map<int, long> states_;
};

Effort effort_of(long steps, int slots, std::optional<long> expected, bool with_end = true) {
  CheckpointSchedule schedule(slots, expected);
  CountingRun run(slots);
  run.sweep(schedule, steps, with_end);
  return run.reverse(schedule, steps);
}

/// The fewest steps made again, from the definition: with the current state at the start of l steps and s
/// free slots all ways to choose where the next state is saved are tried.
class DynamicProgram {
 public:
  /// After a first sweep, which ends behind the last step.
  long recomputed(int steps, int slots) { return made(steps + 1, slots) - steps; }

 private:
  long made(int l, int s) {
    if (l == 1) return 0;
    if (s == 1) return static_cast<long>(l) * (l - 1) / 2;
    const auto found = known_.find({l, s});
    if (found != known_.end()) return found->second;
    long least = std::numeric_limits<long>::max();
    for (int first = 1; first < l; ++first) {
      least = std::min(least, first + made(first, s) + made(l - first, s - 1));
    }
    return known_[{l, s}] = least;
  }

  std::map<std::pair<int, int>, long> known_;
};

/// The same in closed form, [GriewankWalther2000]: t(l, s) = r l - β(s+1, r-1) with β(s, r-1) < l ≤ β(s, r) and
/// β(s, r) = (s+r choose s).
long least_recomputed_steps(long steps, long slots) {
  long r = 0, before = 0, most = 1;
  for (; most < steps + 1; most = most * (slots + r) / r) {
    before = most;
    r += 1;
  }
  return r * (steps + 1) - before * (slots + r) / (slots + 1) - steps;
}

TEST(CheckpointSchedule, RecomputesAsFewStepsAsPossibleWhenTheirNumberIsKnown) {
  DynamicProgram program;
  for (int slots = 1; slots <= 12; ++slots) {
    for (int steps = 1; steps <= 150; ++steps) {
      const long least = program.recomputed(steps, slots);
      EXPECT_EQ(least_recomputed_steps(steps, slots), least) << steps << " " << slots;
      EXPECT_EQ(effort_of(steps, slots, steps).recomputed, least) << steps << " " << slots;
    }
  }
}

TEST(CheckpointSchedule, AgreesWithTheFormulaForLongRuns) {
  for (const auto& [steps, slots] : {std::pair(10000L, 3),
                                     {10000, 10},
                                     {99999, 50},
                                     {100000, 446},
                                     {100000, 447},
                                     {250000, 700},
                                     {30000, 29999}}) {
    EXPECT_EQ(effort_of(steps, slots, steps).recomputed, least_recomputed_steps(steps, slots))
        << steps << " " << slots;
  }
}

TEST(CheckpointSchedule, SavesNoMoreThanItHasSlotsForOnTheFirstSweepOfAKnownRun) {
  CheckpointSchedule schedule(20, 1000);
  CountingRun run(20);
  run.sweep(schedule, 1000);
  EXPECT_LE(run.first_sweep_saves, 20);
}

TEST(CheckpointSchedule, RecomputesNothingWhenAllStatesFit) {
  for (int slots = 1; slots < 40; ++slots) {
    for (int steps = 1; steps <= slots; ++steps) {
      for (const std::optional<long> expected : {std::optional<long>(steps), {}}) {
        const Effort effort = effort_of(steps, slots, expected, /*with_end=*/false);
        EXPECT_EQ(effort.recomputed + effort.saves, 0) << steps << " " << slots;
      }
      EXPECT_EQ(effort_of(steps, slots, steps).recomputed, 0) << steps << " " << slots;
      // A run that is longer than expected.
      EXPECT_EQ(effort_of(steps, slots + 1, steps / 2).recomputed, 0) << steps << " " << slots;
    }
  }
}

/// r with N ≤ (s+r choose s), which counts the first sweep.
long least_repetitions(long steps, int slots) {
  long r = 0;
  for (long most = 1; most < steps; most = most * (slots + r) / r) ++r;
  return r;
}

TEST(CheckpointSchedule, RepeatsNoStepMoreOftenThanNecessaryWhenTheNumberIsUnknown) {
  for (int slots = 2; slots <= 30; ++slots) {
    for (long steps = 1; steps <= 700; steps += slots < 6 ? 1 : 7) {
      const Effort effort = effort_of(steps, slots, {});
      // One slot holds the end of the run.
      EXPECT_LE(effort.most_often, least_repetitions(steps + 1, slots - 1))
          << steps << " " << slots;
    }
  }
}

TEST(CheckpointSchedule, RecomputesEachStepAtMostOnceAboveTheSquareRootOfTwiceTheirNumber) {
  for (const long steps : {10L, 100L, 1000L, 20000L, 100000L}) {
    const int slots = static_cast<int>(std::ceil(std::sqrt(2.0 * static_cast<double>(steps)))) + 1;
    for (const int more : {0, slots / 2, slots}) {
      const Effort effort = effort_of(steps, slots + more, {});
      EXPECT_LE(effort.most_often, 1) << steps << " " << slots + more;
      // All that are not kept, and one slot holds the end of the run.
      EXPECT_LE(effort.recomputed, std::max(steps - (slots + more) + 1, 0L));
    }
  }
}

TEST(CheckpointSchedule, VisitsAMillionStepsWithTwoThousandSlots) {
  const long steps = 1000000;
  const int slots = 2000;
  EXPECT_EQ(effort_of(steps, slots, steps).recomputed, steps - slots);
  EXPECT_EQ(effort_of(steps, slots, {}).recomputed, steps - slots + 1);
}

TEST(CheckpointSchedule, CopesWithRunsThatAreLongerOrShorterThanExpected) {
  for (const int slots : {20, 60, 150}) {
    for (const long expected : {100L, 1000L, 5000L}) {
      for (const double factor : {0.01, 0.5, 0.999, 1.001, 1.1, 2.0, 5.0}) {
        const long steps = static_cast<long>(static_cast<double>(expected) * factor);
        const Effort effort = effort_of(steps, slots, expected);
        // Not the fewest, but of their order.
        EXPECT_LE(effort.recomputed, 2 * least_recomputed_steps(steps, slots) + steps)
            << slots << " " << expected << " " << steps;
        EXPECT_GE(effort.recomputed, least_recomputed_steps(steps, slots));
      }
    }
  }
}

TEST(CheckpointSchedule, LosesLittleWhenARunIsALittleLonger) {
  const Effort effort = effort_of(20200, 210, 20000);
  EXPECT_LE(static_cast<double>(effort.recomputed),
            1.01 * static_cast<double>(least_recomputed_steps(20200, 210)));
}

TEST(CheckpointSchedule, CanBeReversedAgain) {
  for (const std::optional<long> expected : {std::optional<long>(300), {}}) {
    for (const int slots : {1, 2, 12, 40, 400}) {
      CheckpointSchedule schedule(slots, expected);
      CountingRun run(slots);
      run.sweep(schedule, 300);
      run.reverse(schedule, 300);
      const Effort again = run.reverse(schedule, 300);
      // With another sweep through the run, but for its last step.
      EXPECT_LE(again.recomputed, slots == 400 ? 0 : 299 + least_recomputed_steps(299, slots));
    }
  }
}

TEST(CheckpointSchedule, TakesNoActionForARunWithoutSteps) {
  CheckpointSchedule schedule(3);
  CountingRun run(3);
  EXPECT_EQ(run.reverse(schedule, 0).recomputed, 0);
}

/// What f throws.
template <class Exception, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(CheckpointSchedule, NeedsASlot) {
  EXPECT_EQ(message_of<InvalidArgument>([] { CheckpointSchedule schedule(0); }),
            "checkpoints need at least one slot; there are 0");
  EXPECT_EQ(message_of<InvalidArgument>([] { StateStore store(-1); }),
            "checkpoints need at least one slot; there are -1");
}

/// A directory that is removed at the end.
class StateStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "liegrad-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  dae::MethodState random_state() {
    std::normal_distribution<double> normal;
    dae::MethodState state;
    state.t = normal(random);
    state.step = normal(random);
    state.q.resize(14);
    state.lambda.resize(3);
    state.memory.resize(24);
    for (auto* vector : {&state.v, &state.v_dot}) vector->resize(12);
    for (auto* vector : {&state.q, &state.v, &state.v_dot, &state.lambda, &state.memory}) {
      for (double& x : *vector) x = normal(random);
    }
    return state;
  }

  std::filesystem::path directory;
  std::mt19937 random{7};
};

void expect_equal(const dae::MethodState& a, const dae::MethodState& b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.v_dot, b.v_dot);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.s, b.s);
  EXPECT_EQ(a.memory, b.memory);
}

TEST_F(StateStoreTest, GivesBackTheSameBitsFromMemoryAndFromDisk) {
  const int slots = 9;
  StateStore memory(slots), disk(slots, directory.string());
  std::vector<dae::MethodState> states;
  for (int i = 0; i < slots; ++i) states.push_back(random_state());
  states[4].v[3] = -0.0;
  states[5].v[3] = std::numeric_limits<double>::denorm_min();
  // Not in order, and some of them twice.
  for (const int slot : {8, 2, 0, 5, 1, 3, 4, 7, 6, 2, 8}) {
    memory.save(slot, states[static_cast<std::size_t>(slot)]);
    disk.save(slot, states[static_cast<std::size_t>(slot)]);
  }
  for (int slot = 0; slot < slots; ++slot) {
    dae::MethodState from_memory, from_disk;
    memory.load(slot, from_memory);
    disk.load(slot, from_disk);
    expect_equal(from_memory, states[static_cast<std::size_t>(slot)]);
    expect_equal(from_disk, states[static_cast<std::size_t>(slot)]);
  }
  dae::MethodState zero;
  disk.load(4, zero);
  EXPECT_TRUE(std::signbit(zero.v[3]));
}

TEST_F(StateStoreTest, GrowsWithTheNumberOfStates) {
  const int count = 3000;  // several pieces of memory
  StateStore store(StateStore::kUnlimited), disk(StateStore::kUnlimited, directory.string());
  std::vector<dae::MethodState> states;
  for (int i = 0; i < count; ++i) {
    states.push_back(random_state());
    store.save(i, states.back());
    disk.save(i, states.back());
  }
  dae::MethodState loaded;
  for (int i = count - 1; i >= 0; --i) {
    store.load(i, loaded);
    expect_equal(loaded, states[static_cast<std::size_t>(i)]);
    disk.load(i, loaded);
    expect_equal(loaded, states[static_cast<std::size_t>(i)]);
  }
}

TEST_F(StateStoreTest, LeavesNoFileBehind) {
  {
    StateStore store(3, directory.string()), other(3, directory.string());
    store.save(0, random_state());
    other.save(0, random_state());
    StateStore moved = std::move(store);
    dae::MethodState state;
    moved.load(0, state);
    EXPECT_EQ(state.q.size(), 14U);
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory));
}

TEST_F(StateStoreTest, AllocatesNothingForStatesOfTheSameLengths) {
  if (!test::kHeapIsWatched) GTEST_SKIP() << "no way is known to watch the heap of this system";
  const dae::MethodState state = random_state();
  for (const std::string& where : {std::string(), directory.string()}) {
    StateStore store(3, where);
    dae::MethodState loaded = state;
    store.save(0, state);
    EXPECT_EQ(test::allocations_of([&] {
                store.save(1, state);
                store.load(1, loaded);
              }),
              0);
  }
}

TEST_F(StateStoreTest, CountsBytesAndSlots) {
  const dae::MethodState state = random_state();
  const std::size_t bytes = (2 + 14 + 4 * 12 + 3) * sizeof(double);
  EXPECT_EQ(StateStore::bytes_per_state(state), bytes);
  EXPECT_EQ(StateStore::slots_in(1.0, state), static_cast<int>(1e6) / static_cast<int>(bytes));
  EXPECT_EQ(StateStore::slots_in(1e300, state), std::numeric_limits<int>::max());
  EXPECT_EQ(StateStore::slots_in(0.001072, state), 2);
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { StateStore::slots_in(0.001, state); }),
      "0.001 MB are not enough for checkpoints, which need at least 0.001072 MB for 2 states");
  EXPECT_EQ(message_of<InvalidArgument>([&] { StateStore::slots_in(std::nan(""), state); }),
            "nan MB are not enough for checkpoints, which need at least 0.001072 MB for 2 states");
}

TEST_F(StateStoreTest, SaysWhatIsWrongWithADirectory) {
  EXPECT_EQ(message_of<InvalidArgument>([] { StateStore store(3, "/no/such/place"); }),
            "the directory '/no/such/place' for checkpoints does not exist; create it or name "
            "another");
  const std::string file = (directory / "file").string();
  std::ofstream(file) << "not a directory";
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { StateStore store(3, file); }),
      "the directory '" + file + "' for checkpoints does not exist; create it or name another");
}

TEST_F(StateStoreTest, RefusesStatesOfAnotherRun) {
  StateStore store(3);
  dae::MethodState state = random_state();
  store.save(0, state);
  state.t = 0.25;
  state.s.resize(3);
  EXPECT_EQ(message_of<InvalidArgument>([&] { store.save(1, state); }),
            "the state at t = 0.25 has vectors of other lengths than those saved before it; save "
            "states of one run only");
}

TEST_F(StateStoreTest, SaysWhenTheDiskIsFull) {
  // A limit on the length of files takes the place of a full disk.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const dae::MethodState state = random_state();
  std::string message;
  {
    StateStore store(1000, directory.string());
    rlimit limit = before;
    limit.rlim_cur = 10000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    message = message_of<Error>([&] {
      for (int slot = 0; slot < 1000; ++slot) store.save(slot, state);
    });
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message,
            "writing to the file for checkpoints in the directory '" + directory.string() +
                "' failed (File too large); name a directory with more room or allow fewer "
                "megabytes");
}

TEST_F(StateStoreTest, SaysWhenThereIsNoMemory) {
#ifdef LIEGRAD_ADDRESS_SANITIZER
  GTEST_SKIP() << "the sanitizer ends programs that ask for so much";
#endif
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  StateStore store(StateStore::kUnlimited);
  dae::MethodState state = random_state();
  state.q.resize(1 << 20);
  rlimit limit = before;
  limit.rlim_cur = 500'000'000;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  const std::string message = message_of<Error>([&] {
    for (int slot = 0; slot < 1000; ++slot) store.save(slot, state);
  });
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(
      message,
      "there is no memory for 8.38903 MB more of checkpoints; allow fewer megabytes or name a "
      "directory for them");
}

}  // namespace
}  // namespace liegrad::sensitivity
