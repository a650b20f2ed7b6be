#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "liegrad/lie/error.hpp"

namespace liegrad::models {

/// All of a file. Throws InvalidArgument when it cannot be read, with the remedy: "name a file with a problem".
std::string text_of_file(const std::string& file, const std::string& remedy);

/// What is wrong at a byte, counted from 1, of a text that is no JSON: the line, the column and what stands there.
std::string json_mistake(const std::string& text, std::size_t byte);

/// A text of JSON, in which // begins a comment, and the name that it has in messages.
struct JsonText {
  std::string name, text;

  static JsonText of_file(const std::string& file, const std::string& remedy) {
    return {file, text_of_file(file, remedy)};
  }
  /// Throws InvalidArgument for what is no JSON.
  template <class Json>
  Json parse() const {
    try {
      return Json::parse(text, nullptr, true, true);
    } catch (const typename Json::parse_error& error) {
      throw InvalidArgument(name + " is no JSON: " + json_mistake(text, error.byte));
    }
  }
  /// Throws InvalidArgument when an object of this JSON has a key twice, of which a parser would keep one.
  void require_unique_keys() const;
};

/// The JSON of a file. Throws InvalidArgument for what cannot be read or is no JSON, and for keys that stand twice.
template <class Json>
Json read_json(const std::string& file, const std::string& remedy) {
  const JsonText text = JsonText::of_file(file, remedy);
  Json json = text.parse<Json>();
  text.require_unique_keys();
  return json;
}

/// A place in a text of JSON, by the keys and the numbers of list entries that lead there.
class JsonPlace {
 public:
  explicit JsonPlace(std::shared_ptr<const JsonText> text) : text_(std::move(text)) {}

  JsonPlace operator/(const std::string& key) const { return below({key, 0}); }
  /// An entry of a list, counted from 0.
  JsonPlace operator/(std::size_t entry) const { return below({"", entry}); }

  /// "arm.json, line 3, column 5 (joints, elbow, axis)". Where a part of the way is not there, what leads to it counts.
  std::string text() const;
  /// The name of the file.
  const std::string& file() const { return text_->name; }
  /// Throws InvalidArgument with the place and what is wrong there.
  [[noreturn]] void refuse(const std::string& sentence) const;

 private:
  struct Step {
    std::string key;
    std::size_t entry;
  };
  JsonPlace below(const Step& step) const {
    JsonPlace place = *this;
    place.way_.push_back(step);
    return place;
  }

  std::shared_ptr<const JsonText> text_;
  std::vector<Step> way_;
};

/// The JSON of a file that people write, and the place of the whole of it. Throws InvalidArgument for what cannot be read or
/// is no JSON, and for keys that stand twice.
struct JsonFile {
  nlohmann::ordered_json json;
  JsonPlace place;
};
JsonFile read_json_file(const std::string& file, const std::string& remedy);

}  // namespace liegrad::models
