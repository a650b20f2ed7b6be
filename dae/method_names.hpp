#pragma once

#include "liegrad/dae/alpha/alpha_options.hpp"
#include "liegrad/dae/runge_kutta/butcher_tableau.hpp"
#include "liegrad/dae/system/name_table.hpp"

namespace liegrad::dae {

// Methods and what is chosen of them, by the names that options, files and reports have. Munthe-Kaas methods have those
// of their tableaus.

const NameTable<AlphaVariant>& alpha_variant_names();
const NameTable<ButcherTableau>& munthe_kaas_names();
/// Values are numbers of stages.
const NameTable<int>& radau_names();
const NameTable<Formulation>& formulation_names();
const NameTable<StartingValues>& starting_values_names();
const NameTable<FirstGuess>& first_guess_names();
const NameTable<NewtonKind>& newton_kind_names();
/// Of those that can be asked for.
const NameTable<LinearSolverKind>& linear_solver_names();

}  // namespace liegrad::dae
