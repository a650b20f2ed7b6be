#include "liegrad/optimize/fit/report.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/text.hpp"
#include "liegrad/sensitivity/mode_name.hpp"

namespace liegrad::optimize {
namespace {

using dae::number_text;

std::string or_unknown(double value, int digits) {
  return std::isfinite(value) ? number_text(value, digits) : "unknown";
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}
std::string left(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, text.size()), ' ');
}

}  // namespace

std::string end_of_interval(double end, double std) {
  const double digits = std > 0 && end != 0 ? std::floor(std::log10(std::abs(end) / std)) + 3 : 4;
  return or_unknown(end, static_cast<int>(std::clamp(digits, 4.0, 10.0)));
}

std::string brief_report(const FitResult& result) {
  return result.message + "; " + std::to_string(result.iterations) + " iterations, " +
         std::to_string(result.evaluations) + " runs (" +
         std::to_string(result.differentiated_evaluations) + " with " +
         name_of(result.jacobian_used) + " derivatives), AICc " + number_text(result.aicc, 5) +
         ", " + number_text(result.wall_seconds, 3) + " s";
}

std::string estimates_report(const FitResult& result, bool all) {
  constexpr std::size_t kMany = 40;
  const bool is_correlated =
      std::any_of(result.outputs.begin(), result.outputs.end(),
                  [](const OutputFit& output) { return output.is_correlated; });
  std::size_t width = 8;
  for (const Estimate& one : result.parameters) width = std::max(width, one.name.size());
  std::string text = "  " + left("", width) + right("value", 15) + right("std", 12) +
                     right("95 % interval", 26) + "  " + (is_correlated ? "sandwich std  " : "") +
                     "verdict\n";
  const std::size_t shown =
      all ? result.parameters.size() : std::min(kMany, result.parameters.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Estimate& one = result.parameters[i];
    text += "  " + left(one.name, width) + right(number_text(one.value, 8), 15) +
            right(or_unknown(one.std, 4), 12) +
            right(end_of_interval(one.ci95.lower, one.std), 13) +
            right(end_of_interval(one.ci95.upper, one.std), 13) + "  " +
            (is_correlated ? right(or_unknown(one.sandwich_std, 4), 12) + "  " : "") + one.verdict +
            "\n";
  }
  if (shown < result.parameters.size()) {
    text += "  … " + std::to_string(result.parameters.size() - shown) + " unknowns more\n";
  }
  text += "  " + left("", width) + right("residual rms", 15) + right("noise", 12) + "\n";
  for (const OutputFit& one : result.outputs) {
    text += "  " + left(one.output, width) + right(number_text(one.residual_rms, 4), 15) +
            right(number_text(one.noise, 4), 12) + (one.noise_is_given ? " (given)" : "") + "\n";
  }
  return text;
}

std::string findings_report(const FitResult& result) {
  std::string text;
  for (const Undetermined& one : result.undetermined) {
    text += "  not identifiable: " + one.sentence + "\n";
  }
  for (const std::string& finding : result.findings) text += "  note: " + finding + "\n";
  return text;
}

std::string full_report(const FitResult& result, bool all) {
  return estimates_report(result, all) + findings_report(result) + brief_report(result) + "\n";
}

}  // namespace liegrad::optimize
