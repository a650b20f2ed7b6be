#include "liegrad/sensitivity/trajectory/checkpoints.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/text.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::sensitivity {
namespace {

using dae::index;
using dae::number_text;

/// The numbers of a state that stand alone, then its vectors, in the order in which they are stored.
template <class State>
auto scalars_of(State& state) {
  return std::array{&state.t, &state.step};
}
template <class State>
auto vectors_of(State& state) {
  return std::array{&state.q, &state.v, &state.v_dot, &state.lambda, &state.s, &state.memory};
}
static_assert(sizeof(dae::MethodState) == 2 * sizeof(double) + 6 * sizeof(std::vector<double>),
              "what is added to a state is to be stored as well");

std::string megabytes_text(double bytes) { return number_text(bytes / 1e6) + " MB"; }

/// r with β(s, r-1) < steps ≤ β(s, r), where β(s, r) = (s+r choose s), and the first of both.
struct Repetitions {
  int r = 0;
  long before = 0;
};
Repetitions repetitions(long steps, long slots) {
  Repetitions result;
  for (long most = 1; most < steps;) {
    result.before = most;
    result.r += 1;
    most = most * (slots + result.r) / result.r;
  }
  return result;
}

/// How far to go from a checkpoint, which has one of the slots, to the next, when l > 1 steps are left.
///
/// The fewest steps are made, in all, when l' minimises
///
///     t(l, s) = min l' + t(l', s) + t(l - l', s - 1),   t(1, s) = 0.
///
/// t is convex in l, with slope r where β(s, r-1) < l ≤ β(s, r). So l' is optimal when the slopes of the two
/// last terms are r - 1 and r: l' ≤ β(s, r-1) and l - l' ≥ β(s-1, r-1). This is the largest.
long distance_to_next(long steps, long slots) {
  const Repetitions of = repetitions(steps, slots);
  const long with_one_slot_less = of.before * slots / (slots + of.r - 1);
  return std::min(of.before, steps - with_one_slot_less);
}

}  // namespace

/// A file without a name.
class StateStore::File {
 public:
  explicit File(const std::string& directory) : directory_(directory) {
    std::string name = directory + "/liegrad-checkpoints-XXXXXX";
    descriptor_ = mkstemp(name.data());
    if (descriptor_ >= 0) {
      unlink(name.c_str());
    } else if (errno == ENOENT || errno == ENOTDIR) {
      throw InvalidArgument("the directory '" + directory +
                            "' for checkpoints does not exist; create it or name another");
    } else {
      throw Error("no file for checkpoints can be made in the directory '" + directory + "' (" +
                  std::strerror(errno) + "); name another");
    }
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(std::size_t place, std::span<const double> numbers) {
    transfer(place, numbers, [this](const char* data, std::size_t count, off_t offset) {
      return pwrite(descriptor_, data, count, offset);
    });
  }
  void read(std::size_t place, std::span<double> numbers) {
    transfer(place, numbers, [this](char* data, std::size_t count, off_t offset) {
      return pread(descriptor_, data, count, offset);
    });
  }

 private:
  /// All bytes, in as many pieces as the system likes.
  template <class Number, class Call>
  void transfer(std::size_t place, std::span<Number> numbers, const Call& call) {
    using Byte = std::conditional_t<std::is_const_v<Number>, const char, char>;
    Byte* data = reinterpret_cast<Byte*>(numbers.data());
    std::size_t left = numbers.size_bytes();
    off_t offset = static_cast<off_t>(place * sizeof(double));
    while (left > 0) {
      const ssize_t done = call(data, left, offset);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) {
        throw Error(std::string(std::is_const_v<Number> ? "writing to" : "reading from") +
                    " the file for checkpoints in the directory '" + directory_ + "' failed (" +
                    (done < 0 ? std::strerror(errno) : "it is too short") +
                    "); name a directory with more room or allow fewer megabytes");
      }
      data += done;
      left -= static_cast<std::size_t>(done);
      offset += done;
    }
  }

