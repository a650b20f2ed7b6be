#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace liegrad::app {

/// Values that a user may choose from, by name, in the order in which they are listed.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

/// Values under the names that reports give them by a `name_of()`.
template <class T>
Choices<T> by_name(std::initializer_list<T> values) {
  Choices<T> choices;
  for (const T& value : values) choices.emplace_back(name_of(value), value);
  return choices;
}

template <class T>
std::vector<std::string> names_of(const Choices<T>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) names.push_back(name);
  return names;
}

/// Null if no choice has this name.
template <class T>
const T* find(const Choices<T>& choices, const std::string& name) {
  for (const auto& choice : choices) {
    if (choice.first == name) return &choice.second;
  }
  return nullptr;
}

}  // namespace liegrad::app
