#include "liegrad/dae/thread_team.hpp"

#include <exception>
#include <string>

#include "liegrad/lie/error.hpp"

namespace liegrad::dae {

ThreadTeam::ThreadTeam(int threads) {
  try {
    for (int thread = 1; thread < threads; ++thread) {
      helpers_.emplace_back([this, thread] { help(thread); });
    }
  } catch (const std::exception& error) {
    // Those that were started wait, and the program would end with a thread that is not joined.
    const int started = size();
    end();
    throw Error("thread " + std::to_string(started + 1) + " of " + std::to_string(threads) +
                " could not be started (" + error.what() + "); ask for fewer threads");
  }
}

void ThreadTeam::end() {
  ends_ = true;
  round_.fetch_add(1);
  round_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ThreadTeam::work() {
  busy_.store(static_cast<int>(helpers_.size()));
  round_.fetch_add(1);
  round_.notify_all();
  do_parts_of(0);
  for (int left = busy_.load(); left > 0; left = busy_.load()) busy_.wait(left);
}

void ThreadTeam::do_parts_of(int thread) const {
  for (int part = thread; part < parts_; part += size()) call_(function_, part);
}

void ThreadTeam::help(int thread) {
  unsigned done = 0;
  while (true) {
    round_.wait(done);
    done = round_.load();
    if (ends_) return;
    do_parts_of(thread);
    if (busy_.fetch_sub(1) == 1) busy_.notify_one();
  }
}

}  // namespace liegrad::dae
