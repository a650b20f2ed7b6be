#include "liegrad/ad/codegen/interpreter.hpp"

#include <algorithm>

namespace liegrad::ad {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

Interpreter::Interpreter(const Recording& recording, KernelLayout layout)
    : layout_(std::move(layout)), tape_(std::make_unique<CppAD::ADFun<double>>()) {
  const std::lock_guard lock(cppad_mutex());
  *tape_ = recording.tape();
  tape_->check_for_nan(false);
}

Interpreter::~Interpreter() {
  // Memory goes back to CppAD's store, which all threads share.
  const std::lock_guard lock(cppad_mutex());
  tape_.reset();
}

void Interpreter::operator()(const double* in, double* out) const {
  const std::lock_guard lock(cppad_mutex());
  Numbers x(in, in + layout_.num_function_inputs);
  for (const int input : layout_.zero_inputs) x[at(input)] = 0;
  for (const KernelLayout::Part& part : layout_.parts) evaluate(part, x, in, out + part.offset);
}

Interpreter::Numbers Interpreter::weight(const double* in, int k) const {
  const double* first = in + layout_.weights_offset + k * layout_.weight_size;
  return {first, first + layout_.weight_size};
}

Interpreter::Numbers Interpreter::direction(const KernelLayout::Part& part, const double* in,
                                            int k) const {
  const double* chosen = in + layout_.directions_offset + k * layout_.direction_size;
  Numbers all(at(layout_.num_function_inputs), 0.0);
  for (std::size_t j = 0; j < part.wrt.size(); ++j) all[at(part.wrt[j])] = chosen[j];
  return all;
}

void Interpreter::evaluate(const KernelLayout::Part& part, const Numbers& x, const double* in,
                           double* out) const {
  // Every part starts from the value: sweeps of other orders and directions do not mix.
  const Numbers value = tape_->Forward(0, x);
  const std::size_t n = part.wrt.size();
  switch (part.kind) {
    case ResultKind::kValue: std::copy(value.begin(), value.end(), out); break;
    case ResultKind::kJacobian: {
      const Numbers entries = jacobian_columns(part, x);
      std::copy(entries.begin(), entries.end(), out);
      break;
    }
    case ResultKind::kSparseJacobian: {
      const Numbers entries = jacobian_columns(part, x);
      for (const auto& [i, j] : part.pattern) *out++ = entries[at(i) * n + at(j)];
      break;
    }
    case ResultKind::kJacobianTimes:
      for (int k = 0; k < layout_.num_directions; ++k) {
        const Numbers product = tape_->Forward(1, direction(part, in, k));
        out = std::copy(product.begin(), product.end(), out);
      }
      break;
    case ResultKind::kTransposeTimes:
      for (int k = 0; k < layout_.num_weights; ++k) {
        const Numbers all = tape_->Reverse(1, weight(in, k));
        for (const int input : part.wrt) *out++ = all[at(input)];
      }
      break;
    case ResultKind::kHessian: {
      std::vector<Numbers> columns(n);
      for (const auto& [i, j] : part.pattern) {
        if (columns[at(j)].empty()) {
          Numbers unit(x.size(), 0.0);
          unit[at(part.wrt[at(j)])] = 1;
          columns[at(j)] = hessian_column(part, unit, in);
        }
        *out++ = columns[at(j)][at(i)];
      }
      break;
    }
    case ResultKind::kHessianTimes:
      for (int k = 0; k < layout_.num_directions; ++k) {
        const Numbers product = hessian_column(part, direction(part, in, k), in);
        out = std::copy(product.begin(), product.end(), out);
      }
      break;
  }
}

/// All columns in one sweep; m rows of n entries.
Interpreter::Numbers Interpreter::jacobian_columns(const KernelLayout::Part& part,
                                                   const Numbers& x) const {
  const std::size_t n = part.wrt.size();
  Numbers units(x.size() * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) units[at(part.wrt[j]) * n + j] = 1;
  return tape_->Forward(1, n, units);
}

Interpreter::Numbers Interpreter::hessian_column(const KernelLayout::Part& part, const Numbers& d,
                                                 const double* in) const {
  tape_->Forward(1, d);
  const Numbers all = tape_->Reverse(2, weight(in, 0));
  Numbers chosen;
  for (const int input : part.wrt) chosen.push_back(all[2 * at(input) + 1]);
  return chosen;
}

}  // namespace liegrad::ad
