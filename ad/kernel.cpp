#include "liegrad/ad/kernel.hpp"

#include <chrono>

#include "liegrad/ad/codegen/interpreter.hpp"
#include "liegrad/ad/message.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::ad {

Kernel::Kernel(const Recording& recording, const KernelSpec& spec, Backend backend)
    : name_(recording.name()), layout_(lay_out(recording, spec)) {
  const auto start = std::chrono::steady_clock::now();
  info_.backend_given = backend;
  if (backend == Backend::kCompiled) native_ = native_code(recording, layout_, &info_.message);
  if (native_) {
    info_.backend_used = Backend::kCompiled;
    info_.origin = native_->origin;
  } else {
    info_.backend_used = Backend::kInterpreted;
    interpreter_ = std::make_shared<const Interpreter>(recording, layout_);
    if (backend == Backend::kCompiled) {
      say_once("kernel '" + name_ + "' is interpreted, which is slower: " + info_.message,
               info_.message);
    }
  }
  info_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Kernel::check_size(std::size_t given, std::size_t wanted, const char* what) const {
  if (given >= wanted) return;
  throw InvalidArgument("kernel '" + name_ + "': the " + what + " array has " +
                        std::to_string(given) + " numbers instead of " + std::to_string(wanted));
}

void Kernel::operator()(std::span<const double> in, std::span<double> out) const {
  check_size(in.size(), static_cast<std::size_t>(layout_.num_inputs), "input");
  check_size(out.size(), static_cast<std::size_t>(layout_.num_outputs), "output");
  if (native_) {
    native_->one(in.data(), out.data());
  } else {
    (*interpreter_)(in.data(), out.data());
  }
}

void Kernel::batch(int count, std::span<const double> in, std::ptrdiff_t in_stride,
                   std::span<double> out, std::ptrdiff_t out_stride) const {
  if (count <= 0) return;
  if (in_stride < count || out_stride < count) {
    throw InvalidArgument("kernel '" + name_ + "': a batch of " + std::to_string(count) +
                          " needs strides of at least that, not " + std::to_string(in_stride) +
                          " and " + std::to_string(out_stride));
  }
  const auto extent = [count](int numbers, std::ptrdiff_t stride) {
    return static_cast<std::size_t>((numbers - 1) * stride + count);
  };
  check_size(in.size(), extent(layout_.num_inputs, in_stride), "input");
  if (layout_.num_outputs == 0) return;
  check_size(out.size(), extent(layout_.num_outputs, out_stride), "output");
  if (native_) {
    native_->batch(count, in.data(), in_stride, out.data(), out_stride);
    return;
  }
  std::vector<double> x(static_cast<std::size_t>(layout_.num_inputs));
  std::vector<double> y(static_cast<std::size_t>(layout_.num_outputs));
  for (int k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = in[i * static_cast<std::size_t>(in_stride) + static_cast<std::size_t>(k)];
    }
    (*interpreter_)(x.data(), y.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      out[i * static_cast<std::size_t>(out_stride) + static_cast<std::size_t>(k)] = y[i];
    }
  }
}

}  // namespace liegrad::ad