  std::string directory_;
  int descriptor_;
};

StateStore::StateStore(int slots, const std::string& directory)
    : slots_(slots), directory_(directory) {
  if (slots < 1) {
    throw InvalidArgument("checkpoints need at least one slot; there are " + std::to_string(slots));
  }
  if (!directory.empty()) file_ = std::make_unique<File>(directory);
}

StateStore::~StateStore() = default;
StateStore::StateStore(StateStore&&) noexcept = default;
StateStore& StateStore::operator=(StateStore&&) noexcept = default;

std::size_t StateStore::bytes_per_state(const dae::MethodState& state) {
  std::size_t numbers = scalars_of(state).size();
  for (const std::vector<double>* vector : vectors_of(state)) numbers += vector->size();
  return numbers * sizeof(double);
}

int StateStore::slots_in(double megabytes, const dae::MethodState& state) {
  const double bytes = static_cast<double>(bytes_per_state(state));
  // What the message below says is enough, whose digits are few.
  const double slots = megabytes * 1e6 / bytes * (1 + 1e-5);
  if (!(slots >= kFewestSlots)) {
    throw InvalidArgument(
        number_text(megabytes) + " MB are not enough for checkpoints, which need at least " +
        megabytes_text(kFewestSlots * bytes) + " for " + std::to_string(kFewestSlots) + " states");
  }
  return slots < kUnlimited ? static_cast<int>(slots) : kUnlimited;
}

void StateStore::fit(const dae::MethodState& state) {
  const auto vectors = vectors_of(state);
  if (numbers_per_state_ > 0) {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      if (vectors[i]->size() != lengths_[i]) {
        throw InvalidArgument("the state at t = " + number_text(state.t) +
                              " has vectors of other lengths than those saved before it; save "
                              "states of one run only");
      }
    }
    return;
  }
  lengths_.clear();
  for (const std::vector<double>* vector : vectors) lengths_.push_back(vector->size());
  numbers_per_state_ = bytes_per_state(state) / sizeof(double);
  constexpr std::size_t kNumbersPerPiece = 1 << 16;
  const std::size_t fitting = std::max<std::size_t>(kNumbersPerPiece / numbers_per_state_, 1);
  // A power of two, so that a slot is found without a division.
  states_per_piece_ =
      file_ ? 1 : static_cast<int>(std::bit_floor(std::min(fitting, index(slots_))));
}

double* StateStore::place_of(int slot) {
  const int place = file_ ? 0 : slot;
  const std::size_t number =
      index(place >> std::countr_zero(static_cast<unsigned>(states_per_piece_)));
  if (number >= memory_.size()) memory_.resize(number + 1);
  std::unique_ptr<double[]>& piece = memory_[number];
  if (!piece) {
    // The last piece has no more than what is left.
    const int left = slots_ - static_cast<int>(number) * states_per_piece_;
    const std::size_t size = index(std::min(states_per_piece_, left)) * numbers_per_state_;
    try {
      piece = std::make_unique_for_overwrite<double[]>(size);
    } catch (const std::bad_alloc&) {
      throw Error("there is no memory for " +
                  megabytes_text(static_cast<double>(size * sizeof(double))) +
                  " more of checkpoints; allow fewer megabytes or name a directory for them");
    }
  }
  return piece.get() + index(place & (states_per_piece_ - 1)) * numbers_per_state_;
}

void StateStore::save(int slot, const dae::MethodState& state) {
  assert(slot >= 0 && slot < slots_);
  fit(state);
  double* const place = place_of(slot);
  double* next = place;
  for (const double* scalar : scalars_of(state)) *next++ = *scalar;
  for (const std::vector<double>* vector : vectors_of(state)) {
    next = std::copy(vector->begin(), vector->end(), next);
  }
  if (file_) file_->write(index(slot) * numbers_per_state_, {place, numbers_per_state_});
}

