#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "liegrad/lie/error.hpp"

namespace liegrad::app {

/// All of a file. Throws InvalidArgument when it cannot be read, with the remedy: "name a file with a problem".
std::string text_of_file(const std::string& file, const std::string& remedy);

/// What is wrong at a byte, counted from 1, of a text that is no JSON: the line, the column and what stands there.
std::string json_mistake(const std::string& text, std::size_t byte);

/// The JSON of a file, in which // begins a comment. Throws InvalidArgument for what cannot be read or is no JSON.
template <class Json>
Json read_json(const std::string& file, const std::string& remedy) {
  const std::string text = text_of_file(file, remedy);
  try {
    return Json::parse(text, nullptr, true, true);
  } catch (const typename Json::parse_error& error) {
    throw InvalidArgument(file + " is no JSON: " + json_mistake(text, error.byte));
  }
}

}  // namespace liegrad::app
