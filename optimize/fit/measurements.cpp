#include "liegrad/optimize/fit/measurements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "liegrad/dae/system/numbers.hpp"
#include "liegrad/dae/system/outputs.hpp"
#include "liegrad/dae/system/text.hpp"

namespace liegrad::optimize {
namespace {

using dae::number_text;

/// Whether it is the angle of a node on a group, which is known up to whole turns.
bool is_group_angle(const dae::System& system, const std::string& output) {
  for (const dae::Node& node : system.nodes()) {
    const bool turns =
        node.group.kind == lie::GroupKind::kSO2 || node.group.kind == lie::GroupKind::kSE2;
    if (turns && output == node.name + ".theta") return true;
  }
  return false;
}

bool is_orientation(const dae::System& system, const std::string& output) {
  for (const dae::Node& node : system.nodes()) {
    const lie::GroupKind kind = node.group.kind;
    const bool turns = kind == lie::GroupKind::kSO3 || kind == lie::GroupKind::kSO3xR3 ||
                       kind == lie::GroupKind::kSE3;
    if (turns && output == node.name + ".q") return true;
  }
  return false;
}

std::string place(const Recording& recording, const Series& series, std::size_t sample) {
  return recording.name + ": " + series.name() + " at t = " + number_text(series.times[sample]);
}

void normalise(const Recording& recording, Series& series, std::size_t sample) {
  // Rounding of tables with three digits; more is another convention or a mistake.
  constexpr double kTolerance = 1e-3;
  double* const q = &series.values[4 * sample];
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (std::abs(length - 1) > kTolerance) {
    throw InvalidArgument(place(recording, series, sample) +
                          " is no unit quaternion: it has the length " + number_text(length) +
                          "; give (w, x, y, z) of length 1");
  }
  for (int i = 0; i < 4; ++i) q[i] /= length;
}

Series part_of(const Series& series, double from, double to) {
  Series part = series;
  part.times.clear();
  part.values.clear();
  const std::size_t width = dae::index(series.width());
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    if (series.times[i] < from || series.times[i] > to) continue;
    part.times.push_back(series.times[i]);
    const auto first = series.values.begin() + static_cast<std::ptrdiff_t>(i * width);
    part.values.insert(part.values.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  return part;
}

/// Adds the samples from one time to another, if they are a motion.
void add_piece(const Recording& recording, const std::string& name, double from, double to,
               std::vector<Recording>& pieces) {
  Recording piece{name, {}, {}, {}};
  for (const Series& series : recording.series) {
    piece.series.push_back(part_of(series, from, to));
  }
  if (piece.num_samples() > 0 && piece.last_time() > piece.first_time()) pieces.push_back(piece);
}

/// Times at which a series goes on after it had no samples for long.
void add_ends_of_gaps(const Series& series, std::vector<double>& ends) {
  constexpr double kLong = 6;  // usual intervals
  if (series.times.size() < 3) return;
  std::vector<double> intervals;
  for (std::size_t i = 1; i < series.times.size(); ++i) {
    intervals.push_back(series.times[i] - series.times[i - 1]);
  }
  std::vector<double> sorted = intervals;
  const auto middle = sorted.begin() + std::ssize(sorted) / 2;
  std::ranges::nth_element(sorted, middle);
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i] > kLong * *middle) ends.push_back(series.times[i + 1]);
  }
}

}  // namespace

std::vector<std::string> Series::columns() const {
  if (comparison != Comparison::kRotation) return {name()};
  std::vector<std::string> list;
  for (int i = 1; i <= 4; ++i) list.push_back(output + "." + std::to_string(i));
  return list;
}

double Recording::first_time() const {
  double first = std::numeric_limits<double>::infinity();
  for (const Series& one : series) {
    if (!one.times.empty()) first = std::min(first, one.times.front());
  }
  return first;
}

double Recording::last_time() const {
  double last = -std::numeric_limits<double>::infinity();
  for (const Series& one : series) {
    if (!one.times.empty()) last = std::max(last, one.times.back());
  }
  return last;
}

int Recording::num_samples() const {
  std::size_t count = 0;
  for (const Series& one : series) count += one.times.size();
  return static_cast<int>(count);
}

