#include "options/run_size.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>

#include "liegrad/lie/error.hpp"

namespace liegrad::app {
namespace {

/// More than a day of the fastest steps.
constexpr double kMostSteps = 1e11;
/// From here on a run takes longer than somebody waits for without a word.
constexpr double kManySteps = 1e7;
constexpr double kManyBytes = 1e9;
/// Of a number in a table with all its digits, and its comma.
constexpr double kBytesPerNumber = 20;

std::string bytes_text(double bytes) {
  return bytes < 1e12 ? fmt::format("{:.3g} GB", 1e-9 * bytes)
                      : fmt::format("{:.3g} TB", 1e-12 * bytes);
}

/// Of the device that holds a regular file of that name; infinite where it is not known.
double free_bytes(const std::string& file) {
  namespace fs = std::filesystem;
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  std::error_code error;
  if (file == "-" || (fs::exists(file, error) && !fs::is_regular_file(file, error))) {
    return kUnknown;
  }
  const fs::path folder = fs::absolute(file, error).parent_path();
  const fs::space_info space = fs::space(folder, error);
  return error ? kUnknown : static_cast<double>(space.available);
}

}  // namespace

double num_steps(const dae::IntegrateOptions& options) {
  if (options.adaptive) return 0;
  return std::ceil((options.t_end - options.t_start) / options.step * (1 - 1e-12));
}

void check_num_steps(double steps) {
  if (steps > kMostSteps) {
    throw InvalidArgument(fmt::format(
        "{:.3g} steps are more than a run comes to the end of, {:g}; choose longer steps "
        "or an earlier end",
        steps, kMostSteps));
  }
}

void announce_num_steps(double steps, bool quiet) {
  if (steps < kManySteps || quiet) return;
  fmt::print(stderr, "liegrad: {:.3g} steps are to be made.\n", steps);
}

void check_samples(const dae::IntegrateOptions& options, int columns, const std::string& file,
                   bool quiet) {
  const double interval = options.t_end - options.t_start;
  const double samples =
      1 + (options.sample_interval > 0 ? std::floor(interval / options.sample_interval)
                                       : num_steps(options));
  const double bytes = samples * columns * kBytesPerNumber;
  const std::string said =
      fmt::format("{:.3g} samples are to be written, about {}", samples, bytes_text(bytes));
  const double room = free_bytes(file);
  if (samples > kMostSteps || bytes > room) {
    const std::string reason = bytes > room ? "where " + bytes_text(room) + " are free"
                                            : fmt::format("more than {:g}", kMostSteps);
    throw InvalidArgument(said + ", " + reason + "; choose a longer --output-every");
  }
  if (bytes >= kManyBytes && !quiet) fmt::print(stderr, "liegrad: {}.\n", said);
}

void check_memory(double bytes, const std::string& what, const std::string& remedy) {
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (!(there > 0) || bytes <= there) return;
  throw InvalidArgument(what + " take about " + bytes_text(bytes) + ", and this machine has " +
                        bytes_text(there) + "; " + remedy);
}

StepPace::StepPace(const dae::IntegrateOptions& options)
    : is_adaptive_(options.adaptive.has_value()), t_end_(options.t_end), last_t_(options.t_start) {}

std::optional<std::string> StepPace::failure(double t) {
  constexpr long kLooked = 1000;
  steps_ += 1;
  if (!is_adaptive_ || steps_ % kLooked != 0) return {};
  const double mean = (t - last_t_) / kLooked;
  last_t_ = t;
  const double left = (t_end_ - t) / mean;
  if (left <= kMostSteps) return {};
  return fmt::format(
      "adaptive steps have become as short as {:.3g} at t = {:.6g}, and {:.3g} more of them are "
      "needed; choose a larger --rtol or --atol",
      mean, t, left);
}

}  // namespace liegrad::app
