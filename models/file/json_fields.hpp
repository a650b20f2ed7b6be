#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "liegrad/models/file/json_text.hpp"

namespace liegrad::models {

/// An object of a JSON file, read key by key. Mistakes are told with their place in the file, as in
/// "problem.json, line 4, column 9 (controls, motor.m1): there is no key 'mni'; did you mean 'min'?".
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  /// Throws InvalidArgument for what is no object, and for keys that are not in the list.
  JsonFields(const Json& json, JsonPlace place, const std::vector<std::string>& keys);

  bool has(const std::string& key) const { return json_.contains(key); }
  const Json& at(const std::string& key) const { return json_[key]; }
  const JsonPlace& place() const { return place_; }
  JsonPlace place(const std::string& key) const { return place_ / key; }

  // Each throws InvalidArgument for a value of another kind; the first ones for one that is missing.
  std::string text(const std::string& key) const;
  double number(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;
  std::string text_or(const std::string& key, const std::string& other) const;
  double number_or(const std::string& key, double other) const;
  /// A whole number within limits.
  int integer_or(const std::string& key, int other, int least, int most) const;
  bool flag_or(const std::string& key, bool other) const;
  std::vector<int> integers_or_none(const std::string& key) const;
  template <std::size_t N>
  std::array<double, N> array(const std::string& key) const {
    const std::vector<double> list = numbers_of_count(key, N);
    std::array<double, N> array;
    std::copy(list.begin(), list.end(), array.begin());
    return array;
  }
  template <std::size_t N>
  std::array<double, N> array_or(const std::string& key, const std::array<double, N>& other) const {
    return has(key) ? array<N>(key) : other;
  }
  /// One of the names; the first of them where nothing is said.
  std::string choice_or_first(const std::string& key, const std::vector<std::string>& names) const;
  /// The object with that key, whose own keys are names; empty where it is missing.
  const Json& names_in(const std::string& key) const;
  /// The entries of the list with that key, and where they stand; empty where it is missing.
  struct Entry {
    const Json& json;
    JsonPlace place;
  };
  std::vector<Entry> entries_in(const std::string& key) const;

  [[noreturn]] void refuse(const std::string& key, const std::string& sentence) const;

 private:
  void require(const std::string& key) const;
  std::vector<double> numbers_of_count(const std::string& key, std::size_t count) const;

  const Json& json_;
  JsonPlace place_;
};

}  // namespace liegrad::models
