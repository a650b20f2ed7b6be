#pragma once

#include <string>

#include "liegrad/control/solution.hpp"

namespace liegrad::control {

// What a search says of itself; `liegrad control` prints the same.

/// How it ended, what was found and what it took, in one line.
std::string brief_report(const Summary& summary);

/// A line for each number of the search and of its certificate; with what was chosen for the user if `all` is wanted.
std::string full_report(const Solution& solution, bool all = false);

// Its parts.
std::string search_report(const Summary& summary, bool all = false);
/// Whether it is a minimum, by the inertia.
std::string minimum_report(const Certificate& certificate);
/// The Hamiltonian, the switching functions and the run with a finer step.
std::string extremal_report(const Certificate& certificate);

}  // namespace liegrad::control
