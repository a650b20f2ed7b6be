#include "output/bibliography.hpp"

#include <algorithm>
#include <string_view>

#include "liegrad/dae/method_names.hpp"
#include "output/references_asset.hpp"

namespace liegrad::app {
namespace {

using nlohmann::ordered_json;

bool has_beams(const ordered_json& summary) {
  const ordered_json curves =
      summary.value("drawing", ordered_json::object()).value("curves", ordered_json::array());
  return std::any_of(curves.begin(), curves.end(),
                     [](const ordered_json& curve) { return curve.at("points").size() > 2; });
}

}  // namespace

std::set<std::string> cited_keys(const ordered_json& summary) {
  std::set<std::string> keys;
  const std::string command = summary.value("command", std::string());
  const ordered_json options = summary.value("options", ordered_json::object());
  const std::string method = options.value("method", std::string());
  const bool is_alpha = dae::find(dae::alpha_variant_names(), method) != nullptr;
  if (is_alpha || command == "control") {
    keys.insert({"BruelsCardonaArnold2012", "ArnoldCardonaBruels2015"});
  }
  if (options.contains("sigma") && options["sigma"] != 0) {
    keys.insert("HolzingerArnoldGerstmayr2025");
  }
  if (dae::find(dae::radau_names(), method) != nullptr) keys.insert("HairerWanner1996");
  if (dae::find(dae::munthe_kaas_names(), method) != nullptr) {
    keys.insert("HairerNorsettWanner1993");
  }
  if (method == dae::dormand_prince_54().name) keys.insert("DormandPrince1980");
  if (command == "control") keys.insert("WaechterBiegler2006");
  if (has_beams(summary)) keys.insert("SonnevilleCardonaBruels2014");
  return keys;
}

std::string bibtex_of(const std::set<std::string>& keys) {
  const std::string_view all = references_asset();
  std::string text;
  for (const std::string& key : keys) {
    const std::size_t name = all.find("{" + key + ",");
    const std::size_t begin = all.rfind('@', name), end = all.find("\n}", name);
    text += std::string(text.empty() ? "" : "\n") + std::string(all.substr(begin, end + 3 - begin));
  }
  return text;
}

}  // namespace liegrad::app