void StateStore::load(int slot, dae::MethodState& state) {
  assert(slot >= 0 && slot < slots_ && numbers_per_state_ > 0);
  double* const place = place_of(slot);
  if (file_) file_->read(index(slot) * numbers_per_state_, {place, numbers_per_state_});
  const double* next = place;
  for (double* scalar : scalars_of(state)) *scalar = *next++;
  const std::size_t* length = lengths_.data();
  for (std::vector<double>* vector : vectors_of(state)) {
    vector->assign(next, next + *length);
    next += *length++;
  }
}

CheckpointSchedule::CheckpointSchedule(int slots, std::optional<long> expected_steps)
    : slots_(slots), planned_steps_(expected_steps.value_or(0)) {
  if (slots < 1) {
    throw InvalidArgument("checkpoints need at least one slot; there are " + std::to_string(slots));
  }
}

int CheckpointSchedule::keep(long step, int slot, int level) {
  const auto first_below = std::find_if(kept_.rbegin(), kept_.rend(), [level](const auto& one) {
                             return one.level >= level;
                           }).base();
  spare_.insert(spare_.end(), first_below, kept_.end());
  kept_.erase(first_below, kept_.end());
  kept_.push_back({step, slot, level});
  return slot;
}

std::optional<int> CheckpointSchedule::slot_for(long step) {
  if (step == 0) {
    // Never to be given up.
    keep_in_free_slot(0, INT_MAX);
    if (planned_steps_ > 0) gap_ = next_ = distance_to_next(planned_steps_ + 1, slots_);
    return 0;
  }
  if (step < planned_steps_) return planned_slot_for(step);
  if (num_held() < slots_) return keep_in_free_slot(step, 0);
  // If all goes by the plan this is the end, and nothing is to be given up for it.
  if (step == planned_steps_) return std::nullopt;
  if (!spare_.empty()) {
    const int slot = spare_.back().slot;
    spare_.pop_back();
    return keep(step, slot, 0);
  }
  if (kept_.size() == 1) return std::nullopt;
  const Checkpoint last = kept_.back();
  kept_.pop_back();
  return keep(step, last.slot, last.level + 1);
}

/// The plan is that of a run with one more step, to which the first sweep leads: its state at the start is
/// the end of the run, which need not be saved.
std::optional<int> CheckpointSchedule::planned_slot_for(long step) {
  if (step < next_) return std::nullopt;
  const int slots_before = slots_ - num_held() + 1;
  const int slot = keep_in_free_slot(step, repetitions(gap_, slots_before).r);
  gap_ = distance_to_next(planned_steps_ + 1 - step, slots_before - 1);
  next_ = step + gap_;
  return slot;
}

void CheckpointSchedule::reverse(long steps, const Actions& actions) {
  std::vector<Checkpoint> held = kept_;
  held.insert(held.end(), spare_.begin(), spare_.end());
  std::sort(held.begin(), held.end(),
            [](const auto& one, const auto& other) { return one.step < other.step; });
  assert(!held.empty() || steps == 0);
  std::vector<int> free;
  int first_unused = num_held();
  const auto release_from = [&](long step) {
    for (; !held.empty() && held.back().step >= step; held.pop_back()) {
      free.push_back(held.back().slot);
    }
  };
  const auto take_slot = [&] {
    if (free.empty()) return first_unused++;
    const int slot = free.back();
    free.pop_back();
    return slot;
  };

  release_from(steps);
  for (long last = steps - 1; last >= 0; --last) {
    long step = held.back().step;
    actions.restore(held.back().slot, step);
    while (step < last) {
      const int slots = slots_ - static_cast<int>(held.size()) + 1;
      const long next = step + distance_to_next(last + 1 - step, slots);
      actions.advance(step, next);
      step = next;
      if (step == last) break;
      held.push_back({step, take_slot(), 0});
      // From now on only the first state is where the sweep left it.
      kept_.resize(1);
      spare_.clear();
      actions.save(held.back().slot, step);
    }
    actions.reverse(last);
    release_from(last);
  }
}

}  // namespace liegrad::sensitivity
