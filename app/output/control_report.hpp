#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "liegrad/control/problem.hpp"
#include "liegrad/control/solution.hpp"

namespace liegrad::app {

// What problems of one phase and of several have in common: numbers for programs, and for a reader.

nlohmann::ordered_json summary_json(const std::string& problem, const control::Summary& summary);
nlohmann::ordered_json certificate_json(const control::Certificate& certificate);
/// How large the problem is.
void print_head(const std::string& problem, const control::Summary& summary);

/// The summary of an optimal control and its certificate.
nlohmann::ordered_json control_json(const control::Problem& problem,
                                    const control::Solution& solution);
/// The same for a reader.
void print_control(const control::Problem& problem, const control::Solution& solution,
                   bool verbose);

/// Outputs of the system at the grid points, controls behind them.
void write_control_motion(const control::Problem& problem, const control::Solution& solution,
                          const std::string& file);

/// Feedback gains, a row for each step: u_{n+1} changes by the sum of gains times changes of the motion at point n.
void write_control_gains(const control::Problem& problem, const control::Solution& solution,
                         const std::string& file);

}  // namespace liegrad::app
