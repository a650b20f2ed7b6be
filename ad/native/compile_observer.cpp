#include "liegrad/ad/native/compile_observer.hpp"

#include <mutex>
#include <utility>

namespace liegrad::ad {
namespace {

struct Observed {
  std::mutex mutex;
  CompileObserver observer;
  int count = 0;
};

Observed& observed() {
  static Observed instance;
  return instance;
}

}  // namespace

CompileObserver set_compile_observer(CompileObserver observer) {
  const std::lock_guard lock(observed().mutex);
  return std::exchange(observed().observer, std::move(observer));
}

CompileNotice::CompileNotice(const std::string& kernel) : compilation_{.kernel = kernel} {
  const std::lock_guard lock(observed().mutex);
  compilation_.number = ++observed().count;
  if (observed().observer) observed().observer(compilation_);
}

CompileNotice::~CompileNotice() {
  compilation_.is_done = true;
  const std::lock_guard lock(observed().mutex);
  if (observed().observer) observed().observer(compilation_);
}

}  // namespace liegrad::ad
