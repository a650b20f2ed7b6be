#include "studies/control_starts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "liegrad/ad/native/temporary_directory.hpp"
#include "liegrad/control/other_guess.hpp"
#include "liegrad/lie/error.hpp"
#include "options/interrupt.hpp"
#include "options/solution_file.hpp"

namespace liegrad::app {
namespace {

/// Costs that differ by less are those of one optimum.
constexpr double kSameCost = 1e-6;

/// What one process leaves: a solution, or a sentence.
struct Files {
  std::string solution, message;
};

template <class P>
[[noreturn]] void run_start(const P& problem, const control::SolveOptions& options, int start,
                            const Files& files) {
  int status = 0;
  std::string message;
  try {
    const auto solution = control::solve(
        start == 0 ? problem : control::with_other_guess(problem, static_cast<unsigned>(start)),
        options);
    message = solution.summary.message;
    write_solution_file(problem, solution, files.solution);
  } catch (const std::exception& error) {
    message = error.what();
    status = 1;
  }
  std::ofstream(files.message) << message;
  // What the parent has not printed yet is its own to print.
  _exit(status);
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

template <class S>
bool is_better(const S& a, const S& b) {
  const bool solved_a = control::is_solved(a.summary.status),
             solved_b = control::is_solved(b.summary.status);
  if (solved_a != solved_b) return solved_a;
  if (a.certificate.local_minimum != b.certificate.local_minimum) {
    return a.certificate.local_minimum;
  }
  return a.summary.cost < b.summary.cost * (1 - std::copysign(kSameCost, b.summary.cost));
}

template <class S>
void add_to_basins(std::vector<Basin>& basins, const S& solution, int start) {
  const double cost = solution.summary.cost;
  for (Basin& basin : basins) {
    if (std::abs(cost - basin.cost) <= kSameCost * std::max(std::abs(cost), std::abs(basin.cost)) &&
        basin.local_minimum == solution.certificate.local_minimum) {
      basin.starts.push_back(start);
      return;
    }
  }
  basins.push_back({cost, solution.summary.t_end, solution.certificate.local_minimum, {start}});
}

template <class S, class P>
ControlStarts<S> solve_all(const P& problem, const control::SolveOptions& options, int starts,
                           const std::function<void(int finished)>& observe) {
  if (starts < 1 || starts > 10000) {
    throw InvalidArgument("--starts takes a number from 1 to 10000, not " + std::to_string(starts));
  }
  const ad::TemporaryDirectory directory;
  if (directory.path().empty()) throw Error("no place for the starts: " + directory.problem());
  const auto files = [&](int start) {
    const std::string name = directory.path().string() + "/" + std::to_string(start);
    return Files{name + ".json", name + ".txt"};
  };
  // The first one alone: it compiles what the others find in the cache.
  const int most = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::map<pid_t, int> running;
  std::vector<int> status(static_cast<std::size_t>(starts), -1);
  int next = 0, finished = 0;
  std::fflush(nullptr);
  while (finished < starts) {
    while (next < starts && !was_interrupted() &&
           static_cast<int>(running.size()) < (finished == 0 ? 1 : most)) {
      const pid_t process = fork();
      if (process == 0) run_start(problem, options, next, files(next));
      if (process < 0 && running.empty()) throw Error("no process could be made for a start");
      if (process < 0) break;
      running[process] = next++;
    }
    if (running.empty()) break;  // interrupted
    int ended_with = 0;
    const pid_t ended = waitpid(-1, &ended_with, 0);
    const auto found = running.find(ended);
    if (found == running.end()) continue;
    status[static_cast<std::size_t>(found->second)] = ended_with;
    running.erase(found);
    observe(++finished);
  }

  ControlStarts<S> result;
  StartTable& table = result.table;
  bool has_best = false;
  for (int start = 0; start < next; ++start) {
    const int ended_with = status[static_cast<std::size_t>(start)];
    const std::string message = text_of(files(start).message);
    if (ended_with != 0) {
      // A mistake in the problem is one in all of them.
      if (start == 0 && WIFEXITED(ended_with)) throw InvalidArgument(message);
      table.unsolved.push_back({start, message.empty() ? "its process ended early" : message});
      continue;
    }
    S solution = read_solution_file(problem, files(start).solution);
    solution.summary.message = message;
    if (control::is_solved(solution.summary.status)) {
      add_to_basins(table.basins, solution, start);
    } else {
      table.unsolved.push_back({start, message});
    }
    if (!has_best || is_better(solution, result.best)) {
      result.best = std::move(solution);
      table.best_start = start;
      has_best = true;
    }
  }
  if (!has_best) throw Error("no start left a solution; " + table.unsolved.front().reason);
  std::sort(table.basins.begin(), table.basins.end(),
            [](const Basin& a, const Basin& b) { return a.cost < b.cost; });
  return result;
}

}  // namespace

ControlStarts<control::Solution> solve_from_starts(
    const control::Problem& problem, const control::SolveOptions& options, int starts,
    const std::function<void(int finished)>& observe) {
  return solve_all<control::Solution>(problem, options, starts, observe);
}

ControlStarts<control::PhasedSolution> solve_from_starts(
    const control::PhasedProblem& problem, const control::SolveOptions& options, int starts,
    const std::function<void(int finished)>& observe) {
  return solve_all<control::PhasedSolution>(problem, options, starts, observe);
}

}  // namespace liegrad::app