Series series_of(const dae::System& system, const std::string& output, int component) {
  const dae::Outputs outputs(system);
  const dae::OutputSpec& spec = outputs.spec(output);
  if (is_orientation(system, output)) {
    if (component == 0) return {output, 0, Comparison::kRotation};
    throw InvalidArgument("'" + output +
                          "' is an orientation, which is compared as a whole; map its four numbers "
                          "w, x, y, z");
  }
  if (component == 0 && spec.size > 1) {
    throw InvalidArgument("'" + output + "' has " + std::to_string(spec.size) +
                          " components; name one, '" + output + "[1]'");
  }
  if (component < 0 || component > spec.size) {
    throw InvalidArgument("'" + output + "' has no component " + std::to_string(component) +
                          "; it has " + std::to_string(spec.size));
  }
  return {output, spec.size == 1 ? 0 : component,
          is_group_angle(system, output) ? Comparison::kAngle : Comparison::kDifference};
}

void check_recording(Recording& recording) {
  if (recording.num_samples() == 0) {
    throw InvalidArgument(recording.name + " has no measured values of any output");
  }
  for (Series& series : recording.series) {
    if (series.values.size() != series.times.size() * dae::index(series.width())) {
      throw InvalidArgument(recording.name + ": " + series.name() + " has " +
                            std::to_string(series.times.size()) + " times and " +
                            std::to_string(series.values.size()) + " values");
    }
    for (std::size_t i = 0; i < series.times.size(); ++i) {
      if (!std::isfinite(series.times[i])) {
        throw InvalidArgument(recording.name + ": a time of " + series.name() + " is not finite");
      }
      for (int k = 0; k < series.width(); ++k) {
        if (std::isfinite(series.values[i * dae::index(series.width()) + dae::index(k)])) continue;
        throw InvalidArgument(place(recording, series, i) +
                              " is not a finite number; leave the cell empty if there is none");
      }
      if (i > 0 && !(series.times[i] > series.times[i - 1])) {
        throw InvalidArgument(place(recording, series, i) + " comes after t = " +
                              number_text(series.times[i - 1]) + "; times must increase");
      }
      if (series.comparison == Comparison::kRotation) normalise(recording, series, i);
    }
  }
  if (!(recording.last_time() > recording.first_time())) {
    throw InvalidArgument(recording.name + " has samples at one time only, t = " +
                          number_text(recording.first_time()) + "; a fit needs a motion");
  }
}

Recording window_of(const Recording& recording, std::optional<double> from,
                    std::optional<double> to) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Recording part{recording.name, {}, {}, {}};
  for (const Series& series : recording.series) {
    part.series.push_back(part_of(series, from.value_or(-kInfinity), to.value_or(kInfinity)));
  }
  if (part.num_samples() == 0) {
    throw InvalidArgument(recording.name + " has no samples in the window; its times are from " +
                          number_text(recording.first_time()) + " to " +
                          number_text(recording.last_time()));
  }
  return part;
}

std::vector<Recording> pieces_of(const Recording& recording, double length) {
  if (!(length > 0) || !std::isfinite(length)) {
    throw InvalidArgument("pieces of a recording need a positive length; it is " +
                          number_text(length));
  }
  const double first = recording.first_time(), whole = recording.last_time() - first;
  // A last sample that is late by rounding is no piece of its own.
  const double tolerance = 1e-9 * std::max({std::abs(first), whole, length});
  const long count = std::max(1L, std::lround(std::floor(whole / length + 0.5)));
  std::vector<Recording> pieces;
  for (long k = 0; k < count; ++k) {
    // A sample between two pieces belongs to the second: in both its noise would count as two measurements.
    const double from = first + static_cast<double>(k) * length - tolerance;
    const double end = first + static_cast<double>(k + 1) * length;
    const double to = k + 1 == count ? end + tolerance : std::nextafter(end - tolerance, first);
    add_piece(recording, recording.name + "[" + std::to_string(k + 1) + "]", from, to, pieces);
  }
  if (pieces.empty()) {
    throw InvalidArgument(recording.name + " cannot be cut into pieces of " + number_text(length) +
                          ": none of them has two samples; choose longer pieces");
  }
  return pieces;
}

std::vector<Recording> parts_without_gaps(const Recording& recording) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> ends;
  for (const Series& series : recording.series) add_ends_of_gaps(series, ends);
  std::ranges::sort(ends);
  ends.push_back(kInfinity);
  std::vector<Recording> parts;
  double from = -kInfinity;
  for (const double end : ends) {
    add_piece(recording, recording.name, from, std::nextafter(end, from), parts);
    from = end;
  }
  return parts;
}

}  // namespace liegrad::optimize
