#pragma once

#include <atomic>
#include <thread>
#include <type_traits>
#include <vector>

namespace liegrad::dae {

/// Threads that wait for work, so that handing it out takes microseconds and no allocation. One thread,
/// the caller's, is the default.
class ThreadTeam {
 public:
  /// Throws Error when a thread cannot be started.
  explicit ThreadTeam(int threads = 1);
  ~ThreadTeam() { end(); }
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Calls f(part) for part = 0 … parts - 1, divided among the threads, and waits for all. f must not
  /// throw.
  template <class F>
  void run(int parts, F&& f) {
    if (helpers_.empty() || parts < 2) {
      for (int part = 0; part < parts; ++part) f(part);
      return;
    }
    call_ = [](void* function, int part) {
      (*static_cast<std::remove_reference_t<F>*>(function))(part);
    };
    function_ = &f;
    parts_ = parts;
    work();
  }

 private:
  void work();
  void do_parts_of(int thread) const;
  void help(int thread);
  void end();

  std::vector<std::thread> helpers_;
  void (*call_)(void*, int) = nullptr;
  void* function_ = nullptr;
  int parts_ = 0;
  bool ends_ = false;
  std::atomic<unsigned> round_{0};
  std::atomic<int> busy_{0};
};

}  // namespace liegrad::dae
