#include "liegrad/models/file/json_text.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace liegrad::models {
namespace {

/// "line 3, column 5" of a byte, counted from 0.
std::string line_and_column(const std::string& text, std::size_t byte) {
  const std::string_view before = std::string_view(text).substr(0, byte);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t column = byte - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Goes through a text that is known to be JSON, from value to value.
class Walker {
 public:
  explicit Walker(const std::string& text) : text_(text) { skip_space(); }

  std::size_t at() const { return at_; }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// Calls member(key, where the key begins) at the value of each member of the object here; entry(number) at each entry
  /// of a list. They move on behind the value, or return false to stay at it.
  template <class Member>
  bool walk_object(const Member& member) {
    for (enter(); next() != '}'; leave_value()) {
      const std::size_t begin = at_;
      const std::string key = read_string();
      skip_space();
      advance();  // ':'
      if (!member(key, begin)) return false;
    }
    advance();
    return true;
  }
  template <class Entry>
  bool walk_list(const Entry& entry) {
    enter();
    for (std::size_t i = 0; next() != ']'; ++i, leave_value()) {
      if (!entry(i)) return false;
    }
    advance();
    return true;
  }
  void skip_value() {
    if (next() == '{') {
      walk_object([this](const std::string&, std::size_t) { return skip_value(), true; });
    } else if (next() == '[') {
      walk_list([this](std::size_t) { return skip_value(), true; });
    } else if (next() == '"') {
      read_string();
    } else {
      at_ = std::min(text_.find_first_of(",]}/ \t\r\n", at_), text_.size());
    }
  }

 private:
  void advance() {
    ++at_;
    skip_space();
  }
  void enter() { advance(); }
  void leave_value() {
    skip_space();
    if (next() == ',') advance();
  }
  void skip_space() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (text_.compare(at_, 2, "//") == 0) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.compare(at_, 2, "/*") == 0) {
        at_ = text_.find("*/", at_) + 2;
      } else {
        return;
      }
    }
  }
  std::string read_string() {
    const std::size_t begin = at_;
    for (++at_; text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
    return nlohmann::json::parse(text_.substr(begin, at_ - begin)).get<std::string>();
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

void require_unique_keys_in(const JsonText& json, Walker& walker) {
  if (walker.next() == '[') {
    walker.walk_list([&](std::size_t) { return require_unique_keys_in(json, walker), true; });
    return;
  }
  if (walker.next() != '{') return walker.skip_value();
  std::set<std::string> keys;
  walker.walk_object([&](const std::string& key, std::size_t begin) {
    if (!keys.insert(key).second) {
      throw InvalidArgument(json.name + ", " + line_and_column(json.text, begin) + ": '" + key +
                            "' stands here a second time; keep one of them");
    }
    require_unique_keys_in(json, walker);
    return true;
  });
}

}  // namespace

std::string text_of_file(const std::string& file, const std::string& remedy) {
  std::ifstream stream(file);
  std::ostringstream text;
  if (!stream ||
      (stream.peek() != std::ifstream::traits_type::eof() && !(text << stream.rdbuf()))) {
    throw InvalidArgument(file + " cannot be read; " + remedy);
  }
  return text.str();
}

std::string json_mistake(const std::string& text, std::size_t byte) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return "it is empty";
  if (byte > text.size() || byte == 0) {
    return "it ends where more is expected, such as a closing bracket or quote";
  }
  const std::string before = text.substr(0, byte - 1);
  const std::string found = "'" + text.substr(byte - 1, 1) + "'";
  const std::string place = line_and_column(text, byte - 1);
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  const bool is_end = found == "'}'" || found == "']'";
  if (is_end && last != std::string::npos && before[last] == ',') {
    return place + " has a comma too many before " + found + "; remove it";
  }
  return place + " has " + found + ", where something else is expected";
}

void JsonText::require_unique_keys() const {
  Walker walker(text);
  require_unique_keys_in(*this, walker);
}

std::string JsonPlace::text() const {
  std::string keys;
  Walker walker(text_->text);
  std::size_t found = walker.at();
  bool is_there = true;
  for (const Step& step : way_) {
    if (step.key.empty()) {
      keys += " " + std::to_string(step.entry + 1);
    } else {
      keys += (keys.empty() ? "" : ", ") + step.key;
    }
    if (!is_there) continue;
    is_there = false;
    if (walker.next() == '{' && !step.key.empty()) {
      walker.walk_object([&](const std::string& key, std::size_t begin) {
        is_there = key == step.key;
        if (is_there) {
          found = begin;
        } else {
          walker.skip_value();
        }
        return !is_there;
      });
    } else if (walker.next() == '[' && step.key.empty()) {
      walker.walk_list([&](std::size_t entry) {
        is_there = entry == step.entry;
        if (is_there) {
          found = walker.at();
        } else {
          walker.skip_value();
        }
        return !is_there;
      });
    }
  }
  return text_->name + ", " + line_and_column(text_->text, found) +
         (keys.empty() ? "" : " (" + keys + ")");
}

JsonFile read_json_file(const std::string& file, const std::string& remedy) {
  const auto text = std::make_shared<const JsonText>(JsonText::of_file(file, remedy));
  auto json = text->parse<nlohmann::ordered_json>();
  text->require_unique_keys();
  return {std::move(json), JsonPlace(text)};
}

void JsonPlace::refuse(const std::string& sentence) const {
  throw InvalidArgument(text() + ": " + sentence);
}

}  // namespace liegrad::models
