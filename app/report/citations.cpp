#include <map>
#include <set>

#include "output/bibliography.hpp"
#include "report/sections.hpp"

namespace liegrad::app {
namespace {

/// Entries of docs/references.bib as a reader has them.
const std::map<std::string, const char*> kTexts = {
    {"BruelsCardonaArnold2012",
     "O. Brüls, A. Cardona, M. Arnold: Lie group generalized-α time integration of constrained "
     "flexible multibody systems. Mechanism and Machine Theory 48 (2012), 121–137."},
    {"ArnoldCardonaBruels2015",
     "M. Arnold, A. Cardona, O. Brüls: A Lie algebra approach to Lie group time integration of "
     "constrained systems. Report 01 (2015), Martin-Luther-Universität Halle-Wittenberg."},
    {"HolzingerArnoldGerstmayr2025",
     "S. Holzinger, M. Arnold, J. Gerstmayr: σ-modified Lie group generalized-α methods for "
     "constrained multibody systems. Mechanism and Machine Theory 217 (2025), 106236."},
    {"HairerWanner1996",
     "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II: Stiff and "
     "Differential-Algebraic Problems. Springer (1996)."},
    {"HairerNorsettWanner1993",
     "E. Hairer, S. P. Nørsett, G. Wanner: Solving Ordinary Differential Equations I: Nonstiff "
     "Problems. Springer (1993)."},
    {"DormandPrince1980",
     "J. R. Dormand, P. J. Prince: A family of embedded Runge–Kutta formulae. Journal of "
     "Computational and Applied Mathematics 6 (1980), 19–26."},
    {"WaechterBiegler2006",
     "A. Wächter, L. T. Biegler: On the implementation of an interior-point filter line-search "
     "algorithm for large-scale nonlinear programming. Mathematical Programming 106 (2006), "
     "25–57."},
    {"SonnevilleCardonaBruels2014",
     "V. Sonneville, A. Cardona, O. Brüls: Geometrically exact beam finite element formulated on "
     "the special Euclidean group SE(3). Computer Methods in Applied Mechanics and Engineering 268 "
     "(2014), 451–474."},
};

}  // namespace

nlohmann::ordered_json citations_of(const std::vector<SummaryFile>& summaries) {
  std::set<std::string> cited;
  for (const SummaryFile& summary : summaries) {
    for (const std::string& key : cited_keys(summary.json)) {
      if (const auto found = kTexts.find(key); found != kTexts.end()) cited.insert(found->second);
    }
  }
  return cited;
}

}  // namespace liegrad::app
