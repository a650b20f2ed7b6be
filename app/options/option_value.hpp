#pragma once

#include <string>

#include "liegrad/dae/system/name_table.hpp"
#include "liegrad/dae/system/nearest_name.hpp"
#include "liegrad/lie/error.hpp"

namespace liegrad::app {

/// The value that an option names. Throws InvalidArgument with the nearest name when there is none such; `what` as in
/// "there is no formulation 'index1'".
template <class T>
T option_value(const std::string& option, const std::string& what, const std::string& name,
               const dae::NameTable<T>& table) {
  if (const T* const value = dae::find(table, name)) return *value;
  throw InvalidArgument(option + ": " +
                        dae::unknown_name_message(what, name, dae::names_of(table)));
}

}  // namespace liegrad::app
