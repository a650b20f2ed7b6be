#pragma once

#include <concepts>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "liegrad/ad/scalar.hpp"

// Compiled once, in this library: it takes a compiler longer than most functions that are recorded.
extern template class CppAD::ADFun<double, double>;

namespace liegrad::ad {

/// The scalar of a recording.
using Taped = CppAD::AD<double>;

/// What record() is told of a function y = f(x, d).
struct RecordOptions {
  /// Appears in messages and in the names of cache entries.
  std::string name = "unnamed";
  /// Length of x, the inputs that derivatives are usually taken with respect to.
  int variables = 0;
  /// Length of d: what changes from call to call but is usually not differentiated, such as the state
  /// at the start of a step, parameters and time. Kernels number the inputs x first, then d.
  int data = 0;
  /// Where to record: values of x, then of d; zeros when empty. The values do not matter to a
  /// function without comparisons, unless it rejects them.
  std::vector<double> at = {};
  /// A comparison of recorded scalars (an `if`, std::max, Eigen's normalized()) freezes the outcome it
  /// had while recording. It is an error unless allowed here; write select_lt() instead.
  bool allow_comparisons = false;
};

/// A function R^n → R^m as a sequence of operations, recorded once and never changed.
///
/// Copies are cheap and share the tape.
class Recording {
 public:
  const std::string& name() const { return options_.name; }
  int num_variables() const { return options_.variables; }
  int num_data() const { return options_.data; }
  int num_inputs() const { return options_.variables + options_.data; }
  int num_outputs() const { return static_cast<int>(tape_->Range()); }
  /// Where it was recorded: values of all inputs, or empty for zeros.
  const std::vector<double>& recorded_at() const { return options_.at; }
  /// The inputs that the outputs depend on, be it by a comparison only, in ascending order.
  const std::vector<int>& inputs_read() const { return inputs_read_; }
  /// Number of operations on the tape.
  int num_operations() const { return static_cast<int>(graph_->operator_vec_size()); }

  const CppAD::ADFun<double>& tape() const { return *tape_; }
  const CppAD::cpp_graph& graph() const { return *graph_; }

  /// Text that is equal for two recordings exactly when they compute the same in the same way.
  std::string canonical_text() const;

 private:
  template <class F>
  friend Recording record(const RecordOptions& options, F&& f);

  /// Optimises the tape and checks it. Throws InvalidArgument.
  Recording(RecordOptions options, std::unique_ptr<CppAD::ADFun<double>> tape);

  RecordOptions options_;
  std::shared_ptr<const CppAD::ADFun<double>> tape_;
  std::shared_ptr<const CppAD::cpp_graph> graph_;
  std::vector<int> inputs_read_;
};

/// Held while CppAD works: its memory and its tapes belong to one thread at a time. Code that uses
/// CppAD itself while other threads record or interpret takes it as well.
std::recursive_mutex& cppad_mutex();

namespace recording_detail {

/// Checks sizes and gives the point to record at. Throws InvalidArgument.
std::vector<Taped> start(const RecordOptions& options);
/// Throws InvalidArgument if there are none.
void check_outputs(const RecordOptions& options, const std::vector<Taped>& outputs);

}  // namespace recording_detail

/// Calls f(x, d) once with recorded scalars, as std::span<const Taped>, and keeps what it did.
/// f returns the outputs as any range of Taped. Throws InvalidArgument when f has no outputs, compares
/// recorded scalars or uses CppAD::VecAD; what f itself throws passes through.
template <class F>
Recording record(const RecordOptions& options, F&& f) {
  const std::lock_guard lock(cppad_mutex());
  std::vector<Taped> inputs = recording_detail::start(options);
  CppAD::Independent(inputs);
  try {
    const std::span<const Taped> all(inputs);
    const auto variables = static_cast<std::size_t>(options.variables);
    const auto& result = f(all.first(variables), all.subspan(variables));
    std::vector<Taped> outputs(std::begin(result), std::end(result));
    recording_detail::check_outputs(options, outputs);
    auto tape = std::make_unique<CppAD::ADFun<double>>();
    tape->Dependent(inputs, outputs);
    return Recording(options, std::move(tape));
  } catch (...) {
    Taped::abort_recording();
    throw;
  }
}

}  // namespace liegrad::ad
