#pragma once

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace liegrad::app {

/// An object of a JSON file, read key by key. Mistakes are told with their place in the file, as in
/// "problem.json, controls.motor.m1: 'mni' is no key here; did you mean 'min'?".
class JsonFields {
 public:
  /// Throws InvalidArgument for what is no object, and for keys that are not in the list.
  JsonFields(const nlohmann::json& json, std::string place, std::vector<std::string> keys);

  bool has(const std::string& key) const { return json_.contains(key); }
  const nlohmann::json& at(const std::string& key) const { return json_[key]; }
  std::string place(const std::string& key) const;

  // Each throws InvalidArgument for a value of another kind; the first ones for one that is missing.
  std::string text(const std::string& key) const;
  double number(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& other) const;
  double number_or(const std::string& key, double other) const;
  std::vector<int> integers_or_none(const std::string& key) const;

  [[noreturn]] void refuse(const std::string& key, const std::string& sentence) const;

 private:
  void require(const std::string& key) const;

  const nlohmann::json& json_;
  std::string place_;
};

}  // namespace liegrad::app
