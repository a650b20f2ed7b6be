#pragma once

#include <string>

namespace liegrad::app {

/// Text as SVG has it.
inline std::string svg_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return result;
}

}  // namespace liegrad::app
