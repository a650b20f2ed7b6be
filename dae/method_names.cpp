#include "liegrad/dae/method_names.hpp"

namespace liegrad::dae {

const NameTable<AlphaVariant>& alpha_variant_names() {
  static const NameTable<AlphaVariant> table = {{"lie-alpha", AlphaVariant::kLieGroup},
                                                {"ul-exp", AlphaVariant::kUpdatedLagrangianExp},
                                                {"ul-crv", AlphaVariant::kUpdatedLagrangianCrv}};
  return table;
}

const NameTable<ButcherTableau>& munthe_kaas_names() {
  static const NameTable<ButcherTableau> table = [] {
    NameTable<ButcherTableau> methods;
    for (const ButcherTableau& tableau :
         {rk4(), dormand_prince_54(), butcher_6(), gauss_2(), radau_iia_2()}) {
      methods.emplace_back(tableau.name, tableau);
    }
    return methods;
  }();
  return table;
}

const NameTable<int>& radau_names() {
  static const NameTable<int> table = {{"radau-2", 2}, {"radau-3", 3}};
  return table;
}

const NameTable<Formulation>& formulation_names() {
  static const NameTable<Formulation> table = {{"index3", Formulation::kIndex3},
                                               {"index2", Formulation::kIndex2},
                                               {"stabilized", Formulation::kStabilized}};
  return table;
}

const NameTable<StartingValues>& starting_values_names() {
  static const NameTable<StartingValues> table = {
      {"classical", StartingValues::kClassical},
      {"corrected", StartingValues::kCorrected},
      {"corrected-difference", StartingValues::kCorrectedDifference}};
  return table;
}

const NameTable<FirstGuess>& first_guess_names() {
  static const NameTable<FirstGuess> table = {{"extrapolated", FirstGuess::kExtrapolated},
                                              {"constant", FirstGuess::kConstantA},
                                              {"zero", FirstGuess::kZeroMultiplier}};
  return table;
}

const NameTable<NewtonKind>& newton_kind_names() {
  static const NameTable<NewtonKind> table = {{"full", NewtonKind::kFull},
                                              {"modified", NewtonKind::kModified},
                                              {"simplified", NewtonKind::kSimplified}};
  return table;
}

const NameTable<LinearSolverKind>& linear_solver_names() {
  static const NameTable<LinearSolverKind> table = {{"auto", LinearSolverKind::kAutomatic},
                                                    {"dense", LinearSolverKind::kDense},
                                                    {"sparse", LinearSolverKind::kSparse}};
  return table;
}

}  // namespace liegrad::dae
