#include <algorithm>
#include <set>

#include "report/sections.hpp"

namespace liegrad::app {
namespace {

constexpr const char* kLieAlpha =
    "O. Brüls, A. Cardona, M. Arnold: Lie group generalized-α time integration of constrained "
    "flexible "
    "multibody systems. Mechanism and Machine Theory 48 (2012), 121–137.";
constexpr const char* kLieAlgebra =
    "M. Arnold, A. Cardona, O. Brüls: A Lie algebra approach to Lie group time integration of "
    "constrained "
    "systems. Report 01 (2015), Martin-Luther-Universität Halle-Wittenberg.";
constexpr const char* kSigma =
    "S. Holzinger, M. Arnold, J. Gerstmayr: σ-modified Lie group generalized-α methods for "
    "constrained "
    "multibody systems. Mechanism and Machine Theory 217 (2025), 106236.";
constexpr const char* kRadau =
    "E. Hairer, G. Wanner: Solving Ordinary Differential Equations II: Stiff and "
    "Differential-Algebraic "
    "Problems. Springer (1996).";
constexpr const char* kIpopt =
    "A. Wächter, L. T. Biegler: On the implementation of an interior-point filter line-search "
    "algorithm for "
    "large-scale nonlinear programming. Mathematical Programming 106 (2006), 25–57.";
constexpr const char* kBeam =
    "V. Sonneville, A. Cardona, O. Brüls: Geometrically exact beam finite element formulated on "
    "the special "
    "Euclidean group SE(3). Computer Methods in Applied Mechanics and Engineering 268 (2014), "
    "451–474.";

}  // namespace

nlohmann::ordered_json citations_of(const std::vector<SummaryFile>& summaries) {
  using nlohmann::ordered_json;
  std::set<std::string> cited;
  for (const SummaryFile& summary : summaries) {
    const ordered_json options = summary.json.value("options", ordered_json::object());
    const std::string method = options.value("method", std::string());
    if (method == "lie-alpha" || summary.command() == "control")
      cited.insert({kLieAlpha, kLieAlgebra});
    if (method.starts_with("radau")) cited.insert(kRadau);
    if (options.contains("sigma") && options["sigma"] != 0) cited.insert(kSigma);
    if (summary.command() == "control") cited.insert(kIpopt);
    const ordered_json curves = summary.json.value("drawing", ordered_json::object())
                                    .value("curves", ordered_json::array());
    const bool has_beams = std::any_of(curves.begin(), curves.end(), [](const ordered_json& curve) {
      return curve.at("points").size() > 2;
    });
    if (has_beams) cited.insert(kBeam);
  }
  return cited;
}

}  // namespace liegrad::app
