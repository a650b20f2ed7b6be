#include "report/reader_text.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace liegrad::app {
namespace {

std::string superscript(const std::string& digits) {
  constexpr std::array kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result;
  for (const char c : digits) result += c == '-' ? "⁻" : kDigits[static_cast<std::size_t>(c - '0')];
  return result;
}

}  // namespace

std::string reader_number(double value, int digits) {
  if (!std::isfinite(value)) return std::isnan(value) ? "–" : value > 0 ? "∞" : "−∞";
  const double size = std::abs(value);
  const std::string sign = value < 0 ? "−" : "";
  if (size == 0) return "0";
  if (size >= 1e-3 && size < std::pow(10, digits)) {
    return sign + fmt::format("{:.{}g}", size, digits);
  }
  const std::string text = fmt::format("{:.{}e}", size, digits - 1);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  const std::string power = "10" + superscript(std::to_string(std::stoi(text.substr(e + 1))));
  return sign + (mantissa == "1" ? power : mantissa + "·" + power);
}

std::string markup_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      case '"': result += "&quot;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace liegrad::app
