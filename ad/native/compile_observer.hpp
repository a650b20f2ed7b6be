#pragma once

#include <functional>
#include <string>

namespace liegrad::ad {

/// A kernel that is compiled while a program waits, because nobody compiled it before.
struct Compilation {
  std::string kernel;
  int number = 0;  ///< in this process, from 1
  bool is_done = false;
};

/// Told when a compilation begins and when it ends, in the thread that waits for it.
using CompileObserver = std::function<void(const Compilation&)>;

/// Replaces the observer; an empty one, the default, is told nothing. Returns the former. Safe from any thread.
CompileObserver set_compile_observer(CompileObserver observer);

/// Tells the observer, from its making to its end.
class CompileNotice {
 public:
  explicit CompileNotice(const std::string& kernel);
  ~CompileNotice();
  CompileNotice(const CompileNotice&) = delete;
  CompileNotice& operator=(const CompileNotice&) = delete;

 private:
  Compilation compilation_;
};

}  // namespace liegrad::ad
