#include "options/json_fields.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::app {

JsonFields::JsonFields(const nlohmann::json& json, std::string place, std::vector<std::string> keys)
    : json_(json), place_(std::move(place)) {
  if (!json.is_object()) throw InvalidArgument(place_ + ": an object {…} belongs here");
  for (const auto& [key, value] : json.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw InvalidArgument(place_ + ": " + dae::unknown_name_message("key", key, keys));
    }
  }
}

std::string JsonFields::place(const std::string& key) const { return place_ + ", " + key; }

void JsonFields::refuse(const std::string& key, const std::string& sentence) const {
  throw InvalidArgument(place(key) + ": " + sentence);
}

void JsonFields::require(const std::string& key) const {
  if (!has(key)) throw InvalidArgument(place_ + ": '" + key + "' is missing");
}

std::string JsonFields::text(const std::string& key) const {
  require(key);
  if (!at(key).is_string()) refuse(key, "a text belongs here");
  return at(key).get<std::string>();
}

double JsonFields::number(const std::string& key) const {
  require(key);
  if (!at(key).is_number()) refuse(key, "a number belongs here");
  return at(key).get<double>();
}

std::vector<double> JsonFields::numbers(const std::string& key) const {
  require(key);
  std::vector<double> list;
  if (!at(key).is_array()) refuse(key, "a list of numbers belongs here");
  for (const nlohmann::json& value : at(key)) {
    if (!value.is_number()) refuse(key, "a list of numbers belongs here");
    list.push_back(value.get<double>());
  }
  return list;
}

std::string JsonFields::text_or(const std::string& key, const std::string& other) const {
  return has(key) ? text(key) : other;
}

double JsonFields::number_or(const std::string& key, double other) const {
  return has(key) ? number(key) : other;
}

std::vector<int> JsonFields::integers_or_none(const std::string& key) const {
  std::vector<int> list;
  if (!has(key)) return list;
  for (const double value : numbers(key)) {
    if (value != std::floor(value) || std::abs(value) > 1e6) {
      refuse(key, "a list of whole numbers belongs here");
    }
    list.push_back(static_cast<int>(value));
  }
  return list;
}

}  // namespace liegrad::app
