#include "reference/markdown.hpp"

#include <cctype>
#include <sstream>

namespace liegrad::app {

std::string table_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

std::string paragraph(const std::string& text) {
  constexpr std::size_t kWidth = 115;
  std::istringstream words(text);
  std::string result, word;
  for (std::size_t column = 0; words >> word; column += word.size()) {
    if (column > 0 && column + 1 + word.size() > kWidth) {
      result += '\n';
      column = 0;
    } else if (column > 0) {
      result += ' ';
      column += 1;
    }
    result += word;
  }
  return result;
}

std::string sentence_start(const std::string& text) {
  std::string start = text;
  const bool is_word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
  if (is_word) start[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(start[0])));
  return start;
}

}  // namespace liegrad::app
