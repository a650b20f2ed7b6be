#include "liegrad/models/file/json_fields.hpp"

#include <algorithm>
#include <cmath>

#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::models {

JsonFields::JsonFields(const Json& json, JsonPlace place, const std::vector<std::string>& keys)
    : json_(json), place_(std::move(place)) {
  if (!json.is_object()) place_.refuse("an object {…} belongs here");
  for (const auto& [key, value] : json.items()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      (place_ / key).refuse(dae::unknown_name_message("key", key, keys));
    }
  }
}

void JsonFields::refuse(const std::string& key, const std::string& sentence) const {
  place(key).refuse(sentence);
}

void JsonFields::require(const std::string& key) const {
  if (!has(key)) place_.refuse("'" + key + "' is missing");
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
  for (const Json& value : at(key)) {
    if (!value.is_number()) refuse(key, "a list of numbers belongs here");
    list.push_back(value.get<double>());
  }
  return list;
}

std::vector<double> JsonFields::numbers_of_count(const std::string& key, std::size_t count) const {
  std::vector<double> list = numbers(key);
  if (list.size() != count) {
    refuse(key, std::to_string(count) + " numbers belong here, not " + std::to_string(list.size()));
  }
  return list;
}

std::vector<std::string> JsonFields::texts(const std::string& key) const {
  require(key);
  std::vector<std::string> list;
  if (!at(key).is_array()) refuse(key, "a list of names belongs here");
  for (const Json& value : at(key)) {
    if (!value.is_string()) refuse(key, "a list of names belongs here");
    list.push_back(value.get<std::string>());
  }
  return list;
}

std::string JsonFields::text_or(const std::string& key, const std::string& other) const {
  return has(key) ? text(key) : other;
}

double JsonFields::number_or(const std::string& key, double other) const {
  return has(key) ? number(key) : other;
}

int JsonFields::integer_or(const std::string& key, int other, int least, int most) const {
  const double value = number_or(key, other);
  if (value != std::floor(value) || value < least || value > most) {
    refuse(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                    " belongs here");
  }
  return static_cast<int>(value);
}

bool JsonFields::flag_or(const std::string& key, bool other) const {
  if (!has(key)) return other;
  if (!at(key).is_boolean()) refuse(key, "true or false belongs here");
  return at(key).get<bool>();
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

std::string JsonFields::choice_or_first(const std::string& key,
                                        const std::vector<std::string>& names) const {
  const std::string given = text_or(key, names.front());
  if (std::find(names.begin(), names.end(), given) == names.end()) {
    refuse(key, dae::unknown_name_message("choice", given, names));
  }
  return given;
}

const JsonFields::Json& JsonFields::names_in(const std::string& key) const {
  static const Json none = Json::object();
  if (!has(key)) return none;
  if (!at(key).is_object()) refuse(key, "an object of names belongs here");
  return at(key);
}

std::vector<JsonFields::Entry> JsonFields::entries_in(const std::string& key) const {
  std::vector<Entry> entries;
  if (!has(key)) return entries;
  if (!at(key).is_array()) refuse(key, "a list [ … ] belongs here");
  for (std::size_t i = 0; i < at(key).size(); ++i) {
    entries.push_back({at(key)[i], place(key) / i});
  }
  return entries;
}

}  // namespace liegrad::models
