#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "liegrad/dae/state.hpp"

namespace liegrad::sensitivity {

/// States of one run, in memory or in a file, as plain numbers one after the other.
class StateStore {
 public:
  static constexpr int kUnlimited = std::numeric_limits<int>::max();

  /// In memory, or in a new file of the directory, which has no name there: its space is given back when
  /// the store goes, however the program ends. Throws InvalidArgument when there is no such directory, and
  /// Error when nothing can be written to it.
  explicit StateStore(int slots, const std::string& directory = {});
  ~StateStore();
  StateStore(StateStore&&) noexcept;
  StateStore& operator=(StateStore&&) noexcept;

  int slots() const { return slots_; }
  /// The first state that is saved says how long the vectors of all others are. Throws InvalidArgument when
  /// those of a later one are not, and Error when there is no room.
  void save(int slot, const dae::MethodState& state);
  /// A state that was saved, bit for bit. Allocates nothing when the vectors have their length.
  void load(int slot, dae::MethodState& state);

  static std::size_t bytes_per_state(const dae::MethodState& state);
  /// How many states fit into so many megabytes, of 10⁶ bytes. Throws InvalidArgument when it is not even
  /// kFewestSlots.
  static int slots_in(double megabytes, const dae::MethodState& state);
  static constexpr int kFewestSlots = 2;

 private:
  class File;

  /// Learns the lengths, or compares with them.
  void fit(const dae::MethodState& state);
  /// In memory, which is taken in pieces when it is needed.
  double* place_of(int slot);

  int slots_;
  std::string directory_;
  std::vector<std::size_t> lengths_;   ///< of the vectors of a state
  std::size_t numbers_per_state_ = 0;  ///< 0: nothing was saved
  int states_per_piece_ = 0;
  /// Of all states, or of the one that is on its way to the file.
  std::vector<std::unique_ptr<double[]>> memory_;
  std::unique_ptr<File> file_;
};

/// Which states of a run to keep, so that its steps can be visited backwards: the state at the start of each
/// is restored, or recomputed from one before it.
///
/// With s slots at most (s+r choose s) steps can be visited such that none is made more than r times, the
/// first sweep through the run included. Where the number of steps is known beforehand the fewest are
/// recomputed, [GriewankWalther2000]. Otherwise states are kept by the rule of [WangMoinIaccarino2009], with
/// which r is the least as well: as long as there are more than √(2N) slots for N steps no step is recomputed
/// twice, and for N ≤ s none at all.
///
/// The schedule needs memory for each slot, none for steps.
class CheckpointSchedule {
 public:
  /// A run may turn out to be longer or shorter than expected.
  explicit CheckpointSchedule(int slots, std::optional<long> expected_steps = {});

  /// The first sweep: to be asked for each state in turn from which a step starts, 0, 1, …, where it is to be
  /// saved, if at all. To ask for the state at the end of the run too does no harm, but may cost a slot.
  std::optional<int> slot_for(long step);

  struct Actions {
    /// The current state, at the start of a step.
    std::function<void(int slot, long step)> save;
    /// Makes a saved state the current one.
    std::function<void(int slot, long step)> restore;
    /// Makes steps again, from the current state.
    std::function<void(long from, long to)> advance;
    /// The current state is that at the start of the step.
    std::function<void(long step)> reverse;
  };
  /// Visits the steps from the last, steps - 1, to the first, 0. May be called again: where states had to be
  /// recomputed only the first is still there, and another sweep through the run is part of it.
  void reverse(long steps, const Actions& actions);

 private:
  struct Checkpoint {
    long step;
    int slot;
    int level;
  };

  std::optional<int> planned_slot_for(long step);
  int num_held() const { return static_cast<int>(kept_.size() + spare_.size()); }
  int keep(long step, int slot, int level);
  int keep_in_free_slot(long step, int level) { return keep(step, num_held(), level); }

  int slots_;
  /// Of the plan: the steps that it has, where the next checkpoint is and how far it is from the one before.
  long planned_steps_, next_ = 0, gap_ = 0;
  /// A checkpoint of level r follows on steps that take r repetitions with the slots that are there when they
  /// are visited. One that has any of a higher level behind it can be given up without taking more than that.
  std::vector<Checkpoint> kept_;   ///< in the order of steps, with levels that do not rise
  std::vector<Checkpoint> spare_;  ///< those that can be given up, the last first
};

}  // namespace liegrad::sensitivity
