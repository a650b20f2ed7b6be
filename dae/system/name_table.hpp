#pragma once

#include <string>
#include <utility>
#include <vector>

namespace liegrad::dae {

/// Values that a user may choose from, by name, in the order in which they are listed. What is chosen by options and files
/// and named in reports stands in one table, with the type it is of.
template <class T>
using NameTable = std::vector<std::pair<std::string, T>>;

template <class T>
std::vector<std::string> names_of(const NameTable<T>& table) {
  std::vector<std::string> names;
  for (const auto& [name, value] : table) names.push_back(name);
  return names;
}

/// Null if nothing has this name.
template <class T>
const T* find(const NameTable<T>& table, const std::string& name) {
  for (const auto& entry : table) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

/// Empty if the value is not in the table.
template <class T>
std::string name_in(const NameTable<T>& table, const T& value) {
  for (const auto& entry : table) {
    if (entry.second == value) return entry.first;
  }
  return "";
}

}  // namespace liegrad::dae
