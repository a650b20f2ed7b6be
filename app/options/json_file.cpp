#include "options/json_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace liegrad::app {

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
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t column = byte - (before.rfind('\n') + 1);  // npos + 1 is 0
  const std::string found = "'" + text.substr(byte - 1, 1) + "'";
  const std::string place = "line " + std::to_string(line) + ", column " + std::to_string(column);
  const std::size_t last = before.find_last_not_of(" \t\r\n");
  const bool is_end = found == "'}'" || found == "']'";
  if (is_end && last != std::string::npos && before[last] == ',') {
    return place + " has a comma too many before " + found + "; remove it";
  }
  return place + " has " + found + ", where something else is expected";
}

}  // namespace liegrad::app
